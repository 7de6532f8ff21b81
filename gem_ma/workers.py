"""Worker processes: spawned, deaf to Ctrl-C, and gone when nobody needs them."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import spawn
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias


class WorkerDied(RuntimeError):
    """A worker process ended before it answered."""


class WorkerError(RuntimeError):
    """An exception of a worker that cannot be sent as it is; the message holds its traceback."""


class StepTimeout(TimeoutError):
    """A worker took longer for a step than it may."""


_UNGUARDED = (
    "its standard error says why. A script that starts workers as it is imported has to do so "
    'under if __name__ == "__main__":'
)

Job: TypeAlias = tuple[int, str, tuple[Any, ...]]  # which thing, its method, the arguments


def dealt(things: Sequence[Any], count: int) -> list[dict[int, Any]]:
    """Return what each of so many workers holds, by index."""
    return [dict(list(enumerate(things))[first::count]) for first in range(count)]


def by_worker(jobs: Sequence[Job], count: int) -> dict[int, list[Job]]:
    """Return the jobs for each worker, as things were dealt."""
    parts: dict[int, list[Job]] = {}
    for job in jobs:
        parts.setdefault(job[0] % count, []).append(job)
    return parts


def done(things: Any, jobs: Sequence[Job]) -> list[tuple[int, Any]]:
    """Do jobs one after the other; return the index and the result of each."""
    return [(index, getattr(things[index], method)(*args)) for index, method, args in jobs]


class Worker:
    """A process that runs `serve(connection, *args)` until it is closed or its parent is gone."""

    def __init__(self, serve: Callable[..., None], *args: Any):
        context = multiprocessing.get_context("spawn")
        payload = packed((serve, args))
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_main, args=(theirs, payload), daemon=True)
        self.process.start()
        theirs.close()
        self.begun = False  # has answered

    def send(self, message: Any) -> None:
        """Send a message, or raise WorkerDied."""
        try:
            send(self.connection, message)
        except (BrokenPipeError, ConnectionResetError):
            raise self._died() from None

    def recv(self, timeout: float | None = None) -> Any:
        """Return the next message, or raise WorkerDied, StepTimeout, or what the worker raised."""
        try:
            if timeout is not None and not self.connection.poll(timeout):
                raise StepTimeout(f"a worker did not answer within {timeout:g} s")
            message = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._died() from None
        self.begun = True
        if isinstance(message, Raised):
            raise message.error
        return message

    def _died(self) -> WorkerDied:
        self.process.join(1)
        code = self.process.exitcode
        how = f"was killed by signal {-code}" if code and code < 0 else f"ended with {code}"
        why = "" if self.begun or code != 1 else f" before it began; {_UNGUARDED}"
        return WorkerDied(f"worker process {self.process.pid} {how}{why}")

    def close(self, seconds: float = 1.0) -> None:
        """End the process: kindly, then not."""
        self.connection.close()
        self.process.join(seconds)
        self.kill()

    def kill(self) -> None:
        """End the process at once."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.connection.close()


def ready(workers: Sequence[Worker], timeout: float | None = None) -> list[Worker]:
    """Return the workers that have answered or died, after at most so many seconds."""
    by_connection = {worker.connection: worker for worker in workers}
    return [by_connection[c] for c in wait(list(by_connection), timeout)]  # type: ignore[index]


def send(connection: Connection, message: Any) -> None:
    """Send a message, whatever defines its parts."""
    connection.send_bytes(packed(message))


def packed(message: Any) -> bytes:
    """Return the pickle of a message, by value for what no other process can import."""
    try:
        data = pickle.dumps(message)
        if b"__main__" not in data or _main_can_be_imported():
            return data
    except (pickle.PicklingError, AttributeError, TypeError):
        pass  # a function within a function, a class that has come by value, ...
    import cloudpickle  # slow to import, and seldom needed

    by_value: bytes = cloudpickle.dumps(message)
    return by_value


def _main_can_be_imported() -> bool:
    """Return whether spawned processes have our __main__, which those of a notebook do not."""
    return not {"init_main_from_name", "init_main_from_path"}.isdisjoint(
        spawn.get_preparation_data("")
    )


class Raised:
    """An exception on its way to another process."""

    def __init__(self, error: BaseException):
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            pickle.loads(packed(self.error))
        except Exception:  # noqa: BLE001 - whatever keeps an exception from being sent
            text = "".join(traceback.format_exception(self.error))
            return Raised, (WorkerError(text),)
        return Raised, (self.error,)


def _main(connection: Connection, payload: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    with reporting(connection):
        try:
            serve, args = pickle.loads(payload)
        except Exception as error:
            raise WorkerError(f"a worker cannot load what it is to run: {error!r}") from error
        serve(connection, *args)


@contextlib.contextmanager
def reporting(connection: Connection) -> Iterator[None]:
    """Send the exception that ends a worker to its parent."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone or needs us no more
    except Exception as error:  # noqa: BLE001 - raised again in the parent
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            send(connection, Raised(error))
