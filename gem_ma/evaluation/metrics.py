"""Numbers over repeated trials of tasks: pass^k, pass@k, and how sure a share is."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import comb, sqrt
from statistics import fmean

from gem_ma.validation.arguments import check_type


def pass_hat_k(results: Mapping[Hashable, Sequence[float]], k: int) -> float:
    """Return how likely k trials of a task all succeed: the mean over tasks of C(c,k)/C(n,k).

    results: for each task its n trials, c of them True or 1, the others False or 0.
    """
    return fmean(comb(c, k) / comb(n, k) for n, c in _count_trials(results, k))


def pass_at_k(results: Mapping[Hashable, Sequence[float]], k: int) -> float:
    """Return how likely one of k trials of a task succeeds: the mean of 1 - C(n-c,k)/C(n,k)."""
    return fmean(1 - comb(n - c, k) / comb(n, k) for n, c in _count_trials(results, k))


def wilson(successes: float, trials: float, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval of a share; without trials it is 0 to 1.

    Neither has to be whole: trials that depend on each other count for fewer.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials: expected 0 to {trials}")
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, z * z / trials
    middle = share + square / 2
    half = sqrt(square * (share * (1 - share) + square / 4))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return (low if successes else 0.0), (high if successes < trials else 1.0)


def _count_trials(results: Mapping[Hashable, Sequence[float]], k: int) -> list[tuple[int, int]]:
    """Return how many trials each task had, and how many succeeded."""
    if k < 1:
        raise ValueError(f"k={k}: expected 1 or more")
    if not results:
        raise ValueError("got no task; expected a mapping from task to its trials")
    check_type(results, Mapping, "results")
    counts = []
    for task, trials in results.items():
        if len(trials) < k:
            raise ValueError(
                f"task {task!r} has {len(trials)} trials, and k={k} needs {k}; leave the task out "
                "or take a smaller k"
            )
        for trial in trials:
            if trial not in (0, 1):
                raise ValueError(f"task {task!r}: a trial is {trial!r}; expected 0, 1 or a bool")
        counts.append((len(trials), sum(trial == 1 for trial in trials)))
    return counts
