"""SkyRL-gym and SkyRL."""

import pytest


def test_skyrl_plays_through_its_registry():
    skyrl_gym = pytest.importorskip("skyrl_gym", reason="pip install skyrl-gym==0.4.0")
    skyrl_gym.register(id="gem_ma", entry_point="gem_ma.training.trainers.skyrl:SkyRLSeatEnv")
    try:
        config = {"env": "game:TicTacToe-v0", "seat": "o", "others": "random"}
        env = skyrl_gym.make("gem_ma", env_config=config, extras={"seed": 3})
        prompt, _ = env.init([{"role": "user", "content": ""}])
        assert [message["role"] for message in prompt] == ["system", "user"]
        steps = [env.step(move) for move in ("no move", *"012345678") if not env.sync_seat.done]
        assert steps[0]["observations"]
        assert [step["done"] for step in steps] == [False] * (len(steps) - 1) + [True]
        assert sum(step["reward"] for step in steps) == env.get_metrics()["return"] != 0.0
        again = skyrl_gym.make("gem_ma", env_config=config, extras={"seed": 3})
        assert again.init([])[0] == prompt
        sees = skyrl_gym.make(
            "gem_ma", env_config={}, extras={"env": "game:FrozenLake-v0", "max_turns": 2,
                                             "make": {"observe": "image"}},
        )  # fmt: skip
        assert sees.init([])[0][-1]["content"][0]["type"] == "image_url"
        assert [sees.step("left")["done"] for _ in range(2)] == [False, True]
        with pytest.raises(ValueError, match="expected env=ID"):
            skyrl_gym.make("gem_ma", env_config={})
    finally:
        skyrl_gym.envs.registration.deregister("gem_ma")
