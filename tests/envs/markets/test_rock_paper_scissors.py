"""Rock-paper-scissors: who wins a round, and what a forfeit costs."""

import itertools

import pytest

from gem_ma.envs.markets import rock_paper_scissors

BEATS = {("rock", "scissors"), ("paper", "rock"), ("scissors", "paper")}


@pytest.mark.parametrize(
    ("left", "right"), list(itertools.product((*rock_paper_scissors.MOVES, None), repeat=2))
)
def test_who_wins_a_round(left, right):
    won = rock_paper_scissors.State(1).play(left, right).returns()["left"]
    if None in (left, right):
        assert won == (left is not None) - (right is not None)
    else:
        assert won == ((left, right) in BEATS) - ((right, left) in BEATS)


def test_a_forfeit_loses_every_round_that_is_left():
    game = rock_paper_scissors.RockPaperScissors(5)
    state = rock_paper_scissors.State(5).play("rock", "scissors").play("rock", "rock")
    assert game.forfeit(state, "left", None).returns() == {"left": -2.0, "right": 2.0}
    assert game.forfeit(state, "right", None).returns() == {"left": 4.0, "right": -4.0}
