"""The process of a server as the sandbox sees it: started, sent jobs, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from gem_ma.sandbox.installation import (
    COMMAND_FOLDERS,
    find_installation,
    locate_module,
    make_environment,
    select_outermost,
)
from gem_ma.sandbox.levels import SandboxError, SandboxUnavailable, explain_missing, suggest_remedy
from gem_ma.sandbox.protocol import JOB_ID_SIZE, RESULT_HEADER
from gem_ma.sandbox.results import END_REASONS, decode_output


class SandboxSettings(Protocol):
    """The settings of a sandbox that its server needs."""

    preload: tuple[str, ...]
    commands: bool
    links: tuple[str, ...]
    memory: int
    file_size: int
    processes: int
    output: int


_START_SECONDS = 120.0  # seconds for preloading
_CLEANUP_SECONDS = 60.0  # seconds for removing the files of runs
_LAUNCH_CODE = "import sys; sys.path.insert(0, sys.argv[1]); import server; server.main()"


class ServerProcess:
    """The process of a server, and the socket to it."""

    def __init__(self, box: SandboxSettings, level: str):
        if why := explain_missing(level):
            raise SandboxUnavailable(f"level {level!r} is not available: {why}")
        self._level = level
        self._place = f"{tempfile.gettempdir()}/gem-ma-{os.getpid()}-{os.urandom(8).hex()}"
        path, visible = find_installation()
        if box.commands:
            visible = [*visible, *COMMAND_FOLDERS]
        more = [locate_module(name) for name in box.preload]
        path = [*path, *(folder for folder, _ in more if folder not in path)]
        config = {
            "level": level,
            "path": path,
            "visible": select_outermost([*visible, *(place for _, place in more)]),
            "preload": box.preload,
            "links": box.links,
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
        for name in box.links:
            if taken := [one for one in inside if f"{one}/".startswith(f"/{name}/")]:
                raise SandboxUnavailable(f"links: /{name} is taken, by {taken[0]}")
        # Programs expect /tmp, unless Python itself is in /tmp, as in a test's virtual environment.
        config["scratch"] = "/scratch" if any(p.startswith("/tmp/") for p in inside) else "/tmp"
        data = pickle.dumps(config)
        self._socket, theirs = socket.socketpair()
        command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _LAUNCH_CODE]
        with theirs, tempfile.TemporaryFile() as errors:
            try:
                self._process = subprocess.Popen(
                    [*command, str(Path(__file__).parent)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    env=make_environment(),
                    cwd="/",
                    start_new_session=True,
                )
            except OSError as error:
                self._socket.close()
                raise SandboxUnavailable(f"{sys.executable!r} cannot be started: {error}") from None
            self.alive = True
            theirs.close()
            try:
                hello = self.exchange(
                    len(data).to_bytes(4, "little") + data, _START_SECONDS, 2**20
                )[5]
            except (OSError, EOFError) as error:
                self.close()
                errors.seek(0)
                seen = decode_output(errors.read())[-2000:] or str(error)
                hello = json.dumps({"level": seen or "its process ended at once"}).encode()
        problem = json.loads(hello)
        if problem:
            self.close()
        if "preload" in problem:
            raise SandboxError(f"preload: {problem['preload']}")
        if "level" in problem:
            raise SandboxUnavailable(
                f"level {level!r} is not available: "
                f"{problem['level']}{suggest_remedy(level, problem['level'])}"
            )

    def exchange(self, data: bytes, seconds: float, cap: int) -> Any:
        """Send a frame, and return the fields of the frame that comes back."""
        number = os.urandom(JOB_ID_SIZE)
        self._socket.settimeout(seconds)
        self._socket.sendall(data + number)
        result_number, reason, status, spent, *lengths = RESULT_HEADER.unpack(
            self._read(RESULT_HEADER.size)
        )
        if result_number != number or reason >= len(END_REASONS) or max(lengths) > cap:
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
        """End the server and all its processes."""
        if not self.alive:
            return
        self.alive = False
        self._socket.close()
        if self._level == "limits" and sys.platform == "linux":
            _end_session(self._process)
        self._process.terminate()
        try:
            self._process.wait(_CLEANUP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # in case a run has killed the process that removes it
        if self._level == "limits" and os.geteuid() != 0:
            shutil.rmtree(self._place, ignore_errors=True)

    def abandon(self) -> None:
        """Forget the server, which belongs to the process from which this one was forked."""
        self.alive = False
        self._socket.close()
        self._process.returncode = 0


def _end_session(server: subprocess.Popen[bytes]) -> None:
    """End a server, and other processes of its session, which a run that killed it may have left.

    The server is not reaped before, so that its process id is not used again.
    """
    if server.returncode is not None:
        return
    os.kill(server.pid, signal.SIGTERM)
    end = time.monotonic() + _CLEANUP_SECONDS
    while not os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() > end:
            break
        time.sleep(0.001)
    while left := [pid for pid in list_session_processes(server.pid) if pid != server.pid]:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def list_session_processes(leader: int) -> Iterator[int]:
    """Yield the processes of a session that have not ended."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):  # the process ended meanwhile
                fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[3]) == leader and fields[0] not in (b"Z", b"X"):
                    yield int(name)
