"""GEM's face: a script written for GEM runs after changing one import."""

import numpy as np
import pytest

import gem_ma
from gem_ma import gem


def test_the_loop_of_gems_readme():
    env = gem.make("game:GuessTheNumber-v0-easy")
    observation, info = env.reset()
    for _ in range(20):
        action = env.sample_random_action()
        observation, reward, terminated, truncated, info = env.step(action)
        assert (type(observation), type(reward), type(info)) == (str, float, dict)
        if terminated or truncated:
            break
    assert terminated


def test_boxed_replies_are_read_kindly():
    env = gem.make("game:GuessTheNumber-v0-easy")
    for reply in (r"\boxed{3}", r"I say \boxed{ 3 }", r"\boxed{3.}", "3", r"\boxed{\text{3}}"):
        env.reset(seed=3)
        observation, *_ = env.step(reply)
        assert "3: the number is" in observation or "3: correct" in observation


def test_make_vec_steps_and_resets():
    vec = gem.make_vec(["game:GuessTheNumber-v0-easy"] * 3, seed=5)
    observations, _ = vec.reset()
    assert len(observations) == 3
    again, _ = gem.make_vec(["game:GuessTheNumber-v0-easy"] * 3).reset(seed=[5, 6, 7])
    assert observations == again
    finished = 0
    for _ in range(4):
        observations, rewards, terminations, truncations, infos = vec.step(["3", "4", "5"])
        assert rewards.dtype == np.float64
        for i in np.flatnonzero(terminations | truncations):
            finished += 1
            assert observations[i].startswith("You are playing")
            assert "Guesses left" in infos[i]["final_obs"]
            assert "to_act" in infos[i]["final_info"]
    assert finished >= 3


def test_make_vec_steps_a_part_and_takes_wrappers():
    calls = []
    vec = gem.make_vec(
        "game:GuessTheNumber-v0",
        wrappers=[lambda env: calls.append(env) or env],
        vec_kwargs=[{"max_turns": 2}],
    )
    assert calls == vec.envs
    vec.reset(seed=1)
    observations, *_ = vec.step({0: "1"})
    assert len(observations) == 1
    assert vec.envs[0].env.game.max_turns == 2
    vec.close()


def test_what_makes_no_sense():
    vec = gem.make_vec(["game:GuessTheNumber-v0-easy"] * 2)
    vec.reset()
    with pytest.raises(TypeError, match="expected a list of 2 actions, got one str"):
        vec.step("12")
    with pytest.raises(ValueError, match="got 1 actions for 2"):
        vec.step(["1"])
    with pytest.raises(ValueError, match="got 3 seeds for 2"):
        vec.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="got 2 ids and 1 vec_kwargs"):
        gem.make_vec(["game:GuessTheNumber-v0"] * 2, vec_kwargs=[{}])


def test_print_envs(capsys):
    gem.print_envs()
    assert len(capsys.readouterr().out.splitlines()) == len(gem_ma.list_envs())
