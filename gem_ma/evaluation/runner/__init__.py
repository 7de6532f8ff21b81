"""Evaluation of a suite: its tasks, the runner, the results, and the comparison of two runs.

The package does not use tournaments, exploitability, or code that prints or draws results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.evaluation.runner.comparison import MetricDifference, compare
    from gem_ma.evaluation.runner.eval_tasks import load_evaluation
    from gem_ma.evaluation.runner.results import Evaluation
    from gem_ma.evaluation.runner.suite_runner import evaluate

__all__ = ["Evaluation", "MetricDifference", "compare", "evaluate", "load_evaluation"]


__getattr__ = lazy_getattr(
    __name__,
    {
        "MetricDifference": "comparison",
        "Evaluation": "results",
        "compare": "comparison",
        "evaluate": "suite_runner",
        "load_evaluation": "eval_tasks",
    },
)
