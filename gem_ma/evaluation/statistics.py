"""Uncertainty of numbers: intervals of rates and means, tests of differences, and pass^k."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np

from gem_ma.validation.arguments import check_each, check_type

_NORMAL_QUANTILE = 1.959964  # 97.5 percent quantile of the normal distribution
_RESAMPLES = 2000
_MAX_PERMUTATIONS = 10_000  # random ones, if there are too many to try all
_CHUNK_SIZE = 1 << 20  # numbers in memory at once while resampling


class IntervalEstimate(NamedTuple):
    """A number with its 95 percent interval; nan: unknown.

    A mean of identical values has no interval, because they do not show how much others may differ.
    """

    value: float
    low: float
    high: float


class ChangeEstimate(NamedTuple):
    """A difference with its 95 percent interval, and the p value of a test against chance."""

    value: float
    low: float
    high: float
    p: float
    paired: bool
    tasks: int
    unlike: int = 0  # pairs that differ; each halves the least possible p


def estimate_rate(
    successes: Sequence[float], trials: Sequence[float], weights: Sequence[float] | None = None
) -> IntervalEstimate:
    """Return the share of successes with Wilson's interval; each position is a task.

    Trials of one task resemble each other, so they count for fewer independent trials. The interval
    uses the number of independent trials with the same uncertainty (Kish's effective number),
    estimated from the spread between tasks. With few tasks, a factor from Student's distribution
    lowers this number (Korn and Graubard). It is at least the effective number of tasks, and at
    most that of trials.

    Args:
        weights: Weights of the tasks. None: their numbers of trials, so that all trials have the
            same weight.
    """
    weights = trials if weights is None else weights
    for others, name in ((trials, "trials"), (weights, "weights")):
        if len(successes) != len(others):
            raise ValueError(
                f"got {len(successes)} successes and {len(others)} {name}: expected one of each "
                "for every task"
            )
    tasks = [(s / n, n, w) for s, n, w in zip(successes, trials, weights, strict=True) if n and w]
    total = sum(w for _, _, w in tasks)
    if not total:
        return IntervalEstimate(math.nan, 0.0, 1.0)
    share = min(1.0, sum(w * own for own, _, w in tasks) / total if tasks[1:] else tasks[0][0])
    fewest = total**2 / sum(w * w for _, _, w in tasks)  # if all trials of a task agree
    most = total**2 / sum(w * w / n for _, n, w in tasks)
    spread = sum((w * (own - share)) ** 2 for own, _, w in tasks) / total**2
    if share in (0, 1) or len(tasks) == 1:
        alone = fewest
    elif not spread:
        alone = most
    else:
        free = len(tasks) - 1
        alone = (
            share
            * (1 - share)
            / (len(tasks) / free * spread)
            * (_NORMAL_QUANTILE / _compute_t_quantile(free)) ** 2
        )
        alone = min(max(alone, fewest), most)
    return IntervalEstimate(share, *wilson(share * alone, alone))


def estimate_mean(values: Sequence[float]) -> IntervalEstimate:
    """Return the mean over tasks with a bootstrap interval, which is wider for few tasks."""
    if not values or not all(map(math.isfinite, values)):
        return IntervalEstimate(math.nan, math.nan, math.nan)
    if min(values) == max(values):
        return IntervalEstimate(float(values[0]), math.nan, math.nan)
    return IntervalEstimate(fmean(values), *_compute_interval([values], [1]))


def average_estimates(estimates: Sequence[IntervalEstimate]) -> IntervalEstimate:
    """Return the mean of independent estimates, with an interval from theirs."""
    known = [
        one
        for one in check_each(estimates, IntervalEstimate, "estimates")
        if not math.isnan(one.value)
    ]
    if not known:
        return IntervalEstimate(math.nan, math.nan, math.nan)
    value = fmean(one.value for one in known)
    below = math.hypot(*(one.value - one.low for one in known)) / len(known)
    above = math.hypot(*(one.high - one.value for one in known)) / len(known)
    return IntervalEstimate(value, value - below, value + above)


def estimate_change(old: Mapping[Any, float], new: Mapping[Any, float]) -> ChangeEstimate:
    """Return how much higher `new` is than `old` on average, by task.

    Tasks in both are compared in pairs. Without common tasks, the two means are compared.
    """
    check_type(old, Mapping, "old")
    check_type(new, Mapping, "new")
    common = [task for task in old if task in new]
    if common:
        gaps = [new[task] - old[task] for task in common]
        return ChangeEstimate(
            *estimate_mean(gaps), _test_sign_flips(gaps), True, len(common), sum(map(bool, gaps))
        )
    if not old or not new:
        return ChangeEstimate(math.nan, math.nan, math.nan, 1.0, False, 0)
    before, after = list(old.values()), list(new.values())
    value = fmean(after) - fmean(before)
    fewer = min(len(before), len(after))
    low = high = math.nan
    if fewer > 1:
        means = _resample_means(after) - _resample_means(before, seed=1)
        if np.ptp(means):
            low, high = map(
                float, np.quantile(means, _compute_tails(fewer - 1, fewer / (fewer - 1)))
            )
    return ChangeEstimate(value, low, high, _test_permutations(before, after), False, fewer)


def average_changes(rows: Sequence[Mapping[tuple[Any, Any], float]]) -> ChangeEstimate:
    """Return the mean over rows of their mean differences; each row has the same weight.

    Args:
        rows: For each row, the difference of every pair, by environment and start. A start is
            resampled, or gets its sign, together in all rows that have it. Starts are resampled
            within their environment, or from all environments if one of them has a single start.
            `tasks` of the result counts the starts.
    """
    sums: dict[Any, dict[Any, float]] = {}
    rows = [row for row in check_each(rows, Mapping, "rows") if row]
    if not rows:
        return ChangeEstimate(math.nan, math.nan, math.nan, 1.0, True, 0)
    for row in rows:
        for (place, start), gap in row.items():
            own = sums.setdefault(place, {})
            own[start] = own.get(start, 0.0) + gap / len(row) / len(rows)
    parts = [[round(one, 12) for one in own.values()] for own in sums.values()]
    if any(len(part) == 1 for part in parts):
        parts = [[one for part in parts for one in part]]
    gaps = [one for part in parts for one in part]
    varied = [part for part in parts if min(part) < max(part)]
    low = high = math.nan
    if varied:
        alike = sum(sum(part) for part in parts if part not in varied)
        low, high = (
            alike + end for end in _compute_interval(varied, [len(part) for part in varied])
        )
    differ = sum(map(bool, gaps))
    return ChangeEstimate(sum(gaps), low, high, _test_sign_flips(gaps), True, len(gaps), differ)


def adjust_p_values(chances: Sequence[float]) -> list[float]:
    """Return p values that are corrected for the number of tests (Holm's method)."""
    chances = list(chances)
    order = sorted(range(len(chances)), key=chances.__getitem__)
    out, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        out[place] = highest
    return out


def _resample_means(values: Sequence[float], seed: int = 0) -> np.ndarray:
    """Return the means of bootstrap resamples; the same seed gives the same draws."""
    array, rng = np.asarray(values, float), np.random.Generator(np.random.PCG64(seed))
    rows = max(1, _CHUNK_SIZE // len(array))
    parts = [
        array[rng.integers(len(array), size=(min(rows, _RESAMPLES - start), len(array)))].mean(1)
        for start in range(0, _RESAMPLES, rows)
    ]
    return np.concatenate(parts)


def _compute_interval(
    groups: Sequence[Sequence[float]], weights: Sequence[float]
) -> tuple[float, float]:
    """Return the interval of a weighted sum of means of groups that are resampled separately."""
    samples = sum(
        weight * _resample_means(values, seed)
        for seed, (values, weight) in enumerate(zip(groups, weights, strict=True))
    )
    true = seen = pooled = 0.0  # variances of the sum: of samples, and of resamples
    for values, weight in zip(groups, weights, strict=True):
        own = weight**2 * float(np.var(values)) / len(values)
        seen += own
        true += own * len(values) / (len(values) - 1)
        pooled += (own * len(values) / (len(values) - 1)) ** 2 / (len(values) - 1)
    low, high = np.quantile(samples, _compute_tails(true**2 / pooled, true / seen))
    return float(low), float(high)


def _compute_tails(free: float, wider: float) -> tuple[float, float]:
    """Return the two quantiles of the resamples that bound a 95 percent interval.

    Args:
        free: Degrees of freedom (Satterthwaite's for several groups).
        wider: Factor by which the variance of a sample exceeds that of a resample. It gives few
            values an interval as wide as that of Student's distribution (Hesterberg's expanded
            percentiles).
    """
    below = NormalDist().cdf(-math.sqrt(wider) * _compute_t_quantile(free))
    return below, 1 - below


def _compute_t_quantile(free: float) -> float:
    """Return the approximate 97.5 percent quantile of Student's distribution."""
    z, v = _NORMAL_QUANTILE, free
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    return t + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)


def _test_sign_flips(gaps: Sequence[float]) -> float:
    """Return the p value of a mean of differences, tested with random signs."""
    array = np.asarray([gap for gap in gaps if gap], float)
    if not len(array):
        return 1.0
    least = abs(array.sum()) * (1 - 1e-12)
    if len(array) <= 12:
        signs = np.array(list(itertools.product((1, -1), repeat=len(array))))
        return float(np.mean(np.abs(signs @ array) >= least))
    rng, hits = np.random.Generator(np.random.PCG64(2)), 0
    rows = max(1, min(_MAX_PERMUTATIONS, _CHUNK_SIZE // len(array)))
    for start in range(0, _MAX_PERMUTATIONS, rows):
        signs = rng.integers(2, size=(min(rows, _MAX_PERMUTATIONS - start), len(array))) * 2 - 1
        hits += int(np.sum(np.abs(signs @ array) >= least))
    return (hits + 1) / (_MAX_PERMUTATIONS + 1)


def _test_permutations(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the p value of a difference of means, tested with random permutations."""
    both, rng = np.asarray([*before, *after], float), np.random.Generator(np.random.PCG64(3))
    count, hits = len(before), 0
    least = abs(fmean(after) - fmean(before)) * (1 - 1e-12)
    for _ in range(_MAX_PERMUTATIONS):
        rng.shuffle(both)
        hits += bool(abs(both[count:].mean() - both[:count].mean()) >= least)
    return (hits + 1) / (_MAX_PERMUTATIONS + 1)


def pass_hat_k(results: Mapping[Hashable, Sequence[float]], k: int) -> float:
    """Return the probability that k trials all succeed: the mean over tasks of C(c,k)/C(n,k).

    Args:
        results: For each task its n trials: c of them True or 1, the others False or 0.
    """
    return fmean(math.comb(c, k) / math.comb(n, k) for n, c in _count_trials(results, k))


def pass_at_k(results: Mapping[Hashable, Sequence[float]], k: int) -> float:
    """Return the probability that any of k trials succeeds: the mean of 1 - C(n-c,k)/C(n,k)."""
    return fmean(1 - math.comb(n - c, k) / math.comb(n, k) for n, c in _count_trials(results, k))


def wilson(successes: float, trials: float, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval of a share; without trials it is 0 to 1.

    Both numbers may be fractions, because trials that depend on each other count for fewer.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials: expected 0 to {trials}")
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, z * z / trials
    middle = share + square / 2
    half = math.sqrt(square * (share * (1 - share) + square / 4))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return (low if successes else 0.0), (high if successes < trials else 1.0)


def _count_trials(results: Mapping[Hashable, Sequence[float]], k: int) -> list[tuple[int, int]]:
    """Return the numbers of trials and of successes of each task."""
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
