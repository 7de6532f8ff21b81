"""A beginner and a helper at one screen: who points, and what pointing cannot solve."""

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.screens.families import REGISTER
from gem_ma.envs.screens.guided import FAMILIES, Guided
from gem_ma.game import InvalidMove

RNG = np.random.default_rng(0)


def started(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def done(game, state, **texts):
    moves = {agent: game.read(text, state.seen_by(agent), agent) for agent, text in texts.items()}
    return game.advance(state, moves, RNG)


def test_every_family_is_one_of_the_screens():
    assert set(FAMILIES) <= REGISTER.keys()


def test_a_helper_can_only_point():
    game = Guided()
    state = started(game)
    for text in ("click(3, 4)", 'type("x")', "point()", "point at the blue one"):
        with pytest.raises(InvalidMove):
            done(game, state, helper=text)
    for text in ("point(30, 40)", '{"action": "point", "coordinate": [30, 40]}'):
        assert done(game, state, helper=text).at == (30, 40)
    seen = done(game, state, helper="point(30, 40)").seen_by("beginner")
    assert "The helper points at (30, 40)" in game.describe(seen, "beginner")
    assert state.goal not in str(seen)
    assert not game.brief(seen, "beginner")


def test_families_that_pointing_cannot_solve_are_refused():
    with pytest.raises(ValueError, match="family='typing': expected one or more of"):
        gem_ma.make("screens:guided", family="typing")
