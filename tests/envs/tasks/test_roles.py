"""Games of two over tasks: what a proposer, a solver, a critic and a debater earn."""

import pytest

import gem_ma
from gem_ma.envs.tasks.roles import Debate
from gem_ma.testing import check_env


def answer_of(env, place=0):
    return env.game_state.asked[place].answer


def test_a_proposer_earns_by_questions_that_are_hard_but_not_too_hard():
    env = gem_ma.make("duo:ProposerAndSolver/math:Mini")
    for tries, paid in ((("right",), (0, 1)), (("no", "right"), (1, 1)), (("no", "no"), (0, 0))):
        env.reset(seed=4)
        assert "Question 3:" in env.turn("proposer").text
        env.submit({"proposer": "2"})
        assert env.game_state.asked[1].question in env.turn("solver").text
        for said in tries:
            env.submit({"solver": answer_of(env, 1) if said == "right" else "no"})
        assert tuple(env.game_state.returns().values()) == paid
        assert env.to_act == ()


def test_solver_and_critic_earn_what_the_last_answer_is_worth():
    env = gem_ma.make("duo:SolverAndCritic/qa:Mini")
    for first, last, paid in (("no", None, 1), (None, "no", 0)):
        env.reset(seed=1)
        env.submit({"solver": first or answer_of(env)})
        assert "solver: " in env.turn("critic").text
        env.submit({"critic": "Look again."})
        assert "critic: Look again." in env.turn("solver").text
        env.submit({"solver": last or answer_of(env)})
        assert env.game_state.returns() == {"solver": paid, "critic": paid}


def test_a_debate_pays_the_one_who_is_right():
    env = gem_ma.Env(Debate(rounds=1))
    for first, second, paid in ((True, False, 1), (False, True, -1), (True, True, 0)):
        env.reset(seed=1)
        env.submit({"first": "It is plain to see."})
        assert "first: It is plain to see." in env.turn("second").text
        env.submit({"second": "It is not."})
        right = answer_of(env)
        env.submit({"first": right if first else "no", "second": right if second else "no"})
        assert env.game_state.returns() == {"first": paid, "second": -paid}


@pytest.mark.parametrize("role", ["ProposerAndSolver", "SolverAndCritic", "Debate"])
def test_games_of_two_keep_the_contract_and_hide_the_answer(role):
    check_env(f"duo:{role}/math:Mini", seeds=1, processes=role == "Debate")
    env = gem_ma.make(f"duo:{role}/math:Mini")
    env.reset(seed=0)
    for agent in env.agents:
        view = env.game_state.seen_by(agent)
        assert all(question.answer is question.index is None for question in view.asked)


def test_every_task_has_roles():
    spec = gem_ma.spec("duo:Debate/math:GSM8K")
    assert spec.needs == gem_ma.spec("math:GSM8K").needs
    assert gem_ma.make("duo:SolverAndCritic/code:Mini").observation_builder.config.format == "bare"
    assert len(gem_ma.list_envs("duo:*")) == 18
    for id in ("duo:Debate", "duo:Quarrel/math:Mini", "duo:Debate/math:NoSuch"):
        with pytest.raises(gem_ma.UnknownEnv):
            gem_ma.spec(id)


def test_roles_want_a_task():
    with pytest.raises(ValueError, match="expected the id of a task"):
        Debate("game:TicTacToe-v0")
    with pytest.raises(ValueError, match="rounds=-1"):
        Debate(rounds=-1)
