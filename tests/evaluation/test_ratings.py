"""Ratings: strengths that come back, their intervals, cycles, and more than two players."""

import itertools
import math
import sys

import numpy as np
import pytest

from gem_ma.evaluation.ratings import (
    ELO_SCALE,
    find_cycles,
    fit_bradley_terry,
    fit_davidson,
    fit_plackett_luce,
)


def chances(strengths, draw, i, j):
    a, b = strengths[i], strengths[j]
    weights = np.exp([a, draw + (a + b) / 2, b])
    return weights / weights.sum()


def expected(strengths, draw, games):
    """Return the wins and draws that come out if everything goes by its chances."""
    many = len(strengths)
    wins, draws = np.zeros((many, many)), np.zeros((many, many))
    for i, j in itertools.combinations(range(many), 2):
        win, equal, loss = games * chances(strengths, draw, i, j)
        wins[i, j], wins[j, i] = win, loss
        draws[i, j] = draws[j, i] = equal
    return wins, draws


def test_known_strengths_come_back():
    strengths, draw = np.array([1.5, 0.4, 0.0, -0.3, -1.6]), math.log(0.7)
    found, drawing = fit_davidson(*expected(strengths, draw, 100_000))
    assert found == pytest.approx(strengths, abs=1e-3)
    assert drawing == pytest.approx(draw, abs=1e-3)
    # Two agents without draws: the log odds.
    found, _ = fit_davidson(np.array([[0, 3e5], [1e5, 0]]), np.zeros((2, 2)))
    assert found[0] - found[1] == pytest.approx(math.log(3), abs=1e-3)


def played(strengths, draw, games, seed):
    rng, many = np.random.default_rng(seed), len(strengths)
    units = []
    for i, j in itertools.combinations(range(many), 2):
        unit = np.zeros((games, many, many, 2))
        for table, came in zip(
            unit, rng.choice(3, size=games, p=chances(strengths, draw, i, j)), strict=True
        ):
            if came == 1:
                table[i, j, 1] = table[j, i, 1] = 1
            else:
                table[(i, j, 0) if came == 0 else (j, i, 0)] = 1
        units.append(unit)
    return units


def test_intervals_of_ratings_hold_the_truth():
    strengths, agents = np.array([0.9, 0.3, -0.2, -1.0]), list("abcd")
    held = []
    for seed in range(100):
        rated, _ = fit_bradley_terry(agents, played(strengths, -0.5, 60, seed), resamples=100)
        assert rated[0].agent == "a"
        for one in rated:
            truth = ELO_SCALE * strengths[agents.index(one.agent)]
            held.append(one.low <= truth <= one.high)
    assert 0.91 < np.mean(held) < 0.98
    anchored, _ = fit_bradley_terry(agents, played(strengths, -0.5, 60, 0), "c")
    assert anchored[2] == ("c", 0, 0, 0)


def test_strengths_are_those_of_another_library():
    wins = np.array([[0, 30, 42, 55], [20, 0, 31, 38], [11, 22, 0, 33], [6, 13, 18, 0.0]])
    choix = [0.94404755, 0.25447676, -0.25761372, -0.9409106]  # choix 0.4.1, opt_pairwise
    assert fit_davidson(wins, np.zeros((4, 4)))[0] == pytest.approx(choix, abs=1e-4)
    units = [
        np.zeros((int(wins[i, j] + wins[j, i]), 4, 4, 2))
        for i, j in itertools.combinations(range(4), 2)
    ]
    for unit, (i, j) in zip(units, itertools.combinations(range(4), 2), strict=True):
        first = int(wins[i, j])
        unit[:first, i, j, 0] = unit[first:, j, i, 0] = 1
    rated, drawing = fit_bradley_terry(list("abcd"), units)
    assert [one.agent for one in rated] == list("abcd")
    assert drawing == pytest.approx(0, abs=1e-9)
    for one, there in zip(rated, choix, strict=True):
        assert one.points == pytest.approx(ELO_SCALE * there, abs=5)  # the prior is one start in 75
        assert one.low < ELO_SCALE * there < one.high


def separated(count, many=2):
    unit = np.zeros((count, many, many, 2))
    unit[:, 0, 1, 0] = 1
    return unit


def test_who_never_loses_has_a_wide_interval():
    for count, low, high in (  # Jeffreys' interval of the share: scipy.stats.beta(n + 0.5, 0.5)
        (5, 85.5, 1611.81),
        (10, 222.72, 1727.89),
        (100, 638.25, 2123.99),
    ):
        rated, _ = fit_bradley_terry(["a", "b"], [separated(count)], "b", resamples=20_000)
        assert rated[0].points == pytest.approx(ELO_SCALE * math.log(2 * count + 1), abs=1)
        assert rated[0].low == pytest.approx(low, abs=12)
        assert rated[0].high == pytest.approx(high, abs=60)
        assert rated[1][1:] == (0, 0, 0)
    alone, _ = fit_bradley_terry(["a", "b"], [separated(10)], "b")
    twice, _ = fit_bradley_terry(["a", "b"], [2 * separated(10)], "b")
    assert twice[0][1:] == pytest.approx(alone[0][1:], rel=0.01)  # no more was seen


def test_who_never_met_cannot_be_compared():
    unit = np.zeros((20, 4, 4, 2))
    unit[:10, 0, 1, 0] = unit[10:, 1, 0, 0] = unit[:10, 2, 3, 0] = unit[10:, 3, 2, 0] = 1
    rated, _ = fit_bradley_terry(list("abcd"), [unit], "a")
    wide = {one.agent: one.high - one.low for one in rated}
    assert wide["b"] < 500 < 1000 < min(wide["c"], wide["d"])


@pytest.mark.parametrize(
    ("gap", "alike"),
    [
        pytest.param(gap, alike, marks=[pytest.mark.slow] if alike == 2 or gap == 0 else [])
        for gap in (0, 400, 800)
        for alike in (1, 2)
    ],
)
def test_few_matches_and_many_wins_leave_room_for_the_truth(gap, alike):
    held = []
    for seed in range(150):
        (unit,) = played(np.array([gap / ELO_SCALE, 0]), -30.0, 10, seed)
        rated, _ = fit_bradley_terry(["a", "b"], [alike * unit], "b", resamples=200)
        one = next(one for one in rated if one.agent == "a")
        assert one.low < one.points < one.high < math.inf
        held.append(one.low <= gap <= one.high)
    assert np.mean(held) > 0.90


def test_cycles():
    wins = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)):
        wins[i, j], wins[j, i] = 40, 10
    (found,) = find_cycles(["rock", "scissors", "paper", "none"], wins, np.zeros((4, 4)))
    assert found.agents == ("rock", "scissors", "paper")
    assert found.certain
    (found,) = find_cycles(["rock", "scissors", "paper", "none"], wins / 20, np.zeros((4, 4)))
    assert not found.certain
    wins[2, 0], wins[0, 2] = 10, 40
    assert find_cycles(list("abcd"), wins, np.zeros((4, 4))) == []
    # Everybody is alike in a cycle, for ratings along a line.
    wins = np.array([[0, 9, 1], [1, 0, 9], [9, 1, 0.0]])
    assert fit_davidson(wins, np.zeros((3, 3)))[0] == pytest.approx([0, 0, 0])


def test_plackett_luce():
    pytest.importorskip("openskill", reason="pip install 'gem-ma[evaluation]'")
    rng, strengths = np.random.default_rng(0), {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0}
    matches = []
    for _ in range(300):
        who = rng.permutation(list(strengths))[:3].tolist()
        matches.append({one: strengths[one] + float(rng.gumbel()) for one in who})
    known = fit_plackett_luce(matches)
    assert sorted(known, key=lambda one: -known[one][0]) == list("abcd")
    later = fit_plackett_luce([{"e": 3.0, "a": 1.0, "b": 0.0}] * 20, known)
    assert later["e"][0] > later["a"][0] > later["b"][0]
    assert later["d"] == known["d"]


def test_plackett_luce_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill", None)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ImportError, match=r"gem-ma\[evaluation\]"):
        fit_plackett_luce([{"a": 1.0, "b": 0.0}])
