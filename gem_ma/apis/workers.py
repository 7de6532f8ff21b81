"""Worker processes: spawned, deaf to Ctrl-C, and gone when nobody needs them."""

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
    """A worker process cannot begin, and no other will: its script cannot be imported."""


class ExitError(RuntimeError):
    """Something in a worker tried to end the program: it raised SystemExit or KeyboardInterrupt."""

    def __init__(self, error: BaseException | str):
        super().__init__(error if isinstance(error, str) else f"{error!r} was raised in a step")


class WorkerError(RuntimeError):
    """An exception of a worker that cannot be sent as it is; the message holds its traceback."""


class StepTimeout(TimeoutError):
    """A worker took longer for a step than it may."""


SPAWN_CONTEXT = multiprocessing.get_context("spawn")  # in which all workers begin
# the exit code of a worker that was told to start workers before it began
_UNGUARDED_EXIT_CODE = 113

WorkerJob: TypeAlias = tuple[int, str, tuple[object, ...]]  # which thing, its method, the arguments
JobResult: TypeAlias = tuple[int, Any]  # which thing, and what the method returned


def shard_items(things: Sequence[T], count: int) -> list[dict[int, T]]:
    """Return what each of so many workers holds, by index."""
    return [dict(list(enumerate(things))[first::count]) for first in range(count)]


def group_jobs(jobs: Sequence[WorkerJob], count: int) -> dict[int, list[WorkerJob]]:
    """Return the jobs for each worker, as things were dealt."""
    parts: dict[int, list[WorkerJob]] = {}
    for job in jobs:
        parts.setdefault(job[0] % count, []).append(job)
    return parts


def run_jobs(
    things: Sequence[object] | Mapping[int, object], jobs: Sequence[WorkerJob]
) -> list[JobResult]:
    """Do jobs one after the other; return the index and the result of each."""
    try:
        return [(index, getattr(things[index], method)(*args)) for index, method, args in jobs]
    except SystemExit as error:  # of a game, which has no say in when a program ends
        raise ExitError(error) from error


class WorkerProcess:
    """A process that runs `serve(connection, *args)` until it is closed or its parent is gone.

    Args:
        patience: seconds that one that was stopped may take to read or write the rest of a message.
        memory: that both share; it comes behind the other arguments.
    """

    def __init__(
        self,
        serve: Callable[..., None],
        *args: object,
        patience: float | None = None,
        memory: tuple[object, ...] = (),
    ):
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            os._exit(_UNGUARDED_EXIT_CODE)  # it imports the script that starts it, see `_died`
        payload = pickle_message((serve, args))
        self.connection, theirs = SPAWN_CONTEXT.Pipe()
        if patience is not None:
            _set_pipe_timeout(self.connection, patience)
        self.process = SPAWN_CONTEXT.Process(
            target=_run_process, args=(theirs, payload, memory), daemon=True
        )
        self.process.start()
        theirs.close()
        self.begun = False  # has answered

    def send(self, message: object) -> None:
        """Send a message, or raise WorkerDied."""
        try:
            send_message(self.connection, message)
        except (BrokenPipeError, ConnectionResetError):
            raise self._make_death_error() from None
        except BlockingIOError:
            raise StepTimeout(f"worker process {self.process.pid} reads nothing") from None

    def recv(self, timeout: float | None = None) -> Any:
        """Return the next message, or raise WorkerDied, StepTimeout, or what the worker raised."""
        try:
            if timeout is not None and not self.connection.poll(timeout):
                raise StepTimeout(f"a worker did not answer within {timeout:g} s")
            message = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._make_death_error() from None
        except BlockingIOError:
            raise StepTimeout(f"worker process {self.process.pid} sent half a message") from None
        self.begun = True
        if isinstance(message, ExceptionMessage):
            raise message.error
        return message

    def _make_death_error(self) -> WorkerDied:
        self.process.join(1)
        code = self.process.exitcode
        if code == _UNGUARDED_EXIT_CODE and not self.begun:
            return WorkerStartError(
                "this script starts worker processes as it is imported, and each of them imports "
                'it: put what starts them under `if __name__ == "__main__":`'
            )
        how = f"was killed by signal {-code}" if code and code < 0 else f"ended with {code}"
        if code == 1 and not self.begun:
            return WorkerStartError(
                f"worker process {self.process.pid} {how} before it began; its standard error says "
                "why"
            )
        return WorkerDied(f"worker process {self.process.pid} {how}")

    @property
    def stopped(self) -> bool:
        """Whether the process was stopped, as by SIGSTOP, and does not go on."""
        if not hasattr(os, "waitid") or self.process.pid is None:
            return False
        flags = os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.process.pid, flags) is not None
        except ChildProcessError:  # it has ended
            return False

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


def _set_pipe_timeout(connection: Connection, seconds: float) -> None:
    """Let a read or write of a message fail that makes no progress for so long."""
    if sys.platform == "win32":  # where pipes are no sockets
        return
    time = struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, time)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, time)


def wait_for_workers(
    workers: Sequence[WorkerProcess], timeout: float | None = None
) -> list[WorkerProcess]:
    """Return the workers that have answered or died, after at most so many seconds."""
    by_connection = {worker.connection: worker for worker in workers}
    return [by_connection[c] for c in wait(list(by_connection), timeout)]  # type: ignore[index]


def send_message(connection: Connection, message: object) -> None:
    """Send a message, whatever defines its parts."""
    connection.send_bytes(pickle_message(message))


def pickle_message(message: object) -> bytes:
    """Return the pickle of a message, by value for what no other process can import."""
    try:
        data = pickle.dumps(message)
        if b"__main__" not in data or _is_main_importable():
            return data
    except (pickle.PicklingError, AttributeError, TypeError):
        pass  # a function within a function, a class that has come by value, ...
    import cloudpickle  # slow to import, and seldom needed

    by_value: bytes = cloudpickle.dumps(message)
    return by_value


def _is_main_importable() -> bool:
    """Return whether spawned processes have our __main__, which those of a notebook do not."""
    return not {"init_main_from_name", "init_main_from_path"}.isdisjoint(
        spawn.get_preparation_data("")
    )


class ExceptionMessage:
    """An exception on its way to another process."""

    def __init__(self, error: BaseException):
        self.error = error

    def __reduce__(self) -> tuple[object, ...]:
        try:
            pickle.loads(pickle_message(self.error))
        except Exception:  # noqa: BLE001 - whatever keeps an exception from being sent
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
            raise WorkerError(f"a worker cannot load what it is to run: {error!r}") from error
        serve(connection, *args, *memory)


@contextlib.contextmanager
def report_exceptions(connection: Connection) -> Iterator[None]:
    """Send the exception that ends a worker to its parent."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone or needs us no more
    except BaseException as error:  # noqa: BLE001 - raised again in the parent
        if not isinstance(error, Exception):
            error = ExitError(error)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            send_message(connection, ExceptionMessage(error))
