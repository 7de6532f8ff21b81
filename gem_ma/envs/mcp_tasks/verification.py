"""Grading of the files that a task left, by a script that exits with 0 if they are right."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gem_ma.envs.mcp_tasks.server_game import TaskGrade
from gem_ma.sandbox import Sandbox

FOLDER_VARIABLE = "FILESYSTEM_TEST_DIR"  # the name by which MCPMark's scripts find the folder
_MAX_SIZE = 64 * 2**20  # bytes of all files together, in the sandbox
_MAX_FILES = 10_000
_SANDBOX_SECONDS = 60.0
_PROCESS_SECONDS = 300.0  # outside, where scripts ask databases and web services
_MAX_REASON = 300  # characters of a script's output that a grade quotes

# The script runs beside the other files of its task, and reads a copy of the folder.
_RUNNER = """
import json, os, runpy, sys
root = os.path.abspath("workspace")
os.makedirs(root, exist_ok=True)
with open("entries.json", encoding="utf-8") as file:
    entries = json.load(file)
for name in entries["folders"]:
    os.makedirs(os.path.join(root, name), exist_ok=True)
for name, time in entries["times"].items():
    os.utime(os.path.join(root, name), ns=(time, time))
os.environ[{variable!r}] = root
script = os.path.join("task", {script!r})
sys.argv = [script]
sys.path.insert(0, "task")
runpy.run_path(script, run_name="__main__")
"""


class UnreadableFolder(ValueError):
    """The files that were left are too many or too large to be graded, or cannot be read."""


def run_verifier(script: Path, folder: Path, *, sandboxed: bool = True) -> TaskGrade:
    """Return 1 if a script exits with 0 over the files of a folder, else 0 with its last line.

    Args:
        script: the script; it may read the other files of its own folder.
        folder: the files to grade.
        sandboxed: whether the script runs in the sandbox, over copies of the files. If not, it runs
            as a program of this user, with this process's environment variables and network.
    """
    if not sandboxed:
        return _run_as_process(script, folder)
    try:
        files = {f"task/{name}": data for name, data, _ in _read_files(script.parent)}
        times = {}
        for name, data, time in _read_files(folder):
            files[f"workspace/{name}"] = data
            times[name] = time
        folders = [
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if path.is_dir() and not path.is_symlink()
        ]
    except UnreadableFolder as error:
        return TaskGrade(0.0, str(error))
    entries = {"folders": folders, "times": times}
    files["entries.json"] = json.dumps(entries).encode()
    code = _RUNNER.format(variable=FOLDER_VARIABLE, script=script.name)
    result = _open_sandbox().run(code, files=files)
    if result.ok:
        return TaskGrade(1.0)
    if result.reason:
        return TaskGrade(0.0, f"{script.name} was ended: {result.reason}")
    return TaskGrade(0.0, _find_reason(result.stdout, result.stderr))


@functools.cache
def _open_sandbox() -> Sandbox:
    return Sandbox(seconds=_SANDBOX_SECONDS, file_size=3 * _MAX_SIZE, output=2**20)


def _read_files(folder: Path) -> Iterator[tuple[str, bytes, int]]:
    """Yield name, contents and time of each file below a folder; links are left out."""
    size = 0
    for number, path in enumerate(sorted(folder.rglob("*"))):
        if number >= _MAX_FILES:
            raise UnreadableFolder(f"more than {_MAX_FILES} files and folders")
        if path.is_symlink() or not path.is_file() or "__pycache__" in path.parts:
            continue
        size += path.stat().st_size
        if size > _MAX_SIZE:
            raise UnreadableFolder(f"files of more than {_MAX_SIZE} bytes together")
        name = path.relative_to(folder).as_posix()
        try:
            yield name, path.read_bytes(), path.stat().st_mtime_ns
        except OSError as error:
            raise UnreadableFolder(f"{name} cannot be read: {error.strerror}") from error


def _run_as_process(script: Path, folder: Path) -> TaskGrade:
    try:
        done = subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, FOLDER_VARIABLE: str(folder)},
            cwd=script.parent,
            capture_output=True,
            check=False,
            timeout=_PROCESS_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return TaskGrade(0.0, f"{script.name} was ended: timeout")
    if done.returncode == 0:
        return TaskGrade(1.0)
    texts = [data.decode("utf-8", "replace") for data in (done.stdout, done.stderr)]
    return TaskGrade(0.0, _find_reason(*texts))


def _find_reason(stdout: str, stderr: str) -> str:
    """Return the last lines that a script printed."""
    lines = [line for text in (stdout, stderr) for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-3:])[-_MAX_REASON:] or "the verifier failed and did not say why"
