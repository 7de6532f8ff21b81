"""OpenSpiel's games here are OpenSpiel's: step by step, seat by seat, whatever chance does."""

import pickle
import random
import re

import pytest

import gem_ma
from gem_ma.envs.bridges import openspiel
from gem_ma.envs.bridges.openspiel_ids import RULES, WITHOUT
from gem_ma.envs.registry import MissingRequirement
from gem_ma.testing import check_env

pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[openspiel]'")

WITH_A_GAME = {  # what takes another game, or a file, as an argument
    "add_noise", "cached_tree", "efg_game", "misere", "nfg_game", "normal_form_extensive_game",
    "repeated_game", "repeated_poker", "restricted_nash_response", "start_at",
    "turn_based_simultaneous_game", "zerosum",
}  # fmt: skip
MOVES = 60  # of each episode
SEVERAL = (
    "kuhn_poker",
    "goofspiel",
    "hanabi",
    "2048",
    "snake",
    "tic_tac_toe",
    "hearts",
    "dark_hex",
)


def test_every_game_of_the_package_is_here_or_named():
    there = set(pyspiel.registered_names())
    without = {name for name in there if name.startswith(tuple(WITHOUT))}
    assert set(RULES) == there - without - WITH_A_GAME
    for name in sorted(without):
        with pytest.raises(MissingRequirement, match="|".join(map(re.escape, WITHOUT.values()))):
            gem_ma.make(f"os:{name}")


def follow(theirs, ours, moves, seats):
    """Let OpenSpiel's own state do what a position here has done."""
    if theirs.is_simultaneous_node():
        theirs.apply_actions([moves.get(seat, 0) for seat in seats])
    else:
        theirs.apply_action(*moves.values())
    drawn = ours.full_history()
    while not theirs.is_terminal() and theirs.is_chance_node():
        theirs.apply_action(drawn[len(theirs.full_history())].action)


@pytest.mark.parametrize("name", RULES)
def test_episodes_are_those_of_openspiel(name):
    env, rng = gem_ma.make(f"os:{name}"), random.Random(5)
    for seed in range(2):
        env.reset(seed=seed)
        seats, game = env.possible_agents, env.game
        theirs = env.match.state.inner.clone()
        for _ in range(MOVES):
            state = env.match.state
            assert str(state.inner) == str(theirs)
            assert dict(zip(seats, theirs.returns(), strict=True)) == state.returns()
            if theirs.is_terminal():
                assert not env.match.waiting_seats
                break
            moves = {}
            for seat in env.match.waiting_seats:
                number = seats.index(seat)
                if not theirs.is_simultaneous_node():
                    assert number == theirs.current_player()
                view, legal = state.seen_by(seat), state.numbered(seat)
                assert list(legal.values()) == theirs.legal_actions(number)
                assert view.text == game.told(theirs, number)
                assert all(type(one) in (str, tuple, dict) for one in view)  # nothing else is seen
                moves[seat] = rng.choice(list(legal))
                again = {openspiel.plain(theirs.action_to_string(number, legal[moves[seat]]))}
                assert moves[seat].partition(" #")[0] in again
            env.step_seats(moves)
            numbers = {seat: state.numbered(seat)[move] for seat, move in moves.items()}
            assert str(state.inner) == str(theirs)  # a position is never changed
            follow(theirs, env.match.state.inner, numbers, seats)


@pytest.mark.parametrize("name", RULES)
def test_positions_are_written_down_and_seeds_repeat(name):
    env, rng = gem_ma.make(f"os:{name}"), random.Random(6)
    env.reset(seed=4)
    said = []
    for _ in range(8):
        if not env.match.waiting_seats:
            break
        state = env.match.state
        assert str(pickle.loads(pickle.dumps(state)).inner) == str(state.inner)
        said.append({seat: rng.choice(state.legal(seat)) for seat in env.match.waiting_seats})
        env.step_seats(said[-1])
    end = str(env.match.state.inner)
    other = gem_ma.make(f"os:{name}")
    other.reset(seed=4)
    for moves in said:
        other.step_seats(moves)
    assert str(other.match.state.inner) == end


@pytest.mark.parametrize("name", SEVERAL)
def test_the_contract(name):
    check_env(f"os:{name}", seeds=2)


def test_arguments_and_what_is_wrong_with_them():
    env = gem_ma.make("os:hex(board_size=3)")
    env.reset(seed=0)
    assert len(env.match.state.legal("player_0")) == 9
    assert "board_size=3" in env.rules("player_0")
    assert len(gem_ma.make("os:kuhn_poker(players=5)").possible_agents) == 5
    assert gem_ma.make("os:misere(game=tic_tac_toe())").possible_agents
    for wrong, why in (
        ("os:hex(size=3)", "Unknown parameter"),
        ("os:misere", "Missing parameter"),
        ("os:kuhn_poker(players=11)", "players"),
    ):
        with pytest.raises(ValueError, match=why):
            gem_ma.make(wrong)
    with pytest.raises(LookupError, match="kuhn_poker"):
        gem_ma.make("os:kuhn_pocker")


def test_chess_is_a_board():
    env = gem_ma.make("os:chess")
    env.reset(seed=0)
    text = env.observe("player_0")["text"]
    assert "\n\nr n b q k b n r\np p p p p p p p\n. . ." in text
    env.step("e4")
    assert "player_1: e4" in env.observe("player_0")["text"]


def test_who_knows_what_in_kuhn_poker():
    """Of all deals in which a seat holds the same card, it is told the same."""
    env, told = gem_ma.make("os:kuhn_poker"), {}
    for seed in range(30):
        env.reset(seed=seed)
        first, second = str(env.match.state.inner).split()[:2]
        seen = str(env.match.make_view("player_0")), env.observe("player_0")["text"]
        told.setdefault(first, {}).setdefault(seen, set()).add(second)
    assert all(len(seen) == 1 and len(*seen.values()) == 2 for seen in told.values())
