"""Env and EnvWrapper, the bases of environments and wrappers that are written for GEM."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

from gem_ma.gem.utils.seeding import set_seed
from gem_ma.validation.json_types import JSONObject

ResetResult: TypeAlias = tuple[Any, JSONObject]
"""The result of `reset`: an observation, which is usually text, and the info."""
StepResult: TypeAlias = tuple[Any, float, bool, bool, JSONObject]
"""The result of `step`: observation, reward, terminated, truncated and info."""

ObsType = TypeVar("ObsType")  # for annotations in scripts, as ActType
ActType = TypeVar("ActType")


class EnvLike(Protocol):
    """The interface that wrappers and vectors need: of GEM's environments and SingleSeatEnv."""

    @property
    def reset(self) -> Callable[..., ResetResult]:
        """Begin an episode."""
        ...

    @property
    def step(self) -> Callable[[str], StepResult]:
        """Take a reply."""
        ...


class Env(abc.ABC):
    """An environment of one agent as in GEM: each step takes a text reply and returns a text.

    A subclass implements `reset` and `step`. After `gem.register`, `gem.make` makes it by its id.
    """

    @abc.abstractmethod
    def reset(self, seed: int | None = None) -> ResetResult:
        """Begin an episode; a seed, if any, is set in the global generators, as in GEM."""
        if seed is not None:
            set_seed(seed)
        return "", {}

    @abc.abstractmethod
    def step(self, action: str) -> StepResult:
        """Take a reply; return observation, reward, terminated, truncated and info."""

    def sample_random_action(self) -> str:
        """Return a random action."""
        raise NotImplementedError(f"{type(self).__name__} has no sample_random_action()")

    def spawn(self, same_state: bool = False, **kwargs: object) -> EnvLike:
        """Return another environment like this one, in the same state or at its beginning."""
        raise NotImplementedError(f"{type(self).__name__} has no spawn()")

    @property
    def unwrapped(self) -> Any:
        """The environment inside all wrappers."""
        return self


class EnvWrapper(Env):
    """A wrapper that forwards all attributes to its environment; subclasses override some."""

    def __init__(self, env: EnvLike):
        self.env: Any = env  # any attribute of it is forwarded

    def __getattr__(self, name: str) -> Any:
        if name == "env" or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.env, name)

    def reset(self, seed: int | None = None, **kwargs: object) -> ResetResult:
        """Begin an episode."""
        result: ResetResult = self.env.reset(seed=seed, **kwargs)
        return result

    def step(self, action: str) -> StepResult:
        """Take a reply."""
        result: StepResult = self.env.step(action)
        return result

    def sample_random_action(self) -> str:
        """Return a random action of the environment inside."""
        action: str = self.env.sample_random_action()
        return action

    @property
    def unwrapped(self) -> Any:
        """The environment inside all wrappers."""
        return self.env.unwrapped
