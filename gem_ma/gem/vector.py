"""VectorEnv: several environments stepped together, as GEM's `make_vec` makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gem_ma.gem.core import EnvLike, StepResult
from gem_ma.validation.json_types import JSONMapping, JSONObject


class VectorEnv:
    """Several environments in step; one that ends is reset at once, as in GEM.

    What it showed last is not lost: it stands in its info as `final_obs` and `final_info`.
    """

    def __init__(self, envs: Sequence[EnvLike], async_mode: bool = False):
        self.envs: list[Any] = list(envs)
        self.num_envs = len(envs)
        self._threads = ThreadPoolExecutor(self.num_envs) if async_mode else None

    def reset(
        self, seed: int | Sequence[int | None] | None = None, **kwargs: JSONMapping
    ) -> tuple[list[Any], list[JSONObject]]:
        """Reset all, without a seed to the episodes that come next in each.

        An int gives each environment a seed of its own, counted up from it; `env0_kwargs` and the
        like are further arguments for the `reset` of one.
        """
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"got {len(seeds)} seeds for {self.num_envs} environments")
        env_kwargs = [kwargs.pop(f"env{i}_kwargs", {}) for i in range(self.num_envs)]
        if kwargs:
            raise TypeError(
                f"got {', '.join(kwargs)}: expected env0_kwargs to env{self.num_envs - 1}_kwargs"
            )
        results = [
            env.reset(seed=env_seed, **arguments)
            for env, env_seed, arguments in zip(self.envs, seeds, env_kwargs, strict=True)
        ]
        return [obs for obs, _ in results], [info for _, info in results]

    def step(
        self, actions: Sequence[str] | Mapping[int, str]
    ) -> tuple[list[Any], np.ndarray, np.ndarray, np.ndarray, list[JSONObject]]:
        """Step all environments, or those that a mapping names by their index."""
        if isinstance(actions, str):
            raise TypeError(f"expected a list of {self.num_envs} actions, got one str")
        if not isinstance(actions, Mapping):
            if len(actions) != self.num_envs:
                raise ValueError(f"got {len(actions)} actions for {self.num_envs} environments")
            actions = dict(enumerate(actions))
        envs = [self.envs[i] for i in actions]
        results: Iterable[StepResult]
        if self._threads is None:
            results = map(self._step_env, envs, actions.values())
        else:
            results = self._threads.map(self._step_env, envs, actions.values())
        rows = list(results)
        return (
            [row[0] for row in rows],
            np.array([row[1] for row in rows], np.float64),
            np.array([row[2] for row in rows], np.bool_),
            np.array([row[3] for row in rows], np.bool_),
            [row[4] for row in rows],
        )

    @staticmethod
    def _step_env(env: EnvLike, action: str) -> StepResult:
        obs, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            final_obs, final_info = obs, info
            obs, info = env.reset()
            info = {**info, "final_obs": final_obs, "final_info": final_info}
        return obs, reward, terminated, truncated, info

    def close(self) -> None:
        """Close every environment, and end the threads."""
        if self._threads is not None:
            self._threads.shutdown()
        for env in self.envs:
            env.close()
