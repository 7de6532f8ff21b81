"""Harbor's task folders: task.toml, instruction.md, environment/, tests/ and solution/."""

from __future__ import annotations

import json
import math
import posixpath
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gem_ma.envs.terminal.file_tree import FileEntry, FileTree, check_tree, make_file
from gem_ma.envs.terminal.game import LONGEST
from gem_ma.envs.terminal.machine import run_command
from gem_ma.validation.json_types import JSONObject
from gem_ma.validation.untrusted_json import parse_json

IGNORED = ("CMD", "ENTRYPOINT", "EXPOSE", "FROM", "LABEL", "MAINTAINER", "USER")
SYSTEM = "bin boot dev etc lib lib64 proc root run sbin sys tmp usr var".split()  # noqa: SIM905  words are read more easily
OWN = ("logs", "solution", "tests")  # roots that the tests use
_INSTALLS = re.compile(
    r"(?:^|[\s;&|(])(apk|apt|apt-get|cargo|conda|curl|dnf|gem|git clone|go get|npm|pip|pip3|uv|uvx"
    r"|wget|yum)(?=\s)"
)


class UnsupportedTask(ValueError):
    """A task of Harbor that cannot run without a container."""


@dataclass(frozen=True, slots=True)
class HarborTask:
    """A task, with its files at the start."""

    name: str
    instruction: str
    workdir: str
    trees: tuple[tuple[str, FileTree], ...]
    environment: tuple[tuple[str, str], ...]
    tests: FileTree
    test_environment: tuple[tuple[str, str], ...]
    test_seconds: float
    solution: str  # the text of solve.sh


def find_task_folders(folder: Path) -> list[Path]:
    """Return the tasks in a folder, sorted by name; the folder may be a task itself."""
    found = [folder] if (folder / "task.toml").is_file() else []
    found = found or sorted(path.parent for path in folder.glob("*/task.toml"))
    if not found:
        old = any(folder.glob("**/task.yaml"))
        hint = "; task.yaml is an older format: harbor task migrate converts it" if old else ""
        raise ValueError(f"folder={str(folder)!r}: no task.toml in it or in its folders{hint}")
    return found


def load_task(folder: Path) -> HarborTask:
    """Return a task, or raise UnsupportedTask."""
    name = folder.name
    try:
        return _load_task(folder)
    except UnsupportedTask as error:
        raise UnsupportedTask(
            f"the task {name} needs a container, which gem_ma does not start: {error}"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"the task {name} cannot be read: {error}") from error


def _load_task(folder: Path) -> HarborTask:
    config = tomllib.loads((folder / "task.toml").read_text("utf-8"))
    settings = _get_table(config, "environment")
    for key, what in (("gpus", "GPUs"), ("mcp_servers", "MCP servers"), ("tpu", "a TPU")):
        if settings.get(key):
            raise UnsupportedTask(f"task.toml asks for {what}")
    if config.get("steps"):
        raise UnsupportedTask("it has several steps")
    tests = _read_folder(folder / "tests")
    script = tests.read("test.sh")
    if script is None:
        raise UnsupportedTask("tests/test.sh is missing")
    _refuse_installs("tests/test.sh", script.decode("utf-8", "replace"))
    build = _Build(folder / "environment", str(settings.get("workdir") or "/app"))
    build.run_dockerfile()
    solution = folder / "solution" / "solve.sh"
    verifier = _get_table(config, "verifier")
    return HarborTask(
        folder.name,
        (folder / "instruction.md").read_text("utf-8").strip(),
        build.workdir,
        tuple(sorted(build.trees.items())),
        tuple({**build.environment, **_get_texts(settings)}.items()),
        tests,
        tuple(_get_texts(verifier).items()),
        min(float(verifier.get("timeout_sec", 600)), 600.0),
        solution.read_text("utf-8")[:LONGEST] if solution.is_file() else "",
    )


def read_reward(task: HarborTask, trees: Mapping[str, FileTree]) -> tuple[float, str]:
    """Run the tests of a task on the files that are left; return the reward and their output.

    Without a finite number in /logs/verifier, the reward is 0: what a model left may have stopped
    the tests.
    """
    logs = FileTree.of({"verifier": None, "agent": None, "artifacts": None})
    result = run_command(
        "bash /tests/test.sh",
        {**trees, "tests": task.tests, "logs": logs},
        task.workdir,
        seconds=task.test_seconds,
        environment={**dict(task.environment), **dict(task.test_environment)},
    )
    logs = result.trees["logs"]
    text = logs.read("verifier/reward.json") or logs.read("verifier/reward.txt") or b""
    try:
        found = parse_json(text.strip())
        if isinstance(found, dict):
            found = found["reward"]
        reward = float(found)
    except (ValueError, KeyError, TypeError):
        reward = 0.0
    return (reward if math.isfinite(reward) else 0.0), result.output


@dataclass
class _Build:
    """The files that a Dockerfile makes."""

    context: Path
    workdir: str
    trees: dict[str, FileTree] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def run_dockerfile(self) -> None:
        """Follow the instructions, or raise UnsupportedTask."""
        for name in ("docker-compose.yaml", "docker-compose.yml"):
            if (self.context / name).exists():
                raise UnsupportedTask(f"environment/{name} starts several containers")
        file = self.context / "Dockerfile"
        self.make_folder(self.workdir)
        for line in _join_lines(file.read_text("utf-8")) if file.is_file() else ():
            word, _, rest = line.partition(" ")
            self.run_instruction(word.upper(), rest.strip(), line)
        for root, tree in self.trees.items():
            try:
                check_tree(tree)
            except ValueError as error:
                raise UnsupportedTask(f"/{root}: {error}") from None

    def run_instruction(self, word: str, rest: str, line: str) -> None:
        if word == "WORKDIR":
            self.workdir = posixpath.join(self.workdir, rest)
            self.make_folder(self.workdir)
        elif word == "ENV":
            pairs = shlex.split(rest) if "=" in rest else [rest.replace(" ", "=", 1)]
            self.environment |= {one.split("=", 1)[0]: one.partition("=")[2] for one in pairs}
        elif word in ("COPY", "ADD"):
            self.copy_files(rest, line)
        elif word == "RUN":
            self.run(rest, line)
        elif word not in IGNORED:
            raise UnsupportedTask(f"environment/Dockerfile: {line[:80]}")

    def run(self, command: str, line: str) -> None:
        """Run a command as the build does."""
        _refuse_installs("environment/Dockerfile", command)
        result = run_command(command, self.trees, self.workdir, environment=self.environment)
        if result.exit_code:
            raise UnsupportedTask(
                f"environment/Dockerfile: {line[:80]}: {result.output.strip()[-200:]}"
            )
        self.trees = dict(result.trees)

    def copy_files(self, rest: str, line: str) -> None:
        """Copy files of the folder environment."""
        try:
            words = json.loads(rest) if rest.startswith("[") else shlex.split(rest)
        except ValueError:
            words = []
        words = [word for word in words if not str(word).startswith("--chown=")]
        if len(words) < 2 or any("://" in word or word.startswith(("--", "<")) for word in words):
            raise UnsupportedTask(f"environment/Dockerfile: {line[:80]}")
        *sources, to = words
        place = posixpath.normpath(posixpath.join(self.workdir, to))
        into = len(sources) > 1 or to.endswith(("/", ".")) or self.is_folder(place)
        for source in sources:
            paths = sorted(self.context.glob(source.removeprefix("./").strip("/") or "."))
            if not paths:
                raise UnsupportedTask(f"environment/Dockerfile: there is no {source}")
            for path in paths:
                if path.is_dir():
                    self.add_files(place, _read_folder(path))
                else:
                    name = path.name if into or len(paths) > 1 else posixpath.basename(place)
                    parent = place if into or len(paths) > 1 else posixpath.dirname(place)
                    self.add_files(parent, FileTree(((name, _read_file(path)),)))

    def add_files(self, place: str, files: FileTree) -> None:
        """Put files into a folder."""
        self.make_folder(place)
        root, _, below = place.strip("/").partition("/")
        start = f"{below}/" if below else ""
        entries: dict[str, str | bytes | FileEntry | None] = dict(self.trees[root].entries)
        entries |= {start + path: entry for path, entry in files.entries}
        self.trees[root] = FileTree.of(entries)

    def make_folder(self, place: str) -> None:
        """Make a folder, and the folders above it."""
        root, _, below = posixpath.normpath(place).strip("/").partition("/")
        if not root or root in SYSTEM or root in OWN or not re.fullmatch(r"[\w-]{1,64}", root):
            raise UnsupportedTask(f"it uses the folder {place}; folders such as /app can be made")
        tree = self.trees.setdefault(root, FileTree())
        if below and tree.find(below) is None:
            self.trees[root] = FileTree.of({**dict(tree.entries), below: None})

    def is_folder(self, place: str) -> bool:
        """Return whether this path is a folder."""
        root, _, below = place.strip("/").partition("/")
        entry = self.trees[root].find(below) if root in self.trees and below else None
        return (root in self.trees and not below) or (entry is not None and entry.kind == "folder")


def _join_lines(text: str) -> Iterator[str]:
    """Yield the instructions of a Dockerfile, without comments."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    yield from (line.strip() for line in joined.splitlines() if line.strip())


def _refuse_installs(where: str, text: str) -> None:
    if found := _INSTALLS.search(text):
        raise UnsupportedTask(f"{where} uses {found[1]}, and there is no network")


def _get_table(config: JSONObject, name: str) -> JSONObject:
    table = config.get(name, {})
    return table if isinstance(table, dict) else {}


def _get_texts(table: JSONObject) -> dict[str, str]:
    return {str(name): str(value) for name, value in _get_table(table, "env").items()}


def _read_folder(folder: Path) -> FileTree:
    files: dict[str, str | bytes | FileEntry | None] = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        place = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise UnsupportedTask(f"{place} is a symbolic link")
        files[place] = None if path.is_dir() else _read_file(path)
    return FileTree.of(files)


def _read_file(path: Path) -> FileEntry:
    if path.is_symlink():
        raise UnsupportedTask(f"{path.name} is a symbolic link")
    return make_file(path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
