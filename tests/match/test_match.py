"""The referee by itself: no API, no picture, no agent."""

import pickle

import numpy as np
import pytest

from gem_ma.envs.boards.connect_four import ConnectFour
from gem_ma.envs.cards.liars_dice import LiarsDice
from gem_ma.envs.markets.rock_paper_scissors import RockPaperScissors
from gem_ma.game import Game
from gem_ma.match.config import EnvConfig
from gem_ma.match.match import Match, ResetNeeded, SeatError
from gem_ma.match.point import Point


def begun(game, seed=0, **terms):
    match = Match(game, EnvConfig(**terms))
    match.begin(seed)
    return match


def stands(point):
    return {name: getattr(point, name) for name in Point.__slots__ if name != "chance"}


def test_a_reply_goes_its_way():
    match = begun(ConnectFour())
    assert (match.waiting, match.turns, match.asked) == (("red",), 0, 0)
    assert match.submit({"red": r"I block. \boxed{3}"}) == {}
    assert (match.waiting, match.turns, match.asked) == (("yellow",), 1, 1)
    assert match.moved == {"red": 3}
    assert match.news("yellow") == ["red: 3"]
    assert [message.text for message in match.messages("yellow")] == ["3"]
    assert match.submit({"yellow": "nowhere"}) == {}
    assert match.refused["yellow"]["count"] == 1
    assert match.moved == {"red": 3}
    assert (match.waiting, match.turns, match.asked) == (("yellow",), 1, 2)
    assert "Try again" in match.news("yellow")[-1]


def test_submit_is_its_parts():
    """Whoever runs `advance` elsewhere plays the same game."""
    whole, parts = begun(LiarsDice(), 5), begun(LiarsDice(), 5)
    while whole.waiting:
        (seat,) = whole.waiting
        replies = {seat: whole.legal(seat)[0]}
        earned = whole.submit(replies)
        parts.take(replies)
        while parts.due:
            before = parts.state
            after = parts.advance()
            assert parts.state is before
            parts.arrive(after)
        assert parts.settle() == earned
        assert stands(parts) == stands(whole)
    assert whole.over
    assert whole.alive == ()


def test_moves_of_seats_that_act_together_wait_for_each_other():
    match = begun(RockPaperScissors())
    left, right = match.seats
    assert match.waiting == (left, right)
    assert match.submit({right: "rock"}) == {}
    assert (match.waiting, match.turns, match.due) == ((left,), 0, False)
    match.submit({left: "paper"})
    assert match.turns == 1


def test_a_point_is_one_value():
    match = begun(LiarsDice(), 3)
    point = match.snapshot()
    kept = stands(point)
    first = play_out(match)
    assert stands(point) == kept
    match.restore(point)
    assert play_out(match) == first
    twin = begun(LiarsDice(), 8)
    twin.restore(pickle.loads(pickle.dumps(point)))
    assert play_out(twin) == first
    match.restore(point)
    twin = match.twin()
    assert play_out(twin) == first
    assert match.turns == 0


def play_out(match):
    """Play on by what is legal, chosen by the match's own position; return all states."""
    states = []
    while match.waiting:
        (seat,) = match.waiting
        legal = match.legal(seat)
        match.submit({seat: legal[match.asked % len(legal)]})
        states.append(match.state)
    return states


def test_chance_is_drawn_again_from_another_seed():
    match = begun(LiarsDice(), 3)
    point = match.snapshot()
    ends = set()
    for seed in range(8):
        match.restore(point)
        match.redraw(seed)
        play_out(match)
        ends.add(match.rng.bit_generator.state["state"]["state"])
    assert len(ends) == 8
    assert isinstance(match.rng, np.random.Generator)


def test_who_leaves_is_done_and_who_stays_plays_on():
    match = begun(LiarsDice(players=3))
    first, *others = match.seats
    assert match.dismiss([first])[first] == -0.5
    assert match.alive == tuple(others)
    assert match.waiting[0] in others
    match.dismiss(others)
    assert (match.alive, match.waiting, match.over) == ((), (), True)


def test_a_limit_truncates():
    match = begun(ConnectFour(), max_turns=2)
    match.submit({"red": "0"})
    assert not match.truncated
    match.submit({"yellow": "0"})
    assert (match.truncated, match.over, match.waiting) == (True, True, ())


def test_errors_say_what_would_work():
    match = Match(ConnectFour(), EnvConfig())
    with pytest.raises(ResetNeeded, match="no episode has begun"):
        match.view("red")
    match.begin(0)
    with pytest.raises(SeatError, match="yellow is not to act now; to act: red"):
        match.check({"yellow": "3"})
    with pytest.raises(SeatError, match="no seat 'blue'; the seats are red, yellow"):
        match.view("blue")
    with pytest.raises(SeatError, match="got no reply; to act: red"):
        match.check({})
    match.truncate()
    with pytest.raises(ResetNeeded, match="the episode is over"):
        match.check({"red": "3"})


class Unskipped(ConnectFour):
    skip = Game.skip


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"format": "xml"}, r"format='xml': expected one of \('auto', "),
        ({"invalid": "ignore"}, r"invalid='ignore': expected one of \('retry', "),
        ({"max_invalid": -1}, "max_invalid=-1: expected 0 or more"),
        ({"penalty": float("nan")}, "penalty=nan: expected 0 or more"),
        ({"max_turns": 0}, "max_turns=0: expected 1 or more, or None for no limit"),
        ({"invalid": "skip"}, r"Unskipped does not say what a lost turn is \(Game.skip\)"),
    ],
)
def test_terms_are_checked(terms, said):
    with pytest.raises(ValueError, match=said):
        Match(Unskipped(), EnvConfig(**terms))
