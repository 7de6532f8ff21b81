"""Other libraries that play our games through the APIs they know."""

import pathlib
import runpy

import numpy as np
import pytest

import gem_ma

NO_CLIENTS = "pip install 'gem-ma[clients]'"
TRAIN_SB3 = pathlib.Path(__file__).parents[1] / "examples" / "train_sb3.py"


def test_tianshou_plays_whole_games_in_words():
    client = pytest.importorskip("tianshou.env.pettingzoo_env", reason=NO_CLIENTS)
    ours = gem_ma.make("game:TicTacToe-v0")
    env = client.PettingZooEnv(ours)
    rng = np.random.default_rng(0)
    outcomes = set()
    for game in range(20):
        observation, info = env.reset(seed=game)
        assert observation["agent_id"] == "x"
        assert "You are playing Tic-tac-toe as x" in observation["obs"]["text"]
        terminated = truncated = False
        while not (terminated or truncated):
            seat = observation["agent_id"]
            assert seat == ours.to_act[0]
            action = str(rng.choice(info["legal_actions"]))
            observation, rewards, terminated, truncated, info = env.step(action)
            text = observation["obs"]["text"]
            assert f"{seat}: {action}" in text
            assert text.endswith(ours.game.describe(ours.game_state, None))
            if not terminated:
                assert rewards == [0.0, 0.0]
        assert not truncated
        assert rewards == list(ours.game_state.returns().values())
        outcomes.add(tuple(rewards))
    assert outcomes == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


def test_torchrl_takes_and_gives_words():
    client = pytest.importorskip("torchrl.envs", reason=NO_CLIENTS)
    env = client.GymWrapper(gem_ma.make_gym("game:GuessTheNumber-v0-easy"))
    env.set_seed(0)
    before = env.reset()
    assert "The number is between 1 and 10." in before["observation"]
    secret = env._env.env.game_state.secret
    assert secret != 5
    before["action"] = "5"
    after = env.step(before)["next"]
    hint = "higher" if secret > 5 else "lower"
    assert f"5: the number is {hint}." in after["observation"]
    assert (after["reward"].item(), after["done"].item()) == (0.0, False)
    after["action"] = str(secret)
    end = env.step(after)["next"]
    assert f"{secret}: correct!" in end["observation"]
    assert (end["reward"].item(), end["terminated"].item()) == (1.0, True)


def test_torchrl_finds_the_specs_right():
    client = pytest.importorskip("torchrl.envs", reason=NO_CLIENTS)
    utils = pytest.importorskip("torchrl.envs.utils", reason=NO_CLIENTS)
    utils.check_env_specs(client.GymWrapper(gem_ma.make_gym("game:GuessTheNumber-v0-easy")), seed=0)


# Stable-Baselines3 takes everything with three axes for a picture, planes of a board too.
@pytest.mark.filterwarnings(
    "ignore:It seems that your observation observation is an image:UserWarning",
    "ignore:It seems that your observation space observation is an image:UserWarning",
    "ignore:The minimal resolution for an image is 36x36:UserWarning",
)
def test_sb3_finds_the_discrete_view_right():
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason=NO_CLIENTS)
    env = gem_ma.make_gym("game:TicTacToe-v0", agent="x", others="random", actions="discrete")
    assert list(env.observation_space) == ["action_mask", "observation"]
    checker.check_env(env)


def test_sb3_learns_and_plays():
    pytest.importorskip("stable_baselines3", reason=NO_CLIENTS)
    example = runpy.run_path(str(TRAIN_SB3))
    id = "game:TicTacToe-v0"
    untrained, trained = (example["train"](id, steps, seed=0) for steps in (0, 1000))
    assert (untrained.num_timesteps, trained.num_timesteps) == (0, 1024)
    before, after = (
        [p.detach().numpy() for p in m.policy.parameters()] for m in (untrained, trained)
    )
    assert all(np.isfinite(weights).all() for weights in after)
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    assert sum(example["evaluate"](trained, id, games=20)) == 20
    env = gem_ma.make_gym(id, agent="x", others="random", actions="discrete")
    observation, _ = env.reset(seed=0)
    total, terminated, truncated = 0.0, False, False
    while not (terminated or truncated):
        action, _ = trained.predict(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        total += reward
    assert terminated
    forfeited = info["invalid"] > 0
    assert total == (-1.0 if forfeited else env.env.game_state.returns()["x"])


def test_gymnasiums_numpy_to_torch_leaves_texts_alone():
    pytest.importorskip("torch", reason="pip install 'gem-ma[clients]'")
    pytest.importorskip("array_api_compat", reason="pip install 'gem-ma[clients]'")
    from gymnasium.wrappers.numpy_to_torch import NumpyToTorch

    env = NumpyToTorch(gem_ma.make_gym("game:GuessTheNumber-v0-easy"))
    observation, info = env.reset(seed=0)
    assert observation.startswith("You are playing Guess the Number")
    assert info["legal_actions"][:2] == ["1", "2"]
    observation, *_ = env.step("3")
    assert "3: " in observation
