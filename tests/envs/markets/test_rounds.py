"""Games of rounds: their number, and that nobody sees what is chosen now."""

import pytest

import gem_ma


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
