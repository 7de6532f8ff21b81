"""What environments and wrappers that are written for GEM build on."""

from __future__ import annotations

import abc
import random  # noqa: TID251 - environments for GEM draw from the global generators
from typing import Any

import numpy as np


class Env(abc.ABC):
    """An environment of one agent, as GEM has them: text in, text out, one reply at a time.

    A subclass writes `reset` and `step`. `gem.make` makes it by its id once it is registered.
    """

    @abc.abstractmethod
    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; a seed, if given, goes to the global generators, as it does in GEM."""
        if seed is not None:
            random.seed(seed)
            np.random.seed(seed % 2**32)  # noqa: NPY002, TID251 - what a script for GEM relies on
        return "", {}

    @abc.abstractmethod
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a reply; return observation, reward, terminated, truncated and info."""

    def sample_random_action(self) -> Any:
        """Draw an action."""
        raise NotImplementedError(f"{type(self).__name__} draws no actions")

    def spawn(self, same_state: bool = False, **kwargs: Any) -> Any:
        """Return another environment like this one, at the same point or at its beginning."""
        raise NotImplementedError(f"{type(self).__name__} has no spawn()")

    @property
    def unwrapped(self) -> Any:
        """The environment inside all wrappers."""
        return self


class EnvWrapper(Env):
    """Forward everything, live, to the environment inside; override what changes."""

    def __init__(self, env: Any):
        self.env = env

    def __getattr__(self, name: str) -> Any:
        if name == "env" or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.env, name)

    def reset(self, seed: int | None = None, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        result: tuple[Any, dict[str, Any]] = self.env.reset(seed=seed, **kwargs)
        return result

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a reply."""
        result: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.step(action)
        return result

    def sample_random_action(self) -> Any:
        """Draw an action of the environment inside."""
        return self.env.sample_random_action()

    @property
    def unwrapped(self) -> Any:
        """The environment inside all wrappers."""
        return self.env.unwrapped
