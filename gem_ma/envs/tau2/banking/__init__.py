"""The bank of tau2-bench: `bank` is the domain; tools are in `user` and, by kind, beside it."""
