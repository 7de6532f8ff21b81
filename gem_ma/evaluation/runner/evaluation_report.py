"""The report of an evaluation to dashboards: its metrics, its rows, and some of its episodes."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from gem_ma.evaluation.metrics import METRICS
from gem_ma.evaluation.runner.eval_tasks import EvalTask, load_task_episodes
from gem_ma.evaluation.runner.results import Evaluation
from gem_ma.evaluation.statistics import IntervalEstimate
from gem_ma.rollouts.reporting.run_report import RunReport

_EPISODES = 5  # of each cell, in the table of episodes


def report_evaluation(
    report: RunReport,
    evaluation: Evaluation,
    folder: str | os.PathLike[str],
    cells: Sequence[EvalTask],
) -> None:
    """Log every metric of every row, a table of the rows, and a table of episodes with pictures."""
    if not report.dashboards:
        return
    numbers: dict[str, float] = {}
    table = []
    for row in evaluation.rows:
        values = [_get_value(row[name]) for name in METRICS]
        table.append([row["entry"], row["seat"], row["episodes"], *values])
        for name, value in zip(METRICS, values, strict=True):
            if value is not None:
                numbers[f"{name}/{row['entry']}/{row['seat']}"] = value
    for name in METRICS:
        if (value := _get_value(evaluation.overall.get(name))) is not None:
            numbers[f"{name}/mean"] = value
    report.log_numbers(numbers, 0)
    used = [i for i in range(3 + len(METRICS)) if any(line[i] is not None for line in table)]
    columns = ["environment", "seat", "episodes", *METRICS]
    lines = [[line[i] for i in used] for line in table]
    report.log_table("results", [columns[i] for i in used], lines, 0)
    episodes = [one for cell in cells for one in load_task_episodes(folder, cell)[:_EPISODES]]
    report.log_episodes(episodes, 0)


def _get_value(estimate: object) -> float | None:
    """Return the value of an estimate, or None if it is unknown or no single number."""
    if isinstance(estimate, IntervalEstimate) and math.isfinite(estimate.value):
        return estimate.value
    return None
