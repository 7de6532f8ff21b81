"""A folder for each run if there are no namespaces, and its safe removal."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gem_ma.sandbox import jail
else:
    import jail


class RunFolders:
    """Folders for runs, inside a folder that no run can rename or replace.

    The folders belong to the user of the programs. Processes that read the files of a run have the
    same user, because a run could have made a link to any file.
    """

    def __init__(self, outer: str, uid: int | None):
        self.uid, self.parent = uid, outer
        self.path = f"{outer}/runs"
        os.mkdir(self.parent, 0o711)
        os.mkdir(self.path, 0o700)
        self.fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        if uid is not None:
            os.chown(self.fd, uid, uid)
        names, self._removal_pipe = os.pipe()
        self._remover_pid = self._fork_as_user(lambda: self._remove_named_folders(names))
        os.close(names)
        os.set_blocking(self._removal_pipe, False)

    def make_folder(self) -> str:
        """Make a folder and return its name."""
        name = os.urandom(12).hex()
        os.mkdir(name, 0o700, dir_fd=self.fd)
        return name

    def remove_folder(self, name: str) -> None:
        """Remove a folder; if it is not empty, another process removes it during the next runs."""
        try:
            os.rmdir(name, dir_fd=self.fd)
        except OSError:
            # If the queue is full or the remover has ended, `remove_all` removes it.
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                os.write(self._removal_pipe, name.encode() + b"\n")

    def remove_all(self) -> None:
        """Remove all folders, when nothing runs any more."""
        os.close(self._removal_pipe)
        with contextlib.suppress(ChildProcessError):  # it has been reaped already, as on Linux
            os.waitpid(self._remover_pid, 0)
        os.waitpid(self._fork_as_user(lambda: empty_folders(self.fd)), 0)
        with contextlib.suppress(OSError):  # a run of the same user may have moved or locked it
            os.rmdir(self.path)
            os.rmdir(self.parent)

    def _remove_named_folders(self, names: int) -> None:
        os.close(self._removal_pipe)
        with open(names) as lines:
            for line in lines:
                with contextlib.suppress(OSError):  # `remove_all` removes it
                    empty_folders(self.fd, [line.rstrip()])
        empty_folders(self.fd)  # in case the process that calls `remove_all` was killed

    def _fork_as_user(self, work: Callable[[], None]) -> int:
        """Call a function in a forked process of the programs' user, and return its id."""
        pid = os.fork()
        if pid == 0:
            try:
                with open(os.devnull, "r+") as null:
                    for fd in range(3):
                        os.dup2(null.fileno(), fd)
                if self.uid is not None:
                    jail.become_user(self.uid)
                if sys.platform == "linux":
                    jail.drop_capabilities()
                work()
            finally:
                os._exit(0)
        return pid


def empty_folders(top: int, folders: list[str] | None = None) -> None:
    """Remove everything in an open folder, or only these folders in it.

    This works for any depth and any permissions. Paths stay short, because subfolders are moved to
    the top.
    """
    if folders is None:
        os.fchmod(top, 0o700)
        folders = _thin_out(top, top)
    for name in folders:  # this list grows in the loop
        if not stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=top)  # a run has replaced the folder by something else
            continue
        os.chmod(name, 0o700, dir_fd=top)
        fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
        try:
            folders += _thin_out(fd, top)
        finally:
            os.close(fd)
        os.rmdir(name, dir_fd=top)


def _thin_out(folder: int, top: int) -> list[str]:
    """Empty a folder; move its non-empty subfolders to the top, and return their new names."""
    moved = []
    with os.scandir(folder) as iterator:
        entries = list(iterator)  # before others are moved here
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=folder)
            continue
        try:
            os.rmdir(entry.name, dir_fd=folder)
        except OSError:
            os.chmod(entry.name, 0o700, dir_fd=folder)  # otherwise it cannot be moved
            name = os.urandom(12).hex()
            os.rename(entry.name, name, src_dir_fd=folder, dst_dir_fd=top)
            moved.append(name)
    return moved
