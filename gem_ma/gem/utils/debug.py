"""Functions that play an episode to its end and print every step."""

from __future__ import annotations

import pprint
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from gem_ma.gem.core import EnvLike, ResetResult, StepResult


class AsyncEnvLike(Protocol):
    """An environment whose `reset` and `step` are awaited."""

    @property
    def reset(self) -> Callable[..., Awaitable[ResetResult]]:
        """Begin an episode."""
        ...

    @property
    def step(self) -> Callable[[Any], Awaitable[StepResult]]:
        """Take a reply."""
        ...


Policy = Callable[[Any], Any]


def ppprint(x: object) -> None:
    """Print a value, or the values of a list or tuple with their numbers."""
    if not isinstance(x, list | tuple):
        pprint.pp(x)
        return
    for number, one in enumerate(x, 1):
        sys.stdout.write(f"{number} of {len(x)}:\n")
        pprint.pp(one)


def run_and_print_episode(
    env: EnvLike, policy: Policy, ignore_done: bool = False, max_steps: float = 1e9
) -> None:
    """Play and print an episode; a vector, until all its episodes end in the same step.

    Args:
        env: the environment.
        policy: a function from an observation to an action.
        ignore_done: whether to continue after the end until `max_steps`.
        max_steps: the maximum number of steps.
    """
    with _print_time():
        observation, _ = env.reset()
        step_count = 0
        while step_count < max_steps:
            step_count += 1
            action = policy(observation)
            observation, *outcome = _print_step(step_count, observation, action, env.step(action))
            if not ignore_done and _is_done(*outcome):
                return


def run_and_print_episode_with_selective_step(
    env: EnvLike, policy: Policy, ignore_done: bool = False, max_steps: float = 1e9
) -> None:
    """Play a vector as `run_and_print_episode`, with about half of its environments per step."""
    rng = np.random.default_rng(0)

    def choose_actions(observation: Any) -> Mapping[int, Any]:
        actions = policy(observation)
        chosen: Mapping[int, Any] = {}
        while not chosen:
            chosen = {i: one for i, one in enumerate(actions) if rng.random() > 0.5}
        return chosen

    run_and_print_episode(env, choose_actions, ignore_done, max_steps)


async def run_and_print_episode_async(
    env: AsyncEnvLike, policy: Policy, ignore_done: bool = False, max_steps: float = 1e9
) -> None:
    """Play as `run_and_print_episode`, with an environment whose `reset` and `step` are async."""
    with _print_time():
        observation, _ = await env.reset()
        step_count = 0
        while step_count < max_steps:
            step_count += 1
            action = policy(observation)
            result = await env.step(action)
            observation, *outcome = _print_step(step_count, observation, action, result)
            if not ignore_done and _is_done(*outcome):
                return


@contextmanager
def _print_time() -> Iterator[None]:
    start = time.perf_counter()
    yield
    sys.stdout.write(f"Time: {time.perf_counter() - start:.2f} s\n")


def _print_step(
    number: int, observation: object, action: object, result: StepResult
) -> tuple[Any, Any, Any]:
    """Print a step; return the next observation, terminated and truncated."""
    next_observation, reward, terminated, truncated, _ = result
    sys.stdout.write(f"Step {number}\n")
    for heading, value in (("observation", observation), ("action", action), ("reward", reward)):
        sys.stdout.write(f"--- {heading}\n")
        ppprint(value)
    sys.stdout.write(f"terminated: {terminated}, truncated: {truncated}\n")
    return next_observation, terminated, truncated


def _is_done(terminated: bool | np.ndarray, truncated: bool | np.ndarray) -> bool:
    return bool(np.all(np.logical_or(terminated, truncated)))
