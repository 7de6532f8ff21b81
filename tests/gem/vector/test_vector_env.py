"""GEM's vectors: they step and reset as in GEM, whole, in part and in threads."""

import threading

import numpy as np
import packs
import pytest

from gem_ma import gem
from gem_ma.gem.vector.async_vector_env import AsyncVectorEnv
from gem_ma.gem.vector.sync_vector_env import SyncVectorEnv
from gem_ma.gem.vector.vector_env import AutoresetMode, VectorEnv


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


def secrets(vec):
    """Say what every environment of a vector hides."""
    return [env.env.game_state.secret for env in vec.envs]


@pytest.mark.parametrize("async_mode", [False, True])
def test_every_collection_of_a_trainer_begins_with_episodes_of_its_own(async_mode):
    def collected():
        vec = gem.make_vec(
            ["game:GuessTheNumber-v0-hard"] * 3,
            vec_kwargs=[{"seed": 233 + i} for i in range(3)],
            async_mode=async_mode,
        )
        starts = []
        for _ in range(4):  # as Oat, RL2 and verl do
            observations, _ = vec.reset()
            assert len(observations) == 3
            starts.append(secrets(vec))
            vec.step(["1", "2", "3"])
        vec.close()
        return starts

    first = collected()
    assert len({tuple(start) for start in first}) == 4
    assert first == collected()
    vec = gem.make_vec(["game:GuessTheNumber-v0-hard"] * 3)
    vec.reset(seed=[233, 234, 235])
    assert secrets(vec) == first[0]


def test_async_mode_steps_in_threads_and_gives_the_same():
    def play(async_mode):
        vec = gem.make_vec(["game:Game2048-v0-easy"] * 4, seed=3, async_mode=async_mode)
        out = [vec.reset()]
        for number in range(30):
            move = ("up", "left", "down", "right")[number % 4]
            out.append(vec.step([move] * 4))
            out.append(vec.step({2: move, 0: move}))
        vec.close()
        return out

    before = set(threading.enumerate())
    for one, other in zip(play(False), play(True), strict=True):
        assert one[0] == other[0]
        for mine, theirs in zip(one[1:-1], other[1:-1], strict=True):
            assert np.array_equal(mine, theirs)
    assert set(threading.enumerate()) <= before


def test_steps_that_wait_do_so_together():
    class Waits:
        def __init__(self, env):
            self.env = env

        def __getattr__(self, name):
            return getattr(self.env, name)

        def step(self, action):
            barrier.wait(10)  # which breaks unless all four are here at once
            return self.env.step(action)

    barrier = threading.Barrier(4)
    ids = ["game:GuessTheNumber-v0-easy"] * 4
    vec = gem.make_vec(ids, wrappers=[Waits], async_mode=True)
    vec.reset()
    vec.step(["1"] * 4)
    vec.close()


@packs.needs("tasks")
def test_what_oat_passes_to_reset_reaches_one_environment():
    rows = [{"problem": f"{n} + {n}", "answer": str(2 * n)} for n in range(5)]
    vec = gem.make_vec(["math:Data"] * 2, data=rows)
    asked, _ = vec.reset(env0_kwargs={"idx": 3}, env1_kwargs={"idx": 1})
    assert "3 + 3" in asked[0]
    assert "1 + 1" in asked[1]
    with pytest.raises(TypeError, match="env2_kwargs: expected env0_kwargs to env1_kwargs"):
        vec.reset(env2_kwargs={})


def make_small():
    return gem.make("game:GuessTheNumber-v0", max_number=3, max_turns=2)


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_a_vector_is_made_as_in_gem(kind):
    vec = kind(["one", "two"], [make_small] * 2)
    assert isinstance(vec, gem.Env)
    assert isinstance(vec, VectorEnv)
    assert (vec.env_ids, vec.num_envs) == (["one", "two"], 2)
    assert vec.autoreset_mode is AutoresetMode.SAME_STEP
    assert type(gem.make_vec("game:GuessTheNumber-v0", async_mode=kind is AsyncVectorEnv)) is kind
    vec.close()


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, "NextStep"])
def test_what_is_over_is_reset_at_the_next_step(kind, mode):
    vec = kind(["one", "two"], [make_small] * 2, mode)
    first, _ = vec.reset(seed=[0, 0])
    right = str(vec.envs[0].env.game_state.secret)
    observations, rewards, terminations, _, infos = vec.step([right, "9"])
    assert (rewards.tolist(), terminations.tolist()) == ([1.0, 0.0], [True, False])
    assert observations[0] != first[0]
    assert "final_obs" not in infos[0]
    observations, rewards, terminations, truncations, _ = vec.step({0: right})
    assert observations[0].startswith("You are playing")  # what was said is not heard
    assert [rewards.tolist(), terminations.tolist(), truncations.tolist()] == [
        [0.0],
        [False],
        [False],
    ]
    vec.step([right, right])
    vec.reset()  # which nothing is left to do after
    assert vec.step({0: "9"})[0][0] != vec.step({0: "8"})[0][0]
    vec.close()


def test_what_no_vector_can_be_made_of():
    with pytest.raises(
        TypeError, match=r"autoreset_mode='Later': expected one of \['NextStep', 'S"
    ):
        SyncVectorEnv(["one"], [make_small], "Later")
    with pytest.raises(ValueError, match="got 2 env_ids and 1 env_fns"):
        SyncVectorEnv(["one", "two"], [make_small])
