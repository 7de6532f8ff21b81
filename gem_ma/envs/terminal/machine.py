"""The machine of a terminal: it runs one command on a tree of files, and returns the new tree."""

from __future__ import annotations

import base64
import functools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from gem_ma.envs.terminal.file_tree import (
    EPOCH,
    MAX_BYTES,
    MAX_ENTRIES,
    MAX_PATH,
    FileEntry,
    FileTree,
    check_tree,
)
from gem_ma.sandbox import RunResult, Sandbox
from gem_ma.validation.json_types import JSONObject
from gem_ma.validation.untrusted_json import parse_json

ROOT = "task"  # the folder of a task is /task
CHECK_ROOT = "check"  # the files of a check are in /check
SECONDS = 10.0  # of a command
CHECK_SECONDS = 30.0  # of a command of a check
ENVIRONMENT = MappingProxyType(
    {
        "USER": "sandbox",
        "LOGNAME": "sandbox",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PAGER": "cat",
        "EDITOR": ":",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
    }
)
_SOURCE = Path(__file__).with_name("harness.py")
_STOPPED = {
    "timeout": "The command was stopped: it took more than {seconds:g} seconds.",
    "output": "The command was stopped: its files are too large.",
    "memory": "The command was stopped: it needed too much memory.",
    "killed": "The command ended the terminal, which was started again.",
    "files": "The files cannot be kept: {why}.",
}


class CommandResult(NamedTuple):
    """The result of a command; if it was stopped, the trees are those from before."""

    output: str
    exit_code: int
    trees: Mapping[str, FileTree]
    folder: str  # the shell's last folder, such as "/task/src"
    stopped: bool = False


@functools.cache
def get_sandbox(links: tuple[str, ...] = (ROOT, CHECK_ROOT)) -> Sandbox:
    """Return the sandbox of this process for terminals; it needs level "namespaces"."""
    return Sandbox(
        "namespaces",
        seconds=SECONDS,
        memory=128 * 2**20,
        file_size=8 * 2**20,
        processes=24,
        output=6 * 2**20,
        workers=min(8, os.cpu_count() or 1),
        preload=("base64", "json", "subprocess"),
        commands=True,
        links=links,
    )


def run_command(
    command: str,
    trees: Mapping[str, FileTree],
    folder: str,
    *,
    turn: int = 0,
    seconds: float = SECONDS,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> CommandResult:
    """Run a command in a folder, with each tree below its own folder at the root."""
    now = EPOCH + 60 * (turn + 1)
    links = tuple(dict.fromkeys((ROOT, CHECK_ROOT, *sorted(trees))))
    variables = {
        **ENVIRONMENT,
        "HOME": f"/{ROOT if ROOT in trees else next(iter(trees))}",
        **environment,
        "GIT_AUTHOR_DATE": f"{now} +0000",
        "GIT_COMMITTER_DATE": f"{now} +0000",
    }
    job = {
        "command": command,
        "folder": folder,
        "seconds": seconds,
        "epoch": EPOCH,
        "now": now,
        "environment": variables,
        "roots": {root: _encode_tree(tree) for root, tree in trees.items()},
        "max_bytes": MAX_BYTES,
        "max_entries": MAX_ENTRIES,
        "max_path": MAX_PATH,
    }
    # The harness stops the command; the sandbox stops the harness, if it has to.
    result = get_sandbox(links).run(_read_source(), stdin=json.dumps(job), seconds=seconds + 3)
    return _parse_answer(result, trees, folder, seconds)


def _parse_answer(
    result: RunResult, trees: Mapping[str, FileTree], folder: str, seconds: float
) -> CommandResult:
    """Return the result in the harness's answer, which the command may have prevented or forged."""
    answer: JSONObject = {}
    reason = result.reason
    if not reason:
        try:
            answer = parse_json(result.stdout, size=None)
            reason = answer["reason"]
            output = base64.b64decode(answer["output"]).decode("utf-8", "replace")
            if not reason:
                new_trees = {root: _decode_tree(answer["roots"][root]) for root in trees}
                place = str(answer["folder"])
                exit_code = int(answer["code"])
                return CommandResult(
                    output, exit_code, new_trees, _find_folder(place, new_trees, folder)
                )
        except (ValueError, KeyError, TypeError, AttributeError):
            reason = "killed"
    text = _STOPPED.get(reason, _STOPPED["killed"])
    why = str(answer.get("why", ""))[:200] if isinstance(answer, dict) else ""
    message = f"{text.format(seconds=seconds, why=why)} All files are as before it."
    return CommandResult(message, 137, trees, folder, stopped=True)


def _find_folder(place: str, trees: Mapping[str, FileTree], before: str) -> str:
    """Return the folder of the next command: a folder of a tree, or the one from before."""
    for folder in (place, before):
        root, _, below = folder.removeprefix("/").partition("/")
        if root in trees:
            entry = trees[root].find(below) if below else None
            if not below or (entry is not None and entry.kind == "folder"):
                return folder
    return f"/{next(iter(trees))}"


def _encode_tree(tree: FileTree) -> list[list[object]]:
    return [
        [path, entry.kind, entry.mode, entry.time, base64.b64encode(entry.content).decode()]
        for path, entry in tree.entries
    ]


def _decode_tree(entries: object) -> FileTree:
    if not isinstance(entries, list):
        raise ValueError("expected a list of files")
    found: dict[str, FileEntry] = {}
    for path, kind, mode, time, content in entries:
        if not (isinstance(path, str) and kind in ("file", "folder", "link")):
            raise ValueError("expected files, folders and links")
        data = base64.b64decode(content)
        found[path] = FileEntry(kind, int(mode) & 0o777, int(time), data)
    return check_tree(FileTree(tuple(sorted(found.items()))))


@functools.cache
def _read_source() -> str:
    return _SOURCE.read_text()
