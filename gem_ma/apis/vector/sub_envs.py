"""SubEnv: one environment of a vector, in any backend."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeAlias

import numpy as np

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.base_env import BaseEnv
from gem_ma.apis.gymnasium_view import GymnasiumView
from gem_ma.apis.workers import ExceptionMessage
from gem_ma.chat.agent import SeatAgents
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import SeatActions
from gem_ma.game import Info, ResetOptions, T

P = ParamSpec("P")
JobParts: TypeAlias = Generator[Callable[[], object], Any, object]
"""A job that yields its blocking calls, and is sent their results."""
SeatStepResult: TypeAlias = tuple[Any, float, bool, bool, Info]
"""Observation, reward, terminated, truncated and info, as Gymnasium's `step` returns them."""
SubEnvResult: TypeAlias = "SeatStepResult | GameStepResult"


class SubEnv:
    """One environment of a vector, in any backend; pickled as its constructor's arguments."""

    arguments: tuple[AECEnv, *tuple[object, ...]]  # of the constructor, the environment first
    env: GymnasiumView | AECEnv
    base_env: BaseEnv  # the environment that takes its replies
    canvas: np.ndarray | None = None  # the array for its picture, which is then not sent
    picture_shape: tuple[int, ...] | None = None

    @property
    def is_blocking(self) -> bool:
        """Whether its steps wait for something, so that they should run in a thread."""
        return bool(self.arguments[0].blocking)

    def reset(self, seed: int | None, options: ResetOptions | None) -> SubEnvResult:
        raise NotImplementedError

    def split_job(self, method: str, arguments: tuple[object, ...]) -> JobParts | None:
        """Return a job that yields its blocking calls; None: the whole job needs a thread."""
        return None

    def step(self, action: Any) -> SubEnvResult:
        raise NotImplementedError


class SeatSubEnv(SubEnv):
    """One seat of an environment, with its autoreset at the end of an episode."""

    def __init__(self, env: AECEnv, autoreset: str, agent: str | None, others: SeatAgents | None):
        self.arguments = env, autoreset, agent, others
        self.env: GymnasiumView = GymnasiumView(env.copy(), agent=agent, others=others)
        self.autoreset = autoreset
        self.over = False
        inner = self.base_env = self.env.env
        sight = inner.observation_builder
        width, height = sight.image_size
        numbers = sight.discrete and inner.core.encoding_space() is not None
        has_pictures = sight.config.observe != "text" or (sight.discrete and not numbers)
        self.picture_shape = (height, width, 3) if has_pictures else None

    def __reduce__(self) -> tuple[object, ...]:
        return SeatSubEnv, self.arguments

    def reset(self, seed: int | None, options: ResetOptions | None) -> SeatStepResult:
        self.over = False
        observation, info = self._call_on_canvas(self.env.reset, seed=seed, options=options)
        return self._drop_image(observation), 0.0, False, False, info

    def step(self, action: Any) -> SeatStepResult:
        if self.over and self.autoreset == "next":
            return self.reset(None, None)
        return self._finish_step(self._call_on_canvas(self.env.step, action))

    def split_job(self, method: str, arguments: tuple[object, ...]) -> JobParts | None:
        begins = self.over and self.autoreset == "next"
        if method != "step" or begins or not self.env.can_step_in_parts:
            return None
        return self._step_in_parts(*arguments)

    def _step_in_parts(self, action: Any) -> JobParts:
        outcome = yield from self.env.step_in_parts(action)
        result = self._call_on_canvas(outcome)
        if self.autoreset == "same" and (result[2] or result[3]):  # `reset` may block, too
            return (yield functools.partial(self._finish_step, result))
        return self._finish_step(result)

    def _finish_step(self, result: SeatStepResult) -> SeatStepResult:
        """Return the result of a step as it is sent, after a reset if autoreset is "same"."""
        observation, reward, terminated, truncated, info = result
        self.over = terminated or truncated
        if self.over and self.autoreset == "same":
            if self.canvas is not None:  # the next picture overwrites it
                observation = _copy_arrays(observation)
            final = {"final_obs": observation, "final_info": info}
            observation, _, _, _, info = self.reset(None, None)
            return observation, reward, terminated, truncated, {**info, **final}
        return self._drop_image(observation), reward, terminated, truncated, info

    def call(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """Return an attribute of the environment, called if it is a method."""
        try:
            value = self.env.get_wrapper_attr(name)
            return value(*args, **kwargs) if callable(value) else value
        except Exception as error:  # noqa: BLE001 - raised again by the vector
            return ExceptionMessage(error)

    def set(self, name: str, value: object) -> ExceptionMessage | None:
        """Set an attribute of the environment; return an error as ExceptionMessage."""
        try:
            self.env.set_wrapper_attr(name, value)
        except Exception as error:  # noqa: BLE001 - raised again by the vector
            return ExceptionMessage(error)
        return None

    def _call_on_canvas(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self.canvas is None:
            return call(*args, **kwargs)
        sight = self.env.env.observation_builder
        sight.canvas = self.canvas
        try:
            return call(*args, **kwargs)
        finally:
            sight.canvas = None

    def _drop_image(self, observation: object) -> object:
        """Return an observation with None in place of a picture that is on the canvas."""
        if isinstance(observation, dict):
            return {key: self._drop_image(value) for key, value in observation.items()}
        return None if observation is self.canvas else observation


def _copy_arrays(observation: object) -> object:
    if isinstance(observation, dict):
        return {key: _copy_arrays(value) for key, value in observation.items()}
    return observation.copy() if isinstance(observation, np.ndarray) else observation


class GameStepResult(NamedTuple):
    """The result of a step in one game of a GameVector."""

    turns: dict[str, Turn]
    rewards: Mapping[str, float]
    terminated: bool
    truncated: bool
    report: Info


class GameSubEnv(SubEnv):
    """One game with all its seats; a Turn's picture is drawn when it is first read."""

    def __init__(self, env: AECEnv, autoreset: str):
        self.arguments = env, autoreset
        self.env: AECEnv = env.copy()
        self.base_env = self.env
        self.autoreset = autoreset

    def __reduce__(self) -> tuple[object, ...]:
        return GameSubEnv, self.arguments

    def reset(self, seed: int | None, options: ResetOptions | None) -> GameStepResult:
        self.env.reset(seed=seed, options=options)
        return GameStepResult(self._make_turns(), {}, False, False, {})

    def step(self, actions: SeatActions) -> GameStepResult:
        env, match = self.env, self.env.match
        if not match.waiting_seats and self.autoreset == "next":
            return self.reset(None, None)
        rewards = env.step_seats(actions)
        if match.waiting_seats:
            return GameStepResult(self._make_turns(), rewards, False, False, {})
        truncated = match.truncated
        report = match.game.report(match.state)
        if self.autoreset == "same":
            env.reset()
        return GameStepResult(self._make_turns(), rewards, not truncated, truncated, report)

    def _make_turns(self) -> dict[str, Turn]:
        return {seat: self.env.turn(seat) for seat in self.env.match.waiting_seats}
