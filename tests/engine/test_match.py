"""The referee by itself: no API, no picture, no agent."""

import pickle

import numpy as np
import pytest

from gem_ma.engine.config import EnvConfig
from gem_ma.engine.episode_state import EpisodeState
from gem_ma.engine.match import Match, ResetNeeded, SeatError
from gem_ma.envs.boards.connect_four import ConnectFour
from gem_ma.envs.cards.liars_dice import LiarsDice
from gem_ma.envs.markets.rock_paper_scissors import RockPaperScissors
from gem_ma.game import Game


def begun(game, seed=0, **terms):
    match = Match(game, EnvConfig(**terms))
    match.reset(seed)
    return match


def stands(point):
    return {name: getattr(point, name) for name in EpisodeState.__slots__ if name != "chance"}


def test_a_reply_goes_its_way():
    match = begun(ConnectFour())
    assert (match.waiting_seats, match.turns, match.submit_count) == (("red",), 0, 0)
    assert match.submit({"red": r"I block. \boxed{3}"}) == {}
    assert (match.waiting_seats, match.turns, match.submit_count) == (("yellow",), 1, 1)
    assert match.last_moves == {"red": 3}
    assert match.format_messages("yellow") == ["red: 3"]
    assert [message.text for message in match.list_messages("yellow")] == ["3"]
    assert match.submit({"yellow": "nowhere"}) == {}
    assert match.invalid_replies["yellow"]["count"] == 1
    assert match.last_moves == {"red": 3}
    assert (match.waiting_seats, match.turns, match.submit_count) == (("yellow",), 1, 2)
    assert "Try again" in match.format_messages("yellow")[-1]


def test_submit_is_its_parts():
    """Whoever runs `advance` elsewhere plays the same game."""
    whole, parts = begun(LiarsDice(), 5), begun(LiarsDice(), 5)
    while whole.waiting_seats:
        (seat,) = whole.waiting_seats
        replies = {seat: whole.list_legal_moves(seat)[0]}
        earned = whole.submit(replies)
        parts.parse_actions(replies)
        while parts.can_advance:
            before = parts.state
            after = parts.advance()
            assert parts.state is before
            parts.apply_transition(after)
        assert parts.compute_rewards() == earned
        assert stands(parts) == stands(whole)
    assert whole.over
    assert whole.alive_seats == ()


def test_moves_of_seats_that_act_together_wait_for_each_other():
    match = begun(RockPaperScissors())
    left, right = match.seats
    assert match.waiting_seats == (left, right)
    assert match.submit({right: "rock"}) == {}
    assert (match.waiting_seats, match.turns, match.can_advance) == ((left,), 0, False)
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
    twin = match.copy()
    assert play_out(twin) == first
    assert match.turns == 0


def play_out(match):
    """Play on by what is legal, chosen by the match's own position; return all states."""
    states = []
    while match.waiting_seats:
        (seat,) = match.waiting_seats
        legal = match.list_legal_moves(seat)
        match.submit({seat: legal[match.submit_count % len(legal)]})
        states.append(match.state)
    return states


def test_chance_is_drawn_again_from_another_seed():
    match = begun(LiarsDice(), 3)
    point = match.snapshot()
    ends = set()
    for seed in range(8):
        match.restore(point)
        match.redraw_chance(seed)
        play_out(match)
        ends.add(match.rng.bit_generator.state["state"]["state"])
    assert len(ends) == 8
    assert isinstance(match.rng, np.random.Generator)


def test_who_leaves_is_done_and_who_stays_plays_on():
    match = begun(LiarsDice(players=3))
    first, *others = match.seats
    assert match.remove_seats([first])[first] == -0.5
    assert match.alive_seats == tuple(others)
    assert match.waiting_seats[0] in others
    match.remove_seats(others)
    assert (match.alive_seats, match.waiting_seats, match.over) == ((), (), True)


def test_a_limit_truncates():
    match = begun(ConnectFour(), max_turns=2)
    match.submit({"red": "0"})
    assert not match.truncated
    match.submit({"yellow": "0"})
    assert (match.truncated, match.over, match.waiting_seats) == (True, True, ())


def test_errors_say_what_would_work():
    match = Match(ConnectFour(), EnvConfig())
    with pytest.raises(ResetNeeded, match="no episode has begun"):
        match.make_view("red")
    match.reset(0)
    with pytest.raises(SeatError, match="yellow is not to act now; to act: red"):
        match.check_replies({"yellow": "3"})
    with pytest.raises(SeatError, match="no seat 'blue'; the seats are red, yellow"):
        match.make_view("blue")
    with pytest.raises(SeatError, match="got no reply; to act: red"):
        match.check_replies({})
    match.truncate()
    with pytest.raises(ResetNeeded, match="the episode is over"):
        match.check_replies({"red": "3"})


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
        ({"invalid": "skip"}, "Unskipped does not define Game.skip"),
    ],
)
def test_terms_are_checked(terms, said):
    with pytest.raises(ValueError, match=said):
        Match(Unskipped(), EnvConfig(**terms))


def test_what_everybody_has_heard_is_forgotten():
    match = begun(ConnectFour())
    while match.waiting_seats:
        (seat,) = match.waiting_seats
        match.submit({seat: match.list_legal_moves(seat)[0]})
        assert len(match.message_log) <= 2 * 2 + 2
    assert match.turns == 19
    assert match.log_start >= 12
