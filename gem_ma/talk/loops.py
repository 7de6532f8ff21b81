"""Running coroutines from plain code: each thread keeps its event loop from call to call.

What a client of an agent has opened, a connection for example, belongs to the loop in which it was
opened. With a new loop for each call it could be used in the first only.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from typing import Any


class _Kept(threading.local):
    """The loops of a thread: its own, and one elsewhere for where its own is running."""

    own: _Own | None = None
    elsewhere: _Elsewhere | None = None


_kept = _Kept()
_inherited: list[Any] = []  # by a fork: closing them here would close the parent's


def run_async(main: Any) -> Any:
    """Run a coroutine function to its end, also where a loop runs in this thread already."""
    import asyncio  # only when an agent is a coroutine: importing it is slow

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        running = False
    else:
        running = True
    if running:
        _kept.elsewhere = _kept.elsewhere or _Elsewhere()
        return _kept.elsewhere.run(main)
    _kept.own = _kept.own or _Own()
    return _kept.own.run(main)


class _Own:
    """A loop that runs in the thread that asks."""

    def __init__(self) -> None:
        import asyncio

        self.runner = asyncio.Runner()
        loop = self.runner.get_loop()
        # Of a thread that has ended; in which thread that is, nobody knows. What is to be closed is
        # held until then: an error may hold this and the loop in a circle, whose parts end in any
        # order.
        weakref.finalize(self, _end, loop).atexit = False

    def run(self, main: Any) -> Any:
        return self.runner.run(main())

    def close(self) -> None:
        self.runner.close()


def _end(loop: Any) -> None:
    with contextlib.suppress(Exception):
        loop.close()


class _Elsewhere:
    """A loop in a thread of its own: as in a notebook, where one runs already."""

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.pool = ThreadPoolExecutor(1)

    def run(self, main: Any) -> Any:
        import asyncio
        from concurrent.futures import wait

        begun: list[Any] = []

        async def noted() -> Any:
            begun[:] = asyncio.get_running_loop(), asyncio.current_task()
            return await main()

        running = self.pool.submit(run_async, noted)
        try:
            return running.result()
        except KeyboardInterrupt:
            if begun:
                loop, task = begun
                loop.call_soon_threadsafe(task.cancel)
                wait([running])
            raise

    def close(self) -> None:
        self.pool.shutdown()  # with its thread ends that thread's loop

    def __del__(self) -> None:
        self.pool.shutdown(wait=False)


def close() -> None:
    """Close the loops of this thread; the next call makes new ones."""
    own, elsewhere = _kept.own, _kept.elsewhere
    _kept.own = _kept.elsewhere = None
    for one in (elsewhere, own):
        if one is not None:
            one.close()


def _forked() -> None:
    _inherited.extend((_kept.own, _kept.elsewhere))
    _kept.own = _kept.elsewhere = None


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
