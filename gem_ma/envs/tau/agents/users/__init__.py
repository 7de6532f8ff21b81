"""Users of TAU-bench and tau2-bench: by rule, with traits, in populations; or any model."""
