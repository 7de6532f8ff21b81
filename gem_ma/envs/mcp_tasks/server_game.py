"""The game of a task over an MCP server: the seat calls tools, and the files it leaves are graded.

Each episode has a folder of its own. The server works in it, and the grader reads it. Seats see the
folder as `/workspace`, so that texts do not depend on where it is.
"""

from __future__ import annotations

import abc
import functools
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from gem_ma.engine.action_parsing import parse_call_arguments, parse_tool_calls, replace_surrogates
from gem_ma.envs.bridges.live import Bridge, Output, Played
from gem_ma.game import InvalidMove, Message, clip_repr
from gem_ma.tools.mcp import MCPServer
from gem_ma.tools.tool import ToolError
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.validation.untrusted_json import parse_json

AGENT = "player"
SHOWN_FOLDER = "/workspace"  # the folder of an episode, as seats see it
PLACEHOLDER = "{workspace}"  # the folder of an episode, in the command of a server
_START_TIMEOUT = 120.0  # seconds; a command may first download its server
_LONGEST_RESULT = 20_000  # characters of a tool's result
_LONGEST_REPLY = 500_000  # characters; calls contain files

ToolRequest: TypeAlias = tuple[str, JSONMapping]
"""A call of a tool: its name and arguments."""


class TaskView(NamedTuple):
    """What a seat sees of a task: the instruction, and the results of its calls by tool."""

    instruction: str
    results: tuple[tuple[str, str], ...] = ()


class TaskGrade(NamedTuple):
    """The grade of the files that were left, from 0 to 1, and why it is not 1."""

    score: float
    reason: str = ""


class FolderServer:
    """A server that works in the folder of one episode at a time, through a link to the folder.

    Args:
        command: starts the server at its first call; `{workspace}` in it stands for the folder.
        env: environment variables of the server.
        timeout: the time limit of a call in seconds.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str], timeout: float):
        self._home = make_folder(self)
        self._link = self._home / "workspace"
        self._empty = self._home / "empty"
        self._empty.mkdir()
        self._lock = threading.Lock()
        self.pid = os.getpid()
        command = [part.replace(PLACEHOLDER, str(self._link)) for part in command]
        self._server = MCPServer(
            command, env=env, cwd=self._link, timeout=timeout, start_timeout=_START_TIMEOUT
        )

    def list_schemas(self) -> tuple[JSONMapping, ...]:
        """Return the tools of the server, as it shows them over an empty folder."""
        with self._lock:
            self._set_folder(self._empty)
            return tuple(tool.schema for tool in self._server.list_tools())

    def call(self, folder: Path, name: str, arguments: JSONMapping) -> str:
        """Return the result of a call in a folder, or "Error: " and why it failed."""
        arguments = _replace_paths(arguments, str(self._link))
        with self._lock:
            self._set_folder(folder)
            try:
                result = str(self._server.call(name, arguments))
            except ToolError as error:
                reason = str(error)
                result = reason if reason.startswith("Error") else f"Error: {reason}"
        for path in (self._link, folder):
            result = result.replace(str(path), SHOWN_FOLDER)
        if len(result) > _LONGEST_RESULT:
            result = f"{result[:_LONGEST_RESULT]}\n... ({len(result)} characters)"
        return replace_surrogates(result)

    def _set_folder(self, folder: Path) -> None:
        if not self._link.is_symlink() or self._link.readlink() != folder:
            next_link = self._home / "next"
            next_link.symlink_to(folder, target_is_directory=True)
            next_link.replace(self._link)

    def close(self) -> None:
        """End the server."""
        self._server.close()
        _remove_folder(self._home, self.pid)


def make_folder(owner: object) -> Path:
    """Return a new folder, which is removed when its owner is garbage-collected, or at exit."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="gem-ma-mcp-")))
    weakref.finalize(owner, _remove_folder, folder, os.getpid())
    return folder


def _remove_folder(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # a forked child has its parent's objects
        shutil.rmtree(folder, ignore_errors=True)


def _replace_paths(value: Any, folder: str) -> Any:
    """Replace the folder that seats see at the beginning of texts of a JSON value."""
    if isinstance(value, str):
        below = value.removeprefix(SHOWN_FOLDER)
        return folder + below if below != value and below[:1] in ("", "/") else value
    if isinstance(value, list):
        return [_replace_paths(one, folder) for one in value]
    if isinstance(value, Mapping):
        return {name: _replace_paths(one, folder) for name, one in value.items()}
    return value


class LiveTask:
    """A task in progress: its folder, its server, and what was called.

    Args:
        task: the task, as its game knows it.
        instruction: its instruction.
        server: the server for its calls.
        owns_server: whether the server ends with the task.
    """

    def __init__(self, task: Any, instruction: str, server: FolderServer, owns_server: bool):
        self.task = task
        self.server = server
        self._owns_server = owns_server
        self.folder = make_folder(self)
        self.view = TaskView(instruction)
        self.count = 0  # of calls, and of replies that are neither a call nor a text
        self._pid = os.getpid()

    def close(self) -> None:
        """Delete the folder, and end the server if it is this task's own."""
        if self._owns_server:
            self.server.close()
        _remove_folder(self.folder, self._pid)


class MCPServerGame(Bridge[LiveTask]):
    """A game of one seat, with the tools of an MCP server that runs for each episode.

    A reply without a call ends the task, as the last call that is allowed does. A subclass names
    the command, chooses tasks, prepares the folder and grades it.

    Attributes:
        command: starts the server; `{workspace}` in it stands for the folder of an episode.
        server_env: environment variables of the server.
        shares_server: whether the server keeps nothing but the files in its folder, so that all
            episodes of a process can share one.
    """

    agents = (AGENT,)
    blocking = True
    conversation = True
    oracle = True
    reset_options = ("task",)
    env_defaults = MappingProxyType({"format": "bare"})
    command: Sequence[str]
    server_env: Mapping[str, str] = MappingProxyType({})
    shares_server = False

    def __init__(self, max_calls: int, timeout: float):
        """Set the number of tool calls in an episode, and the time limit of a call in seconds."""
        if max_calls < 1:
            raise ValueError(f"max_calls={max_calls}: expected 1 or more")
        super().__init__()
        self.max_calls = max_calls
        self.timeout = timeout
        self._lock = threading.Lock()
        self._shared: FolderServer | None = None

    @abc.abstractmethod
    def choose_task(self, seed: int, wanted: object) -> Any:
        """Return a task: the one that is `wanted`, or that of a seed if it is None."""

    @abc.abstractmethod
    def tell_task(self, task: Any) -> str:
        """Return the instruction of a task."""

    @abc.abstractmethod
    def name_task(self, task: Any) -> str:
        """Return the name of a task, for the report."""

    @abc.abstractmethod
    def prepare_folder(self, task: Any, folder: Path) -> None:
        """Write the files with which a task begins into an empty folder."""

    @abc.abstractmethod
    def grade_folder(self, task: Any, folder: Path) -> TaskGrade:
        """Return the grade of the files that were left."""

    @functools.cached_property
    def _schemas(self) -> tuple[JSONMapping, ...]:
        server = self._find_server()
        try:
            return server.list_schemas()
        finally:
            if not self.shares_server:
                server.close()

    def _find_server(self) -> FolderServer:
        """Return the server of this process, or a new one if servers are not shared."""
        with self._lock:
            server = self._shared
            if server is None or server.pid != os.getpid():  # not that of a forked parent
                server = FolderServer(self.command, self.server_env, self.timeout)
                self._shared = server if self.shares_server else None
            return server

    def find_folder(self, state: Played) -> Path:
        """Return the folder of an episode at its newest state."""
        assert state.line is not None  # only a seat's view has none
        line, live = self.stand(state.line, state.count)
        line.put(live)
        return live.folder

    def open(self, seed, options):
        task = self.choose_task(seed, options.get("task"))
        instruction = self.tell_task(task)
        live = LiveTask(task, instruction, self._find_server(), not self.shares_server)
        try:
            self.prepare_folder(task, live.folder)
        except BaseException:
            live.close()
            raise
        return live, self._output(live, ())

    def play(self, live, moves, chance):
        move = moves[AGENT]
        calls = () if isinstance(move, str) else move
        results = []
        for name, arguments in calls[: self.max_calls - live.count]:
            results.append((name, self._answer(live, name, arguments)))
        live.count += max(1, len(calls))
        live.view = TaskView(live.view.instruction, (*live.view.results, *results))
        return self._output(live, results, isinstance(move, str) or live.count >= self.max_calls)

    def _answer(self, live: LiveTask, name: str, arguments: JSONMapping) -> str:
        known = [schema["function"]["name"] for schema in self._schemas]
        if name not in known:
            return f"Error: no tool {clip_repr(name)}; there are {', '.join(known)}"
        return live.server.call(live.folder, name, arguments)

    def _output(
        self, live: LiveTask, results: Sequence[tuple[str, str]], over: bool = False
    ) -> Output:
        report: JSONObject = {}
        score = 0.0
        if over:
            grade = self.grade_folder(live.task, live.folder)
            score = grade.score
            report = {"task": self.name_task(live.task), "right": score >= 1}
            report["calls"] = len(live.view.results)
            if grade.reason:
                report["reason"] = grade.reason
        return Output(
            () if over else self.agents,
            {AGENT: score},
            {AGENT: live.view, None: live.view},
            news=tuple([Message((AGENT,), "tool", result) for _, result in results]),
            report=report,
        )

    def read(self, text, view, agent):
        if not text:
            raise InvalidMove("the reply is empty")
        if len(text) > _LONGEST_REPLY:
            raise InvalidMove(f"a reply has at most {_LONGEST_REPLY} characters, not {len(text)}")
        return _read_calls(text) or replace_surrogates(text)

    def skip(self, view, agent):
        return ()

    def rules(self, agent):
        return (
            "You have a task and tools to do it. Call a tool, and you are shown its result. You "
            'can also write a call as JSON: {"name": "...", "arguments": {...}}. The folder of the '
            f"task is {SHOWN_FOLDER}. When the task is done, reply without a call: that ends it, "
            "and what you have left is checked. A task that is done earns 1, any other nothing. "
            f"You have {self.max_calls} calls."
        )

    def brief(self, view, agent):
        return view.output.seen[agent].instruction

    def describe(self, view, agent):
        results = view.output.seen[agent].results
        text = "\n".join(f"{name}: {result}" for name, result in results)
        return text or "No tool was called yet."

    def tools(self, agent):
        return self._schemas


def _read_calls(text: str) -> tuple[ToolRequest, ...]:
    """Return the tool calls in a reply, or () if it has none."""
    if "<tool_call>" in text:
        payload: Any = [call["function"] for call in parse_tool_calls(text)]
    elif text.lstrip()[:1] in ("{", "["):
        try:
            payload = parse_json(text)
        except ValueError:
            if '"name"' in text:
                raise InvalidMove("a tool call that is no JSON") from None
            return ()
    else:
        return ()
    calls = []
    for call in payload if isinstance(payload, list) else [payload]:
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return ()
        try:
            arguments = parse_call_arguments(call)
        except ValueError as error:
            raise InvalidMove(f"{clip_repr(call['name'])}: {error}") from None
        if not isinstance(arguments, dict):
            kind = type(arguments).__name__
            raise InvalidMove(
                f"the arguments of {clip_repr(call['name'])} are an object, and not a {kind}"
            )
        calls.append((replace_surrogates(call["name"]), arguments))
    return tuple(calls)
