"""Env and EnvWrapper, the bases of environments and wrappers that are written for GEM."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

from gem_ma.gem.utils.seeding import set_seed
from gem_ma.validation.json_types import JSONObject

ResetResult: TypeAlias = tuple[Any, JSONObject]
"""What `reset` returns: an observation, which is mostly text, and the info."""
StepResult: TypeAlias = tuple[Any, float, bool, bool, JSONObject]
"""What `step` returns: observation, reward, terminated, truncated and info."""

ObsType = TypeVar("ObsType")  # of observations and actions, for annotations in scripts
ActType = TypeVar("ActType")


class EnvLike(Protocol):
    """What wrappers and vectors need of an environment: one for GEM, or a seat of ours."""

    @property
    def reset(self) -> Callable[..., ResetResult]:
        """Begin an episode."""
        ...

    @property
    def step(self) -> Callable[[str], StepResult]:
        """Take a reply."""
        ...


class Env(abc.ABC):
    """An environment of one agent, as GEM has them: text in, text out, one reply at a time.

    A subclass writes `reset` and `step`. `gem.make` makes it by its id once it is registered.
    """

    @abc.abstractmethod
    def reset(self, seed: int | None = None) -> ResetResult:
        """Begin an episode; a seed, if given, goes to the global generators, as it does in GEM."""
        if seed is not None:
            set_seed(seed)
        return "", {}

    @abc.abstractmethod
    def step(self, action: str) -> StepResult:
        """Take a reply; return observation, reward, terminated, truncated and info."""

    def sample_random_action(self) -> str:
        """Draw an action."""
        raise NotImplementedError(f"{type(self).__name__} draws no actions")

    def spawn(self, same_state: bool = False, **kwargs: object) -> EnvLike:
        """Return another environment like this one, at the same point or at its beginning."""
        raise NotImplementedError(f"{type(self).__name__} has no spawn()")

    @property
    def unwrapped(self) -> Any:
        """The environment inside all wrappers."""
        return self


class EnvWrapper(Env):
    """Forward everything, live, to the environment inside; override what changes."""

    def __init__(self, env: EnvLike):
        self.env: Any = env  # of which any attribute is forwarded

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
        """Draw an action of the environment inside."""
        action: str = self.env.sample_random_action()
        return action

    @property
    def unwrapped(self) -> Any:
        """The environment inside all wrappers."""
        return self.env.unwrapped
