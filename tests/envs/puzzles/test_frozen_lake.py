"""Frozen lake: every transition against Gymnasium's on the same map, and every map solved."""

import collections

import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

import gem_ma
from gem_ma import Env, InvalidMove
from gem_ma.envs.puzzles.frozen_lake import AGENT, MOVES, FrozenLake, State
from gem_ma.testing import certify, check_env


def rng(seed=0):
    return np.random.default_rng(seed)


def gymnasium_map(state):
    """Return the map as Gymnasium writes it."""
    rows = [state.lake[i : i + state.size] for i in range(0, len(state.lake), state.size)]
    named = [row.translate(str.maketrans(".O", "FH")) for row in rows]
    return ["S" + named[0][1:], *named[1:]]


class Slip:
    """Stand in for a generator that slips to the side it is told."""

    def __init__(self, side):
        self.side = side

    def integers(self, low, high):
        assert (low, high) == (-1, 2)
        return self.side


@pytest.mark.parametrize("slippery", [False, True])
@pytest.mark.parametrize("size", [2, 4, 8])
def test_every_transition_agrees_with_gymnasium(size, slippery):
    game = FrozenLake(size, slippery=slippery)
    for seed in range(5):
        start = game.start(rng(seed), {})
        theirs = FrozenLakeEnv(desc=gymnasium_map(start), is_slippery=slippery)
        for cell, mark in enumerate(start.lake):
            if mark != ".":
                continue
            for action, text in enumerate(MOVES):
                expected, got = collections.Counter(), collections.Counter()
                for chance, then, reward, over in theirs.unwrapped.P[cell][action]:
                    expected[then, float(reward), bool(over)] += round(3 * chance)
                for side in (-1, 0, 1):
                    after = game.advance(start._replace(at=cell), {AGENT: text}, Slip(side))
                    got[after.at, after.returns()[AGENT], not after.to_act()] += 1
                assert got == (expected if slippery else dict.fromkeys(expected, 3))


def test_chance_comes_from_the_rng_and_is_even():
    game, state = FrozenLake(slippery=True), State("." * 15 + "G", 4, 10, 5)
    dice = rng()
    ends = collections.Counter(game.advance(state, {AGENT: "up"}, dice).at for _ in range(3000))
    assert set(ends) == {1, 4, 6}
    assert min(ends.values()) > 900


def way_to_goal(state):
    """Return a shortest list of moves, by breadth-first search through the game itself."""
    game, queue, seen = FrozenLake(state.size), collections.deque([(state, ())]), {state.at}
    while queue:
        state, way = queue.popleft()
        if state.returns()[AGENT] == 1:
            return way
        for move in MOVES if state.to_act() else ():
            after = game.advance(state, {AGENT: move}, None)
            if after.at not in seen:
                seen.add(after.at)
                queue.append((after, (*way, move)))
    return None


@pytest.mark.parametrize(
    "arguments", [{}, {"size": 8}, {"size": 6, "holes": 0.6, "max_turns": 12}, {"holes": 1.0}]
)
def test_every_map_can_be_crossed_within_the_limit(arguments):
    env = Env(FrozenLake(**arguments), id="game:FrozenLake-v0")
    maps = set()
    for seed in range(100):
        env.reset(seed=seed)
        maps.add(env.game_state.lake)
        for move in way_to_goal(env.game_state):
            env.step(move)
        assert env.terminations[AGENT]
        assert env.rewards[AGENT] == 1.0
    assert len(maps) > 10


def test_maps_have_so_many_holes():
    counts = {FrozenLake(8, 0.2).start(rng(seed), {}).lake.count("O") for seed in range(50)}
    assert counts == {13}
    assert len({FrozenLake().start(rng(seed), {}).lake for seed in range(300)}) > 200


def test_holes_and_the_limit_end_it():
    state = State(".O..............G"[:9] + "......G", 4, 2)
    assert state.go(2).to_act() == ()
    assert state.go(2).returns() == {AGENT: 0.0}
    assert state.go(0) == state._replace(left=1)
    assert state.go(0).go(0).to_act() == ()
    assert state.go(None).left == 1


def test_words_that_are_no_moves():
    game = FrozenLake()
    start = game.start(rng(), {})
    assert game.read(" **Up**. ", start, AGENT) == "up"
    for text in ("north", "", "left right", "0"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, start, AGENT)


def test_the_map_in_words():
    game, state = FrozenLake(2), State(".O.G", 2, 9)
    assert game.describe(state, AGENT) == "@ O\n. G\nMoves left: 9"
    assert game.describe(state.go(2), AGENT) == ". X\n. G\nMoves left: 8"
    assert game.describe(state.go(1).go(2), AGENT) == ". O\n. *\nMoves left: 7"


@pytest.mark.parametrize("arguments", [{"size": 1}, {"holes": 1.5}, {"size": 8, "max_turns": 13}])
def test_what_makes_no_lake(arguments):
    with pytest.raises(ValueError, match="expected"):
        FrozenLake(**arguments)


def test_the_contract():
    check_env(gem_ma.Env(FrozenLake(slippery=True), id="game:FrozenLake-v0"), processes=False)
    assert certify(gem_ma.Env(FrozenLake(max_turns=9), id="game:FrozenLake-v0"), views=60).exact
