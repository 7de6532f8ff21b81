"""What episodes say about who played them: suites, numbers, ratings, pages and figures.

`runner`, `tournament` and `exploitability` play them, the other files read what was played. It
stands above rollouts and all that they may import, and knows nothing of serving, training or
commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.evaluation.statistics import pass_at_k, pass_hat_k, wilson
from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.evaluation.runner.comparison import compare
    from gem_ma.evaluation.runner.suite_runner import evaluate

__all__ = ["compare", "evaluate", "pass_at_k", "pass_hat_k", "wilson"]


__getattr__ = lazy_getattr(
    __name__, {"compare": "runner.comparison", "evaluate": "runner.suite_runner"}
)
