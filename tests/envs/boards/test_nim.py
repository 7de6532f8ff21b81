"""Nim: the theory of nim-sums against every position, and search that knows no theory."""

import functools
import itertools
import operator

import pytest

import gem_ma
from gem_ma import Env, InvalidMove
from gem_ma.agents.function import FunctionAgent
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.nim import Nim, State
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import certify, check_env


def nim_sum(heaps):
    return functools.reduce(operator.xor, heaps)


def after(state, text):
    game, (seat,) = Nim(), state.to_act()
    return game.advance(state, {seat: game.read(text, state, seat)}, None)


@functools.cache
def wins(state):
    """Return whether the seat that is to act can win, by trying everything."""
    (seat,) = state.to_act()
    for text in state.legal(seat):
        then = after(state, text)
        if then.returns()[seat] == 1 or (then.to_act() and not wins(then)):
            return True
    return False


def test_a_position_is_lost_exactly_if_its_nim_sum_is_0():
    for heaps in itertools.product(range(4), range(5), range(6)):
        if any(heaps):
            assert wins(State(heaps)) == (nim_sum(heaps) != 0)


def best(turn):
    """Play by the theory: leave a nim-sum of 0."""
    state = turn.position.state
    good = [text for text in state.legal(turn.seat) if nim_sum(after(state, text).heaps) == 0]
    return (good or list(state.legal(turn.seat)))[0]


@pytest.mark.parametrize(("heaps", "winner"), [((3, 4, 5), "first"), ((1, 4, 5), "second")])
def test_play_by_nim_sums_beats_everybody(heaps, winner):
    for rival in ("random", SearchAgent()):
        agents = {"first": rival, "second": rival, winner: FunctionAgent(best)}
        episodes = rollout(Env(Nim(heaps), id="game:Nim-v0"), agents, episodes=30, seed=1)
        assert {episode.returns[winner] for episode in episodes} == {1}


def test_search_beats_chance_from_the_seat_that_wins_and_nearly_always_from_the_other():
    env = Env(Nim(), id="game:Nim-v0")
    episodes = rollout(env, [SearchAgent(), "random"], episodes=60, seed=5, shuffle=True)
    won = [e.returns[s] == 1 for e in episodes for s, a in e.agents.items() if a != "random"]
    assert len(won) == 60
    assert sum(won) >= 57


def test_a_heap_holds_so_many():
    game, state = Nim(), State((1, 0, 2))
    assert state.legal("first") == ("A1", "C1", "C2")
    assert game.read(" c 2.", state, "first") == "C2"
    for text in ("A2", "B1", "C0", "D1", "", "C", "2"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, state, "first")


def test_who_takes_the_last_wins():
    end = after(after(State((1, 0, 2)), "C2"), "A1")
    assert end.to_act() == ()
    assert end.returns() == {"first": -1.0, "second": 1.0}


def test_the_heaps_in_words_and_numbers():
    game = Nim()
    assert game.describe(State((3, 0, 2)), None) == "A: 3 ooo\nB: 0\nC: 2 oo"
    assert game.encode(State((3, 0, 2)), "first").argmax(1).tolist() == [3, 0, 2]


@pytest.mark.parametrize("heaps", [(), (0,), (41,), (1,) * 27])
def test_what_makes_no_game(heaps):
    with pytest.raises(ValueError, match="expected 1 to 26 heaps, each of 1 to 40"):
        Nim(heaps)


def test_the_contract():
    check_env(gem_ma.Env(Nim(), id="game:Nim-v0"), seeds=1, processes=False)
    assert certify(gem_ma.Env(Nim((5, 7)), id="game:Nim-v0"), views=40).views == 40


@pytest.mark.slow
def test_the_largest_pictures():
    assert certify(gem_ma.Env(Nim((40, 33, *range(1, 25)))), views=8).views == 8


@pytest.mark.parametrize("heaps", [(1,), (40,), (3, 4, 5), (40,) * 26])
def test_sticks_fill_the_picture(heaps):
    scene = Nim(heaps).picture(State(heaps), None)
    assert len(scene.items) == sum(heaps)
    places = [(x, y) for _, _, x, y, _, _ in scene.items]
    assert len(set(places)) == sum(heaps)
    down = sorted({y for _, y in places})
    assert down[-1] + down[0] == pytest.approx(1)
    assert max(x for x, _ in places) > 0.75 or sum(heaps) < 4
    assert scene.status == ("first to move",)
