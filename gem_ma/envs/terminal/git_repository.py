"""Repositories of git, made without git: the same history has the same hashes everywhere."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gem_ma.envs.terminal.file_tree import EPOCH, FileEntry, FileTree

_WHO = "Ben <ben@example.org>"
_HEAD = b"ref: refs/heads/main\n"
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
# Of a model's repository, a check keeps these: settings and hooks could change what git prints.
_HISTORY = ("HEAD", "index", "objects", "refs", "packed-refs")


@dataclass
class Repository:
    """A repository in the making: commits are added, then `files` returns the .git folder."""

    files: dict[str, bytes] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    commits: int = 0

    def commit(
        self, message: str, files: Mapping[str, str], branch: str = "main", parent: str = ""
    ) -> str:
        """Add a commit with exactly these files to a branch, and return its hash.

        Args:
            parent: The hash of the commit before it; "": the newest of the branch.
        """
        blobs = {path: self._add("blob", text.encode()) for path, text in files.items()}
        tree = self._add_tree(blobs)
        before = parent or self.branches.get(branch, "")
        self.commits += 1
        when = f"{_WHO} {EPOCH - 86_400 * 30 + 3600 * self.commits} +0000"
        head = f"tree {tree}\n" + (f"parent {before}\n" if before else "")
        text = f"{head}author {when}\ncommitter {when}\n\n{message}\n"
        self.branches[branch] = self._add("commit", text.encode())
        return self.branches[branch]

    def make_entries(self, files: Mapping[str, str]) -> dict[str, bytes]:
        """Return the files of the folder .git, whose index has these files."""
        entries = {
            ".git/HEAD": _HEAD,
            ".git/config": _CONFIG,
            ".git/index": _make_index({path: text.encode() for path, text in files.items()}),
            **self.files,
        }
        for branch, commit in self.branches.items():
            entries[f".git/refs/heads/{branch}"] = f"{commit}\n".encode()
        return entries

    def _add(self, kind: str, content: bytes) -> str:
        data = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        self.files[f".git/objects/{name[:2]}/{name[2:]}"] = zlib.compress(data)
        return name

    def _add_tree(self, blobs: Mapping[str, str]) -> str:
        parts: dict[str, tuple[str, str]] = {}
        for path, blob in blobs.items():
            name, slash, _ = path.partition("/")
            if not slash:
                parts[name] = "100644", blob
            elif name not in parts:
                below = {
                    other[len(name) + 1 :]: one
                    for other, one in blobs.items()
                    if other.startswith(f"{name}/")
                }
                parts[name] = "40000", self._add_tree(below)
        content = b"".join(
            f"{mode} {name}\0".encode() + bytes.fromhex(parts[name][1])
            for name in sorted(
                parts, key=lambda one: f"{one}/" if parts[one][0] == "40000" else one
            )
            for mode in (parts[name][0],)
        )
        return self._add("tree", content)


def _make_index(files: Mapping[str, bytes]) -> bytes:
    """Return an index of version 2; git reads the files again, since it says nothing of times."""
    data = b"DIRC" + struct.pack(">II", 2, len(files))
    for path in sorted(files):
        name = path.encode()
        blob = f"blob {len(files[path])}\0".encode() + files[path]
        digest = hashlib.sha1(blob, usedforsecurity=False).digest()
        entry = struct.pack(">10I", *(0,) * 6, 0o100644, 0, 0, 0)
        entry += digest + struct.pack(">H", min(len(name), 0xFFF)) + name
        data += entry + b"\0" * (8 - len(entry) % 8)
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


def make_repository(
    repository: Repository, tracked: Mapping[str, str], files: Mapping[str, str | FileEntry]
) -> FileTree:
    """Return a tree with a repository and its files.

    Args:
        tracked: The files of the newest commit.
        files: The files in the folder.
    """
    entries = {**repository.make_entries(tracked), ".git/refs/tags": None, **files}
    return FileTree.of(entries)


def keep_history(tree: FileTree) -> FileTree:
    """Return a tree in which the repository has the settings of a new one."""
    place = ".git/"
    kept = []
    for path, entry in tree.entries:
        inside = path.removeprefix(place)
        is_history = inside.split("/")[0] in _HISTORY and not inside.startswith("objects/info/")
        if is_history or not path.startswith(place):
            kept.append((path, entry))
    kept.append((f"{place}config", FileEntry("file", 0o644, EPOCH, _CONFIG)))
    return FileTree(tuple(sorted(kept)))


def list_subjects(messages: Sequence[str]) -> str:
    """Return subjects of commits as `git log` prints them, the newest first."""
    return "".join(f"{message}\n" for message in reversed(messages))
