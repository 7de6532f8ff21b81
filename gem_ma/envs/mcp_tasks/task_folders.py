"""MCPTaskFolders: tasks of your own over any MCP server, in the layout of MCPMark."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gem_ma.envs.mcp_tasks.server_game import PLACEHOLDER, MCPServerGame
from gem_ma.envs.mcp_tasks.verification import run_verifier


class FolderTask(NamedTuple):
    """A task of a folder: its names, its instruction, and the script that verifies it."""

    category_id: str
    task_id: str
    instruction: str
    script: Path

    @property
    def name(self) -> str:
        """The name as CATEGORY/TASK."""
        return f"{self.category_id}/{self.task_id}"


def read_task_folders(root: Path, only: str = "all") -> list[FolderTask]:
    """Return the tasks below a folder, sorted by name.

    A task is a folder with `description.md`, the instruction, and `verify.py`. The file
    `meta.json` may name them (`category_id`, `task_id`); else the folders do.

    Args:
        root: the folder.
        only: "all", a category, or CATEGORY/TASK.
    """
    tasks = []
    for page in sorted(root.rglob("description.md")):
        script = page.with_name("verify.py")
        if not script.is_file():
            continue
        names = {"category_id": page.parent.parent.name, "task_id": page.parent.name}
        meta = page.with_name("meta.json")
        if meta.is_file():
            names.update(_read_meta(meta))
        instruction = page.read_text(encoding="utf-8")
        tasks.append(FolderTask(**names, instruction=instruction, script=script))
    if not tasks:
        raise FileNotFoundError(
            f"tasks={str(root)!r}: expected a folder with CATEGORY/TASK/description.md and "
            "verify.py beside it, found none"
        )
    chosen = [task for task in tasks if only in ("all", task.category_id, task.name)]
    if not chosen:
        categories = ", ".join(sorted({task.category_id for task in tasks}))
        raise ValueError(f"only={only!r}: expected 'all', CATEGORY/TASK or one of {categories}")
    return sorted(chosen, key=lambda task: task.name)


def _read_meta(file: Path) -> dict[str, str]:
    try:
        meta = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not valid JSON: {error}") from None
    if not isinstance(meta, dict):
        raise ValueError(f"{file}: expected an object, got {type(meta).__name__}")
    return {name: str(meta[name]) for name in ("category_id", "task_id") if name in meta}


class MCPTaskFolders(MCPServerGame):
    """Tasks of a folder in MCPMark's layout, over the server that a command starts.

    Args:
        tasks: the folder with CATEGORY/TASK/description.md and verify.py.
        server: the command that starts the server, as a list or a line; `{workspace}` in it stands
            for the folder of an episode.
        files: a folder with the files of each category, CATEGORY/..., with which a task begins;
            None: it begins with an empty folder.
        only: "all", a category, or CATEGORY/TASK.
        max_calls: the number of tool calls in an episode.
        variables: names of environment variables that the server gets, besides PATH and HOME.
        sandboxed: whether `verify.py` runs in the sandbox, with copies of the files. Scripts that
            ask a database or a web service need False.
    """

    def __init__(
        self,
        tasks: str | os.PathLike[str],
        server: str | Sequence[str],
        files: str | os.PathLike[str] | None = None,
        only: str = "all",
        max_calls: int = 100,
        variables: Sequence[str] = (),
        sandboxed: bool = True,
    ):
        super().__init__(max_calls, timeout=60.0)
        self.command = shlex.split(server) if isinstance(server, str) else list(server)
        if not self.command:
            raise ValueError(f"server={server!r}: expected a command with {PLACEHOLDER} in it")
        self.task_list = read_task_folders(Path(tasks).expanduser(), only)
        self.files = None if files is None else Path(files).expanduser()
        if self.files is not None and not self.files.is_dir():
            raise FileNotFoundError(f"files={str(files)!r}: there is no such folder")
        if missing := [name for name in variables if name not in os.environ]:
            raise ValueError(f"variables: {', '.join(missing)} is not set")
        self.server_env = {name: os.environ[name] for name in variables}
        self.sandboxed = sandboxed

    def choose_task(self, seed, wanted):
        tasks = self.task_list
        if wanted is None:
            return tasks[seed % len(tasks)]
        if type(wanted) is int and 0 <= wanted < len(tasks):
            return tasks[wanted]
        for task in tasks:
            if task.name == wanted:
                return task
        raise ValueError(
            f"task={wanted!r}: expected 0 to {len(tasks) - 1}, or a name such as {tasks[0].name!r}"
        )

    def tell_task(self, task):
        return task.instruction

    def name_task(self, task):
        return task.name

    def prepare_folder(self, task, folder):
        if self.files is None:
            return
        source = self.files / task.category_id
        if not source.is_dir():
            raise FileNotFoundError(f"{task.name} begins with {source}, which is no folder")
        shutil.copytree(source, folder, symlinks=True, dirs_exist_ok=True)

    def grade_folder(self, task, folder):
        return run_verifier(task.script, folder, sandboxed=self.sandboxed)
