"""What an episode came to, in words."""

import packs
import pytest

from gem_ma.rollouts.outcomes import describe_outcome, is_zero_sum


@pytest.mark.parametrize(
    ("returns", "zero_sum", "words"),
    [
        ({"red": 1.0, "yellow": -1.0}, True, "red won"),
        ({"red": 0.0, "yellow": 0.0}, True, "a draw"),
        ({"red": 0.0, "yellow": 0.0}, None, "a draw"),
        ({"user": 0.0, "assistant": 0.0}, False, "not solved"),
        ({"user": 1.0, "assistant": 1.0}, False, "both solved it"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, False, "all solved it"),
        ({"user": 0.5, "assistant": 0.5}, False, "+0.5 each"),
        ({"a": 3.0, "b": 5.0}, None, "b ahead"),
        ({"user": 0.8, "assistant": 1.0}, False, "user +0.8, assistant +1"),
        ({"a": 1.0, "b": 3.0, "c": 0.5}, False, "b ahead"),
        ({"a": 1.0, "b": 1.0, "c": -2.0}, None, "a and b won"),
        ({"player": 0.0}, False, "not solved"),
        ({"player": 0.25}, None, "0.25 of 1"),
        ({"player": 1.0}, None, "solved"),
        ({}, None, ""),
    ],
)
def test_endings(returns, zero_sum, words):
    assert describe_outcome(returns, zero_sum) == words


def test_what_is_known_of_a_game():
    assert is_zero_sum("game:ConnectFour-v0") is True
    assert is_zero_sum("game:Nobody-v0") is None
    assert is_zero_sum("textarena:TicTacToe-v0") is None


@packs.needs("tau")
def test_a_talk_is_no_contest():
    assert is_zero_sum("tau:shop") is False
