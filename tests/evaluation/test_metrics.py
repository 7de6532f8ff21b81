"""pass^k, pass@k and Wilson's interval."""

import itertools
from fractions import Fraction
from statistics import fmean

import pytest

from gem_ma.evaluation import pass_at_k, pass_hat_k, wilson

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
