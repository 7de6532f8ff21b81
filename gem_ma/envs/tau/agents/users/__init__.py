"""Users of TAU-bench and tau2-bench: rule-based users with traits, and their populations."""
