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
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from gem_ma.guards.sandbox import frames, jail
    from gem_ma.guards.sandbox.folders import Folders, empty
    from gem_ma.guards.sandbox.program import NULL, Program, find
else:
    import frames
    import jail
    from folders import Folders, empty
    from program import NULL, Program, find

CONTROL = 0
ANSWERED = -1  # beside the reasons of frames: the child says that it is done
THREADS = 64  # a program may have
CALLS = 200  # of which one child may be kept for
NEIGHBOURS = ("server", "program", "jail", "frames", "folders")  # by bare names


def main() -> None:
    """Serve until the socket closes."""
    length = int.from_bytes(frames.read(CONTROL, 4), "little")
    config = pickle.loads(frames.read(CONTROL, length))
    config["number"] = frames.read(CONTROL, frames.NUMBER)
    sys.dont_write_bytecode = True
    while os.open(os.devnull, os.O_RDWR) <= NULL:
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
            uid = jail.spare_uid()
            folders = Folders(config["place"], uid)
            if sys.platform == "linux":
                jail.hide_memory()
        pid = os.fork()
    except Exception as error:  # noqa: BLE001  whatever it is, the caller must hear of it
        _fail(config["number"], error)
    else:
        if pid == 0:
            _serve(config, uid, root, folders)
        with open(os.devnull) as null:
            os.dup2(null.fileno(), CONTROL)
        # Told to terminate, it ends the other one, and still cleans up.
        signal.signal(signal.SIGTERM, lambda *_: _kill(pid))
        os.waitpid(pid, 0)
        _end_all()
    if folders is not None:
        folders.remove()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _serve(
    config: dict[str, Any], uid: int | None, root: bool, folders: Folders | None
) -> NoReturn:
    try:
        server = Server(config, uid, root, folders)
    except Exception as error:  # noqa: BLE001  whatever it is, the caller must hear of it
        _fail(config["number"], error)
    else:
        try:
            server.serve()
        except BaseException:  # noqa: BLE001  as when the caller is gone; the other one cleans up
            os._exit(1)
    os._exit(0)


class PreloadError(Exception):
    """A module that shall be preloaded cannot be imported."""


def _fail(number: bytes, error: BaseException) -> None:
    """Tell the caller that there is no server."""
    kind = "preload" if isinstance(error, PreloadError) else "level"
    text = json.dumps({kind: f"{type(error).__name__}: {error}"}).encode()
    frames.write(CONTROL, frames.DONE.pack(number, frames.KILLED, 1, 0.0, 0, 0, len(text)) + text)


class Child:
    """A forked process that waits for a job, and the ends of its pipes.

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
                os.closerange(NULL + 1, 65536)
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

    def lives(self) -> bool:
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


class Buffer:
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

    def holds(self, text: bytes) -> bool:
        """Return whether this has been written."""
        return self.data.find(text, 0, self.size) >= 0

    def cut(self) -> bool:
        """Leave as much as may be, and return whether there was more."""
        over = self.full
        self.size = min(self.size, self.limit)
        return over

    def send(self) -> None:
        """Send all of it to the caller, and forget it."""
        with memoryview(self.data)[: self.size] as view:
            frames.write(CONTROL, view)
        self.data[: self.size + 1] = bytes(self.size + 1)
        self.size = 0


class Server:
    """One program at a time, while the child for the next one is being forked."""

    def __init__(
        self, config: dict[str, Any], uid: int | None, root: bool, folders: Folders | None
    ):
        self.config = config
        self.limits = config["limits"]
        self.level = config["level"]
        self.namespaces = self.level == "namespaces"
        self.folders = folders
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        linux = sys.platform == "linux"
        # A program that can neither start nor signal others leaves other processes alone,
        self.single = linux and self.limits["processes"] == 1
        self.ahead = self.single and self.level != "limits"  # and the next child's files too
        self.child: Child | None = None
        self.next: Child | None = None
        self.seen = [Buffer(self.limits["output"]) for _ in range(3)]
        self.own_files = uid is not None  # no file outside is of this user
        if linux:
            jail.adopt_orphans()
        os.setpgrp()
        # Where others of the same user count too, these may grow by so many.
        alone = uid is not None and (root or not self.namespaces or jail.counts_by_namespace())
        others = 4 if alone or not linux else 1000 + jail.tasks_of(os.getuid())
        self.tasks = self.limits["processes"] + THREADS + others
        statm = os.open("/proc/self/statm", os.O_RDONLY) if linux else None
        scratch = config["scratch"]
        if self.namespaces:
            assert uid is not None
            size = 4 * self.limits["file_size"]
            jail.enter_private_root(config["visible"], config["tmp"], scratch, size, uid)
        if uid is not None and (root or not self.namespaces):
            jail.become(uid)
            _check_readable(config["visible"])
        if folders is not None:
            scratch = f"{folders.path}/{folders.new()}"
        _move_to(scratch)
        self.scratch = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        self.preload()
        self.rules = jail.FileRules(config["visible"]) if self.level == "landlock" else None
        if linux:
            jail.give_up_rights()
            jail.end_with_parent()
            jail.common_filter(self.level).install()(os.getpid())
        self.space = 0
        if statm is not None:
            self.space = int(os.pread(statm, 100, 0).split()[0]) * resource.getpagesize()
            os.close(statm)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(CONTROL + 1, NULL + 1):
            os.dup2(null, fd)
        self.program = Program(self)
        gc.collect()
        gc.disable()
        gc.freeze()  # what is never visited stays shared with the children

    def preload(self) -> None:
        """Import what programs and calls are going to need."""
        sys.path[:] = self.config["path"]  # noqa: TID251  the caller's, without what is its own
        import site

        site.setquit()  # exit and quit
        site.setcopyright()
        site.sethelper()
        for name in NEIGHBOURS:  # a program may have its own
            del sys.modules[name]
        for name in self.config["preload"]:
            try:
                found = find(name)
                if ":" in name:
                    found()
            except Exception as error:
                raise PreloadError(f"{name}: {type(error).__name__}: {error}") from error

    def serve(self) -> None:
        """Answer jobs until the socket closes."""
        hello = frames.DONE.pack(self.config["number"], frames.ENDED, 0, 0.0, 0, 0, 2)
        frames.write(CONTROL, hello + b"{}")
        while True:
            if self.child is None:
                self.renew()
            assert self.child is not None
            try:
                head = frames.read(CONTROL, frames.JOB.size)
            except EOFError:
                return
            goes_on = head[0] in (frames.SESSION, frames.KEPT_CALL)
            if (self.child.running and not goes_on) or not self.child.lives():
                self.renew()
            if self.child.running:
                self.signal(signal.SIGCONT)
            frames.write(CONTROL, self.do(head))
            for buffer in self.seen:
                buffer.send()
            if not self.child.running:
                self.end()

    def renew(self) -> None:
        """Have a child that has not been used."""
        while True:
            if self.child is not None:
                self.signal(signal.SIGKILL)
                self.end()
            self.child, self.next = self.next or self.fork(), None
            if self.child.lives():
                return

    def fork(self) -> Child:
        """Fork a child, with a folder of its own where it cannot have a place of its own."""
        if self.folders is None:
            return Child(lambda: None, self.program.run, "")
        folder = self.folders.new()
        return Child(lambda: self.enter(folder), self.program.run, folder)

    def enter(self, folder: str) -> None:
        """Go to a child's own folder, and where that can be had, be held to it."""
        assert self.folders is not None
        path = f"{self.folders.path}/{folder}"
        _move_to(path)
        if self.rules is not None:
            self.rules.restrict(path)

    def do(self, head: bytes) -> bytes:
        """Have the child do a job, and return the head of the frame that tells what came of it."""
        child = self.child
        assert child is not None
        kind, seconds, cpu, length = frames.JOB.unpack(head)
        start = time.monotonic()
        # If it dies meanwhile, nobody knows what of the job is left, and the server ends.
        frames.write(child.job, head)
        _forward(child.job, length)
        # No child is forked while something of another's job or result is in this process.
        if self.ahead and self.next is None and kind in (frames.RUN, frames.CALL):
            self.next = self.fork()
        number = frames.read(CONTROL, frames.NUMBER)
        reason = self.collect(child, start + seconds)
        spent = time.monotonic() - start
        # Whoever says that it is done has no more time, but need not be waited for.
        child.calls += kind == frames.KEPT_CALL
        stays = kind in (frames.SESSION, frames.KEPT_CALL) and child.calls < CALLS
        child.running = reason == ANSWERED and stays
        self.signal(signal.SIGSTOP if child.running else signal.SIGKILL)
        status = 0
        if reason == ANSWERED:
            reason = frames.ENDED
        else:
            status, used = child.wait()
            if reason == frames.ENDED and status < 0:
                slow = status == -signal.SIGXCPU or (status == -signal.SIGKILL and used >= cpu)
                reason = frames.TIMEOUT if slow else frames.KILLED
        for fd, buffer in zip(child.outputs, self.seen, strict=True):
            os.set_blocking(fd, False)
            with contextlib.suppress(BlockingIOError):
                while buffer.read(fd):
                    pass
        cut = [buffer.cut() for buffer in self.seen]
        if reason == frames.ENDED and any(cut):
            reason = frames.OUTPUT
        sizes = (buffer.size for buffer in self.seen)
        return frames.DONE.pack(number, reason, status, spent, *sizes)

    def collect(self, child: Child, deadline: float) -> int:
        """Read what the child writes until it answers, has ended, or must end."""
        poll = select.poll()
        for fd in (CONTROL, *child.outputs, child.pidfd):
            if fd >= 0:
                poll.register(fd, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            ready = self.wait(poll, child, left)
            if CONTROL in ready:  # the caller is gone, or speaks out of turn
                os._exit(1)
            for fd, buffer in zip(child.outputs, self.seen, strict=True):
                if fd in ready and not buffer.read(fd):
                    if buffer.full:
                        return frames.OUTPUT
                    poll.unregister(fd)
            if self.seen[2].holds(b"\n"):
                return ANSWERED
            if child.pidfd in ready:
                return frames.ENDED
        return frames.TIMEOUT

    def wait(self, poll: select.poll, child: Child, left: float) -> list[int]:
        """Return which files can be read, within so many seconds."""
        if child.pidfd >= 0:
            return [fd for fd, _ in poll.poll(left * 1000 + 1)]
        ready = [fd for fd, _ in poll.poll(min(left * 1000 + 1, 5))]
        return ready if child.lives() else [*ready, child.pidfd]

    def signal(self, number: int) -> None:
        """Send a signal to all that the child consists of."""
        assert self.child is not None
        # macOS answers EPERM for a group of which all have ended.
        gone = ProcessLookupError if sys.platform == "linux" else OSError
        with contextlib.suppress(gone):
            if self.single:
                os.kill(self.child.pid, number)
            elif self.namespaces:
                os.kill(-1, number)
            else:
                os.killpg(self.child.pid, number)

    def end(self) -> None:
        """Wait for the end of the child, which was killed, and clear away all that it left."""
        assert self.child is not None
        self.child.wait()
        if not self.single:
            _end_all(killed=self.namespaces)
        self.child.close()
        if self.folders is not None:
            self.folders.drop(self.child.folder)
        else:
            empty(self.scratch)
            os.utime(self.scratch)
        self.child = None


def _forward(fd: int, length: int) -> None:
    """Move what the caller sends into a pipe."""
    while length:
        if hasattr(os, "splice"):
            moved = os.splice(CONTROL, fd, length)
        else:
            part = os.read(CONTROL, min(length, 65536))
            frames.write(fd, part)
            moved = len(part)
        if not moved:
            raise EOFError
        length -= moved


def _end_all(killed: bool = False) -> None:
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
                _kill(int(pid))
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


def _move_to(folder: str) -> None:
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = folder
