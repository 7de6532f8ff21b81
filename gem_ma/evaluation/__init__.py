"""What episodes say about who played them; `runner`, `tournament` and `exploit` play them too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gem_ma.evaluation.metrics import pass_at_k, pass_hat_k, wilson

if TYPE_CHECKING:
    from gem_ma.evaluation.runner import compare, evaluate

__all__ = ["compare", "evaluate", "pass_at_k", "pass_hat_k", "wilson"]


def __getattr__(name: str) -> Any:
    if name not in ("compare", "evaluate"):
        raise AttributeError(f"module 'gem_ma.evaluation' has no attribute {name!r}")
    from gem_ma.evaluation import runner

    return getattr(runner, name)
