"""Problem: a generated task of a terminal, with its files, its goals and a solution."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from gem_ma.envs.terminal.file_tree import FileEntry, FileTree
from gem_ma.envs.terminal.git_repository import keep_history
from gem_ma.envs.terminal.machine import CHECK_ROOT, CHECK_SECONDS, ROOT, run_command
from gem_ma.validation.untrusted_json import parse_json

T = TypeVar("T")
NO_FILES = FileTree()


class Goal(Protocol):
    """A condition on the files that are left."""

    def holds(self, tree: FileTree) -> bool:
        """Return whether the files meet this condition."""
        ...


@dataclass(frozen=True, slots=True)
class Problem:
    """A task: what a seat is told, its files, the goals, and commands that reach them."""

    brief: str
    tree: FileTree
    goals: tuple[Goal, ...]
    solution: tuple[str, ...]

    def is_solved(self, tree: FileTree) -> bool:
        """Return whether all goals hold."""
        return all(goal.holds(tree) for goal in self.goals)


@dataclass(frozen=True, slots=True)
class FileText:
    """A file has this text; spaces at the ends of lines and of the text do not count."""

    path: str
    text: str

    def holds(self, tree: FileTree) -> bool:
        content = tree.read(self.path)
        return content is not None and _strip_lines(_decode(content)) == _strip_lines(self.text)


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file has exactly this content."""

    path: str
    content: bytes

    def holds(self, tree: FileTree) -> bool:
        return tree.read(self.path) == self.content


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """A folder has exactly these files and links, with paths relative to it, at any depth."""

    folder: str
    paths: tuple[str, ...]

    def holds(self, tree: FileTree) -> bool:
        entry = tree.find(self.folder) if self.folder else FileEntry("folder", 0o755, 0)
        start = len(self.folder) + 1 if self.folder else 0
        found = [
            path[start:]
            for path in tree.list_below(self.folder)
            if (one := tree.find(path)) is not None and one.kind != "folder"
        ]
        return entry is not None and entry.kind == "folder" and found == sorted(self.paths)


@dataclass(frozen=True, slots=True)
class NoPath:
    """Nothing has this path."""

    path: str

    def holds(self, tree: FileTree) -> bool:
        return tree.find(self.path) is None


@dataclass(frozen=True, slots=True)
class FileMode:
    """A file or folder has these permissions."""

    path: str
    mode: int

    def holds(self, tree: FileTree) -> bool:
        entry = tree.find(self.path)
        return entry is not None and entry.kind != "link" and entry.mode == self.mode


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A symbolic link leads to a path of the task's folder, relative or absolute."""

    path: str
    target: str

    def holds(self, tree: FileTree) -> bool:
        entry = tree.find(self.path)
        if entry is None or entry.kind != "link":
            return False
        target = _decode(entry.content)
        parts = [] if target.startswith("/") else self.path.split("/")[:-1]
        for part in target.removeprefix(f"/{ROOT}/").split("/"):
            if part == "..":
                if not parts:
                    return False
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return "/".join(parts) == self.target


@dataclass(frozen=True, slots=True)
class JSONValue:
    """A file is JSON with this value; whole numbers equal floats, and decimals are nearly equal."""

    path: str
    value: str  # as JSON

    def holds(self, tree: FileTree) -> bool:
        try:
            found = parse_json(tree.read(self.path) or b"")
        except ValueError:
            return False
        return _are_equal(found, json.loads(self.value))


@dataclass(frozen=True, slots=True)
class CommandPrints:
    """A command prints this text on its standard output, in a copy of the folder.

    `files` are further files, below /check, that the model never saw.
    """

    command: str
    text: str
    files: FileTree = NO_FILES
    repository: bool = False  # only the history in .git counts, not its settings

    def holds(self, tree: FileTree) -> bool:
        if self.repository:
            tree = keep_history(tree)
        result = run_command(
            f"({self.command}\n) 2>/dev/null",
            {ROOT: tree, CHECK_ROOT: self.files},
            f"/{ROOT}",
            seconds=CHECK_SECONDS,
        )
        return not result.stopped and _strip_lines(result.output) == _strip_lines(self.text)


class Draw:
    """Random choices for a problem, and its difficulty from 0 to 10."""

    def __init__(self, rng: np.random.Generator, difficulty: int):
        self.rng, self.difficulty = rng, difficulty

    def number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return int(self.rng.integers(low, high + 1))

    def scale(self, low: int, high: int) -> int:
        """Return a number that grows with the difficulty from `low` to `high`."""
        return low + round((high - low) * self.difficulty / 10)

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Return `count` different options in random order."""
        return [options[place] for place in self.rng.permutation(len(options))[:count].tolist()]

    def chance(self, share: float) -> bool:
        """Return whether an event of this probability happens."""
        return bool(self.rng.random() < share)


def to_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table as CSV; no value needs quotes."""
    return lines([",".join(map(str, row)) for row in (columns, *rows)])


def lines(items: Sequence[object]) -> str:
    """Return items as a text with one in each line."""
    return "".join(f"{item}\n" for item in items)


def texts(files: Mapping[str, str]) -> tuple[FileText, ...]:
    """Return the goals that each of these files has its text."""
    return tuple([FileText(path, text) for path, text in files.items()])


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _strip_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _are_equal(found: object, value: object) -> bool:
    if isinstance(value, dict):
        return (
            isinstance(found, dict)
            and found.keys() == value.keys()
            and all(_are_equal(found[key], one) for key, one in value.items())
        )
    if isinstance(value, list):
        return (
            isinstance(found, list)
            and len(found) == len(value)
            and all(map(_are_equal, found, value))
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = isinstance(found, int | float) and not isinstance(found, bool)
        return number and math.isclose(float(str(found)), value, rel_tol=1e-9, abs_tol=1e-9)
    return type(found) is type(value) and found == value
