"""Backends of vectors: they hold the environments and run jobs on them."""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from multiprocessing import shared_memory
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeAlias

import numpy as np

from gem_ma.apis.vector.sub_envs import JobParts, SubEnv
from gem_ma.apis.workers import (
    ExitError,
    JobResult,
    StepTimeout,
    WorkerJob,
    WorkerProcess,
    group_jobs,
    report_exceptions,
    run_jobs,
    send_message,
    shard_items,
    wait_for_workers,
)
from gem_ma.engine.seeding import check_seed
from gem_ma.validation.arguments import check_each, check_type

JobOutcome: TypeAlias = tuple[int, JobParts | None, Any, bool]
"""The environment's index, the rest of the job, a value or error, and whether it failed."""

_START_TIMEOUT = 120.0  # seconds until a process must have started


class VectorBackend(Protocol):
    """The interface of backends, which hold a vector's environments and run jobs on them."""

    renders_locally: bool

    def submit(self, jobs: Sequence[WorkerJob], together: bool) -> None:
        """Start jobs; `together` says that the caller waits for all of their results."""

    def collect(self, wanted: int) -> list[JobResult]:
        """Return results; wait for at least one, and for `wanted` if the backend can."""

    def kill(self) -> None:
        """Drop all jobs, and stop the threads, processes or actors that run them."""

    def close(self) -> None:
        """Close every environment."""


class SyncBackend:
    """Sub-environments of this process, whose jobs run within `submit`."""

    renders_locally = True

    def __init__(self, slots: Sequence[SubEnv], workers: int | None, timeout: float | None):
        self.slots = slots
        self.done: deque[JobResult] = deque()

    def submit(self, jobs: Sequence[WorkerJob], together: bool) -> None:
        """Start jobs; `together` says that the caller waits for all of their results."""
        self.done += run_jobs(self.slots, jobs)

    def collect(self, wanted: int) -> list[JobResult]:
        """Return results; wait for at least one, and for `wanted` if the backend can."""
        results = list(self.done)
        self.done.clear()
        return results

    def kill(self) -> None:
        self.done.clear()

    def close(self) -> None:
        for slot in self.slots:
            slot.env.close()


class ThreadBackend:
    """Sub-environments of this process, whose blocking calls run in a pool of threads.

    Computing threads only delay each other. So if a sub-environment can split a job, its
    non-blocking parts run in the thread that calls `submit` and `collect`.
    """

    renders_locally = True

    def __init__(
        self,
        slots: Sequence[SubEnv] | Mapping[int, SubEnv],
        workers: int | None = None,
        timeout: float | None = None,
    ):
        self.slots = slots if isinstance(slots, Mapping) else dict(enumerate(slots))
        self.work: queue.SimpleQueue[tuple[int, JobParts | None, Callable[[], object]] | None]
        self.work = queue.SimpleQueue()
        self.done: deque[JobOutcome] = deque()
        self.wanted = 1  # the number of results that wakes `collect`
        self.enough = threading.Lock()
        self.enough.acquire()
        self.threads = [
            threading.Thread(target=self._run_jobs, name=f"gem-ma vector {i}", daemon=True)
            for i in range(workers or len(slots))
        ]
        for thread in self.threads:
            thread.start()

    def _run_jobs(self) -> None:
        while (job := self.work.get()) is not None:
            index, parts, work = job
            try:
                self._add_result((index, parts, work(), False))
            except BaseException as error:  # noqa: BLE001 - raised again by `collect`
                self.wanted = 1
                known = error if isinstance(error, Exception) else ExitError(error)
                self._add_result((index, None, known, True))

    def _add_result(self, result: JobOutcome) -> None:
        self.done.append(result)
        if len(self.done) >= self.wanted:
            with contextlib.suppress(RuntimeError):  # already released
                self.enough.release()

    def submit(self, jobs: Sequence[WorkerJob], together: bool) -> None:
        self.wanted = len(jobs) if together else 1
        for job in jobs:
            index, method, arguments = job
            parts = self.slots[index].split_job(method, arguments)
            if parts is None:
                self.work.put((index, None, functools.partial(self._run_whole_job, job)))
            else:
                for result in self._continue_job(index, parts, None):
                    self._add_result((index, None, result, False))

    def _run_whole_job(self, job: WorkerJob) -> object:
        ((_, result),) = run_jobs(self.slots, [job])
        return result

    def _continue_job(self, index: int, parts: JobParts, value: object) -> list[Any]:
        """Run a job up to its next blocking call; return a list with its result if it ended."""
        try:
            work = parts.send(value)
        except StopIteration as end:
            return [end.value]
        except SystemExit as error:  # raised by a game, which must not end the program
            raise ExitError(error) from error
        self.work.put((index, parts, work))
        return []

    def collect(self, wanted: int | None = None) -> list[JobResult]:
        if wanted is not None:
            self.wanted = wanted
        if len(self.done) < self.wanted:
            self.enough.acquire()
        results = []
        for _ in range(len(self.done)):
            index, parts, value, failed = self.done.popleft()
            if failed:
                raise value
            ended = [value] if parts is None else self._continue_job(index, parts, value)
            results += [(index, result) for result in ended]
        self.wanted = max(self.wanted - len(results), 1)
        return results

    def kill(self) -> None:
        """Drop waiting jobs, and end every thread after its current job."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.work.get_nowait()
        for _ in self.threads:
            self.work.put(None)

    def close(self) -> None:
        self.kill()
        for thread in self.threads:
            thread.join()
        for slot in self.slots.values():
            slot.env.close()


class ProcessBackend:
    """Sub-environments in worker processes; one message carries all jobs of a process."""

    renders_locally = False

    def __init__(self, slots: Sequence[SubEnv], workers: int | None, timeout: float | None):
        count = min(len(slots), workers or _count_cores())
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
            WorkerProcess(_run_worker, share, name, shape, patience=timeout)
            for share in shard_items(slots, count)
        ]
        self.blocking_workers = [_any_blocking(slots[first::count]) for first in range(count)]
        # The time by which each result is due.
        self.deadlines: dict[WorkerProcess, dict[int, float]] = {}
        try:
            for worker in self.workers:
                worker.recv(_START_TIMEOUT)
        except BaseException:
            self.kill()
            raise

    def submit(self, jobs: Sequence[WorkerJob], together: bool) -> None:
        for number, part in group_jobs(jobs, len(self.workers)).items():
            worker = self.workers[number]
            worker.send((part, together))
            owed = self.deadlines.setdefault(worker, {})
            if self.timeout is None:
                due = float("inf")
            elif self.blocking_workers[number]:  # runs its jobs at the same time
                due = time.monotonic() + self.timeout
            else:  # runs its jobs one after the other
                due = max([time.monotonic(), *owed.values()]) + self.timeout * len(part)
            owed.update({index: due for index, _, _ in part})

    def collect(self, wanted: int) -> list[JobResult]:
        timeout = None
        if self.timeout is not None:
            due = min(min(owed.values()) for owed in self.deadlines.values())
            timeout = max(due - time.monotonic(), 0)
        results: list[JobResult] = []
        for worker in wait_for_workers(list(self.deadlines), timeout):
            part = worker.recv()
            results += part
            owed = self.deadlines[worker]
            for index, _ in part:
                del owed[index]
            if not owed:
                del self.deadlines[worker]
        if not results:
            raise StepTimeout(
                f"a step took more than {self.timeout:g} s in its process; make another vector, "
                "with a larger step_timeout"
            )
        return results

    def kill(self) -> None:
        for worker in self.workers:
            worker.kill()
        self._free_memory()

    def close(self) -> None:
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.close()
        self._free_memory()

    def _free_memory(self) -> None:
        self.pictures = None
        if self.memory is not None:
            self.memory.close()
            self.memory.unlink()
            self.memory = None


def _run_worker(
    connection: Connection,
    slots: dict[int, SubEnv],
    memory: str | None,
    shape: tuple[int, ...] | None,
) -> None:
    """Run the jobs that arrive in a worker process; pictures are drawn in shared memory."""
    block = None if memory is None else shared_memory.SharedMemory(memory)
    if block is not None and shape is not None:
        pictures = np.ndarray(shape, np.uint8, block.buf)
        for index, slot in slots.items():
            slot.canvas = pictures[index]
    send_message(connection, None)
    if _any_blocking(slots.values()):
        _run_threaded_worker(connection, slots)
    while True:
        jobs, _ = connection.recv()
        send_message(connection, run_jobs(slots, jobs))


def _any_blocking(slots: Iterable[SubEnv]) -> bool:
    return any(slot.is_blocking for slot in slots)


def _run_threaded_worker(connection: Connection, slots: Mapping[int, SubEnv]) -> None:
    """Run the jobs that arrive in threads, and send results as soon as they are ready."""
    threads = ThreadBackend(slots)

    def send_results() -> None:
        with report_exceptions(connection):
            while True:
                results = threads.collect()
                if results:
                    send_message(connection, results)

    threading.Thread(target=send_results, daemon=True).start()
    while True:
        threads.submit(*connection.recv())


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _make_ray_backend(
    slots: Sequence[SubEnv], workers: int | None, timeout: float | None
) -> VectorBackend:
    from gem_ma.apis.vector.ray_backend import RayBackend

    return RayBackend(slots, workers, timeout)


BACKENDS: dict[str, Callable[..., VectorBackend]] = {
    "sync": SyncBackend,
    "thread": ThreadBackend,
    "process": ProcessBackend,
    "ray": _make_ray_backend,
}


class BackendChannel:
    """The connection of a vector to its backend; checks jobs, and tracks the pending ones."""

    def __init__(
        self,
        slots: Sequence[SubEnv],
        backend: str,
        workers: int | None,
        timeout: float | None,
    ):
        if timeout is not None and backend not in ("process", "ray"):
            raise ValueError(
                f"step_timeout needs backend='process' or 'ray', got {backend!r}: a thread cannot "
                "be stopped"
            )
        self.count = len(slots)
        self.slots = slots
        self.backend = BACKENDS[backend](slots, workers, timeout)
        self.pending: set[int] = set()  # indices of environments with a job but no result yet
        self.open = True

    def send(
        self, method: str, arguments: Mapping[int, tuple[object, ...]], together: bool = True
    ) -> None:
        self.check_free(arguments)
        self.pending.update(arguments)
        try:
            self.backend.submit([(index, method, a) for index, a in arguments.items()], together)
        except BaseException:
            self._abort()
            raise

    def check_free(self, indices: Iterable[int] | None = None) -> list[int]:
        """Return these indices (None: all), or raise if one is wrong or has a pending job."""
        if not self.open:
            raise RuntimeError("this vector is closed; make another with make_vec")
        if indices is None:
            indices = range(self.count)
        else:
            indices = check_each(indices, (int, np.integer), "indices", "an int")
        which = list(map(int, indices))
        for index in which:
            if not 0 <= index < self.count:
                raise IndexError(f"no environment {index}; the indices are 0 to {self.count - 1}")
        if len(set(which)) < len(which):
            raise ValueError(f"indices={which}: expected each environment once")
        if busy := sorted(self.pending.intersection(which)):
            raise RuntimeError(f"environments {busy} are still at work; call recv() first")
        return which

    def check_reply(self, index: int, seat: str, reply: object) -> None:
        """Raise, before anything is sent, unless an environment accepts this reply."""
        if not isinstance(reply, str):
            try:
                self.slots[index].base_env.check_reply(seat, reply)
            except (TypeError, ValueError) as error:
                raise type(error)(f"environment {index}: {error}") from None

    def receive(self, count: int) -> dict[int, Any]:
        """Return at least `count` results, by index."""
        results: dict[int, Any] = {}
        check_type(count, (int, np.integer), "count", "an int")
        if count < 1:
            raise ValueError(f"count={count}: expected 1 or more")
        if count > len(self.pending):
            raise ValueError(
                f"expected {count} results, but only {len(self.pending)} environments are at work; "
                "call send() first"
            )
        try:
            while len(results) < count:
                results.update(self.backend.collect(count - len(results)))
        except BaseException:
            self._abort()
            raise
        self.pending.difference_update(results)
        return results

    def _abort(self) -> None:
        """Close the channel and stop the backend after an error."""
        self.open = False
        self.pending.clear()
        self.backend.kill()

    def close(self) -> None:
        if self.open:
            self.open = False
            self.backend.close()

    def make_seeds(self, seed: object) -> list[int | None]:
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.count
        elif isinstance(seed, int | np.integer) and not isinstance(seed, bool):
            seeds = [int(seed) + i for i in range(self.count)]
        else:
            seeds = check_list(seed, self.count, "seeds")
        for one in seeds:
            check_seed(one)
        return seeds


def check_list(given: Any, count: int, what: str) -> list[Any]:
    """Return `given` as a list, or raise unless it is a sequence of `count` items."""
    expected = f"expected a list of {count} {what}, got"
    if isinstance(given, str | bytes | Mapping | Set):
        raise TypeError(f"{expected} one {type(given).__name__}")
    try:
        row = list(given)
    except TypeError:
        raise TypeError(f"{expected} {given!r:.60}") from None
    if len(row) != count:
        raise ValueError(f"{expected} {len(row)} {what}")
    return row
