"""How sure a number is: intervals of rates and means, and differences beside noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np

from gem_ma.evaluation.metrics import wilson
from gem_ma.guards.given import each, need

_RESAMPLES = 2000
_FLIPS = 10_000  # of the signs, where there are too many to try them all
_CHUNK = 1 << 20  # numbers held at once while resampling


class Estimate(NamedTuple):
    """A number, and the interval that holds the true one 95 times in 100; nan: cannot be told.

    A mean of values that are all alike has no interval: how much others may differ is not in them.
    """

    value: float
    low: float
    high: float


class Change(NamedTuple):
    """What became more or less, its interval, and how likely chance alone does as much."""

    value: float
    low: float
    high: float
    p: float
    paired: bool
    tasks: int


def rate(successes: Sequence[float], trials: Sequence[float]) -> Estimate:
    """Return the share of successes in all trials, with Wilson's interval.

    Each place is a task: trials of one task are alike, so together they count for less than as
    many of different tasks. The interval is that of the number of independent trials that would
    leave as much doubt.
    """
    if len(successes) != len(trials):
        raise ValueError(f"got {len(successes)} tasks with successes and {len(trials)} with trials")
    pairs = [(s, n) for s, n in zip(successes, trials, strict=True) if n]
    total = sum(n for _, n in pairs)
    if not total:
        return Estimate(math.nan, 0.0, 1.0)
    share = min(1.0, sum(s for s, _ in pairs) / total)
    fewest = total * total / sum(n * n for _, n in pairs)  # no trial says more than its task
    spread = sum((s - share * n) ** 2 for s, n in pairs)
    if share in (0, 1) or len(pairs) == 1:
        alone = fewest
    elif not spread:
        alone = total
    else:
        variance = len(pairs) / (len(pairs) - 1) * spread / total**2
        alone = min(max(share * (1 - share) / variance, fewest), total)
    return Estimate(share, *wilson(share * alone, alone))


def mean(values: Sequence[float]) -> Estimate:
    """Return the mean over tasks with a bootstrap interval, widened for few of them."""
    if not values or not all(map(math.isfinite, values)):
        return Estimate(math.nan, math.nan, math.nan)
    if min(values) == max(values):
        return Estimate(float(values[0]), math.nan, math.nan)
    low, high = np.quantile(_means(values), _tails(len(values)))
    return Estimate(fmean(values), float(low), float(high))


def average(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent estimates; its interval comes from theirs."""
    known = [one for one in each(estimates, Estimate, "estimates") if not math.isnan(one.value)]
    if not known:
        return Estimate(math.nan, math.nan, math.nan)
    value = fmean(one.value for one in known)
    below = math.hypot(*(one.value - one.low for one in known)) / len(known)
    above = math.hypot(*(one.high - one.value for one in known)) / len(known)
    return Estimate(value, value - below, value + above)


def difference(old: Mapping[Any, float], new: Mapping[Any, float]) -> Change:
    """Return how much higher `new` is than `old` on average, by task.

    Tasks that are in both are compared one by one; without any, the two means are.
    """
    need(old, Mapping, "old")
    need(new, Mapping, "new")
    common = [task for task in old if task in new]
    if common:
        gaps = [new[task] - old[task] for task in common]
        return Change(*mean(gaps), _sign_flips(gaps), True, len(common))
    if not old or not new:
        return Change(math.nan, math.nan, math.nan, 1.0, False, 0)
    before, after = list(old.values()), list(new.values())
    value = fmean(after) - fmean(before)
    fewer = min(len(before), len(after))
    low = high = math.nan
    if fewer > 1:
        means = _means(after) - _means(before, seed=1)
        if np.ptp(means):
            low, high = map(float, np.quantile(means, _tails(fewer)))
    return Change(value, low, high, _exchanges(before, after), False, fewer)


def holm(chances: Sequence[float]) -> list[float]:
    """Return p values that allow for the number of questions asked (Holm's)."""
    chances = list(chances)
    order = sorted(range(len(chances)), key=chances.__getitem__)
    out, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        out[place] = highest
    return out


def _means(values: Sequence[float], seed: int = 0) -> np.ndarray:
    """Return the means of values drawn again, with the same draws whenever it is asked."""
    array, rng = np.asarray(values, float), np.random.Generator(np.random.PCG64(seed))
    rows = max(1, _CHUNK // len(array))
    parts = [
        array[rng.integers(len(array), size=(min(rows, _RESAMPLES - start), len(array)))].mean(1)
        for start in range(0, _RESAMPLES, rows)
    ]
    return np.concatenate(parts)


def _tails(count: int) -> tuple[float, float]:
    """Return what shares of the resamples to leave out below and keep below, for 95 percent.

    Resamples vary less than samples do, the fewer values the more: by a factor that is known, and
    by Student's distribution instead of the normal one (Hesterberg's expanded percentiles).
    """
    z, v = 1.959964, count - 1
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    below = NormalDist().cdf(-math.sqrt(count / v) * t)
    return below, 1 - below


def _sign_flips(gaps: Sequence[float]) -> float:
    """Return how often a mean as far from 0 comes out when each gap has a sign by chance."""
    array = np.asarray([gap for gap in gaps if gap], float)
    if not len(array):
        return 1.0
    least = abs(array.sum()) * (1 - 1e-12)
    if len(array) <= 12:
        signs = np.array(list(itertools.product((1, -1), repeat=len(array))))
        return float(np.mean(np.abs(signs @ array) >= least))
    rng, hits = np.random.Generator(np.random.PCG64(2)), 0
    rows = max(1, min(_FLIPS, _CHUNK // len(array)))
    for start in range(0, _FLIPS, rows):
        signs = rng.integers(2, size=(min(rows, _FLIPS - start), len(array))) * 2 - 1
        hits += int(np.sum(np.abs(signs @ array) >= least))
    return (hits + 1) / (_FLIPS + 1)


def _exchanges(before: Sequence[float], after: Sequence[float]) -> float:
    """Return how often means as far apart come out when all values are dealt again."""
    both, rng = np.asarray([*before, *after], float), np.random.Generator(np.random.PCG64(3))
    count, hits = len(before), 0
    least = abs(fmean(after) - fmean(before)) * (1 - 1e-12)
    for _ in range(_FLIPS):
        rng.shuffle(both)
        hits += bool(abs(both[count:].mean() - both[:count].mean()) >= least)
    return (hits + 1) / (_FLIPS + 1)
