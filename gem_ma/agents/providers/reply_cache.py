"""A cache on disk of servers' answers, one file for each request."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gem_ma.validation.files import write_atomically
from gem_ma.validation.untrusted_json import parse_json

MAX_CACHE_SIZE = 1 << 30
_KEEP = 0.9  # share of the maximum size that remains when old files are removed
_NAME = re.compile(r"[0-9a-f]{64}")
_MAX_HEAD = 500  # bytes of the first line
_log = logging.getLogger(__name__)


class CachedAnswer(NamedTuple):
    """The bytes of a server's answer, and the seconds that it took."""

    content: bytes
    latency: float


def make_cache_key(request: Mapping[str, object]) -> str:
    """Return the key of a request: a hash of everything that decides its answer."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=True, default=_name_value)
    return hashlib.sha256(text.encode()).hexdigest()


def _name_value(value: Any) -> str:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    raise TypeError(
        f"a request with {type(value).__name__} cannot be cached: expected JSON values in body="
    )


class ReplyCache:
    """A folder of answers; files that are damaged, or no files of it, count as missing.

    Several processes may share a folder. If it grows beyond its size, the files that were not used
    for the longest time are removed.

    Args:
        folder: The folder, which is made if it is missing.
        max_size: Bytes of all files together.
    """

    def __init__(self, folder: str | os.PathLike[str], max_size: int = MAX_CACHE_SIZE):
        self.folder = Path(folder)
        self.max_size = max_size
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._size = sum(size for _, size, _ in self._list_files())
        self._failed = False

    def load(self, key: str) -> CachedAnswer | None:
        """Return the answer for a key, or None if there is none or its file is damaged."""
        path = self._find_path(key)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
                head = file.readline(_MAX_HEAD)
                content = file.read(self.max_size + 1)
            os.utime(path)  # the time of its last use
        except OSError:
            return None
        try:
            about = parse_json(head.decode())
        except ValueError:
            return None
        if not isinstance(about, dict) or about.get("key") != key:
            return None
        latency = about.get("latency")
        if about.get("sha256") != hashlib.sha256(content).hexdigest():
            return None
        return CachedAnswer(content, float(latency) if isinstance(latency, int | float) else 0.0)

    def store(self, key: str, answer: CachedAnswer) -> None:
        """Keep an answer; a folder that cannot be written is reported once, and raises nothing."""
        path = self._find_path(key)
        digest = hashlib.sha256(answer.content).hexdigest()
        about = {"key": key, "sha256": digest, "latency": answer.latency}
        data = json.dumps(about).encode() + b"\n" + answer.content
        if len(data) > self.max_size * (1 - _KEEP):
            return  # would remove many others
        with self._lock:
            try:
                path.parent.mkdir(exist_ok=True)
                write_atomically(path, data)
            except OSError as error:  # the answer was paid for, and the episode goes on
                if not self._failed:
                    _log.warning("the cache %s cannot be written: %s", self.folder, error)
                self._failed = True
                return
            self._size += len(data)
            if self._size > self.max_size:
                self._remove_oldest()

    def _find_path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _list_files(self) -> list[tuple[float, int, Path]]:
        """Return the time of last use, the size and the path of each file."""
        found = []
        for path in self.folder.glob("[0-9a-f][0-9a-f]/*"):
            if _NAME.fullmatch(path.name):
                with contextlib.suppress(OSError):  # another process has removed it
                    status = path.lstat()
                    found.append((status.st_mtime, status.st_size, path))
        return found

    def _remove_oldest(self) -> None:
        files = sorted(self._list_files())
        self._size = sum(size for _, size, _ in files)
        for _, size, path in files:
            if self._size <= self.max_size * _KEEP:
                return
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            self._size -= size
