"""The server: enters the jail once, then forks a child for every program.

Runs as a program of its own, in a fresh interpreter with only the standard library. There are two
processes: the first one waits outside, cleans up, and ends with the second, which serves. Where
there are no namespaces a third one removes what runs have left. The socket to the caller is
standard input. A child has its job in file 0, and writes its answer, a line of JSON, into file 3.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from gem_ma.sandbox import jail, protocol
    from gem_ma.sandbox.job_runner import NULL_FD, JobRunner, import_name
    from gem_ma.sandbox.run_folders import RunFolders, empty_folders
    from gem_ma.validation.json_types import JSONObject
else:
    import jail
    import protocol
    from job_runner import NULL_FD, JobRunner, import_name
    from run_folders import RunFolders, empty_folders

CONTROL_FD = 0
ANSWERED = -1  # beside the reasons of protocol: the child says that it is done
MAX_THREADS = 64  # a program may have
MAX_REUSED_CALLS = 200  # of which one child may be kept for
BARE_MODULES = ("server", "job_runner", "jail", "protocol", "run_folders")  # by bare names


def main() -> None:
    """Serve until the socket closes."""
    length = int.from_bytes(protocol.read_exactly(CONTROL_FD, 4), "little")
    config = pickle.loads(protocol.read_exactly(CONTROL_FD, length))
    config["number"] = protocol.read_exactly(CONTROL_FD, protocol.JOB_ID_SIZE)
    sys.dont_write_bytecode = True
    while os.open(os.devnull, os.O_RDWR) <= NULL_FD:
        pass  # so that nothing opened later has a number that children use
    os.umask(0o022)  # whatever the caller's is, others must be able to enter the jail
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    folders = None
    try:
        if sys.platform == "linux":
            jail.adopt_orphans()
        uid, root = None, False
        if config["level"] == "namespaces":
            uid, root = jail.leave_namespaces()
        else:
            uid = jail.find_spare_uid()
            folders = RunFolders(config["place"], uid)
            if sys.platform == "linux":
                jail.hide_memory()
        pid = os.fork()
    except Exception as error:  # noqa: BLE001  whatever it is, the caller must hear of it
        _report_failure(config["number"], error)
    else:
        if pid == 0:
            _run_server(config, uid, root, folders)
        with open(os.devnull) as null:
            os.dup2(null.fileno(), CONTROL_FD)
        # Told to terminate, it ends the other one, and still cleans up.
        signal.signal(signal.SIGTERM, lambda *_: _kill_process(pid))
        os.waitpid(pid, 0)
        _end_children()
    if folders is not None:
        folders.remove_all()


def _kill_process(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _run_server(
    config: JSONObject, uid: int | None, root: bool, folders: RunFolders | None
) -> NoReturn:
    try:
        server = SandboxServer(config, uid, root, folders)
    except Exception as error:  # noqa: BLE001  whatever it is, the caller must hear of it
        _report_failure(config["number"], error)
    else:
        try:
            server.serve()
        except BaseException:  # noqa: BLE001  as when the caller is gone; the other one cleans up
            os._exit(1)
    os._exit(0)


class PreloadError(Exception):
    """A module that shall be preloaded cannot be imported."""


def _report_failure(number: bytes, error: BaseException) -> None:
    """Tell the caller that there is no server."""
    kind = "preload" if isinstance(error, PreloadError) else "level"
    text = json.dumps({kind: f"{type(error).__name__}: {error}"}).encode()
    protocol.write_all(
        CONTROL_FD,
        protocol.RESULT_HEADER.pack(number, protocol.KILLED, 1, 0.0, 0, 0, len(text)) + text,
    )


class ChildProcess:
    """A forked process that waits for a job, and the ends of its pipes.

    Args:
        enter: what it does at once, while it still has the server's files open.
    """

    def __init__(self, enter: Callable[[], None], program: Callable[[], NoReturn], folder: str):
        self.folder = folder
        job, self.job = os.pipe()
        outputs = [os.pipe() for _ in range(3)]  # stdout, stderr, the answer
        self.outputs = [ours for ours, _ in outputs]
        files = [job, *(theirs for _, theirs in outputs)]
        self.pid = os.fork()
        if self.pid == 0:
            try:
                enter()
                for number, fd in enumerate(files):
                    os.dup2(fd, number)
                os.closerange(NULL_FD + 1, 65536)
                os.setpgrp()
                program()
            except BaseException:  # noqa: BLE001  nothing may go back up into the server's loop
                traceback.print_exc()
            os._exit(1)
        for fd in files:
            os.close(fd)
        # It can be read when the child has ended.
        self.pidfd = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        self.running = False  # it has answered, and waits for another job
        self.calls = 0
        self.ended: tuple[int, float] | None = None

    def is_alive(self) -> bool:
        """Return whether it has not ended."""
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        return self.reap(os.WNOHANG) is None  # macOS, before Python 3.13

    def wait(self) -> tuple[int, float]:
        """Wait for its end, and return its exit status and CPU time."""
        ended = self.reap(0)
        assert ended is not None
        return ended

    def reap(self, flags: int) -> tuple[int, float] | None:
        """Return its exit status and CPU time, if it has ended."""
        if self.ended is None:
            pid, status, usage = os.wait4(self.pid, flags)
            if pid:
                self.ended = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        return self.ended

    def close(self) -> None:
        """Close this side of the pipes."""
        for fd in (self.job, *self.outputs, self.pidfd):
            if fd >= 0:
                os.close(fd)


class OutputBuffer:
    """What a child writes into a pipe, up to a limit."""

    def __init__(self, limit: int):
        self.data = bytearray(limit + 1)
        self.limit, self.size = limit, 0

    @property
    def full(self) -> bool:
        """Whether there is more than may be."""
        return self.size > self.limit

    def read(self, fd: int) -> int:
        """Read once; return 0 at the end of the pipe, or of the buffer."""
        if self.full:
            return 0
        count = os.readv(fd, [memoryview(self.data)[self.size :]])
        self.size += count
        return count

    def contains(self, text: bytes) -> bool:
        """Return whether this has been written."""
        return self.data.find(text, 0, self.size) >= 0

    def truncate(self) -> bool:
        """Leave as much as may be, and return whether there was more."""
        over = self.full
        self.size = min(self.size, self.limit)
        return over

    def send(self) -> None:
        """Send all of it to the caller, and forget it."""
        with memoryview(self.data)[: self.size] as view:
            protocol.write_all(CONTROL_FD, view)
        self.data[: self.size + 1] = bytes(self.size + 1)
        self.size = 0


class SandboxServer:
    """One program at a time, while the child for the next one is being forked."""

    def __init__(self, config: JSONObject, uid: int | None, root: bool, folders: RunFolders | None):
        self.config = config
        self.limits = config["limits"]
        self.level = config["level"]
        self.namespaces = self.level == "namespaces"
        self.folders = folders
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        linux = sys.platform == "linux"
        # A program that can neither start nor signal others leaves other processes alone,
        self.single_process = linux and self.limits["processes"] == 1
        # and the next child's files too
        self.forks_ahead = self.single_process and self.level != "limits"
        self.child: ChildProcess | None = None
        self.next_child: ChildProcess | None = None
        self.buffers = [OutputBuffer(self.limits["output"]) for _ in range(3)]
        self.own_files = uid is not None  # no file outside is of this user
        if linux:
            jail.adopt_orphans()
        os.setpgrp()
        # Where others of the same user count too, these may grow by so many.
        alone = uid is not None and (root or not self.namespaces or jail.counts_by_namespace())
        others = 4 if alone or not linux else 1000 + jail.count_user_tasks(os.getuid())
        self.tasks = self.limits["processes"] + MAX_THREADS + others
        statm = os.open("/proc/self/statm", os.O_RDONLY) if linux else None
        scratch = config["scratch"]
        if self.namespaces:
            assert uid is not None
            size = 4 * self.limits["file_size"]
            jail.enter_private_root(config["visible"], config["tmp"], scratch, size, uid)
        if uid is not None and (root or not self.namespaces):
            jail.become_user(uid)
            _check_readable(config["visible"])
        if folders is not None:
            scratch = f"{folders.path}/{folders.make_folder()}"
        _change_folder(scratch)
        self.scratch = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        self.preload_modules()
        self.rules = jail.LandlockRules(config["visible"]) if self.level == "landlock" else None
        if linux:
            jail.drop_capabilities()
            jail.end_with_parent()
            jail.make_common_filter(self.level).make_installer()(os.getpid())
        self.address_space = 0
        if statm is not None:
            self.address_space = int(os.pread(statm, 100, 0).split()[0]) * resource.getpagesize()
            os.close(statm)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(CONTROL_FD + 1, NULL_FD + 1):
            os.dup2(null, fd)
        self.program = JobRunner(self)
        gc.collect()
        gc.disable()
        gc.freeze()  # what is never visited stays shared with the children

    def preload_modules(self) -> None:
        """Import what programs and calls are going to need."""
        sys.path[:] = self.config["path"]  # noqa: TID251  the caller's, without what is its own
        import site

        site.setquit()  # exit and quit
        site.setcopyright()
        site.sethelper()
        for name in BARE_MODULES:  # a program may have its own
            del sys.modules[name]
        for name in self.config["preload"]:
            try:
                target = import_name(name)
                if ":" in name:
                    target()
            except Exception as error:
                raise PreloadError(f"{name}: {type(error).__name__}: {error}") from error

    def serve(self) -> None:
        """Answer jobs until the socket closes."""
        hello = protocol.RESULT_HEADER.pack(self.config["number"], protocol.ENDED, 0, 0.0, 0, 0, 2)
        protocol.write_all(CONTROL_FD, hello + b"{}")
        while True:
            if self.child is None:
                self.renew_child()
            assert self.child is not None
            try:
                head = protocol.read_exactly(CONTROL_FD, protocol.JOB_HEADER.size)
            except EOFError:
                return
            goes_on = head[0] in (protocol.SESSION, protocol.REUSED_CALL)
            if (self.child.running and not goes_on) or not self.child.is_alive():
                self.renew_child()
            if self.child.running:
                self.signal_child(signal.SIGCONT)
            protocol.write_all(CONTROL_FD, self.run_job(head))
            for buffer in self.buffers:
                buffer.send()
            if not self.child.running:
                self.end()

    def renew_child(self) -> None:
        """Have a child that has not been used."""
        while True:
            if self.child is not None:
                self.signal_child(signal.SIGKILL)
                self.end()
            self.child, self.next_child = self.next_child or self.fork_child(), None
            if self.child.is_alive():
                return

    def fork_child(self) -> ChildProcess:
        """Fork a child, with a folder of its own where it cannot have a place of its own."""
        if self.folders is None:
            return ChildProcess(lambda: None, self.program.run, "")
        folder = self.folders.make_folder()
        return ChildProcess(lambda: self.enter_folder(folder), self.program.run, folder)

    def enter_folder(self, folder: str) -> None:
        """Go to a child's own folder, and where that can be had, be held to it."""
        assert self.folders is not None
        path = f"{self.folders.path}/{folder}"
        _change_folder(path)
        if self.rules is not None:
            self.rules.restrict(path)

    def run_job(self, head: bytes) -> bytes:
        """Have the child do a job, and return the head of the frame that tells what came of it."""
        child = self.child
        assert child is not None
        kind, seconds, cpu, length = protocol.JOB_HEADER.unpack(head)
        start = time.monotonic()
        # If it dies meanwhile, nobody knows what of the job is left, and the server ends.
        protocol.write_all(child.job, head)
        _forward_bytes(child.job, length)
        # No child is forked while something of another's job or result is in this process.
        if self.forks_ahead and self.next_child is None and kind in (protocol.RUN, protocol.CALL):
            self.next_child = self.fork_child()
        number = protocol.read_exactly(CONTROL_FD, protocol.JOB_ID_SIZE)
        reason = self.collect_output(child, start + seconds)
        spent = time.monotonic() - start
        # Whoever says that it is done has no more time, but need not be waited for.
        child.calls += kind == protocol.REUSED_CALL
        stays = kind in (protocol.SESSION, protocol.REUSED_CALL) and child.calls < MAX_REUSED_CALLS
        child.running = reason == ANSWERED and stays
        self.signal_child(signal.SIGSTOP if child.running else signal.SIGKILL)
        status = 0
        if reason == ANSWERED:
            reason = protocol.ENDED
        else:
            status, used = child.wait()
            if reason == protocol.ENDED and status < 0:
                slow = status == -signal.SIGXCPU or (status == -signal.SIGKILL and used >= cpu)
                reason = protocol.TIMEOUT if slow else protocol.KILLED
        for fd, buffer in zip(child.outputs, self.buffers, strict=True):
            os.set_blocking(fd, False)
            with contextlib.suppress(BlockingIOError):
                while buffer.read(fd):
                    pass
        cut = [buffer.truncate() for buffer in self.buffers]
        if reason == protocol.ENDED and any(cut):
            reason = protocol.OUTPUT
        sizes = (buffer.size for buffer in self.buffers)
        return protocol.RESULT_HEADER.pack(number, reason, status, spent, *sizes)

    def collect_output(self, child: ChildProcess, deadline: float) -> int:
        """Read what the child writes until it answers, has ended, or must end."""
        poll = select.poll()
        for fd in (CONTROL_FD, *child.outputs, child.pidfd):
            if fd >= 0:
                poll.register(fd, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            ready = self.wait(poll, child, left)
            if CONTROL_FD in ready:  # the caller is gone, or speaks out of turn
                os._exit(1)
            for fd, buffer in zip(child.outputs, self.buffers, strict=True):
                if fd in ready and not buffer.read(fd):
                    if buffer.full:
                        return protocol.OUTPUT
                    poll.unregister(fd)
            if self.buffers[2].contains(b"\n"):
                return ANSWERED
            if child.pidfd in ready:
                return protocol.ENDED
        return protocol.TIMEOUT

    def wait(self, poll: select.poll, child: ChildProcess, left: float) -> list[int]:
        """Return which files can be read, within so many seconds."""
        if child.pidfd >= 0:
            return [fd for fd, _ in poll.poll(left * 1000 + 1)]
        ready = [fd for fd, _ in poll.poll(min(left * 1000 + 1, 5))]
        return ready if child.is_alive() else [*ready, child.pidfd]

    def signal_child(self, number: int) -> None:
        """Send a signal to all that the child consists of."""
        assert self.child is not None
        # macOS answers EPERM for a group of which all have ended.
        gone = ProcessLookupError if sys.platform == "linux" else OSError
        with contextlib.suppress(gone):
            if self.single_process:
                os.kill(self.child.pid, number)
            elif self.namespaces:
                os.kill(-1, number)
            else:
                os.killpg(self.child.pid, number)

    def end(self) -> None:
        """Wait for the end of the child, which was killed, and clear away all that it left."""
        assert self.child is not None
        self.child.wait()
        if not self.single_process:
            _end_children(killed=self.namespaces)
        self.child.close()
        if self.folders is not None:
            self.folders.remove_folder(self.child.folder)
        else:
            empty_folders(self.scratch)
            os.utime(self.scratch)
        self.child = None


def _forward_bytes(fd: int, length: int) -> None:
    """Move what the caller sends into a pipe."""
    while length:
        if hasattr(os, "splice"):
            moved = os.splice(CONTROL_FD, fd, length)
        else:
            part = os.read(CONTROL_FD, min(length, 65536))
            protocol.write_all(fd, part)
            moved = len(part)
        if not moved:
            raise EOFError
        length -= moved


def _end_children(killed: bool = False) -> None:
    """Kill all children that have not been killed, and reap them; orphans become children here."""
    while True:
        try:
            while os.waitpid(-1, 0 if killed else os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if sys.platform != "linux":  # where nobody says who they are, and orphans do not come here
            return
        with open("/proc/thread-self/children") as file:
            for pid in file.read().split():
                _kill_process(int(pid))
        time.sleep(0.0005)


def _check_readable(paths: list[str]) -> None:
    for path in paths:
        try:
            if os.path.isdir(path):
                os.listdir(path)
            else:
                os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            raise OSError(
                error.errno,
                f"{path} cannot be read by other users than root, one of which the sandbox must "
                "be: chmod o+x the folders above it, or install Python elsewhere",
            ) from None


def _change_folder(folder: str) -> None:
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = folder
