"""MCPMarkEnv: the tasks of MCPMark over its file server, with the names of GEM's arguments."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, SupportsInt

from gem_ma.game import ResetOptions
from gem_ma.gem.core import ResetResult, StepResult
from gem_ma.gem.envs.env_factory import make_env
from gem_ma.gem.single_seat_env import SingleSeatEnv
from gem_ma.validation.json_types import JSONObject

TASKS_VARIABLE = "MCPMARK_TASKS"  # the folder tasks/ of a clone of MCPMark
FILES_VARIABLE = "FILESYSTEM_TEST_ROOT"  # MCPMark's name of the folder with the files of categories
_SERVERS = {"filesystem": "npx -y @modelcontextprotocol/server-filesystem {workspace}"}


class TaskStateManager:
    """What scripts for GEM ask of MCPMark about the running task."""

    def __init__(self, env: MCPMarkEnv):
        self._env = env

    def get_service_config_for_agent(self) -> dict[str, str]:
        """Return the folder of the running task, as `test_directory`; before `reset`, nothing."""
        if not self._env.has_begun:
            return {}
        core: Any = self._env.env.core
        return {"test_directory": str(core.game.find_folder(core.match.state))}


class MCPMarkEnv(SingleSeatEnv):
    """The environment `mcp:Tasks` over a service of MCPMark; the tools are part of it.

    Args:
        mcp_service: a folder of MCPMark's `tasks/`, which the variable MCPMARK_TASKS names.
        tasks: "all", a category, or CATEGORY/TASK.
        seed: stored only, as in GEM: a `reset` without a seed takes the next task in order.
        server: the command of the server; None: that of MCPMark for "filesystem".
        files: the folder with the files of each category; None: the variable FILESYSTEM_TEST_ROOT
            names it, or tasks begin with an empty folder.
        task_suite: "standard" or "easy".
    """

    def __init__(
        self,
        mcp_service: str,
        tasks: str = "all",
        seed: int | None = 42,
        *,
        server: str | Sequence[str] | None = None,
        files: str | os.PathLike[str] | None = None,
        task_suite: str = "standard",
    ):
        root = os.environ.get(TASKS_VARIABLE)
        if not root:
            raise ValueError(
                f"mcp_service={mcp_service!r}: set {TASKS_VARIABLE} to the folder tasks/ of a "
                "clone of https://github.com/eval-sys/mcpmark"
            )
        if server is None and mcp_service not in _SERVERS:
            raise ValueError(
                f"mcp_service={mcp_service!r}: expected 'filesystem', or server= with the command "
                "of its server"
            )
        arguments: JSONObject = {
            "tasks": str(Path(root, mcp_service, task_suite)),
            "server": server or _SERVERS[mcp_service],
            "files": files or os.environ.get(FILES_VARIABLE),
            "only": tasks,
        }
        options: JSONObject = {"tasks": tasks, "seed": seed, "task_suite": task_suite}
        options |= {"server": server, "files": files}
        super().__init__(
            make_env("mcp:Tasks", arguments),
            seed=seed,
            again=functools.partial(MCPMarkEnv, mcp_service, **options),
        )
        self.mcp_service = mcp_service
        self.task_list = list(self._game.task_list)
        self.task_size = len(self.task_list)
        self.current_task: Any = None
        self.state_manager = TaskStateManager(self)
        self.has_begun = False
        self._next = 0

    @property
    def _game(self) -> Any:
        return self.env.core.game

    def reset(
        self,
        seed: int | None = None,
        idx: int | None = None,
        *,
        options: ResetOptions | None = None,
    ) -> ResetResult:
        """Begin the next task, number `idx` of the tasks, or that of a seed."""
        if seed is None and idx is None and not options:
            idx = self._next
            self._next = (self._next + 1) % self.task_size
        if idx is not None:
            options = {"task": idx}
        observation, info = super().reset(seed=seed, options=options)
        self.has_begun = True
        line = self.env.core.match.state.line
        self.current_task = self._game.choose_task(line.seed, line.options.get("task"))
        tools = "\n".join(json.dumps(tool) for tool in self._game.tools(self.agent))
        task_name = f"{self.current_task.category_id}__{self.current_task.task_id}"
        return f"{observation}\n<tools>\n{tools}\n</tools>", {**info, "task_name": task_name}

    def step(self, action: str | SupportsInt) -> StepResult:
        """Call tools, or end the task with a reply without a call."""
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated:
            info = {**info, "correct": reward == 1}
        return observation, reward, terminated, truncated, info
