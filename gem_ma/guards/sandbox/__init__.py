"""Run code that a model wrote, and functions on text that a model wrote, where they can do no harm.

    box = Sandbox(preload=("math_verify",))
    box.run("print(1)").stdout
    box.call("math_verify:parse", text)

A server, a fresh interpreter that has nothing of this process, enters a jail, imports what it shall
preload, and forks a child for every run. How strong the jail is depends on what the kernel allows:
PROMISES says what each level keeps, `available()` which levels can be had here, and a level that
cannot be had is an error. Programs may import the standard library and all installed packages.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import marshal
import os
import pickle
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from gem_ma.guards.sandbox.frames import (
    CALL,
    DONE,
    ENDED,
    JOB,
    KEPT_CALL,
    KILLED,
    NUMBER,
    OUTPUT,
    RUN,
    SESSION,
    TIMEOUT,
)
from gem_ma.guards.sandbox.installation import environment, installation, origin, outermost
from gem_ma.guards.untrusted import read_json

LEVELS = ("namespaces", "landlock", "limits")  # the strongest first

PROMISES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "limits": (
            "A run ends in time, with limits to the memory of each process, the size of each "
            "file, and its output.",
            LEVELS,
        ),
        "rest": ("Nothing that a run started or left in its folder is there for the next.", LEVELS),
        "result": ("A run cannot forge its exit, or touch another run or the server.", LEVELS[:2]),
        "files": ("Only installed packages can be read, and only its folder written.", LEVELS[:2]),
        "network": ("There is no network, not even to this machine.", LEVELS[:2]),
        "processes": ("Other processes get no signals, and are not looked into.", LEVELS[:2]),
        "kernel": ("What a program has no business with in the kernel is closed.", LEVELS[:2]),
        "names": ("Not even the names of other files and processes can be found out.", LEVELS[:1]),
        "disk": ("All files of a run together are limited in size and number.", LEVELS[:1]),
    }
)

_REASONS = ("", "timeout", "output", "killed")
_GRACE = 5.0  # seconds that a server has to answer after a run's own
_START = 120.0  # seconds for preloading
_CLEANUP = 60.0  # seconds for removing what runs have left
_LAUNCH = "import sys; sys.path.insert(0, sys.argv[1]); import server; server.main()"
_log = logging.getLogger(__name__)


class SandboxError(RuntimeError):
    """Something about a sandbox went wrong."""


class SandboxUnavailable(SandboxError):
    """The level of protection cannot be had here."""


class TimedOut(SandboxError):
    """A call took too long."""


class Crashed(SandboxError):
    """A call raised an error, or its process died."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run."""

    stdout: str
    stderr: str
    exit_code: int  # negative: the signal that ended it
    reason: str  # why it was ended: "", "timeout", "memory", "output" (too much) or "killed"
    seconds: float
    value: str = ""  # repr of an expression that stood last, where that was asked for

    @property
    def ok(self) -> bool:
        """Whether it ended by itself, and well."""
        return not self.reason and self.exit_code == 0


class Sandbox:
    """A pool of warm servers; several threads may use it at once.

    level: the least protection that will do, of LEVELS, or "auto" for the most there is.
    seconds: of wall-clock time for a run. cpu_seconds: of CPU time, if not the same.
    memory: bytes of address space that each process may add to the interpreter's own.
    file_size: bytes that a file may have; all together may have four times that.
    processes: that a run may have at once; more than one needs namespaces, or level "limits".
    output: bytes of stdout and of stderr, and of an answer to `call`.
    workers: runs at the same time. preload: modules, "package.module", and functions to call
        without arguments, "module:function", before all runs, which have what these made ready.
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
        self._servers: set[_Server] = set()
        self._close = weakref.finalize(self, _close_all, self._servers)
        self._idle = self._slots()
        self.level, server = self._settle(level)
        self._idle.get()
        self._idle.put(server)
        _boxes.add(self)

    def run(
        self,
        code: str,
        *,
        stdin: str | bytes = "",
        files: Mapping[str, str | bytes] = MappingProxyType({}),
        seconds: float | None = None,
        echo: bool = False,
    ) -> Result:
        """Run code as a program of its own.

        files: what its folder holds, by name. echo: tell the value of an expression that stands
        last, as a notebook does.
        """
        given = {_relative(name): _bytes(content) for name, content in files.items()}
        read = _bytes(stdin)
        job = {"code": str(code), "echo": echo, "stdin": read, "files": given}
        size = len(read) + sum(map(len, given.values()))
        if size > self.file_size:
            raise ValueError(f"stdin and files have {size} bytes; file_size={self.file_size}")
        with self._server() as server:
            return _result(*self._exchange(server, RUN, seconds, job))

    def call(
        self, function: str, *args: Any, seconds: float | None = None, fresh: bool = True
    ) -> Any:
        """Return what a function returns, as JSON has it, called in a process of its own.

        function: "module:name", of a module that is preloaded. The function is trusted to be what
        it is; its arguments, which must pickle, may be what a model wrote. Raises TimedOut, or
        Crashed if it raised an error or died.
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
        with self._server() as server:
            reason, status, spent, *texts = self._exchange(
                server, CALL if fresh else KEPT_CALL, seconds, job
            )
        if reason == TIMEOUT:
            raise TimedOut(f"{function} had no answer after {spent:.3g} s")
        if reason == OUTPUT:
            raise Crashed(f"{function} answered or printed more than {self.output} bytes")
        answer = _answer(texts[2]) if reason == ENDED else {}
        if "value" in answer:
            return answer["value"]
        seen = answer.get("error", f"exit status {status}\n{_text(texts[1])}".rstrip())
        raise Crashed(f"{function}: {str(seen)[-2000:]}")

    def map(
        self,
        function: str,
        arguments: Iterable[Sequence[Any]],
        *,
        seconds: float | None = None,
        fresh: bool = True,
    ) -> list[Any]:
        """Return what `call` returns for each of these arguments, or its error, on all workers."""

        def one(args: Sequence[Any]) -> Any:
            try:
                return self.call(function, *args, seconds=seconds, fresh=fresh)
            except (TimedOut, Crashed) as error:
                return error

        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(one, arguments))

    def session(self) -> Session:
        """Return a session: a process, beside the workers, whose variables live on between runs."""
        return Session(self)

    def close(self) -> None:
        """End all servers; so do garbage collection and the end of the interpreter."""
        self._close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Sandbox(level={self.level!r}, workers={self.workers}, preload={self.preload!r})"

    def __reduce__(self) -> tuple[Any, ...]:
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

    # -- servers -------------------------------------------------------------------------------

    def _settle(self, level: str) -> tuple[str, _Server]:
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
                server = self._start(name)
            except SandboxUnavailable as error:
                missing.append(str(error))
            else:
                if missing:
                    _warn(name, tuple(missing))
                else:
                    _log.info("code of models runs at level %r", name)
                return name, server
        raise SandboxUnavailable("\n".join(missing))

    def _slots(self) -> queue.LifoQueue[_Server | None]:
        slots: queue.LifoQueue[_Server | None] = queue.LifoQueue()
        for _ in range(self.workers):
            slots.put(None)
        return slots

    def _start(self, level: str) -> _Server:
        server = _Server(self, level)
        self._servers.add(server)
        return server

    @contextlib.contextmanager
    def _server(self) -> Iterator[_Server]:
        """Lend a server that lives."""
        if not self._close.alive:
            raise ValueError("the sandbox is closed")
        slots = self._idle
        server = slots.get()
        try:
            if server is None or not server.alive:
                server = self._start(self.level)
            yield server
        finally:
            slots.put(server)

    def _exchange(
        self, server: _Server, kind: int, seconds: float | None, job: dict[str, Any]
    ) -> Any:
        seconds = self.seconds if seconds is None else seconds
        cpu = seconds if self.cpu_seconds is None else self.cpu_seconds
        data = marshal.dumps(job)
        _used.add(self.level)
        try:
            return server.exchange(
                JOB.pack(kind, seconds, cpu, len(data)) + data, seconds + _GRACE, self.output
            )
        except BaseException as error:
            _close_one(server, self._servers)  # or the next job would get this one's result
            if isinstance(error, TimeoutError):
                return TIMEOUT, -9, seconds, b"", b"", b""
            if isinstance(error, OSError | EOFError):
                return KILLED, -9, 0.0, b"", b"the sandbox's server ended", b""
            raise


class Session:
    """Runs of code that share their variables; opened by `Sandbox.session`.

    A session whose process ends, by a timeout or an exit, is an empty one at its next run.
    """

    def __init__(self, box: Sandbox):
        self._box = box
        self._server: _Server | None = None
        self.alive = False  # whether there are variables

    def run(self, code: str, *, seconds: float | None = None, echo: bool = False) -> Result:
        """Run code; an error ends the code, and not the session."""
        if not self._box._close.alive:
            raise ValueError("the sandbox is closed")
        if self._server is None or not self._server.alive:
            self._server = self._box._start(self._box.level)
            weakref.finalize(self, _close_one, self._server, self._box._servers)
        outcome = self._box._exchange(
            self._server, SESSION, seconds, {"code": str(code), "echo": echo}
        )
        result = _result(*outcome)
        self.alive = outcome[0] == ENDED and bool(outcome[5])
        return result

    def close(self) -> None:
        """End the session's process."""
        if self._server is not None:
            _close_one(self._server, self._box._servers)
        self._server, self.alive = None, False

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def shared(
    *, level: str = "auto", preload: Iterable[str] = (), workers: int | None = None
) -> Sandbox:
    """Return this process's sandbox for these arguments; there is one, made when first asked for.

    workers: as many as there are cores, up to 8, if it is None.
    """
    key = level, tuple(preload), workers or min(8, os.cpu_count() or 1)
    with _sharing:
        box = _shared.get(key)
        if box is None or not box._close.alive:
            box = _shared[key] = Sandbox(key[0], preload=key[1], workers=key[2])
        return box


_shared: dict[tuple[str, tuple[str, ...], int], Sandbox] = {}
_sharing = threading.Lock()


def weakest() -> str:
    """Return the weakest level at which this process has had anything run, or ""."""
    return next((level for level in reversed(LEVELS) if level in _used), "")


_used: set[str] = set()


@functools.cache
def available() -> Mapping[str, str]:
    """Return for each level why it cannot be had here, or an empty text if it can."""
    reasons = {}
    for level in LEVELS:
        try:
            Sandbox(level).close()
            reasons[level] = ""
        except SandboxUnavailable as error:
            reasons[level] = str(error)
    return MappingProxyType(reasons)


class _Server:
    """A server's process, and the socket to it."""

    def __init__(self, box: Sandbox, level: str):
        self._level = level
        self._place = f"{tempfile.gettempdir()}/gem-ma-{os.getpid()}-{os.urandom(8).hex()}"
        path, visible = installation()
        more = [origin(name) for name in box.preload]
        path = [*path, *(folder for folder, _ in more if folder not in path)]
        config = {
            "level": level,
            "path": path,
            "visible": outermost([*visible, *(place for _, place in more)]),
            "preload": box.preload,
            "prefixes": {name: getattr(sys, name) for name in ("prefix", "exec_prefix")},
            "tmp": tempfile.gettempdir(),
            "place": self._place,
            "limits": {
                "memory": box.memory,
                "file_size": box.file_size,
                "processes": box.processes,
                "output": box.output,
            },
        }
        inside = [*config["visible"], *path]
        # Programs like /tmp; unless Python itself is there, as in a test's virtual environment.
        config["scratch"] = "/scratch" if any(p.startswith("/tmp/") for p in inside) else "/tmp"
        data = pickle.dumps(config)
        self._socket, theirs = socket.socketpair()
        command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _LAUNCH]
        with theirs, tempfile.TemporaryFile() as errors:
            try:
                self._process = subprocess.Popen(
                    [*command, str(Path(__file__).parent)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    env=environment(),
                    cwd="/",
                    start_new_session=True,
                )
            except OSError as error:
                self._socket.close()
                raise SandboxUnavailable(f"{sys.executable!r} cannot be started: {error}") from None
            self.alive = True
            theirs.close()
            try:
                hello = self.exchange(len(data).to_bytes(4, "little") + data, _START, 2**20)[5]
            except (OSError, EOFError) as error:
                self.close()
                errors.seek(0)
                seen = _text(errors.read())[-2000:] or str(error) or "it ended without a word"
                hello = json.dumps({"level": seen}).encode()
        problem = json.loads(hello)
        if problem:
            self.close()
        if "preload" in problem:
            raise SandboxError(f"preload: {problem['preload']}")
        if "level" in problem:
            raise SandboxUnavailable(
                f"level {level!r} cannot be had: {problem['level']}{_hint(level, problem['level'])}"
            )

    def exchange(self, data: bytes, seconds: float, cap: int) -> Any:
        """Send a frame, and return what the frame that comes back holds."""
        number = os.urandom(NUMBER)
        self._socket.settimeout(seconds)
        self._socket.sendall(data + number)
        told, reason, status, spent, *lengths = DONE.unpack(self._read(DONE.size))
        if told != number or reason >= len(_REASONS) or max(lengths) > cap:
            raise EOFError("no frame of a server")
        return (reason, status, spent, *map(self._read, lengths))

    def _read(self, length: int) -> bytes:
        if not length:
            return b""
        data = self._socket.recv(length)
        while len(data) < length:
            part = self._socket.recv(length - len(data))
            if not part:
                raise EOFError("the server ended")
            data += part
        return data

    def close(self) -> None:
        """End the server and all that is in it."""
        if not self.alive:
            return
        self.alive = False
        self._socket.close()
        if self._level == "limits" and sys.platform == "linux":
            _end_session(self._process)
        self._process.terminate()
        try:
            self._process.wait(_CLEANUP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._level == "limits" and os.geteuid() != 0:  # when a run has killed who would do it
            shutil.rmtree(self._place, ignore_errors=True)

    def abandon(self) -> None:
        """Forget a server that is the business of the process that this one was forked from."""
        self.alive = False
        self._socket.close()
        self._process.returncode = 0


_boxes: weakref.WeakSet[Sandbox] = weakref.WeakSet()


def _after_fork() -> None:
    for box in list(_boxes):
        for server in box._servers:
            server.abandon()
        box._servers.clear()
        box._idle = box._slots()


os.register_at_fork(after_in_child=_after_fork)


def _close_one(server: _Server, servers: set[_Server]) -> None:
    servers.discard(server)
    server.close()


def _close_all(servers: set[_Server]) -> None:
    while servers:
        servers.pop().close()


def _end_session(server: subprocess.Popen[bytes]) -> None:
    """End a server, and what is left of its session, of which a run that killed it was a part.

    It is not reaped before, so that its number belongs to nobody else.
    """
    if server.returncode is not None:
        return
    os.kill(server.pid, signal.SIGTERM)
    end = time.monotonic() + _CLEANUP
    while not os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() > end:
            break
        time.sleep(0.001)
    while left := [pid for pid in _session(server.pid) if pid != server.pid]:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def _session(leader: int) -> Iterator[int]:
    """Yield the processes of a session that have not ended."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):  # it ended meanwhile
                fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[3]) == leader and fields[0] not in (b"Z", b"X"):
                    yield int(name)


@functools.cache
def _warn(level: str, missing: tuple[str, ...]) -> None:
    """Say once that code of models runs at a weaker level than there could be."""
    _log.warning("code of models runs at level %r: %s", level, "; ".join(missing))


def _hint(level: str, problem: str) -> str:
    """Return what could be done about a level that cannot be had for this reason."""
    if sys.platform != "linux":
        return "; only Linux has it" if level != "limits" else ""
    if "Landlock" in problem or "landlock" in problem:
        return "; it needs Linux 6.2 with landlock among the security modules (lsm=) of the kernel"
    if level != "namespaces" or "other user" in problem:
        return ""
    for name, bad, remedy in (
        ("user/max_user_namespaces", "0", "set user.max_user_namespaces to 10000"),
        ("kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone to 1"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "set kernel.apparmor_restrict_unprivileged_userns to 0",
        ),
    ):
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text().strip() == bad:
                return f"; {remedy} with sysctl"
    if not any(word in problem for word in ("unshare", "mount", "pivot_root", "not permitted")):
        return ""
    return (
        "; in a container, allow it the system calls unshare and mount, "
        "as docker's --security-opt seccomp=unconfined --security-opt apparmor=unconfined does"
    )


# -- what comes and goes ---------------------------------------------------------------------------


def _relative(name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise ValueError(f"files: {name!r} is no name within the folder of a run")
    return name


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _answer(data: bytes) -> dict[str, Any]:
    """Return what a process answered, which a model's text may have written: no more than data."""
    try:
        answer = read_json(data, size=None, digits=4300)  # as long as the output's limit lets it be
    except ValueError as error:
        return {"error": f"its answer is refused: {error}"} if data else {}
    return answer if isinstance(answer, dict) else {}


def _result(
    reason: int, status: int, spent: float, stdout: bytes, stderr: bytes, answer: bytes
) -> Result:
    errors, why, value = _text(stderr), _REASONS[reason], ""
    if reason == ENDED and answer:
        told = _answer(answer)
        ended, value = told.get("exit"), told.get("value", "")
        if type(ended) is int and 0 <= ended <= 0xFF and isinstance(value, str):
            status = ended
        else:
            status, why, value = -9, "killed", ""  # the program wrote there itself, and was ended
    if status == 1 and errors.rstrip().rpartition("\n")[2].startswith("MemoryError"):
        why = "memory"
    return Result(_text(stdout), errors, status, why, spent, value)
