"""Mazes with exits: what is near the start tells nothing."""

import collections

import pytest

from gem_ma import Env
from gem_ma.envs.visual.mazes.maze_exit import MazeExit


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
def test_the_nearest_exit_says_nothing(level):
    """No exit is right more often for being near, or far, or for its letter."""
    env = Env(MazeExit(level))
    ranks, letters = collections.Counter(), collections.Counter()
    for seed in range(400):
        env.reset(seed=seed)
        state = env.match.state
        signs = {sign: (i, j) for i, row in enumerate(state.shown) for j, sign in enumerate(row)}
        y, x = signs["@"]
        away = {c: (signs[c][0] - y) ** 2 + (signs[c][1] - x) ** 2 for c in state.choices}
        ranks[sum(one < away[state.answer] for one in away.values())] += 1
        letters[state.answer] += 1
    for found in (ranks, letters):
        fair = 400 / len(state.choices)
        assert all(abs(one - fair) < 4 * fair**0.5 for one in found.values())  # 4 deviations
