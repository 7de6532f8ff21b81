"""Two at one screen: who knows what is wanted and who clicks, and both at one document."""

import random

import numpy as np
import pytest
from test_screens import anything

import gem_ma
from gem_ma import rollout
from gem_ma.envs.screens.guided import FAMILIES
from gem_ma.envs.screens.shared import Shared
from gem_ma.testing import check_env

IDS = ("screens:assisted", "screens:guided", "screens:shared")
RNG = np.random.default_rng(0)


def started(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def done(game, state, **texts):
    moves = {agent: game.read(text, state.seen_by(agent), agent) for agent, text in texts.items()}
    return game.advance(state, moves, RNG)


@pytest.mark.parametrize("id", IDS)
def test_who_knows_the_way_gets_there(id):
    solved(id, 10)


def solved(id, episodes, **arguments):
    for difficulty in (0, 5, 10):
        found = rollout(id, "screen-oracle", episodes, seed=0, difficulty=difficulty, **arguments)
        assert [one.number for one in found if not one.report["done"]] == []
        assert {reward for one in found for reward in one.returns.values()} == {1.0}


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_who_knows_the_way_gets_there_often(id):
    solved(id, 200)


@pytest.mark.slow
def test_every_family_can_be_guided_and_done_for_somebody():
    for family in FAMILIES:
        solved("screens:guided", 40, family=family)
    from gem_ma.envs.screens.families import REGISTER

    for family in REGISTER:
        solved("screens:assisted", 40, family=family)


@pytest.mark.parametrize("id", IDS)
def test_chance_gets_little(id):
    found = rollout(id, "random", 30, seed=0, difficulty=5)
    assert sum(one.report["done"] for one in found) <= 3


@pytest.mark.slow
def test_the_contract_holds():  # of every id: tests/testing/test_env_checker.py, in the long run
    check_env("screens:guided", seeds=1, processes=False)


@pytest.mark.parametrize("id", IDS)
def test_three_views(id):
    """As AEC, parallel and Gymnasium environments the same seats see the same pictures."""
    env = gem_ma.make(id, observe="both")
    env.reset(seed=3)
    first = env.agent_selection
    picture = env.observe(first)["image"]
    assert picture.shape == (448, 448, 3)
    seat = gem_ma.make_gym(id, agent=first, others="screen-oracle", observe="both")
    seen, _ = seat.reset(seed=3)
    assert np.array_equal(seen["image"], picture)
    if id == "screens:shared":
        parallel = gem_ma.make_parallel(id, observe="both")
        both, _ = parallel.reset(seed=3)
        assert np.array_equal(both[first]["image"], picture)


@pytest.mark.parametrize("seed", range(10))
def test_anything_may_be_done_by_both(seed):
    game, rng = Shared(difficulty=seed, limit=200), random.Random(seed)
    state = started(game, seed)
    while state.to_act():
        state = done(game, state, first=anything(rng, state.page(0)),
                     second=anything(rng, state.page(1)))  # fmt: skip
        assert state.legal("first")
        for agent in ("first", "second"):
            assert game.describe(state.seen_by(agent), agent)
            assert state.hint(agent)
