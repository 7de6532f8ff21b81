"""Intervals and tests against exact values; pass^k, pass@k and Wilson's interval."""

import itertools
import math
from fractions import Fraction
from math import comb
from statistics import NormalDist, fmean

import numpy as np
import pytest

from gem_ma.evaluation import pass_at_k, pass_hat_k, wilson
from gem_ma.evaluation.statistics import (
    IntervalEstimate,
    _compute_t_quantile,
    _compute_tails,
    adjust_p_values,
    average_changes,
    average_estimates,
    estimate_change,
    estimate_mean,
    estimate_rate,
)


def binomial(n, p):
    return [comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]


def coverage(intervals, chances, truth):
    return sum(c for (low, high), c in zip(intervals, chances, strict=True) if low <= truth <= high)


@pytest.mark.parametrize(("n", "p"), [(10, 0.1), (20, 0.3), (50, 0.5), (100, 0.02)])
def test_rates_cover_as_often_as_wilson_s_interval_exactly_does(n, p):
    z = NormalDist().inv_cdf(0.975)
    exact = []
    for x in range(n + 1):  # the roots of (x/n - p)^2 = z^2 p (1 - p) / n
        a, b, c = n + z * z, -(2 * x + z * z), x * x / n
        root = math.sqrt(b * b - 4 * a * c)
        exact.append(((-b - root) / (2 * a), (-b + root) / (2 * a)))
    expected = coverage(exact, binomial(n, p), p)
    intervals = [estimate_rate([1] * x + [0] * (n - x), [1] * n)[1:] for x in range(n + 1)]
    assert coverage(intervals, binomial(n, p), p) == pytest.approx(expected, abs=1e-9)
    drawn = np.random.default_rng(0).binomial(n, p, size=20_000)
    hits = fmean(intervals[x][0] <= p <= intervals[x][1] for x in drawn)
    assert hits == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("n", "p"), [(8, 0.5), (15, 0.4), (40, 0.2)])
def test_means_cover_as_often_as_the_bootstrap_exactly_does(n, p):
    exact = []
    for x in range(n + 1):  # the mean of a resample is binomial
        below = np.cumsum(binomial(n, x / n))
        exact.append(
            [int(np.searchsorted(below, tail)) / n for tail in _compute_tails(n - 1, n / (n - 1))]
        )
    expected = coverage(exact, binomial(n, p), p)
    intervals = [estimate_mean([1.0] * x + [0.0] * (n - x))[1:] for x in range(n + 1)]
    drawn = np.random.default_rng(1).binomial(n, p, size=20_000)
    hits = fmean(intervals[x][0] <= p <= intervals[x][1] for x in drawn)
    assert hits == pytest.approx(expected, abs=0.01)


def test_means_of_few_normal_values_are_covered():
    drawn = np.random.default_rng(2).normal(3, 2, size=(800, 12))
    hits = fmean(low <= 3 <= high for _, low, high in map(estimate_mean, drawn.tolist()))
    assert 0.925 < hits < 0.97  # without widening it is 0.90


def test_trials_of_one_task_count_for_less():
    alone = estimate_rate([1] * 6 + [0] * 4, [1] * 10)
    assert alone == IntervalEstimate(0.6, *wilson(6, 10))
    # all four alike
    assert estimate_rate([4] * 6 + [0] * 4, [4] * 10)[1:] == pytest.approx(alone[1:])
    # as if independent
    assert estimate_rate([2] * 10, [4] * 10)[1:] == pytest.approx(wilson(20, 40))
    assert estimate_rate([0] * 5, [4] * 5)[1:] == pytest.approx(wilson(0, 5))
    assert estimate_rate([3], [4])[1:] == pytest.approx(wilson(0.75, 1))
    assert estimate_rate([], [])[1:] == (0, 1)
    # tasks may weigh alike, though one was tried less often
    assert estimate_rate([4, 0], [4, 1]).value == pytest.approx(0.8)
    assert estimate_rate([4, 0], [4, 1], [1, 1]).value == 0.5
    with pytest.raises(ValueError, match="got 1 successes and 2 trials: expected one of each"):
        estimate_rate([1], [1, 1])
    with pytest.raises(ValueError, match="got 1 successes and 2 weights: expected one of each"):
        estimate_rate([1], [1], [1, 1])


def test_rates_of_clustered_trials_are_covered():
    # The share of a task is drawn, 0.2 or 0.9; the true mean is 0.55.
    rng = np.random.default_rng(3)
    for tasks in (5, 25):  # without Student's distribution five have 0.90
        hits = []
        for _ in range(2000):
            shares = rng.choice([0.2, 0.9], size=tasks)
            _, low, high = estimate_rate(rng.binomial(8, shares).tolist(), [8] * tasks)
            hits.append(low <= 0.55 <= high)
        assert 0.93 < fmean(hits) < 0.98


def test_student():
    for free, exact in ((2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (4.5, 2.657)):
        assert _compute_t_quantile(free) == pytest.approx(exact, rel=0.04 if free < 3 else 0.01)


@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_pass_hat_k_is_p_to_the_k_on_average(p):
    n = 6
    for k in range(1, n + 1):
        total = sum(
            comb(n, c)
            * p**c
            * (1 - p) ** (n - c)
            * Fraction(pass_hat_k({"task": [1] * c + [0] * (n - c)}, k)).limit_denominator(10**6)
            for c in range(n + 1)
        )
        assert total == p**k


def test_averages_add_what_is_doubtful():
    parts = [
        IntervalEstimate(0.5, 0.2, 0.6),
        IntervalEstimate(0.7, 0.3, 0.9),
        IntervalEstimate(math.nan, 0, 1),
    ]
    value, low, high = average_estimates(parts)
    assert value == pytest.approx(0.6)
    assert low == pytest.approx(0.6 - math.hypot(0.3, 0.4) / 2)
    assert high == pytest.approx(0.6 + math.hypot(0.1, 0.2) / 2)
    assert math.isnan(average_estimates([]).value)


def test_paired_differences():
    old = {task: float(task % 3 == 0) for task in range(30)}
    same = estimate_change(old, old)
    assert (same.value, same.p) == (0, 1)
    assert math.isnan(same.low)  # all alike: how much they may differ is not in them
    better = {task: value + 0.5 for task, value in old.items()}
    change = estimate_change(old, better)
    assert change.paired
    assert change.tasks == 30
    assert change.value == 0.5
    assert math.isnan(change.low)
    assert change.p < 0.001
    # Five gaps of one sign come by chance in 2 of 32 ways.
    assert estimate_change(dict.fromkeys(range(5), 0.0), dict.fromkeys(range(5), 1.0)).p == 2 / 32
    # Pairs show what the means of different tasks hide.
    rng = np.random.default_rng(4)
    hard = {task: float(rng.normal(0, 5)) for task in range(20)}
    easier = {task: value + 0.3 + float(rng.normal(0, 0.1)) for task, value in hard.items()}
    assert estimate_change(hard, easier).p < 0.001
    apart = estimate_change(hard, {f"other {task}": value for task, value in easier.items()})
    assert not apart.paired
    assert apart.p > 0.5
    assert apart.low < apart.value < apart.high


def test_rows_together():
    rng = np.random.default_rng(6)
    one = {("a", task): float(rng.normal()) for task in range(9)}
    alone = estimate_change(dict.fromkeys(one, 0.0), one)
    assert average_changes([one]) == pytest.approx(alone)  # of one row it is that row's
    twice = average_changes([one, one])  # another seat that tells nothing new
    assert twice == pytest.approx(alone)
    other = {("b", task): float(rng.normal()) for task in range(4)}
    both = average_changes([one, other])  # each row weighs alike, however many starts it has
    assert both.value == pytest.approx((fmean(one.values()) + fmean(other.values())) / 2)
    assert (both.tasks, both.unlike) == (13, 13)
    lost = average_changes(
        [one, {key: -gap for key, gap in one.items()}]
    )  # one seat's gain is the other's
    assert (lost.value, lost.p, lost.unlike) == (0, 1, 0)
    assert math.isnan(lost.low)
    level = average_changes([one, dict.fromkeys(other, 0.25)])
    assert level[:3] == pytest.approx([end / 2 + 0.125 for end in alone[:3]])


@pytest.mark.parametrize(("places", "tasks", "alike"), [(3, 4, -0.8), (8, 2, 0.8), (12, 1, 0.8)])
def test_rows_together_are_covered(places, tasks, alike):
    """Seats of a start are alike or against each other; environments have changes of their own."""
    rng, hits, found = np.random.default_rng(7), [], []
    own = rng.normal(0, 0.3, places)
    own -= own.mean()
    for _ in range(120):
        gaps = rng.multivariate_normal([0, 0], [[1, alike], [alike, 1]], size=(places, tasks))
        rows = [
            {(place, task): float(own[place] + gaps[place, task, seat]) for task in range(tasks)}
            for place in range(places)
            for seat in range(2)
        ]
        change = average_changes(rows)
        hits.append(change.low <= 0 <= change.high)
        found.append(change.p < 0.05)
    assert 0.90 < fmean(hits) < 0.995
    assert fmean(found) < 0.10


@pytest.mark.slow
def test_noise_is_seldom_taken_for_a_change():
    rng, found = np.random.default_rng(5), 0
    for _ in range(200):
        old = dict(enumerate(rng.normal(size=12).tolist()))
        new = dict(enumerate(rng.normal(size=12).tolist()))
        found += estimate_change(old, new).p < 0.05
    assert 1 <= found <= 22  # 10 expected; 4 standard deviations


def test_holm():
    assert adjust_p_values([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert adjust_p_values([0.9, 0.8]) == [1, 1]
    assert adjust_p_values([]) == []


def test_what_cannot_be_told():
    assert math.isnan(estimate_mean([]).value)
    assert estimate_mean([2.0]).value == 2
    assert math.isnan(estimate_mean([2.0]).low)
    assert math.isnan(estimate_mean([1.0, math.nan]).value)
    assert math.isnan(estimate_mean([1.0, math.inf]).value)
    assert math.isnan(estimate_mean([2.0] * 10).low)
    assert math.isnan(estimate_change({1: 0.0, 2: 0.0}, {3: 1.0, 4: 1.0}).low)
    assert estimate_change({}, {1: 2.0}).p == 1


# -- shares of trials ------------------------------------------------------------------------------

RESULTS = {
    0: [True, True, True, True, True],
    1: [1, 0, 0, 1, 0, 1],
    "two": [0.0, 0.0, 1.0, 0.0],
    (3,): [False] * 7,
}


def subsets(results, k, rule):
    """Return the mean over tasks of how often the rule holds in k of the trials."""
    return fmean(
        fmean(rule(chosen) for chosen in itertools.combinations(trials, k))
        for trials in results.values()
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_both_are_means_over_all_choices_of_k_trials(k):
    assert pass_hat_k(RESULTS, k) == pytest.approx(subsets(RESULTS, k, all))
    assert pass_at_k(RESULTS, k) == pytest.approx(subsets(RESULTS, k, any))


def test_closed_forms():
    assert pass_hat_k(RESULTS, 1) == pass_at_k(RESULTS, 1) == (1 + 1 / 2 + 1 / 4 + 0) / 4
    for n in range(1, 9):
        for c in range(n + 1):
            results = {"task": [1] * c + [0] * (n - c)}
            assert pass_hat_k(results, n) == (c == n)
            assert pass_at_k(results, n) == (c > 0)
            if n > 1:
                both = Fraction(c * (c - 1), n * (n - 1))
                assert pass_hat_k(results, 2) == pytest.approx(float(both))
    falling = [pass_hat_k(RESULTS, k) for k in range(1, 5)]
    assert falling == sorted(falling, reverse=True)
    rising = [pass_at_k(RESULTS, k) for k in range(1, 5)]
    assert rising == sorted(rising)


@pytest.mark.parametrize("metric", [pass_hat_k, pass_at_k])
def test_what_cannot_be_counted_is_refused(metric):
    with pytest.raises(ValueError, match=r"task 'two' has 4 trials, and k=5 needs 5"):
        metric(RESULTS, 5)
    with pytest.raises(ValueError, match="k=0: expected 1 or more"):
        metric(RESULTS, 0)
    with pytest.raises(ValueError, match="got no task"):
        metric({}, 1)
    with pytest.raises(ValueError, match=r"task 1: a trial is 0\.5; expected 0, 1 or a bool"):
        metric({1: [0.5]}, 1)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_what_is_published(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=6e-5)


def test_wilson_at_its_ends():
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 1.0
    assert wilson(3, 9, z=0) == pytest.approx((1 / 3, 1 / 3))
    narrow, wide = wilson(3, 9, z=1), wilson(3, 9, z=3)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    with pytest.raises(ValueError, match="8 successes in 7 trials: expected 0 to 7"):
        wilson(8, 7)
