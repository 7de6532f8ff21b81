"""SeatVector: one seat of many environments behind Gymnasium's vector API."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
)

from gem_ma.apis.spec import JSONSpecHolder
from gem_ma.apis.vector.backends import BackendChannel, ProcessBackend, check_list
from gem_ma.apis.vector.sub_envs import SeatStepResult, SeatSubEnv
from gem_ma.apis.workers import ExceptionMessage
from gem_ma.engine.lazy_info import LazyInfo
from gem_ma.engine.match import ResetNeeded
from gem_ma.game import Info, ResetOptions
from gem_ma.validation.arguments import check_type

AUTORESET_MODES = {
    "next": AutoresetMode.NEXT_STEP,
    "same": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


VectorStep: TypeAlias = tuple[Any, np.ndarray, np.ndarray, np.ndarray, Info]
"""Observations, rewards, terminations, truncations and infos."""


class SeatVector(JSONSpecHolder, VectorEnv[Any, Any, Any]):
    """One seat of many environments behind Gymnasium's vector API.

    Texts are returned as a tuple of str, pictures as one array, infos as in Gymnasium's own
    vectors. `send` and `recv` step some environments while others are still stepping.
    """

    closed = True  # until `__init__` succeeds

    def __init__(
        self,
        slots: Sequence[SeatSubEnv],
        backend: str,
        autoreset: str,
        workers: int | None,
        timeout: float | None,
    ):
        self.channel = BackendChannel(slots, backend, workers, timeout)
        self.num_envs = len(slots)
        self.closed = False
        views = [slot.env for slot in slots]
        first = views[0]
        self.metadata = {**first.metadata, "autoreset_mode": AUTORESET_MODES[autoreset]}
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = _batch_spaces([view.observation_space for view in views])
        self.action_space = _batch_spaces([view.action_space for view in views])
        self._shape = slots[0].picture_shape
        self._images: dict[int, np.ndarray] = {}  # by index, the array of its picture
        self._all_images: np.ndarray | None = None  # the one array of all pictures, if there is one
        self._last: dict[int, SeatStepResult] = {}
        self._autoreset = autoreset
        self._agents = [view.agent for view in views]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: ResetOptions | None = None,
    ) -> tuple[Any, Info]:
        """Begin episodes; an int seeds environment i with seed + i.

        `options={"reset_mask": mask}` resets only the environments whose mask is true. The rows of
        the others repeat their last observations.
        """
        check_type(options, (Mapping, type(None)), "options", "a dict or None")
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        seeds = self.channel.make_seeds(seed)
        which = range(self.num_envs) if mask is None else self._parse_mask(mask)
        results = self._run_jobs("reset", {i: (seeds[i], options or None) for i in which})
        if mask is not None:  # rows that are not reset have an empty info
            results = {**{i: (*last[:-1], {}) for i, last in self._last.items()}, **results}
        observation, _, _, _, infos = self._batch_results(results)
        return observation, infos

    def _parse_mask(self, mask: object) -> list[int]:
        """Return the indices at which a mask is true."""
        expected = f"reset_mask: expected a numpy array of {self.num_envs} bools, got"
        if not isinstance(mask, np.ndarray):
            raise TypeError(f"{expected} a {type(mask).__name__}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"{expected} one of shape {mask.shape}")
        if mask.dtype != np.bool_:
            raise TypeError(f"{expected} one of {mask.dtype}")
        if not mask.any():
            raise ValueError("reset_mask: expected at least one True, got none")
        missing = [i for i in np.flatnonzero(~mask).tolist() if i not in self._last]
        if missing:
            raise ValueError(
                f"environments {missing} have not begun; call reset() without reset_mask first"
            )
        return np.flatnonzero(mask).tolist()

    def step(self, actions: Iterable[object]) -> VectorStep:
        """Step all environments."""
        return self._batch_results(
            self._run_jobs("step", self._make_step_jobs(actions, self.channel.check_free()))
        )

    def _make_step_jobs(
        self, actions: Iterable[object], which: list[int]
    ) -> dict[int, tuple[object, ...]]:
        """Return the arguments of steps; raise if one is wrong, before any step is made."""
        row = check_list(actions, len(which), "actions")
        if missing := [i for i in which if i not in self._last]:
            raise ResetNeeded(f"environments {missing} have not begun; call reset() first")
        over = [i for i in which if self._last[i][2] or self._last[i][3]]
        if over and self._autoreset == "disabled":
            raise ResetNeeded(
                f"environments {over} are over; begin their next episodes with "
                "reset(options={'reset_mask': mask})"
            )
        ignored = over if self._autoreset == "next" else ()  # their action only starts a reset
        for index, action in zip(which, row, strict=True):
            if index not in ignored:
                self.channel.check_reply(index, self._agents[index], action)
        return {index: (action,) for index, action in zip(which, row, strict=True)}

    def _run_jobs(
        self, method: str, arguments: Mapping[int, tuple[object, ...]], draws: bool = True
    ) -> dict[int, Any]:
        self.channel.check_free()
        if draws:
            self._allocate_images(arguments)
        self.channel.send(method, arguments)
        return self.channel.receive(len(arguments))

    def call(self, name: str, *args: object, **kwargs: object) -> tuple[Any, ...]:
        """Return an attribute of each environment's view, or the results of calling a method."""
        jobs = dict.fromkeys(range(self.num_envs), (name, args, kwargs))
        results = self._run_jobs("call", jobs, draws=False)
        _raise_errors(results)
        return tuple([results[i] for i in range(self.num_envs)])

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each environment's view."""
        return self.call(name)

    def set_attr(self, name: str, values: object) -> None:
        """Set an attribute of each environment's view: a value for each, or one for all."""
        if not isinstance(values, list | tuple):
            values = [values] * self.num_envs
        values = check_list(values, self.num_envs, "values")
        _raise_errors(
            self._run_jobs("set", {i: (name, v) for i, v in enumerate(values)}, draws=False)
        )

    def render(self) -> tuple[Any, ...]:
        """Return the rendered frame of each environment."""
        return self.call("render")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds of the environments' episodes."""
        return self.call("np_random_seed")

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random generators of the environments' episodes."""
        return self.call("np_random")

    def send(self, actions: Sequence[object], indices: Iterable[int] | None = None) -> None:
        """Start a step in some environments (None: all), without waiting for results."""
        arguments = self._make_step_jobs(actions, self.channel.check_free(indices))
        self._allocate_images(arguments)
        self.channel.send("step", arguments, together=False)

    def recv(
        self, count: int = 1
    ) -> tuple[np.ndarray, Any, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Wait for at least `count` steps; return their indices, then the values of `step`."""
        results = self.channel.receive(count)
        return np.array(sorted(results)), *self._batch_results(results)

    def _allocate_images(self, arguments: Collection[int]) -> None:
        """Allocate one array for all pictures, if they are drawn in this process."""
        if self._shape is None or not self.channel.backend.renders_locally:
            return
        images = np.empty((len(arguments), *self._shape), np.uint8)
        for row, index in enumerate(arguments):
            self._images[index] = self.channel.slots[index].canvas = images[row]
        self._all_images = images if list(arguments) == list(range(self.num_envs)) else None

    def _gather_images(self, indices: list[int]) -> np.ndarray:
        """Return the pictures of some environments as one array."""
        whole = len(indices) == self.num_envs
        if isinstance(self.channel.backend, ProcessBackend):
            pictures = self.channel.backend.pictures
            assert pictures is not None
            return pictures.copy() if whole else pictures[indices]
        if whole and self._all_images is not None:
            return self._all_images
        return np.stack([self._images[index] for index in indices])

    def _batch_results(self, results: dict[int, SeatStepResult]) -> VectorStep:
        self._last.update(results)
        indices = sorted(results)
        observations, rewards, terminated, truncated, infos = zip(
            *[results[index] for index in indices], strict=True
        )
        columns = LazyInfo()
        columns.source = _batch_infos, infos
        return (
            self._stack_observations(self.single_observation_space, observations, indices),
            np.array(rewards, np.float64),
            np.array(terminated, np.bool_),
            np.array(truncated, np.bool_),
            columns,
        )

    def _stack_observations(
        self, space: spaces.Space[Any], parts: Sequence[Any], indices: list[int]
    ) -> Any:
        if isinstance(space, spaces.Dict):
            return {
                key: self._stack_observations(inner, [part[key] for part in parts], indices)
                for key, inner in space.items()
            }
        if parts[0] is None:
            return self._gather_images(indices)
        if isinstance(space, spaces.Text):
            return tuple(parts)
        if isinstance(space, spaces.Box):
            return np.stack(parts)
        return concatenate(space, parts, create_empty_array(space, len(parts)))  # type: ignore[arg-type]

    def close_extras(self, **kwargs: object) -> None:
        """Close all environments and stop their backend."""
        self.channel.close()


def _raise_errors(results: Mapping[int, object]) -> None:
    """Raise the first exception among the results, if there is one."""
    for result in results.values():
        if isinstance(result, ExceptionMessage):
            raise result.error


def _batch_spaces(singles: Sequence[spaces.Space[Any]]) -> spaces.Space[Any]:
    """Return the batched space of environments with equal or different spaces."""
    if all(space == singles[0] for space in singles[1:]):
        return batch_space(singles[0], len(singles))
    if all(type(space) is type(singles[0]) for space in singles):
        return batch_differing_spaces(list(singles))
    return spaces.Tuple(singles)


def _batch_infos(infos: Sequence[Info]) -> Info:
    """Return infos as in Gymnasium's vectors: by key an array, and the mask "_key" of its rows."""
    columns: Info = {}
    keys = infos[0].keys()
    if all(info.keys() == keys for info in infos):
        everywhere = np.ones(len(infos), np.bool_)
        for key in infos[0]:
            columns[key] = _batch_values(key, [info[key] for info in infos])
            columns[f"_{key}"] = everywhere.copy()
        return columns
    for key in dict.fromkeys([key for info in infos for key in info]):
        there = [key in info for info in infos]
        columns[key] = _batch_values(key, [info.get(key) for info in infos], there)
        columns[f"_{key}"] = np.array(there)
    return columns


def _batch_values(key: str, values: list[Any], there: list[bool] | None = None) -> Any:
    """Return the values of a key as an array; `there` says which values exist (None: all)."""
    here = values if there is None else list(itertools.compress(values, there))
    kinds = set(map(type, here))
    if key != "final_obs" and all(issubclass(kind, dict) for kind in kinds):
        return _batch_infos([value or {} for value in values])
    if len(kinds) == 1 and key != "final_obs":
        (kind,) = kinds
        if kind in (bool, int, float) or issubclass(kind, np.generic):
            return np.array(values if there is None else [value or 0 for value in values], kind)
        if kind is np.ndarray and len({(value.shape, value.dtype) for value in here}) == 1:
            if there is None:
                return np.array(here)
            column = np.zeros((len(values), *here[0].shape), here[0].dtype)
            column[there] = here
            return column
    column = np.empty(len(values), object)
    column[:] = values
    return column
