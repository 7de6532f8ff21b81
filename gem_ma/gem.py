"""GEM's own face, so that a script written for GEM changes one import: `from gem_ma import gem`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gem_ma import registry
from gem_ma.registry import register
from gem_ma.views import SeatView

__all__ = ["SeatView", "VectorEnv", "make", "make_vec", "print_envs", "register"]


def make(env_id: str, **kwargs: Any) -> SeatView:
    """Make an environment with `reset`, `step` and `sample_random_action` as GEM's have them."""
    return registry.make_gym(env_id, **kwargs)


def print_envs() -> None:
    """Print all ids with what they stand for."""
    for env_id in registry.list_envs():
        spec = registry.spec(env_id)
        sys.stdout.write(f"  - {env_id}: {spec.entry_point} {dict(spec.kwargs)}\n")


def make_vec(
    env_ids: str | Sequence[str],
    wrappers: Sequence[Callable[[Any], Any]] | None = None,
    vec_kwargs: Sequence[Mapping[str, Any]] | None = None,
    seed: int = 0,
    **kwargs: Any,
) -> VectorEnv:
    """Make one environment for each id, stepped together and reset as they end."""
    ids = [env_ids] if isinstance(env_ids, str) else list(env_ids)
    own = list(vec_kwargs) if vec_kwargs is not None else [{}] * len(ids)
    if len(own) != len(ids):
        raise ValueError(f"got {len(ids)} ids and {len(own)} vec_kwargs; expected as many")
    envs: list[Any] = []
    for env_id, arguments in zip(ids, own, strict=True):
        env: Any = make(env_id, **{**kwargs, **arguments})
        for wrapper in wrappers or ():
            env = wrapper(env)
        envs.append(env)
    return VectorEnv(envs, seed)


class VectorEnv:
    """Several environments in step; one that ends is reset at once, as in GEM.

    What it showed last is not lost: it stands in its info as `final_obs` and `final_info`.
    """

    def __init__(self, envs: Sequence[Any], seed: int = 0):
        self.envs, self.seed, self.num_envs = list(envs), seed, len(envs)

    def reset(
        self, seed: int | Sequence[int] | None = None
    ) -> tuple[list[Any], list[dict[str, Any]]]:
        """Reset all; an int gives each environment a seed of its own, counted up from it."""
        first = self.seed if seed is None else seed
        seeds = [first + i for i in range(self.num_envs)] if isinstance(first, int) else list(first)
        if len(seeds) != self.num_envs:
            raise ValueError(f"got {len(seeds)} seeds for {self.num_envs} environments")
        results = [env.reset(seed=s) for env, s in zip(self.envs, seeds, strict=True)]
        return [obs for obs, _ in results], [info for _, info in results]

    def step(
        self, actions: Sequence[str] | Mapping[int, str]
    ) -> tuple[list[Any], np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step all environments, or those that a mapping names by their index."""
        if isinstance(actions, str):
            raise TypeError(f"expected a list of {self.num_envs} actions, got one str")
        if not isinstance(actions, Mapping):
            if len(actions) != self.num_envs:
                raise ValueError(f"got {len(actions)} actions for {self.num_envs} environments")
            actions = dict(enumerate(actions))
        rows = [self._step(self.envs[i], action) for i, action in actions.items()]
        obs, rewards, terminations, truncations, infos = zip(*rows, strict=True)
        return (
            list(obs),
            np.array(rewards, np.float64),
            np.array(terminations, np.bool_),
            np.array(truncations, np.bool_),
            list(infos),
        )

    @staticmethod
    def _step(env: Any, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        obs, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            final_obs, final_info = obs, info
            obs, info = env.reset()
            info = {**info, "final_obs": final_obs, "final_info": final_info}
        return obs, reward, terminated, truncated, info

    def close(self) -> None:
        """Close every environment."""
        for env in self.envs:
            env.close()
