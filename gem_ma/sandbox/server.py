"""The server: it enters the jail once, and forks a child for every program.

The server is a program of its own, in a new interpreter with the standard library only. It has two
processes. The first one waits outside the jail, ends with the second one and cleans up; the second
one serves. Without namespaces, a third process removes the files of runs. Standard input is the
socket to the caller. A child reads its job from file 0, and writes its answer, a line of JSON, to
file 3.
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
ANSWERED = -1  # in addition to the reasons of protocol: the child has answered
MAX_THREADS = 64  # of a program
MAX_REUSED_CALLS = 200  # calls that one child may answer
# imported without the package's name
BARE_MODULES = ("server", "job_runner", "jail", "protocol", "run_folders")


def main() -> None:
    """Serve until the socket closes."""
    length = int.from_bytes(protocol.read_exactly(CONTROL_FD, 4), "little")
    config = pickle.loads(protocol.read_exactly(CONTROL_FD, length))
    config["number"] = protocol.read_exactly(CONTROL_FD, protocol.JOB_ID_SIZE)
    sys.dont_write_bytecode = True
    while os.open(os.devnull, os.O_RDWR) <= NULL_FD:
        pass  # so that no file opened later has a number that children use
    # independent of the caller's umask, because other users must be able to enter the jail
    os.umask(0o022)
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
        # On SIGTERM, kill the second process, and still clean up.
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
    """Raised if a module to preload cannot be imported."""


def _report_failure(number: bytes, error: BaseException) -> None:
    """Report to the caller that the server cannot start."""
    kind = "preload" if isinstance(error, PreloadError) else "level"
    text = json.dumps({kind: f"{type(error).__name__}: {error}"}).encode()
    protocol.write_all(
        CONTROL_FD,
        protocol.RESULT_HEADER.pack(number, protocol.KILLED, 1, 0.0, 0, 0, len(text)) + text,
    )


class ChildProcess:
    """A forked process that waits for a job, and the ends of its pipes.

    Args:
        enter: Called first in the child, while the server's files are still open.
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
        # It becomes readable when the child has ended.
        self.pidfd = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        self.running = False  # whether it has answered, and waits for another job
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
        """Return its exit status and CPU time, or None if it has not ended."""
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
    """A buffer of what a child writes into a pipe, up to a limit."""

    def __init__(self, limit: int):
        self.data = bytearray(limit + 1)
        self.limit, self.size = limit, 0

    @property
    def full(self) -> bool:
        """Whether there is more than the limit."""
        return self.size > self.limit

    def read(self, fd: int) -> int:
        """Read once; return 0 if the pipe has ended or the buffer is full."""
        if self.full:
            return 0
        count = os.readv(fd, [memoryview(self.data)[self.size :]])
        self.size += count
        return count

    def contains(self, text: bytes) -> bool:
        """Return whether a text has been written."""
        return self.data.find(text, 0, self.size) >= 0

    def truncate(self) -> bool:
        """Cut the data to the limit, and return whether there was more."""
        over = self.full
        self.size = min(self.size, self.limit)
        return over

    def send(self) -> None:
        """Send all data to the caller, and clear the buffer."""
        with memoryview(self.data)[: self.size] as view:
            protocol.write_all(CONTROL_FD, view)
        self.data[: self.size + 1] = bytes(self.size + 1)
        self.size = 0


class SandboxServer:
    """A server that runs one program at a time, while it forks the child for the next one."""

    def __init__(self, config: JSONObject, uid: int | None, root: bool, folders: RunFolders | None):
        self.config = config
        self.limits = config["limits"]
        self.level = config["level"]
        self.namespaces = self.level == "namespaces"
        self.folders = folders
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        linux = sys.platform == "linux"
        # A program that can neither start nor signal processes cannot affect other processes.
        self.single_process = linux and self.limits["processes"] == 1
        # At these levels it cannot affect the next child's files either.
        self.forks_ahead = self.single_process and self.level != "limits"
        self.child: ChildProcess | None = None
        self.next_child: ChildProcess | None = None
        self.buffers = [OutputBuffer(self.limits["output"]) for _ in range(3)]
        self.own_files = uid is not None  # no file outside the run's folder belongs to this user
        if linux:
            jail.adopt_orphans()
        os.setpgrp()
        # If processes of the same user elsewhere count as well, allow for their growth.
        alone = uid is not None and (root or not self.namespaces or jail.counts_by_namespace())
        others = 4 if alone or not linux else 1000 + jail.count_user_tasks(os.getuid())
        self.tasks = self.limits["processes"] + MAX_THREADS + others
        statm = os.open("/proc/self/statm", os.O_RDONLY) if linux else None
        scratch = config["scratch"]
        if self.namespaces:
            assert uid is not None
            size = 4 * self.limits["file_size"]
            links = config["links"]
            jail.enter_private_root(config["visible"], config["tmp"], scratch, size, uid, links)
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
        gc.freeze()  # memory that the collector does not visit stays shared with the children

    def preload_modules(self) -> None:
        """Import the modules that programs and calls need."""
        sys.path[:] = self.config["path"]  # noqa: TID251  the caller's, without what is its own
        import site

        site.setquit()  # exit and quit
        site.setcopyright()
        site.sethelper()
        for name in BARE_MODULES:  # a program may have modules of these names
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
        """Replace the child by one that has not been used."""
        while True:
            if self.child is not None:
                self.signal_child(signal.SIGKILL)
                self.end()
            self.child, self.next_child = self.next_child or self.fork_child(), None
            if self.child.is_alive():
                return

    def fork_child(self) -> ChildProcess:
        """Fork a child; without a private root, it gets a folder of its own."""
        if self.folders is None:
            return ChildProcess(lambda: None, self.program.run, "")
        folder = self.folders.make_folder()
        return ChildProcess(lambda: self.enter_folder(folder), self.program.run, folder)

    def enter_folder(self, folder: str) -> None:
        """Enter a child's own folder, and restrict the child to it if Landlock is used."""
        assert self.folders is not None
        path = f"{self.folders.path}/{folder}"
        _change_folder(path)
        if self.rules is not None:
            self.rules.restrict(path)

    def run_job(self, head: bytes) -> bytes:
        """Let the child do a job, and return the header of the result."""
        child = self.child
        assert child is not None
        kind, seconds, cpu, length = protocol.JOB_HEADER.unpack(head)
        start = time.monotonic()
        # If the child dies now, the rest of the job is lost, and the server ends.
        protocol.write_all(child.job, head)
        _forward_bytes(child.job, length)
        # Fork no child while this process holds data of another job or its result.
        if self.forks_ahead and self.next_child is None and kind in (protocol.RUN, protocol.CALL):
            self.next_child = self.fork_child()
        number = protocol.read_exactly(CONTROL_FD, protocol.JOB_ID_SIZE)
        reason = self.collect_output(child, start + seconds)
        spent = time.monotonic() - start
        # A child that says it has finished gets no more time, and need not be waited for.
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
        """Read the child's output until it answers, ends or reaches a limit."""
        poll = select.poll()
        for fd in (CONTROL_FD, *child.outputs, child.pidfd):
            if fd >= 0:
                poll.register(fd, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            ready = self.wait(poll, child, left)
            if CONTROL_FD in ready:  # the caller has ended, or sent data at the wrong time
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
        """Return the files that can be read, after at most `left` seconds."""
        if child.pidfd >= 0:
            return [fd for fd, _ in poll.poll(left * 1000 + 1)]
        ready = [fd for fd, _ in poll.poll(min(left * 1000 + 1, 5))]
        return ready if child.is_alive() else [*ready, child.pidfd]

    def signal_child(self, number: int) -> None:
        """Send a signal to all processes of the child."""
        assert self.child is not None
        # macOS answers EPERM for a group whose processes have all ended.
        gone = ProcessLookupError if sys.platform == "linux" else OSError
        with contextlib.suppress(gone):
            if self.single_process:
                os.kill(self.child.pid, number)
            elif self.namespaces:
                os.kill(-1, number)
            else:
                os.killpg(self.child.pid, number)

    def end(self) -> None:
        """Wait for the end of the killed child, and remove all that it left."""
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
    """Move data that the caller sends into a pipe."""
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
    """Kill and reap all children; orphans become children of this process."""
    while True:
        try:
            while os.waitpid(-1, 0 if killed else os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        # children cannot be listed there, and orphans do not become children of this process
        if sys.platform != "linux":
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
                f"{path} cannot be read by other users than root, and the sandbox runs as such a "
                "user: chmod o+x the folders above it, or install Python elsewhere",
            ) from None


def _change_folder(folder: str) -> None:
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = folder
