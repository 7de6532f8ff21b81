"""Rock-paper-scissors and the prisoner's dilemma."""

import itertools

import pytest

import gem_ma
from gem_ma.envs.markets import prisoners_dilemma, rock_paper_scissors

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


def test_the_dilemmas_payoffs():
    state = prisoners_dilemma.State(4)
    for left, right in itertools.product(prisoners_dilemma.MOVES, repeat=2):
        state = state.play(left, right)
    assert state.returns() == {"left": 3.0 + 0 + 5 + 1, "right": 3.0 + 5 + 0 + 1}
    assert state.to_act() == ()
    game = prisoners_dilemma.PrisonersDilemma(4)
    left = game.forfeit(prisoners_dilemma.State(4), "right", None)
    assert left.returns() == {"left": 12.0, "right": 0.0}


@pytest.mark.parametrize("id", ["game:RockPaperScissors-v0", "game:PrisonersDilemma-v0"])
def test_the_number_of_rounds(id):
    env = gem_ma.make_parallel(id, rounds=3)
    env.reset(seed=0)
    for rounds in range(1, 4):
        move = env.env.game.moves[0]
        env.step({"left": move, "right": move})
        assert len(env.game_state.history) == rounds
    assert env.agents == []
    with pytest.raises(ValueError, match="rounds=0"):
        gem_ma.make(id, rounds=0)


def test_the_second_of_two_does_not_see_what_the_first_chose():
    env = gem_ma.make("game:RockPaperScissors-v0")
    env.reset(seed=0)
    before = env.observe("right")
    env.step("paper")
    assert env.agent_selection == "right"
    assert env.observe("right") == before
