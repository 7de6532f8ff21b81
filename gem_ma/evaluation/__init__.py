"""What episodes say about who played them."""

from gem_ma.evaluation.metrics import pass_at_k, pass_hat_k, wilson

__all__ = ["pass_at_k", "pass_hat_k", "wilson"]
