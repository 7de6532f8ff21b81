"""Running coroutines from synchronous code, with one event loop per thread for all calls.

A connection of an agent's client belongs to the loop that opened it. With a new loop for each call,
the client could use the connection in the first call only.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    import asyncio  # slow to import, and needed only when a coroutine is run

T = TypeVar("T")
CoroutineFunction: TypeAlias = Callable[[], Coroutine[Any, Any, T]]


class _ThreadLoops(threading.local):
    """The loops of a thread: its own, and one in a worker thread for use while a loop runs."""

    own: _OwnLoop | None = None
    worker: _WorkerLoop | None = None


_loops = _ThreadLoops()
# Loops inherited by a fork; closing them here would close the parent's.
_parent_loops: list[_OwnLoop | _WorkerLoop | None] = []


def run_async(main: CoroutineFunction[T]) -> T:
    """Run a coroutine function to its end, even if a loop is running in this thread."""
    import asyncio  # slow to import, and needed only for coroutines

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        running = False
    else:
        running = True
    if running:
        _loops.worker = _loops.worker or _WorkerLoop()
        return _loops.worker.run(main)
    _loops.own = _loops.own or _OwnLoop()
    return _loops.own.run(main)


class _OwnLoop:
    """A loop that runs in the calling thread."""

    def __init__(self) -> None:
        import asyncio

        self.runner = asyncio.Runner()
        loop = self.runner.get_loop()
        # Closes the loop after its thread has ended, from any thread. The finalizer holds the loop,
        # because an exception may tie this object and the loop into a reference cycle, whose parts
        # are collected in any order.
        weakref.finalize(self, _end_loop, loop).atexit = False

    def run(self, main: CoroutineFunction[T]) -> T:
        return self.runner.run(main(), context=contextvars.copy_context())

    def close(self) -> None:
        self.runner.close()


def _end_loop(loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(Exception):
        loop.close()


class _WorkerLoop:
    """A loop in a separate thread, for callers with a running loop, such as notebooks."""

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.pool = ThreadPoolExecutor(1)

    def run(self, main: CoroutineFunction[T]) -> T:
        import asyncio
        from concurrent.futures import wait

        begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T] | None]] = []

        async def run_main() -> T:
            begun.append((asyncio.get_running_loop(), asyncio.current_task()))
            return await main()

        running = self.pool.submit(contextvars.copy_context().run, run_async, run_main)
        try:
            return running.result()
        except KeyboardInterrupt:
            if begun:
                ((loop, task),) = begun
                if task is not None:
                    loop.call_soon_threadsafe(task.cancel)
                wait([running])
            raise

    def close(self) -> None:
        self.pool.shutdown()  # this also ends the thread's loop

    def __del__(self) -> None:
        self.pool.shutdown(wait=False)


def close_loops() -> None:
    """Close the loops of this thread; the next call of `run_async` makes new ones."""
    own, elsewhere = _loops.own, _loops.worker
    _loops.own = _loops.worker = None
    for one in (elsewhere, own):
        if one is not None:
            one.close()


def _reset_after_fork() -> None:
    _parent_loops.extend((_loops.own, _loops.worker))
    _loops.own = _loops.worker = None


def _close_loops_at_exit() -> None:
    # Waiting for a loop's executor starts a thread, which Python refuses at its exit since 3.12.
    # The executor's own threads have ended by then, and the loop is closed all the same.
    with contextlib.suppress(RuntimeError):
        close_loops()


atexit.register(_close_loops_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
