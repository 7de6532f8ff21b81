"""FileTree: the files of a task as a frozen value."""

from __future__ import annotations

import bisect
import difflib
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

EPOCH = 1_767_258_000  # 2026-01-01 09:00 UTC: when the files of a task were made
MAX_BYTES = 2 * 2**20  # of all files together
MAX_ENTRIES = 1000
MAX_PATH = 400  # characters
MAX_DIFF_LINES = 2000  # of a file whose changes are shown line by line


class FileEntry(NamedTuple):
    """A file, folder or symbolic link."""

    kind: str  # "file", "folder" or "link"
    mode: int
    time: int  # of its last change
    content: bytes = b""  # of a link: its target


def make_file(
    content: str | bytes = "", *, executable: bool = False, mode: int = 0, time: int = EPOCH
) -> FileEntry:
    """Return the entry of a file."""
    data = content.encode() if isinstance(content, str) else content
    return FileEntry("file", mode or (0o755 if executable else 0o644), time, data)


@dataclass(frozen=True, slots=True)
class FileTree:
    """Files by path, sorted; every folder above a file is an entry too."""

    entries: tuple[tuple[str, FileEntry], ...] = ()

    @classmethod
    def of(cls, files: Mapping[str, str | bytes | FileEntry | None]) -> FileTree:
        """Return a tree of files, from path to content; None is an empty folder."""
        entries: dict[str, FileEntry] = {}
        for path, content in files.items():
            parent = posixpath.dirname(path)
            while parent:
                entries.setdefault(parent, FileEntry("folder", 0o755, EPOCH))
                parent = posixpath.dirname(parent)
            if content is None:
                entries[path] = FileEntry("folder", 0o755, EPOCH)
            else:
                entries[path] = content if isinstance(content, FileEntry) else make_file(content)
        return cls(tuple(sorted(entries.items())))

    def find(self, path: str) -> FileEntry | None:
        """Return the entry of a path, or None."""
        place = bisect.bisect_left(self.entries, (path,))
        if place < len(self.entries) and self.entries[place][0] == path:
            return self.entries[place][1]
        return None

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None if there is no such file."""
        entry = self.find(path)
        return entry.content if entry is not None and entry.kind == "file" else None

    def list_below(self, folder: str, kind: str = "") -> list[str]:
        """Return the paths below a folder, all or those of one kind; "" is the top."""
        start = f"{folder}/" if folder else ""
        return [
            path
            for path, entry in self.entries
            if path.startswith(start) and kind in ("", entry.kind)
        ]


def check_tree(tree: FileTree) -> FileTree:
    """Return a tree whose paths are safe and whose size is allowed, or raise ValueError."""
    size = 0
    folders = {""}
    for path, entry in tree.entries:
        parts = path.split("/")
        if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise ValueError(f"{path[:80]!r} is no relative path")
        if len(path) > MAX_PATH:
            raise ValueError(f"a path has {len(path)} characters; at most {MAX_PATH} are kept")
        if posixpath.dirname(path) not in folders:
            raise ValueError(f"{path[:80]!r} is in no folder of the tree")
        if entry.kind == "folder":
            folders.add(path)
        size += len(entry.content)
    if len(tree.entries) > MAX_ENTRIES:
        raise ValueError(f"{len(tree.entries)} files; at most {MAX_ENTRIES} are kept")
    if size > MAX_BYTES:
        raise ValueError(f"{size:,} bytes in files; at most {MAX_BYTES:,} are kept")
    return tree


def diff_trees(before: FileTree, after: FileTree, limit: int = 6000) -> str:
    """Return the changes between two trees as a unified diff of at most `limit` characters."""
    old, new = dict(before.entries), dict(after.entries)
    parts: list[str] = []
    for path in sorted(old.keys() | new.keys()):
        a, b = old.get(path), new.get(path)
        if a is not None and b is not None and a.kind == b.kind and a.content == b.content:
            if a.mode != b.mode:
                parts.append(f"mode of {path}: {a.mode:o} -> {b.mode:o}")
            continue
        if "/.git/" in f"/{path}" or path == ".git":
            continue
        if a is None:
            parts.append(f"new {b.kind} {path}" if b is not None else "")
        elif b is None:
            parts.append(f"removed {a.kind} {path}")
        lines, new_lines = _split_lines(a), _split_lines(b)
        if max(len(lines), len(new_lines)) > MAX_DIFF_LINES:
            parts.append(f"changed {path}: {len(lines)} -> {len(new_lines)} lines")
            continue
        parts += difflib.unified_diff(
            lines, new_lines, f"before/{path}", f"after/{path}", lineterm=""
        )
    text = "\n".join(parts) or "(no file was changed)"
    cut = f"\n... ({len(text) - limit} more characters)" if len(text) > limit else ""
    return text[:limit] + cut


def _split_lines(entry: FileEntry | None) -> list[str]:
    if entry is None or entry.kind == "folder":
        return []
    if entry.kind == "link":
        return [f"-> {entry.content.decode('utf-8', 'replace')}"]
    if b"\0" in entry.content:
        return [f"({len(entry.content)} bytes)"]
    return entry.content.decode("utf-8", "replace").splitlines()
