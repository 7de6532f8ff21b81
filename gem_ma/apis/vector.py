"""Many environments in step: Gymnasium's vector API for one seat, and one for all seats."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing import shared_memory
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
)

from gem_ma.apis import making
from gem_ma.apis.env import BaseEnv, Env
from gem_ma.apis.views import SeatView
from gem_ma.apis.workers import (
    Exited,
    Job,
    Raised,
    StepTimeout,
    Worker,
    by_worker,
    dealt,
    done,
    ready,
    reporting,
    send,
)
from gem_ma.envs import registry
from gem_ma.talk.episode import Turn

Backend = Literal["sync", "thread", "process", "ray"]
_START = 120.0  # seconds that a process may take to begin
_MODES = {
    "next": AutoresetMode.NEXT_STEP,
    "same": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


def make_vec(
    env: Any,
    num_envs: int | None = None,
    *,
    api: Literal["gym", "parallel"] = "gym",
    backend: Backend = "sync",
    autoreset: Literal["next", "same", "disabled"] = "next",
    agent: str | None = None,
    others: Any = None,
    workers: int | None = None,
    step_timeout: float | None = None,
    **make: Any,
) -> SeatVector | GameVector:
    """Make many environments that are stepped together.

    env: an id (with `make`, its arguments), an environment, or several of them, dealt out in turn.
    api: "gym" for one seat behind Gymnasium's VectorEnv, `agent` and `others` as in `make_gym`;
        "parallel" for all seats, see GameVector.
    backend: "sync" in this process; "thread" for games that wait for something; "process" for games
        that compute, with so many `workers` (one for each core if None), where those that say
        `blocking = True` wait in threads; "ray" for other machines.
    autoreset: when an environment that ended begins again: at the next step, at the same step (what
        it showed last is in `infos["final_obs"]` and `infos["final_info"]`), or when you reset it.
    step_timeout: seconds that a step may take in a process, before StepTimeout ends them all.
    """
    for name, value, known in (
        ("api", api, ("gym", "parallel")),
        ("backend", backend, tuple(_BACKENDS)),
        ("autoreset", autoreset, tuple(_MODES)),
    ):
        if value not in known:
            raise ValueError(f"{name}={value!r}: expected one of {known}")
    given = list(env) if isinstance(env, list | tuple) else [env]
    if not given:
        raise ValueError("env=[]: expected an environment, or several")
    count = len(given) if num_envs is None else num_envs
    if count < len(given):
        raise ValueError(f"num_envs={count}: got {len(given)} environments; expected that many")
    made = [making.make(one, **make) if isinstance(one, str) else one for one in given]
    for one in made:
        if not isinstance(one, BaseEnv):
            raise TypeError(f"expected an id or an environment (not a view of one), got {one!r}")
    slots: list[Any]
    if api == "parallel":
        if agent is not None or others is not None:
            raise TypeError("agent and others belong to api='gym'; here all seats are yours")
        slots = [_GameSlot(made[i % len(made)], autoreset) for i in range(count)]
    else:
        slots = [_SeatSlot(made[i % len(made)], autoreset, agent, others) for i in range(count)]
    kind: Any = GameVector if api == "parallel" else SeatVector
    vector: SeatVector | GameVector = kind(slots, backend, autoreset, workers, step_timeout)
    if isinstance(vector, SeatVector):
        options = {"backend": backend, "autoreset": autoreset, "agent": agent, "others": others}
        options |= {"workers": workers, "step_timeout": step_timeout}
        vector.spec = _spec(made, count, options)
    return vector


def _spec(made: Sequence[BaseEnv], count: int, options: Mapping[str, Any]) -> EnvSpec | None:
    """Return what makes a vector again in Gymnasium, if it has many of one registered id."""
    specs = [env.spec for env in made if isinstance(env, Env)]
    first = specs[0] if len(specs) == len(made) else None
    if first is None or any(spec != first for spec in specs):
        return None
    try:
        known = registry.spec(first.id)
        name = registry.foreign(first.id)
        if known.entry_point != first.entry_point:
            return None
        given = {name: value for name, value in options.items() if value is not None}
        kwargs = {"env": first.id, **first.kwargs, **given, "num_envs": count}
        kwargs["vectorization_mode"] = "vector_entry_point"
        return EnvSpec(name, vector_entry_point=f"{__name__}:make_vec", kwargs=kwargs)
    except (registry.UnknownEnv, gymnasium.error.Error):  # Gymnasium knows no such ids
        return None


# -- one environment of many -----------------------------------------------------------------------


class _Slot:
    """One environment of a vector, wherever it lives; pickles as what makes it."""

    arguments: tuple[Any, ...]  # what makes it, its environment first
    env: Any
    canvas: np.ndarray | None = None  # where its picture is drawn, and not sent
    picture_shape: tuple[int, ...] | None = None

    @property
    def waits(self) -> bool:
        """Whether its steps wait for something, and belong into a thread."""
        return bool(self.arguments[0].blocking)

    def reset(self, seed: int | None, options: Any) -> Any:
        raise NotImplementedError

    def step(self, action: Any) -> Any:
        raise NotImplementedError


class _SeatSlot(_Slot):
    """One seat of an environment, with what happens when its episode ends."""

    def __init__(self, env: BaseEnv, autoreset: str, agent: str | None, others: Any):
        self.arguments = env, autoreset, agent, others
        self.env = SeatView(env._twin(), agent=agent, others=others)
        self.autoreset = autoreset
        self.over = False
        core = self.env._core
        width, height = core.image_size
        drawn = core.observes != "text" or (core.discrete and core._encoding_space() is None)
        self.picture_shape = (height, width, 3) if drawn else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _SeatSlot, self.arguments

    def reset(self, seed: int | None, options: Any) -> Any:
        self.over = False
        observation, info = self._on_canvas(self.env.reset, seed=seed, options=options)
        return self._sent(observation), 0.0, False, False, info

    def step(self, action: Any) -> Any:
        if self.over and self.autoreset == "next":
            return self.reset(None, None)
        result = self._on_canvas(self.env.step, action)
        observation, reward, terminated, truncated, info = result
        self.over = terminated or truncated
        if self.over and self.autoreset == "same":
            if self.canvas is not None:  # which the next picture will be drawn over
                observation = _copied(observation)
            final = {"final_obs": observation, "final_info": info}
            observation, _, _, _, info = self.reset(None, None)
            return observation, reward, terminated, truncated, {**info, **final}
        return self._sent(observation), reward, terminated, truncated, info

    def call(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Return an attribute of the environment, called if it is a method; errors as Raised."""
        try:
            found = self.env.get_wrapper_attr(name)
            return found(*args, **kwargs) if callable(found) else found
        except Exception as error:  # noqa: BLE001 - raised again by the vector
            return Raised(error)

    def set(self, name: str, value: Any) -> None:
        """Set an attribute of the environment."""
        self.env.set_wrapper_attr(name, value)

    def _on_canvas(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self.canvas is None:
            return call(*args, **kwargs)
        core = self.env._core
        core._canvas = self.canvas
        try:
            return call(*args, **kwargs)
        finally:
            core._canvas = None

    def _sent(self, observation: Any) -> Any:
        """Return an observation without the picture, if that is on the canvas."""
        if isinstance(observation, dict):
            return {key: self._sent(value) for key, value in observation.items()}
        return None if observation is self.canvas else observation


def _copied(observation: Any) -> Any:
    if isinstance(observation, dict):
        return {key: _copied(value) for key, value in observation.items()}
    return observation.copy() if isinstance(observation, np.ndarray) else observation


class _Moment(NamedTuple):
    """What one game of a GameVector shows."""

    turns: dict[str, Turn]
    rewards: Mapping[str, float]
    terminated: bool
    truncated: bool
    report: dict[str, Any]


class _GameSlot(_Slot):
    """One game with all its seats; a Turn's picture is drawn by whoever looks at it."""

    def __init__(self, env: BaseEnv, autoreset: str):
        self.arguments = env, autoreset
        self.env = env._twin()
        self.autoreset = autoreset

    def __reduce__(self) -> tuple[Any, ...]:
        return _GameSlot, self.arguments

    def reset(self, seed: int | None, options: Any) -> _Moment:
        self.env.reset(seed=seed, options=options)
        return _Moment(self._turns(), {}, False, False, {})

    def step(self, actions: Mapping[str, Any]) -> _Moment:
        env, core = self.env, self.env._core
        if not core.to_act and self.autoreset == "next":
            return self.reset(None, None)
        rewards, _, _ = env.play(actions)
        truncated = core._truncated
        if core.to_act:
            return _Moment(self._turns(), rewards, False, False, {})
        report = core.game.report(core.game_state)
        if self.autoreset == "same":
            env.reset()
        return _Moment(self._turns(), rewards, not truncated, truncated, report)

    def _turns(self) -> dict[str, Turn]:
        return {seat: self.env.turn(seat) for seat in self.env._core.to_act}


# -- where they live -------------------------------------------------------------------------------


class _Sync:
    """Slots of this process, run when a job is handed in."""

    draws_here = True

    def __init__(self, slots: Sequence[_Slot], workers: int | None, timeout: float | None):
        self.slots = slots
        self.done: deque[tuple[int, Any]] = deque()

    def submit(self, jobs: Sequence[Job], together: bool) -> None:
        """Hand in jobs; `together` says that nobody needs one result before the others."""
        self.done += done(self.slots, jobs)

    def collect(self, wanted: int) -> list[tuple[int, Any]]:
        """Return what is done; wait for as many as are wanted, or for some of them."""
        results = list(self.done)
        self.done.clear()
        return results

    def kill(self) -> None:
        self.done.clear()

    def close(self) -> None:
        for slot in self.slots:
            slot.env.close()


class _Threads:
    """Slots of this process, by index, each job in whichever thread is free."""

    draws_here = True

    def __init__(
        self,
        slots: Sequence[_Slot] | Mapping[int, _Slot],
        workers: int | None = None,
        timeout: float | None = None,
    ):
        self.slots = slots if isinstance(slots, Mapping) else dict(enumerate(slots))
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.done: deque[tuple[int, Any]] = deque()
        self.wanted = 1  # fewer results do not wake the one that collects
        self.enough = threading.Lock()
        self.enough.acquire()
        self.threads = [
            threading.Thread(target=self._serve, name=f"gem-ma vector {i}", daemon=True)
            for i in range(workers or len(slots))
        ]
        for thread in self.threads:
            thread.start()

    def _serve(self) -> None:
        while (job := self.jobs.get()) is not None:
            try:
                (result,) = done(self.slots, [job])
            except BaseException as error:  # noqa: BLE001 - raised again by `collect`
                result = job[0], error if isinstance(error, Exception) else Exited(error)
                self.wanted = 1
            self.done.append(result)
            if len(self.done) >= self.wanted:
                with contextlib.suppress(RuntimeError):  # it is released already
                    self.enough.release()

    def submit(self, jobs: Sequence[Job], together: bool) -> None:
        self.wanted = len(jobs) if together else 1
        for job in jobs:
            self.jobs.put(job)

    def collect(self, wanted: int | None = None) -> list[tuple[int, Any]]:
        if wanted is not None:
            self.wanted = wanted
        if len(self.done) < self.wanted:
            self.enough.acquire()
        results = [self.done.popleft() for _ in range(len(self.done))]
        self.wanted = max(self.wanted - len(results), 1)
        for _, result in results:
            if isinstance(result, Exception):
                raise result
        return results

    def kill(self) -> None:
        """Let every thread end with the job that it is at."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.jobs.get_nowait()
        for _ in self.threads:
            self.jobs.put(None)

    def close(self) -> None:
        self.kill()
        for thread in self.threads:
            thread.join()
        for slot in self.slots.values():
            slot.env.close()


class _Processes:
    """Slots dealt out to worker processes; a message carries all jobs of one process."""

    draws_here = False

    def __init__(self, slots: Sequence[_Slot], workers: int | None, timeout: float | None):
        count = min(len(slots), workers or _cores())
        self.timeout = timeout
        self.memory: shared_memory.SharedMemory | None = None
        self.pictures: np.ndarray | None = None
        name = None
        shape = slots[0].picture_shape
        if shape is not None:
            shape = len(slots), *shape
            self.memory = shared_memory.SharedMemory(create=True, size=int(np.prod(shape)))
            self.pictures = np.ndarray(shape, np.uint8, self.memory.buf)
            name = self.memory.name
        self.workers = [
            Worker(_serve, share, name, shape, patience=timeout) for share in dealt(slots, count)
        ]
        self.waits = [_waits(slots[first::count]) for first in range(count)]
        self.owed: dict[Worker, dict[int, float]] = {}  # by when each result has to be there
        try:
            for worker in self.workers:
                worker.recv(_START)
        except BaseException:
            self.kill()
            raise

    def submit(self, jobs: Sequence[Job], together: bool) -> None:
        for number, part in by_worker(jobs, len(self.workers)).items():
            worker = self.workers[number]
            worker.send((part, together))
            owed = self.owed.setdefault(worker, {})
            if self.timeout is None:
                due = float("inf")
            elif self.waits[number]:  # all of them at once
                due = time.monotonic() + self.timeout
            else:  # one after the other
                due = max([time.monotonic(), *owed.values()]) + self.timeout * len(part)
            owed.update({index: due for index, _, _ in part})

    def collect(self, wanted: int) -> list[tuple[int, Any]]:
        timeout = None
        if self.timeout is not None:
            due = min(min(owed.values()) for owed in self.owed.values())
            timeout = max(due - time.monotonic(), 0)
        results: list[tuple[int, Any]] = []
        for worker in ready(list(self.owed), timeout):
            part = worker.recv()
            results += part
            owed = self.owed[worker]
            for index, _ in part:
                del owed[index]
            if not owed:
                del self.owed[worker]
        if not results:
            raise StepTimeout(f"a step took more than {self.timeout:g} s in its process")
        return results

    def kill(self) -> None:
        for worker in self.workers:
            worker.kill()
        self._release()

    def close(self) -> None:
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.close()
        self._release()

    def _release(self) -> None:
        self.pictures = None
        if self.memory is not None:
            self.memory.close()
            self.memory.unlink()
            self.memory = None


def _serve(
    connection: Connection,
    slots: dict[int, _Slot],
    memory: str | None,
    shape: tuple[int, ...] | None,
) -> None:
    """Run the jobs that come, in a worker process; pictures go into the shared memory."""
    block = None if memory is None else shared_memory.SharedMemory(memory)
    if block is not None and shape is not None:
        pictures = np.ndarray(shape, np.uint8, block.buf)
        for index, slot in slots.items():
            slot.canvas = pictures[index]
    send(connection, None)
    if _waits(slots.values()):
        _serve_waiting(connection, slots)
    while True:
        jobs, _ = connection.recv()
        send(connection, done(slots, jobs))


def _waits(slots: Iterable[_Slot]) -> bool:
    return any(slot.waits for slot in slots)


def _serve_waiting(connection: Connection, slots: Mapping[int, _Slot]) -> None:
    """Run the jobs that come in threads, and answer as they are done."""
    threads = _Threads(slots)

    def answer() -> None:
        with reporting(connection):
            while True:
                results = threads.collect()
                if results:
                    send(connection, results)

    threading.Thread(target=answer, daemon=True).start()
    while True:
        threads.submit(*connection.recv())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_ray(slots: Sequence[_Slot], workers: int | None, timeout: float | None) -> Any:
    from gem_ma.rollouts.cluster import RaySlots

    return RaySlots(slots, workers, timeout)


_BACKENDS: dict[str, Any] = {
    "sync": _Sync,
    "thread": _Threads,
    "process": _Processes,
    "ray": _in_ray,
}


# -- the vectors -----------------------------------------------------------------------------------


class _Vector:
    """What both vectors share: jobs out, results back, and an end."""

    _open = False  # until it is made

    def __init__(
        self,
        slots: Sequence[_Slot],
        backend: str,
        workers: int | None,
        timeout: float | None,
    ):
        if timeout is not None and backend not in ("process", "ray"):
            raise ValueError("step_timeout needs backend='process': only a process can be stopped")
        self.num_envs = len(slots)
        self._slots = slots
        self._backend = _BACKENDS[backend](slots, workers, timeout)
        self._pending: set[int] = set()  # sent and not received
        self._open = True

    def _send(
        self, method: str, arguments: Mapping[int, tuple[Any, ...]], together: bool = True
    ) -> None:
        if not self._open:
            raise RuntimeError("this vector is closed; make another")
        if not self._pending.isdisjoint(arguments):
            twice = sorted(self._pending.intersection(arguments))
            raise ValueError(f"environments {twice} are at work still; recv() them first")
        for index in arguments:
            if not 0 <= index < self.num_envs:
                raise IndexError(f"environment {index} of {self.num_envs}")
        self._pending.update(arguments)
        try:
            self._backend.submit([(index, method, a) for index, a in arguments.items()], together)
        except BaseException:
            self._break()
            raise

    def _receive(self, count: int) -> dict[int, Any]:
        """Return at least so many results, by index."""
        results: dict[int, Any] = {}
        if count > len(self._pending):
            raise ValueError(f"expected {count} results, but only {len(self._pending)} were sent")
        try:
            while len(results) < count:
                results.update(self._backend.collect(count - len(results)))
        except BaseException:
            self._break()
            raise
        self._pending.difference_update(results)
        return results

    def _break(self) -> None:
        """Leave nothing behind where something went wrong."""
        self._open = False
        self._pending.clear()
        self._backend.kill()

    def _shut(self) -> None:
        if self._open:
            self._open = False
            self._backend.close()

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None or isinstance(seed, int | np.integer):
            return [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"got {len(seeds)} seeds for {self.num_envs} environments")
        return seeds


class SeatVector(_Vector, VectorEnv[Any, Any, Any]):
    """One seat of many environments behind Gymnasium's vector API.

    Texts come as a tuple of str, pictures as one array, infos as in Gymnasium's own vectors. Beside
    `step` there are `send` and `recv`, to step some while others are still at work.
    """

    def __init__(
        self,
        slots: Sequence[_Slot],
        backend: str,
        autoreset: str,
        workers: int | None,
        timeout: float | None,
    ):
        super().__init__(slots, backend, workers, timeout)
        views = [slot.env for slot in slots]
        first = views[0]
        self.metadata = {**first.metadata, "autoreset_mode": _MODES[autoreset]}
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = _batched([view.observation_space for view in views])
        self.action_space = _batched([view.action_space for view in views])
        self._shape = slots[0].picture_shape
        self._images: dict[int, np.ndarray] = {}  # where each one's picture is drawn
        self._whole: np.ndarray | None = None  # all of these, if they are one array
        self._last: dict[int, Any] = {}

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes; an int seeds each environment, counted up from it.

        With `options={"reset_mask": mask}` only where the mask is true; the rows of the others are
        what they were.
        """
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        seeds = self._seeds(seed)
        which = range(self.num_envs) if mask is None else self._masked(mask)
        results = self._run("reset", {i: (seeds[i], options or None) for i in which})
        if mask is not None:  # a row that is not reset has nothing to say
            results = {**{i: (*last[:-1], {}) for i, last in self._last.items()}, **results}
        observation, _, _, _, infos = self._together(results)
        return observation, infos

    def _masked(self, mask: Any) -> list[int]:
        """Return where a mask is true."""
        expected = f"reset_mask: expected a numpy array of {self.num_envs} bools, got"
        if not isinstance(mask, np.ndarray):
            raise TypeError(f"{expected} a {type(mask).__name__}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"{expected} one of shape {mask.shape}")
        if mask.dtype != np.bool_:
            raise TypeError(f"{expected} one of {mask.dtype}")
        if not mask.any():
            raise ValueError("reset_mask is true nowhere: expected it to name what to reset")
        missing = [i for i in np.flatnonzero(~mask).tolist() if i not in self._last]
        if missing:
            raise ValueError(f"environments {missing} have not begun: reset() all of them first")
        return np.flatnonzero(mask).tolist()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step all environments."""
        if isinstance(actions, str) or len(actions) != self.num_envs:
            got = "one str" if isinstance(actions, str) else f"{len(actions)} actions"
            raise ValueError(f"expected a list of {self.num_envs} actions, got {got}")
        return self._together(self._run("step", {i: (a,) for i, a in enumerate(actions)}))

    def _run(
        self, method: str, arguments: dict[int, tuple[Any, ...]], draws: bool = True
    ) -> dict[int, Any]:
        if self._pending:
            raise RuntimeError(f"environments {sorted(self._pending)} are at work; recv() them")
        if draws:
            self._prepare(arguments)
        self._send(method, arguments)
        return self._receive(len(arguments))

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return an attribute of every environment's seat, or what it returns if it is a method."""
        jobs = dict.fromkeys(range(self.num_envs), (name, args, kwargs))
        results = self._run("call", jobs, draws=False)
        for result in results.values():
            if isinstance(result, Raised):
                raise result.error
        return tuple([results[i] for i in range(self.num_envs)])

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of every environment's seat."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment's seat: one value each, or the same for all."""
        if not isinstance(values, list | tuple):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"got {len(values)} values for {self.num_envs} environments")
        self._run("set", {i: (name, value) for i, value in enumerate(values)}, draws=False)

    def render(self) -> tuple[Any, ...]:
        """Return what every environment renders."""
        return self.call("render")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of every environment's episode."""
        return self.call("np_random_seed")

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random numbers of every environment's episode."""
        return self.call("np_random")

    def send(self, actions: Sequence[Any], indices: Iterable[int] | None = None) -> None:
        """Let environments make a step, without waiting for it."""
        which = list(range(self.num_envs) if indices is None else map(int, indices))
        if isinstance(actions, str) or len(actions) != len(which):
            raise ValueError(f"got {len(actions)} actions for {len(which)} environments")
        arguments = {index: (action,) for index, action in zip(which, actions, strict=True)}
        self._prepare(arguments)
        self._send("step", arguments, together=False)

    def recv(
        self, count: int = 1
    ) -> tuple[np.ndarray, Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Wait until so many steps are made, or more; return their indices and what `step` does."""
        results = self._receive(count)
        return np.array(sorted(results)), *self._together(results)

    def _prepare(self, arguments: Mapping[int, Any]) -> None:
        """Give every picture its place in one array, if they are drawn in this process."""
        if self._shape is None or not self._backend.draws_here:
            return
        images = np.empty((len(arguments), *self._shape), np.uint8)
        for row, index in enumerate(arguments):
            self._images[index] = self._slots[index].canvas = images[row]
        self._whole = images if list(arguments) == list(range(self.num_envs)) else None

    def _pictures(self, indices: list[int]) -> np.ndarray:
        """Return the pictures of some environments as one array."""
        whole = len(indices) == self.num_envs
        if isinstance(self._backend, _Processes):
            pictures = self._backend.pictures
            assert pictures is not None
            return pictures.copy() if whole else pictures[indices]
        if whole and self._whole is not None:
            return self._whole
        return np.stack([self._images[index] for index in indices])

    def _together(
        self, results: dict[int, Any]
    ) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        self._last.update(results)
        indices = sorted(results)
        observations, rewards, terminated, truncated, infos = zip(
            *[results[index] for index in indices], strict=True
        )
        return (
            self._stacked(self.single_observation_space, observations, indices),
            np.array(rewards, np.float64),
            np.array(terminated, np.bool_),
            np.array(truncated, np.bool_),
            _columns(infos),
        )

    def _stacked(self, space: Any, parts: Sequence[Any], indices: list[int]) -> Any:
        if isinstance(space, spaces.Dict):
            return {
                key: self._stacked(inner, [part[key] for part in parts], indices)
                for key, inner in space.items()
            }
        if parts[0] is None:
            return self._pictures(indices)
        if isinstance(space, spaces.Text):
            return tuple(parts)
        if isinstance(space, spaces.Box):
            return np.stack(parts)
        return concatenate(space, parts, create_empty_array(space, len(parts)))  # type: ignore[arg-type]

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment, and end what they live in."""
        self._shut()


class Batch(NamedTuple):
    """What the games of a GameVector show: `turns[seat][k]` is that of the game `indices[seat][k]`.

    rewards: by seat, one for each game. reports: of the games that ended at this step, by index.
    """

    indices: dict[str, np.ndarray]
    turns: dict[str, list[Turn]]
    rewards: dict[str, np.ndarray]
    terminated: np.ndarray
    truncated: np.ndarray
    reports: dict[int, dict[str, Any]]


class GameVector(_Vector):
    """Many games with all their seats: what one seat is to answer anywhere is one list of Turns.

        batch = vector.reset(seed=0)
        while True:
            replies = {seat: agent.act(turns) for seat, turns in batch.turns.items()}
            batch = vector.step(replies)

    A game goes on when all of its seats that are to act have a reply; the others of the same round
    are there at the next step. A seat that is left out of `replies` is asked again.
    """

    def __init__(
        self,
        slots: Sequence[_Slot],
        backend: str,
        autoreset: str,
        workers: int | None,
        timeout: float | None,
    ):
        super().__init__(slots, backend, workers, timeout)
        self.autoreset = autoreset
        names = [seat for slot in slots for seat in slot.env._core.possible_agents]
        self.possible_agents = list(dict.fromkeys(names))
        self._turns: dict[int, dict[str, Turn]] = {}
        self._ended: set[int] = set()

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
        indices: Iterable[int] | None = None,
    ) -> Batch:
        """Begin episodes, everywhere or in some games; an int seeds each, counted up from it."""
        seeds = self._seeds(seed)
        which = range(self.num_envs) if indices is None else map(int, indices)
        return self._run("reset", {i: (seeds[i], options) for i in which})

    def step(self, replies: Mapping[str, Sequence[Any]]) -> Batch:
        """Hand in replies: for each seat a list, one for each of its turns in the last batch."""
        places = self._places()
        given: dict[int, dict[str, Any]] = {}
        for seat, answers in replies.items():
            if seat not in places:
                known = ", ".join(places) or "none: reset() begins an episode"
                raise ValueError(f"no game waits for seat {seat!r}; those to act are {known}")
            if isinstance(answers, str) or len(answers) != len(places[seat]):
                got = "one str" if isinstance(answers, str) else f"{len(answers)} replies"
                raise ValueError(f"{seat} has {len(places[seat])} turns, got {got}")
            for index, answer in zip(places[seat], answers, strict=True):
                given.setdefault(index, {})[seat] = answer
        again = self._ended if self.autoreset == "next" else ()
        arguments: dict[int, tuple[Any, ...]] = {index: ({},) for index in again}
        arguments |= {index: (answers,) for index, answers in given.items()}
        return self._run("step", arguments)

    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for index in sorted(self._turns):
            for seat in self._turns[index]:
                places.setdefault(seat, []).append(index)
        return places

    def _run(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> Batch:
        self._send(method, arguments)
        moments = self._receive(len(arguments)) if arguments else {}
        rewards = {seat: np.zeros(self.num_envs) for seat in self.possible_agents}
        terminated, truncated = np.zeros((2, self.num_envs), np.bool_)
        reports = {}
        for index, moment in moments.items():
            self._turns[index] = moment.turns
            for seat, reward in moment.rewards.items():
                rewards[seat][index] = reward
            terminated[index], truncated[index] = moment.terminated, moment.truncated
            if moment.terminated or moment.truncated:
                reports[index] = moment.report
        self._ended = {index for index, turns in self._turns.items() if not turns}
        places = self._places()
        return Batch(
            {seat: np.array(which) for seat, which in places.items()},
            {seat: [self._turns[i][seat] for i in which] for seat, which in places.items()},
            rewards,
            terminated,
            truncated,
            reports,
        )

    def close(self) -> None:
        """Close every game, and end what they live in."""
        self._shut()

    def __enter__(self) -> GameVector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_open", False):
            self.close()


# -- putting rows together -------------------------------------------------------------------------


def _batched(singles: Sequence[spaces.Space[Any]]) -> spaces.Space[Any]:
    """Return the space of a row of environments, whether or not they share one."""
    if all(space == singles[0] for space in singles[1:]):
        return batch_space(singles[0], len(singles))
    if all(type(space) is type(singles[0]) for space in singles):
        return batch_differing_spaces(list(singles))
    return spaces.Tuple(singles)


def _columns(infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return infos as Gymnasium's vectors do: an array for each key, and where it is, as "_key"."""
    columns: dict[str, Any] = {}
    keys = infos[0].keys()
    if all(info.keys() == keys for info in infos):
        everywhere = np.ones(len(infos), np.bool_)
        for key in infos[0]:
            columns[key] = _column(key, [info[key] for info in infos])
            columns[f"_{key}"] = everywhere.copy()
        return columns
    for key in dict.fromkeys([key for info in infos for key in info]):
        there = [key in info for info in infos]
        columns[key] = _column(key, [info.get(key) for info in infos], there)
        columns[f"_{key}"] = np.array(there)
    return columns


def _column(key: str, values: list[Any], there: list[bool] | None = None) -> Any:
    """Return the values of a key as an array; `there` says which of them there are."""
    here = values if there is None else list(itertools.compress(values, there))
    kinds = set(map(type, here))
    if len(kinds) == 1 and key != "final_obs":
        (kind,) = kinds
        if kind is dict:
            return _columns([value or {} for value in values])
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
