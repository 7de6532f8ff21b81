"""VectorEnv: several environments that are stepped together."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gem_ma.gem.core import Env, EnvLike, StepResult
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping, JSONObject


class AutoresetMode(enum.Enum):
    """The time at which an environment is reset after its episode."""

    NEXT_STEP = "NextStep"  # in the next step, whose reward is 0
    SAME_STEP = "SameStep"  # in the step that ends the episode


class VectorEnv:
    """Several environments that are stepped together, and reset when their episodes end.

    With `AutoresetMode.SAME_STEP`, the last observation and info of an episode are in the info as
    `final_obs` and `final_info`.

    Args:
        env_ids: the ids of the environments.
        env_fns: a function for each id that makes the environment.
        autoreset_mode: an AutoresetMode, or its value; by default SAME_STEP.
    """

    def __init__(
        self,
        env_ids: Sequence[str],
        env_fns: Sequence[Callable[[], EnvLike]],
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ):
        if len(env_ids) != len(env_fns):
            raise ValueError(
                f"got {len(env_ids)} env_ids and {len(env_fns)} env_fns; expected one for each"
            )
        if autoreset_mode not in (values := [mode.value for mode in AutoresetMode]):
            check_type(autoreset_mode, AutoresetMode, "autoreset_mode", f"one of {values}")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.env_ids, self.env_fns = env_ids, env_fns
        self.envs: list[Any] = [make_env() for make_env in env_fns]
        self.num_envs = len(self.envs)
        self._ended: set[int] = set()  # those that the next step resets

    def reset(
        self, seed: int | Sequence[int | None] | None = None, **kwargs: JSONMapping
    ) -> tuple[list[Any], list[JSONObject]]:
        """Reset all environments; without a seed, to the next episode of each.

        Args:
            seed: a seed for each environment, or an int from which the seeds count up.
            **kwargs: `env0_kwargs` and so on, each with further arguments for one `reset`.
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
        self._ended.clear()
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
        rows = list(self._map_steps(self._step_env, actions, actions.values()))
        return (
            [row[0] for row in rows],
            np.array([row[1] for row in rows], np.float64),
            np.array([row[2] for row in rows], np.bool_),
            np.array([row[3] for row in rows], np.bool_),
            [row[4] for row in rows],
        )

    def _map_steps(
        self,
        step_env: Callable[[int, str], StepResult],
        indices: Iterable[int],
        actions: Iterable[str],
    ) -> Iterable[StepResult]:
        return map(step_env, indices, actions)

    def _step_env(self, index: int, action: str) -> StepResult:
        env: EnvLike = self.envs[index]
        if index in self._ended:
            self._ended.discard(index)
            obs, info = env.reset()
            return obs, 0.0, False, False, info
        obs, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            if self.autoreset_mode is AutoresetMode.NEXT_STEP:
                self._ended.add(index)
            else:
                final_obs, final_info = obs, info
                obs, info = env.reset()
                info = {**info, "final_obs": final_obs, "final_info": final_info}
        return obs, reward, terminated, truncated, info

    def close(self) -> None:
        """Close every environment."""
        for env in self.envs:
            env.close()


Env.register(VectorEnv)  # as in GEM
