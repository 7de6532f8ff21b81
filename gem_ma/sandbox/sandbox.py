"""Sandboxes, with warm servers for runs and calls, and sessions."""

from __future__ import annotations

import contextlib
import functools
import logging
import marshal
import os
import pickle
import queue
import re
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

_GRACE_SECONDS = 5.0  # seconds for a server to answer after the time limit of a run
_log = logging.getLogger(__name__)


class Sandbox:
    """A pool of warm servers; several threads may use it at once.

    Args:
        level: The least level of isolation to accept, of LEVELS, or "auto" for the strongest that
            is available.
        seconds: Wall-clock time limit of a run.
        cpu_seconds: CPU time limit of a run; None: equal to `seconds`.
        memory: Bytes of address space that each process may use in addition to the interpreter's.
        file_size: Limit of a file in bytes. All files together may have four times this size.
        processes: Limit of a run's processes at once. More than one needs level "namespaces" or
            "limits".
        output: Limit in bytes of stdout, of stderr and of an answer to `call`.
        workers: Number of runs at the same time.
        preload: Modules ("package.module") to import, and functions ("module:function") to call
            without arguments, before all runs.
        commands: Whether runs may read and start the system's programs, those of /bin and /usr/bin.
        links: Names at the root, such as "app", that lead to folders of these names in a run's own
            folder. They need level "namespaces".
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
        commands: bool = False,
        links: Iterable[str] = (),
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
        self.commands, self.links = commands, tuple(links)
        for name in self.links:
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
                raise ValueError(f"links: expected plain names such as 'app', got {name!r}")
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
            files: Files in the program's folder, from name to content.
            echo: Whether to return the value of a last expression, as a notebook does.
        """
        contents = {_check_relative(name): _to_bytes(content) for name, content in files.items()}
        read = _to_bytes(stdin)
        job = {"code": str(code), "echo": echo, "stdin": read, "files": contents}
        size = len(read) + sum(map(len, contents.values()))
        if size > self.file_size:
            raise ValueError(
                f"stdin and files have {size} bytes, and file_size={self.file_size} allows no more"
            )
        with self._lend_server() as server:
            return parse_result(*self._run_job(server, RUN, seconds, job))

    def call(
        self, function: str, *args: object, seconds: float | None = None, fresh: bool = True
    ) -> Any:
        """Call a function in a process of its own, and return its value as JSON.

        Args:
            function: "module:name", in a preloaded module. The function itself is trusted. Its
                arguments must pickle, and may be text of a model.
            fresh: False lets calls share a process one after the other, which saves the time to
                fork a process with a large library. A text that takes control of it could forge
                later answers.

        Raises:
            SandboxTimeout: The call took too long.
            SandboxCrash: The function raised an error, its process died, or its output was too
                long.
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
            raise SandboxTimeout(f"{function} did not return within {spent:.3g} s")
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
        """Return the result or the error of `call` for each of the arguments, on all workers."""

        def call_one(args: Sequence[object]) -> Any:
            try:
                return self.call(function, *args, seconds=seconds, fresh=fresh)
            except (SandboxTimeout, SandboxCrash) as error:
                return error

        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(call_one, arguments))

    def session(self) -> SandboxSession:
        """Return a session: an additional process that keeps variables between runs."""
        return SandboxSession(self)

    def close(self) -> None:
        """End all servers; garbage collection and the interpreter's exit do so too."""
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
                "commands",
                "links",
            )
        }
        return functools.partial(Sandbox, **arguments), ()

    def _choose_level(self, level: str) -> tuple[str, ServerProcess]:
        """Return the strongest available level and its server; warn if it is not the first."""
        levels: tuple[str, ...] = LEVELS if level == "auto" else (level,)
        if self.processes > 1:
            levels = tuple(
                name for name in levels if name == "namespaces" or name == level == "limits"
            )
            if not levels:
                raise SandboxUnavailable(
                    f"level {level!r} allows one process only, got processes={self.processes}; use "
                    "level='namespaces' or processes=1"
                )
        if self.links:
            levels = tuple(name for name in levels if name == "namespaces")
            if not levels:
                raise SandboxUnavailable(
                    f"level {level!r} has no root of its own, got links={self.links}; use "
                    "level='namespaces'"
                )
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
        """Yield a live server, and take it back afterwards."""
        if not self._finalizer.alive:
            raise ValueError("the sandbox is closed; make another")
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
            # otherwise the next job would get this job's result
            _close_server(server, self._servers)
            if isinstance(error, TimeoutError):
                return TIMEOUT, -9, seconds, b"", b"", b""
            if isinstance(error, OSError | EOFError):
                return KILLED, -9, 0.0, b"", b"the sandbox's server ended", b""
            raise


class SandboxSession:
    """A series of runs that share their variables; made by `Sandbox.session`.

    If the session's process ends, by a timeout or an exit, the next run starts without variables.
    """

    def __init__(self, box: Sandbox):
        self._sandbox = box
        self._server: ServerProcess | None = None
        self.alive = False  # whether the process has variables of earlier runs

    def run(self, code: str, *, seconds: float | None = None, echo: bool = False) -> RunResult:
        """Run code; an error ends the code but not the session."""
        if not self._sandbox._finalizer.alive:
            raise ValueError("the sandbox is closed; make another")
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
    """Return this process's shared sandbox for these arguments; it is made when it is first needed.

    Args:
        workers: Number of workers; None: the number of cores, up to 8.
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
    """Return the weakest level that this process has used to run code, or ""."""
    return next((level for level in reversed(LEVELS) if level in _used_levels), "")


_used_levels: set[str] = set()


def check_levels() -> Mapping[str, str]:
    """Return for each level why it is unavailable here, or "" if it is available."""
    return MappingProxyType({level: check_level(level) for level in LEVELS})


@functools.cache
def check_level(level: str) -> str:
    """Return why a level is unavailable here, or "" if it is available."""
    try:
        Sandbox(level).close()
    except SandboxUnavailable as error:
        return str(error)
    return ""


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
    """Log once that code of models runs at a weaker level than the strongest one."""
    _log.warning("code of models runs at level %r: %s", level, "; ".join(missing))


def _check_relative(name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise ValueError(f"files: expected a relative path below the folder of a run, got {name!r}")
    return name


def _to_bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)
