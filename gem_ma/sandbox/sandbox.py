"""Sandboxes, which lend warm servers to runs and calls, and sessions."""

from __future__ import annotations

import contextlib
import functools
import logging
import marshal
import os
import pickle
import queue
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from gem_ma.sandbox.levels import LEVELS, SandboxCrash, SandboxTimeout, SandboxUnavailable
from gem_ma.sandbox.protocol import (
    CALL,
    ENDED,
    JOB_HEADER,
    KILLED,
    OUTPUT,
    REUSED_CALL,
    RUN,
    SESSION,
    TIMEOUT,
)
from gem_ma.sandbox.results import RunResult, decode_output, parse_answer, parse_result
from gem_ma.sandbox.server_process import ServerProcess
from gem_ma.validation.json_types import JSONObject

_GRACE_SECONDS = 5.0  # seconds that a server has to answer after a run's own
_log = logging.getLogger(__name__)


class Sandbox:
    """A pool of warm servers; several threads may use it at once.

    Args:
        level: the least protection that will do, of LEVELS, or "auto" for the most there is.
        seconds: of wall-clock time for a run.
        cpu_seconds: of CPU time, if not the same.
        memory: bytes of address space that each process may add to the interpreter's own.
        file_size: bytes that a file may have; all together may have four times that.
        processes: that a run may have at once; more than one needs namespaces, or level "limits".
        output: bytes of stdout and of stderr, and of an answer to `call`.
        workers: runs at the same time.
        preload: modules, "package.module", and functions to call without arguments,
            "module:function", before all runs, which have what these made ready.
    """

    def __init__(
        self,
        level: str = "auto",
        *,
        seconds: float = 5.0,
        cpu_seconds: float | None = None,
        memory: int = 512 * 2**20,
        file_size: int = 10 * 2**20,
        processes: int = 1,
        output: int = 2**16,
        workers: int = 1,
        preload: Iterable[str] = (),
    ):
        if level not in ("auto", *LEVELS):
            raise ValueError(f"level={level!r}: expected auto, {', '.join(LEVELS)}")
        if isinstance(preload, str):
            raise TypeError(f"preload={preload!r}: expected several names, as ({preload!r},)")
        numbers = {
            "seconds": seconds,
            "cpu_seconds": seconds if cpu_seconds is None else cpu_seconds,
            "memory": memory,
            "file_size": file_size,
            "processes": processes,
            "output": output,
            "workers": workers,
        }
        for name, number in numbers.items():
            if not number > 0:
                raise ValueError(f"{name}={number}: expected more than 0")
        self.seconds, self.cpu_seconds = seconds, cpu_seconds
        self.memory, self.file_size, self.processes = memory, file_size, processes
        self.output, self.workers, self.preload = output, workers, tuple(preload)
        self._servers: set[ServerProcess] = set()
        self._finalizer = weakref.finalize(self, _close_servers, self._servers)
        self._idle_servers = self._make_slots()
        self.level, server = self._choose_level(level)
        self._idle_servers.get()
        self._idle_servers.put(server)
        _sandboxes.add(self)

    def run(
        self,
        code: str,
        *,
        stdin: str | bytes = "",
        files: Mapping[str, str | bytes] = MappingProxyType({}),
        seconds: float | None = None,
        echo: bool = False,
    ) -> RunResult:
        """Run code as a program of its own.

        Args:
            files: what its folder holds, by name.
            echo: tell the value of an expression that stands last, as a notebook does.
        """
        contents = {_check_relative(name): _to_bytes(content) for name, content in files.items()}
        read = _to_bytes(stdin)
        job = {"code": str(code), "echo": echo, "stdin": read, "files": contents}
        size = len(read) + sum(map(len, contents.values()))
        if size > self.file_size:
            raise ValueError(f"stdin and files have {size} bytes; file_size={self.file_size}")
        with self._lend_server() as server:
            return parse_result(*self._run_job(server, RUN, seconds, job))

    def call(
        self, function: str, *args: object, seconds: float | None = None, fresh: bool = True
    ) -> Any:
        """Return what a function returns, as JSON has it, called in a process of its own.

        Args:
            function: "module:name", of a module that is preloaded. The function is trusted to be
                what it is; its arguments, which must pickle, may be what a model wrote. Raises
                TimedOut, or Crashed if it raised an error or died.
            fresh: False lets calls share a process one after the other, which saves the time that a
                big library takes to fork; a text that got hold of it could answer for later ones.
        """
        module = function.partition(":")[0]
        loaded = [name.partition(":")[0] for name in self.preload]
        if not any(f"{module}.".startswith(f"{name}.") for name in loaded):
            raise ValueError(
                f"{function}: its module is not preloaded; use Sandbox(preload=({module!r},))"
            )
        job = {"function": function, "args": pickle.dumps(args)}
        with self._lend_server() as server:
            reason, status, spent, *texts = self._run_job(
                server, CALL if fresh else REUSED_CALL, seconds, job
            )
        if reason == TIMEOUT:
            raise SandboxTimeout(f"{function} had no answer after {spent:.3g} s")
        if reason == OUTPUT:
            raise SandboxCrash(f"{function} answered or printed more than {self.output} bytes")
        answer = parse_answer(texts[2]) if reason == ENDED else {}
        if "value" in answer:
            return answer["value"]
        seen = answer.get("error", f"exit status {status}\n{decode_output(texts[1])}".rstrip())
        raise SandboxCrash(f"{function}: {str(seen)[-2000:]}")

    def map(
        self,
        function: str,
        arguments: Iterable[Sequence[object]],
        *,
        seconds: float | None = None,
        fresh: bool = True,
    ) -> list[Any]:
        """Return what `call` returns for each of these arguments, or its error, on all workers."""

        def call_one(args: Sequence[object]) -> Any:
            try:
                return self.call(function, *args, seconds=seconds, fresh=fresh)
            except (SandboxTimeout, SandboxCrash) as error:
                return error

        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(call_one, arguments))

    def session(self) -> SandboxSession:
        """Return a session: a process, beside the workers, whose variables live on between runs."""
        return SandboxSession(self)

    def close(self) -> None:
        """End all servers; so do garbage collection and the end of the interpreter."""
        self._finalizer()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Sandbox(level={self.level!r}, workers={self.workers}, preload={self.preload!r})"

    def __reduce__(self) -> tuple[object, ...]:
        arguments = {
            name: getattr(self, name)
            for name in (
                "level",
                "seconds",
                "cpu_seconds",
                "memory",
                "file_size",
                "processes",
                "output",
                "workers",
                "preload",
            )
        }
        return functools.partial(Sandbox, **arguments), ()

    def _choose_level(self, level: str) -> tuple[str, ServerProcess]:
        """Return the first level that can be had, with a server in it; say so if it is a weaker."""
        levels: tuple[str, ...] = LEVELS if level == "auto" else (level,)
        if self.processes > 1:
            levels = tuple(
                name for name in levels if name == "namespaces" or name == level == "limits"
            )
            if not levels:
                raise SandboxUnavailable(f"level {level!r} is for one process only")
        missing = []
        for name in levels:
            try:
                server = self._start_server(name)
            except SandboxUnavailable as error:
                missing.append(str(error))
            else:
                if missing:
                    _warn_of_level(name, tuple(missing))
                else:
                    _log.info("code of models runs at level %r", name)
                return name, server
        raise SandboxUnavailable("\n".join(missing))

    def _make_slots(self) -> queue.LifoQueue[ServerProcess | None]:
        slots: queue.LifoQueue[ServerProcess | None] = queue.LifoQueue()
        for _ in range(self.workers):
            slots.put(None)
        return slots

    def _start_server(self, level: str) -> ServerProcess:
        server = ServerProcess(self, level)
        self._servers.add(server)
        return server

    @contextlib.contextmanager
    def _lend_server(self) -> Iterator[ServerProcess]:
        """Lend a server that lives."""
        if not self._finalizer.alive:
            raise ValueError("the sandbox is closed")
        slots = self._idle_servers
        server = slots.get()
        try:
            if server is None or not server.alive:
                server = self._start_server(self.level)
            yield server
        finally:
            slots.put(server)

    def _run_job(
        self, server: ServerProcess, kind: int, seconds: float | None, job: JSONObject
    ) -> Any:
        seconds = self.seconds if seconds is None else seconds
        cpu = seconds if self.cpu_seconds is None else self.cpu_seconds
        data = marshal.dumps(job)
        _used_levels.add(self.level)
        try:
            return server.exchange(
                JOB_HEADER.pack(kind, seconds, cpu, len(data)) + data,
                seconds + _GRACE_SECONDS,
                self.output,
            )
        except BaseException as error:
            _close_server(server, self._servers)  # or the next job would get this one's result
            if isinstance(error, TimeoutError):
                return TIMEOUT, -9, seconds, b"", b"", b""
            if isinstance(error, OSError | EOFError):
                return KILLED, -9, 0.0, b"", b"the sandbox's server ended", b""
            raise


class SandboxSession:
    """Runs of code that share their variables; opened by `Sandbox.session`.

    A session whose process ends, by a timeout or an exit, is an empty one at its next run.
    """

    def __init__(self, box: Sandbox):
        self._sandbox = box
        self._server: ServerProcess | None = None
        self.alive = False  # whether there are variables

    def run(self, code: str, *, seconds: float | None = None, echo: bool = False) -> RunResult:
        """Run code; an error ends the code, and not the session."""
        if not self._sandbox._finalizer.alive:
            raise ValueError("the sandbox is closed")
        if self._server is None or not self._server.alive:
            self._server = self._sandbox._start_server(self._sandbox.level)
            weakref.finalize(self, _close_server, self._server, self._sandbox._servers)
        outcome = self._sandbox._run_job(
            self._server, SESSION, seconds, {"code": str(code), "echo": echo}
        )
        result = parse_result(*outcome)
        self.alive = outcome[0] == ENDED and bool(outcome[5])
        return result

    def close(self) -> None:
        """End the session's process."""
        if self._server is not None:
            _close_server(self._server, self._sandbox._servers)
        self._server, self.alive = None, False

    def __enter__(self) -> SandboxSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def get_shared_sandbox(
    *, level: str = "auto", preload: Iterable[str] = (), workers: int | None = None
) -> Sandbox:
    """Return this process's sandbox for these arguments; there is one, made when first asked for.

    Args:
        workers: as many as there are cores, up to 8, if it is None.
    """
    key = level, tuple(preload), workers or min(8, os.cpu_count() or 1)
    with _shared_lock:
        box = _shared_sandboxes.get(key)
        if box is None or not box._finalizer.alive:
            box = _shared_sandboxes[key] = Sandbox(key[0], preload=key[1], workers=key[2])
        return box


_shared_sandboxes: dict[tuple[str, tuple[str, ...], int], Sandbox] = {}


_shared_lock = threading.Lock()


def find_weakest_level() -> str:
    """Return the weakest level at which this process has had anything run, or ""."""
    return next((level for level in reversed(LEVELS) if level in _used_levels), "")


_used_levels: set[str] = set()


@functools.cache
def check_levels() -> Mapping[str, str]:
    """Return for each level why it cannot be had here, or an empty text if it can."""
    reasons = {}
    for level in LEVELS:
        try:
            Sandbox(level).close()
            reasons[level] = ""
        except SandboxUnavailable as error:
            reasons[level] = str(error)
    return MappingProxyType(reasons)


_sandboxes: weakref.WeakSet[Sandbox] = weakref.WeakSet()


def _reset_after_fork() -> None:
    for box in list(_sandboxes):
        for server in box._servers:
            server.abandon()
        box._servers.clear()
        box._idle_servers = box._make_slots()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


def _close_server(server: ServerProcess, servers: set[ServerProcess]) -> None:
    servers.discard(server)
    server.close()


def _close_servers(servers: set[ServerProcess]) -> None:
    while servers:
        servers.pop().close()


@functools.cache
def _warn_of_level(level: str, missing: tuple[str, ...]) -> None:
    """Say once that code of models runs at a weaker level than there could be."""
    _log.warning("code of models runs at level %r: %s", level, "; ".join(missing))


def _check_relative(name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise ValueError(f"files: {name!r} is no name within the folder of a run")
    return name


def _to_bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)
