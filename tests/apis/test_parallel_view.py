"""The parallel view: who is asked, who is out, and what a round misses."""

import pettingzoo
import pytest

import gem_ma
from gem_ma import ResetNeeded, SeatError


def test_the_parallel_view_is_a_parallel_env_over_turns():
    env = gem_ma.make_parallel("game:ConnectFour-v0")
    assert isinstance(env, pettingzoo.ParallelEnv)
    observations, infos = env.reset(seed=0)
    assert list(observations) == ["red", "yellow"]
    assert (infos["red"]["to_act"], infos["yellow"]["to_act"]) == (True, False)
    env.step({"red": "3", "yellow": "3"})  # yellow is not heard
    env.step({"red": None, "yellow": "4"})
    env.step({"red": "3"})
    assert env.game_state.board.endswith("...RY..")
    assert env.agents == ["red", "yellow"]


def test_the_parallel_view_says_whose_action_it_misses():
    env = gem_ma.make_parallel("game:RockPaperScissors-v0")
    with pytest.raises(ResetNeeded, match="no episode has begun"):
        env.step({})
    env.reset()
    with pytest.raises(SeatError, match="no action for right; to act: left, right, got: left"):
        env.step({"left": "rock"})
    with pytest.raises(SeatError, match=r"no action for left, right; .* got: nothing"):
        env.step({})
    with pytest.raises(SeatError, match="no seat 'top'"):
        env.step({"left": "rock", "right": "rock", "top": "rock"})
    for _ in range(10):
        env.step({"left": "rock", "right": "rock"})
    assert env.agents == []
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step({"left": "rock", "right": "rock"})


def test_a_dead_seat_leaves_the_parallel_view_at_once():
    env = gem_ma.make_parallel("game:LiarsDice-v0", dice=1)
    _, infos = env.reset(seed=0)
    while len(env.agents) == 3:
        actions = {a: (infos[a]["legal_actions"] or [None])[-1] for a in env.agents}
        results = env.step(actions)
        infos = results[-1]
    observations, rewards, terminations, _, _ = results
    (dead,) = [a for a, flag in terminations.items() if flag]
    assert dead in observations
    assert rewards[dead] == -0.5
    assert dead not in env.agents
