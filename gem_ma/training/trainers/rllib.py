"""RLlib adapter: an environment with numeric observations and action masks."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from gem_ma.apis.factory import make as make_env


def make_env_creator(id: str, **make: Any) -> Any:
    """Return an environment creator for RLlib's `register_env`.

    An observation has a flat array "observations" and an "action_mask", as RLlib's own modules with
    action masks expect.

    Args:
        id: id of the environment.
        **make: arguments of `make`; RLlib's environment config overrides them.
    """

    def create_env(config: Mapping[str, Any]) -> Any:
        return _make_wrapper_class()(make_env(id, **{"actions": "discrete", **make, **config}))

    return create_env


@functools.cache
def _make_wrapper_class() -> Any:
    """Return a subclass of RLlib's PettingZooEnv; importing RLlib is deferred to this call."""
    import numpy as np
    from gymnasium import spaces
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    class NumericEnv(PettingZooEnv):
        def __init__(self, env: Any):
            super().__init__(env)
            self.possible_agents = list(env.possible_agents)  # RLlib's come in the order of a set
            flat: dict[str, Any] = {}
            for agent in env.possible_agents:
                space = env.observation_space(agent)
                seen: Any = spaces.flatten_space(space["observation"])
                mask = spaces.Box(0, 1, space["action_mask"].shape, np.float32)
                box = spaces.Box(float(seen.low.min()), float(seen.high.max()), seen.shape)
                flat[agent] = spaces.Dict({"observations": box, "action_mask": mask})
            self.observation_spaces = flat

        def reset(self, **kwargs: Any) -> Any:
            seen, infos = super().reset(**kwargs)
            return _flatten_observations(seen), infos

        def step(self, actions: Any) -> Any:
            seen, *rest = super().step(actions)
            return _flatten_observations(seen), *rest

    def _flatten_observations(seen: Mapping[str, Any]) -> dict[str, Any]:
        return {
            agent: {
                "observations": one["observation"].ravel().astype(np.float32),
                "action_mask": one["action_mask"].astype(np.float32),
            }
            for agent, one in seen.items()
        }

    return NumericEnv
