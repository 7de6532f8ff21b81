"""Atomic writes and appends to files, and locks, which end with the process that holds them."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

NONBLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags to open a file without waiting, for example for the other end of a pipe."""
_SPECIAL_FILES = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_PROC_FOLDER = Path("/proc")  # Linux lists the open files of each process here


class FileInUse(OSError):
    """Raised if another process writes to a file or folder; the message names both and a remedy."""


def find_user_cache() -> Path:
    """Return this package's folder in the user's cache; it may not exist yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gem_ma"


def describe_special_file(file: int) -> str:
    """Return what an open file is, such as "a pipe", or "" for a regular file."""
    mode = stat.S_IFMT(os.fstat(file).st_mode)
    return "" if mode == stat.S_IFREG else _SPECIAL_FILES.get(mode, "no regular file")


def lock_file(file: int, name: object, wait: bool = False) -> None:
    """Lock an open file until it is closed; if it is locked, wait or raise FileInUse."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        who = _describe_holders(_find_holders(file))
        raise FileInUse(
            f"{name} is being written by {who}: wait until that has ended, or name another"
        ) from None
    except OSError:  # a network file system without locks
        return


def _describe_holders(found: list[int]) -> str:
    if not found:
        return "another process"
    if os.getpid() in found:
        return f"this process ({os.getpid()}) already"
    return f"process {', '.join(map(str, found))}"


def _find_holders(file: int) -> list[int]:
    """Return the processes that hold the lock of a file, as far as this process can find them."""
    mine, locked, others = os.fstat(file), [], []
    with contextlib.suppress(OSError):
        for process in filter(str.isdecimal, os.listdir(_PROC_FOLDER)):
            with contextlib.suppress(OSError):  # it has ended, or belongs to another user
                for number in os.listdir(_PROC_FOLDER / process / "fd"):
                    if process == str(os.getpid()) and int(number) == file:
                        continue
                    if not os.path.samestat(os.stat(_PROC_FOLDER / process / "fd" / number), mine):
                        continue
                    others.append(int(process))
                    if "FLOCK" in (_PROC_FOLDER / process / "fdinfo" / number).read_text():
                        locked.append(int(process))
    return sorted(set(locked or others))


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: there is either the old file or the new one, and no partial file.

    If the path is a symbolic link, its target is replaced.
    """
    path = path.resolve()
    half = path.with_suffix(f".{os.getpid()}")
    try:
        half.write_bytes(data)
        half.replace(path)
    except BaseException:  # for example a full disk
        half.unlink(missing_ok=True)
        raise


def append_line(path: Path, line: bytes) -> None:
    """Append a whole line to a file, or nothing; the file is created if necessary.

    A partial line at the end, from a program that was killed, is removed first.

    Raises:
        OSError: The line could not be written, for example because the disk is full. The file is as
            it was before.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags, 0o644)
    try:
        cut_partial_line(file)
        append_whole(file, line)
    finally:
        os.close(file)


def append_whole(file: int, data: bytes) -> None:
    """Append data to an open file; after an error, remove the part that was written."""
    end = os.lseek(file, 0, os.SEEK_END)
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, end)
        raise


def cut_partial_line(file: int) -> None:
    """Remove a partial line from the end of an open file."""
    end = size = os.lseek(file, 0, os.SEEK_END)
    while end:
        start = max(0, end - (1 << 16))
        newline = read_at(file, start, end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)


def read_at(file: int, start: int, count: int) -> bytes:
    """Read once from a position; os.pread is not available everywhere, and writes always append."""
    os.lseek(file, start, os.SEEK_SET)
    return os.read(file, count)
