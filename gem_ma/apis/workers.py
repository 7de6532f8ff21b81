"""Worker processes: spawned, not interrupted by Ctrl-C, and ended together with their parent."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import spawn
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")


class WorkerDied(RuntimeError):
    """A worker process ended before it answered."""


class WorkerStartError(WorkerDied):
    """A worker process, and any other, cannot start: its script cannot be imported."""


class ExitError(RuntimeError):
    """A worker tried to end the program: its code raised SystemExit or KeyboardInterrupt."""

    def __init__(self, error: BaseException | str):
        super().__init__(error if isinstance(error, str) else f"{error!r} was raised in a step")


class WorkerError(RuntimeError):
    """An exception of a worker that cannot be pickled; the message holds its traceback."""


class StepTimeout(TimeoutError):
    """A worker took longer for a step than the time limit."""


SPAWN_CONTEXT = multiprocessing.get_context("spawn")  # the start method of all workers
# The exit code of a worker whose script starts workers when it is imported.
_UNGUARDED_EXIT_CODE = 113

WorkerJob: TypeAlias = tuple[int, str, tuple[object, ...]]  # index of an object, method, arguments
JobResult: TypeAlias = tuple[int, Any]  # index of an object, the method's return value


def shard_items(things: Sequence[T], count: int) -> list[dict[int, T]]:
    """Return the items of each of `count` workers, dealt out in turn, keyed by their index."""
    return [dict(list(enumerate(things))[first::count]) for first in range(count)]


def group_jobs(jobs: Sequence[WorkerJob], count: int) -> dict[int, list[WorkerJob]]:
    """Return the jobs by number of the worker that `shard_items` gave their object to."""
    parts: dict[int, list[WorkerJob]] = {}
    for job in jobs:
        parts.setdefault(job[0] % count, []).append(job)
    return parts


def run_jobs(
    things: Sequence[object] | Mapping[int, object], jobs: Sequence[WorkerJob]
) -> list[JobResult]:
    """Run jobs one after the other; return the index and the result of each."""
    try:
        return [(index, getattr(things[index], method)(*args)) for index, method, args in jobs]
    except SystemExit as error:  # raised by a game, which must not end the program
        raise ExitError(error) from error


class WorkerProcess:
    """A process that runs `serve(connection, *args)` until it is closed or its parent ends.

    Args:
        serve: The function to run. Its first argument is the connection to the parent.
        *args: Further arguments of `serve`, which are pickled.
        patience: Seconds without progress after which reading or writing a message fails, for
            example because the process is stopped; None: no limit.
        memory: Shared memory of both processes, passed to `serve` after `args`.
    """

    def __init__(
        self,
        serve: Callable[..., None],
        *args: object,
        patience: float | None = None,
        memory: tuple[object, ...] = (),
    ):
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            os._exit(_UNGUARDED_EXIT_CODE)  # the script starts workers on import
        payload = pickle_message((serve, args))
        self.connection, theirs = SPAWN_CONTEXT.Pipe()
        if patience is not None:
            _set_pipe_timeout(self.connection, patience)
        self.process = SPAWN_CONTEXT.Process(
            target=_run_process, args=(theirs, payload, memory), daemon=True
        )
        self.process.start()
        theirs.close()
        self.begun = False  # whether it has answered

    def send(self, message: object) -> None:
        """Send a message, or raise WorkerDied."""
        try:
            send_message(self.connection, message)
        except (BrokenPipeError, ConnectionResetError):
            raise self._make_death_error() from None
        except BlockingIOError:
            raise StepTimeout(
                f"worker process {self.process.pid} did not read its message in time"
            ) from None

    def recv(self, timeout: float | None = None) -> Any:
        """Return the next message, or raise WorkerDied, StepTimeout or the worker's exception."""
        try:
            if timeout is not None and not self.connection.poll(timeout):
                raise StepTimeout(
                    f"worker process {self.process.pid} did not answer within {timeout:g} s"
                )
            message = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._make_death_error() from None
        except BlockingIOError:
            raise StepTimeout(
                f"worker process {self.process.pid} did not send its whole message in time"
            ) from None
        self.begun = True
        if isinstance(message, ExceptionMessage):
            raise message.error
        return message

    def _make_death_error(self) -> WorkerDied:
        self.process.join(1)
        code = self.process.exitcode
        if code == _UNGUARDED_EXIT_CODE and not self.begun:
            return WorkerStartError(
                "this script starts worker processes when it is imported, and each of them imports "
                'it: put what starts them under `if __name__ == "__main__":`'
            )
        how = f"ended with exit code {code}"
        if code is not None and code < 0:
            how = f"was killed by signal {-code}"
        if code == 1 and not self.begun:
            return WorkerStartError(
                f"worker process {self.process.pid} {how} before it began; its standard error says "
                "why"
            )
        return WorkerDied(f"worker process {self.process.pid} {how}")

    @property
    def stopped(self) -> bool:
        """Whether the process is stopped, for example by SIGSTOP, and has not been continued."""
        if not hasattr(os, "waitid") or self.process.pid is None:
            return False
        flags = os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.process.pid, flags) is not None
        except ChildProcessError:  # it has ended
            return False

    def close(self, seconds: float = 1.0) -> None:
        """Close the connection, and kill the process if it does not end within `seconds`."""
        self.connection.close()
        self.process.join(seconds)
        self.kill()

    def kill(self) -> None:
        """Kill the process."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.connection.close()


def _set_pipe_timeout(connection: Connection, seconds: float) -> None:
    """Let reads and writes of a connection fail after this many seconds without progress."""
    if sys.platform == "win32":  # where pipes are not sockets
        return
    time = struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, time)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, time)


def wait_for_workers(
    workers: Sequence[WorkerProcess], timeout: float | None = None
) -> list[WorkerProcess]:
    """Return the workers that have answered or died, after at most `timeout` seconds."""
    by_connection = {worker.connection: worker for worker in workers}
    return [by_connection[c] for c in wait(list(by_connection), timeout)]  # type: ignore[index]


def send_message(connection: Connection, message: object) -> None:
    """Send a message pickled by `pickle_message`."""
    connection.send_bytes(pickle_message(message))


def pickle_message(message: object) -> bytes:
    """Return the pickle of a message; objects that other processes cannot import go by value."""
    try:
        data = pickle.dumps(message)
        if b"__main__" not in data or _is_main_importable():
            return data
    except (pickle.PicklingError, AttributeError, TypeError):
        pass  # such as a nested function, or a class that was itself pickled by value
    import cloudpickle  # slow to import, and rarely needed

    by_value: bytes = cloudpickle.dumps(message)
    return by_value


def _is_main_importable() -> bool:
    """Return whether spawned processes can import our __main__; in a notebook they cannot."""
    return not {"init_main_from_name", "init_main_from_path"}.isdisjoint(
        spawn.get_preparation_data("")
    )


class ExceptionMessage:
    """An exception that is sent to another process."""

    def __init__(self, error: BaseException):
        self.error = error

    def __reduce__(self) -> tuple[object, ...]:
        try:
            pickle.loads(pickle_message(self.error))
        except Exception:  # noqa: BLE001 - any error means that it cannot be sent
            text = "".join(traceback.format_exception(self.error))
            return ExceptionMessage, (WorkerError(text),)
        return ExceptionMessage, (self.error,)


def _run_process(connection: Connection, payload: bytes, memory: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    with report_exceptions(connection):
        try:
            serve, args = pickle.loads(payload)
        except Exception as error:
            raise WorkerError(
                f"a worker process cannot unpickle its function or arguments: {error!r}"
            ) from error
        serve(connection, *args, *memory)


@contextlib.contextmanager
def report_exceptions(connection: Connection) -> Iterator[None]:
    """Send an exception that ends a worker to the parent."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has ended or closed the connection
    except BaseException as error:  # noqa: BLE001 - raised again in the parent
        if not isinstance(error, Exception):
            error = ExitError(error)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            send_message(connection, ExceptionMessage(error))
