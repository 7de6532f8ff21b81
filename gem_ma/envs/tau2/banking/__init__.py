"""The bank of tau2-bench: the domain in `bank`, the user's tools in `user`, others by kind."""
