"""GEM's environments of one seat: a script for GEM runs after changing one import."""

import packs
import pytest

import gem_ma
from gem_ma import gem


def test_the_loop_of_gems_readme():
    env = gem.make("game:GuessTheNumber-v0-easy")
    observation, info = env.reset()
    for _ in range(20):
        action = env.sample_random_action()
        observation, reward, terminated, truncated, info = env.step(action)
        assert (type(observation), type(reward)) == (str, float)
        assert isinstance(info, dict)
        if terminated or truncated:
            break
    assert terminated


def test_boxed_replies_are_read_kindly():
    env = gem.make("game:GuessTheNumber-v0-easy")
    for reply in (r"\boxed{3}", r"I say \boxed{ 3 }", r"\boxed{3.}", "3", r"\boxed{\text{3}}"):
        env.reset(seed=3)
        observation, *_ = env.step(reply)
        assert "3: the number is" in observation or "3: correct" in observation


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


def test_print_envs(capsys, monkeypatch):
    # Another test may have registered something that is no game.
    monkeypatch.setattr("gem_ma.gem.envs.registration.ENV_REGISTRY", {})
    gem.print_envs()
    assert len(capsys.readouterr().out.splitlines()) == len(gem_ma.list_envs())


def test_a_seed_of_make_is_that_of_the_first_episode_unless_reset_has_one():
    def states(*resets, **make):
        env = gem.make("game:GuessTheNumber-v0-hard", **make)
        for seed in resets:
            env.reset(seed)
            yield env.env.game_state

    assert [*states(None, None, seed=7)] == [*states(7, None)] != [*states(7, 7)]
    assert [*states(3, None, seed=7)] == [*states(3, None)]
    with pytest.raises(TypeError, match="unexpected keyword argument 'sead'"):
        gem.make("game:GuessTheNumber-v0-hard", sead=7, seed=7)


def test_a_limit_that_a_game_refuses_ends_the_episode_all_the_same():
    env = gem.make("game:Sokoban-v0-easy", max_turns=3)
    env.reset(seed=0)
    ends = [env.step(env.sample_random_action())[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    with pytest.raises(ValueError, match="max_turns=0"):
        gem.make("game:Sokoban-v0-easy", max_turns=0)


@packs.needs("tasks")
def test_a_seed_reaches_the_dataset_too():
    pytest.importorskip("reasoning_gym", reason="pip install 'gem-ma[reasoning-gym]'")

    def asked(seed):
        env = gem.make("rg:leg_counting", seed=seed, size=int(1e9))
        return [env.reset()[0] for _ in range(3)]

    assert asked(10) == asked(10) != asked(11)
    assert len(set(asked(10))) == 3


@packs.needs("tasks")
def test_what_there_is_can_be_read():
    rows = [{"problem": "1 + 1?", "answer": "2"}]
    for env in (gem.make("game:GuessTheNumber-v0"), gem.make("math:Data", dataset=rows)):
        env.reset(seed=0)
        there = {name: getattr(env, name) for name in dir(env)}  # as GEM's wrappers do
        assert ("dataset" in there) == ("answer" in there) == (env.env_id == "math:Data")
        assert there["max_turns"] == (20 if env.env_id.startswith("game:") else None)
