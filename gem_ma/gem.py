"""GEM's own face, so that a script written for GEM changes one import: `from gem_ma import gem`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gem_ma.apis import making
from gem_ma.apis.aec import BaseEnv
from gem_ma.apis.seat import SeatView
from gem_ma.apis.wrappers import TimeLimit
from gem_ma.envs import registry
from gem_ma.envs.registry import register

__all__ = ["Seat", "VectorEnv", "make", "make_vec", "print_envs", "register"]


class Seat(SeatView):
    """A seat whose `reset` takes what GEM's take."""

    seed: int | None = None  # of the next episode, if its reset has none

    def reset(
        self,
        seed: int | None = None,
        *,
        options: dict[str, Any] | None = None,
        idx: int | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, of a task the one that asks question number `idx`."""
        if seed is None:
            seed = self.seed
        self.seed = None
        if idx is not None:
            options = {**(options or {}), "index": idx}
        return super().reset(seed=seed, options=options)


def make(
    env_id: str,
    *,
    seed: int | None = None,
    agent: str | None = None,
    others: Any = None,
    **kwargs: Any,
) -> Seat:
    """Make an environment with `reset`, `step` and `sample_random_action` as GEM's have them.

    seed: of the first episode, which leads to all others, and of the dataset, where there is one.
    """
    try:
        env = _made(env_id, **kwargs, **({} if seed is None else {"seed": seed}))
    except registry.UnknownArgument:  # the game has no use for a seed, or something else is wrong
        env = _made(env_id, **kwargs)
    seat = Seat(env, agent=agent, others=others)
    seat.seed = seed
    return seat


def _made(env_id: str, **kwargs: Any) -> BaseEnv:
    try:
        return making.make(env_id, **kwargs)
    except ValueError as error:
        # A game refuses a limit within which it cannot be won; in GEM, the episode just ends there.
        if "max_turns" not in kwargs or "max_turns" not in str(error):
            raise
        limit = kwargs.pop("max_turns")
        return TimeLimit(making.make(env_id, **kwargs), limit)


def print_envs() -> None:
    """Print all ids with what they stand for."""
    for env_id in registry.list_envs():
        spec = registry.spec(env_id)
        sys.stdout.write(f"  - {env_id}: {spec.entry_point} {dict(spec.kwargs)}\n")


def make_vec(
    env_ids: str | Sequence[str],
    wrappers: Sequence[Callable[[Any], Any]] | None = None,
    vec_kwargs: Sequence[Mapping[str, Any]] | None = None,
    async_mode: bool = False,
    seed: int = 0,
    **kwargs: Any,
) -> VectorEnv:
    """Make one environment for each id, stepped together and reset as they end.

    async_mode: step each in a thread of its own, which helps those that wait for something.
    seed: of the first environment, counted up for the others, unless `vec_kwargs` has one for it.
    """
    ids = [env_ids] if isinstance(env_ids, str) else list(env_ids)
    own = list(vec_kwargs) if vec_kwargs is not None else [{}] * len(ids)
    if len(own) != len(ids):
        raise ValueError(f"got {len(ids)} ids and {len(own)} vec_kwargs; expected as many")
    envs: list[Any] = []
    for number, (env_id, arguments) in enumerate(zip(ids, own, strict=True)):
        env: Any = make(env_id, **{"seed": seed + number, **kwargs, **arguments})
        for wrapper in wrappers or ():
            env = wrapper(env)
        envs.append(env)
    return VectorEnv(envs, async_mode)


class VectorEnv:
    """Several environments in step; one that ends is reset at once, as in GEM.

    What it showed last is not lost: it stands in its info as `final_obs` and `final_info`.
    """

    def __init__(self, envs: Sequence[Any], async_mode: bool = False):
        self.envs, self.num_envs = list(envs), len(envs)
        self._threads = ThreadPoolExecutor(self.num_envs) if async_mode else None

    def reset(
        self, seed: int | Sequence[int | None] | None = None, **kwargs: Mapping[str, Any]
    ) -> tuple[list[Any], list[dict[str, Any]]]:
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
        given = [kwargs.pop(f"env{i}_kwargs", {}) for i in range(self.num_envs)]
        if kwargs:
            raise TypeError(
                f"got {', '.join(kwargs)}: expected env0_kwargs to env{self.num_envs - 1}_kwargs"
            )
        results = [
            env.reset(seed=one, **more)
            for env, one, more in zip(self.envs, seeds, given, strict=True)
        ]
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
        envs = [self.envs[i] for i in actions]
        each: Any = map if self._threads is None else self._threads.map
        rows: Iterable[Any] = each(self._step, envs, actions.values())
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
        """Close every environment, and end the threads."""
        if self._threads is not None:
            self._threads.shutdown()
        for env in self.envs:
            env.close()
