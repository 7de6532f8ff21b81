"""TerminalTask: one seat types commands of bash, and is paid by the files that it leaves."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from gem_ma.envs.difficulty_levels import MAX_DIFFICULTY, select_level
from gem_ma.envs.terminal import families
from gem_ma.envs.terminal.file_tree import FileTree
from gem_ma.envs.terminal.machine import ROOT, SECONDS, get_sandbox, run_command
from gem_ma.envs.terminal.problem import Draw, Problem
from gem_ma.game import Game, InvalidMove, S
from gem_ma.validation.untrusted_json import parse_json

AGENT = "player"
DONE = "done"
LONGEST = 10_000  # characters of a command
SHOWN = 4000  # characters of an output that a seat reads
WIDEST = 400  # characters of a line of it
HOW = (
    f"You work in a terminal: bash in the folder /{ROOT}, without a network. Send one command in "
    "each turn, alone or in a ```bash block; it may have several lines. Only files below "
    f"/{ROOT} and the current folder last until the next command: no variables, and no programs in "
    f"the background. A command that takes more than {SECONDS:g} seconds is undone."
)
FINISH = f"When the task is done, send {DONE}."
_FENCE = re.compile(r"```(?:bash|sh|shell)?[ \t]*\n([^`]*(?:`{1,2}[^`]+)*)```")
_LOOKS = ("ls -la", "pwd", "find . | head -50", "cat *", "git status", "rm -rf *", "touch done.txt")


class Exchange(NamedTuple):
    """A command and what the terminal printed."""

    command: str
    output: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class State:
    """The files of a task and the commands so far.

    The files are a cache: the same commands lead to the same files.
    """

    brief: str
    problem: Problem | None  # hidden from seats
    tree: FileTree = field(compare=False, repr=False)
    log: tuple[Exchange, ...] = ()
    folder: str = f"/{ROOT}"
    left: int = 1  # remaining commands
    score: float | None = None

    def to_act(self) -> tuple[str, ...]:
        return () if self.score is not None else (AGENT,)

    def returns(self) -> dict[str, float]:
        return {AGENT: self.score or 0.0}

    def seen_by(self, agent: str) -> State:
        return replace(self, problem=None, tree=FileTree())

    def legal(self, agent: str) -> tuple[str, ...]:
        """Return some commands, enough for random agents."""
        return (*_LOOKS, DONE)

    def hint(self, agent: str) -> str:
        """Return the next command of a solution."""
        solution = self.problem.solution if self.problem is not None else ()
        return solution[len(self.log)] if len(self.log) < len(solution) else DONE


class TerminalGame(Game[S]):
    """A terminal in which the seat `player` types commands."""

    agents: tuple[str, ...] = (AGENT,)
    blocking = True
    oracle = True
    max_tool_calls = 1
    legal_is_partial = True
    env_defaults = MappingProxyType({"format": "bare"})

    def read(self, text, view, agent):
        return read_command(text)

    def skip(self, view, agent):
        return ":"

    def brief(self, view, agent):
        return f"Task: {view.brief}"

    def describe(self, view, agent):
        return describe_screen(view.log[-1:], view.folder, view.left)

    def tell(self, before, moves, after):
        return ()

    def tools(self, agent):
        return (BASH_TOOL, DONE_TOOL)


class TerminalTask(TerminalGame[State]):
    """A task of a family, at a difficulty from 0 to 10.

    Args:
        limit: The largest number of commands; None: 10 + 2 * difficulty.
    """

    reset_options = ("difficulty",)

    def __init__(self, family: str, difficulty: int = 2, limit: int | None = None):
        self.families = check_families(family)
        check_difficulty(difficulty, limit)
        self.difficulty, self.limit = difficulty, limit

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check_difficulty(difficulty, self.limit)
        problem = draw_problem(rng, self.families, difficulty)
        limit = self.limit or 10 + 2 * difficulty
        return State(problem.brief, problem, problem.tree, left=limit)

    def advance(self, state, moves, rng):
        return type_command(state, moves[AGENT])

    def rules(self, agent):
        return (
            f"{HOW} {FINISH} The files that you leave earn 1 if they are as the task says, and 0 "
            "otherwise, also if no commands are left."
        )

    def report(self, state):
        return {"done": bool(state.score), "commands": len(state.log)}


def _make_tool(name: str, description: str, **properties: str) -> dict[str, object]:
    parameters = {
        "type": "object",
        "properties": {
            one: {"type": "string", "description": what} for one, what in properties.items()
        },
        "required": list(properties),
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


BASH_TOOL = _make_tool("bash", "Run a command of bash.", command="the command")
DONE_TOOL = _make_tool(DONE, "End the task; the files are checked as they are.")


def check_families(family: object) -> tuple[str, ...]:
    """Return the families named in a string, joined by "+"."""
    names = tuple(family.split("+")) if isinstance(family, str) else ()
    if not names or not set(names) <= set(families.REGISTER):
        raise ValueError(
            f"family={family!r}: expected one or more of {', '.join(families.REGISTER)}, joined "
            "by +"
        )
    return names


def check_difficulty(difficulty: int, limit: int | None) -> None:
    """Raise an error unless these arguments of a game are valid."""
    select_level(range(MAX_DIFFICULTY + 1), difficulty)
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: expected 1 or more commands, or None")


def draw_problem(rng, names: tuple[str, ...], difficulty: int) -> Problem:
    """Return a problem of one of the families."""
    get_sandbox()  # without it, an episode must not begin
    draw = Draw(rng, difficulty)
    module, _, name = families.REGISTER[draw.one(names)].partition(":")
    function: Callable[[Draw], Problem] = getattr(
        importlib.import_module(f"{families.__name__}.{module}"), name
    )
    return function(draw)


def read_command(text: str) -> str:
    """Return the command in a reply: a tool call, a fenced block, or the whole text."""
    command = text.strip()
    if command.startswith("{"):
        try:
            call = parse_json(command)
        except ValueError:
            call = None
        if isinstance(call, dict) and call.get("name") == DONE:
            return DONE
        if isinstance(call, dict) and "name" in call:
            arguments = call.get("arguments")
            given = arguments.get("command") if isinstance(arguments, dict) else None
            if call["name"] != "bash" or not isinstance(given, str):
                raise InvalidMove('expected a call of bash with a "command", or of done')
            command = given
    elif fences := _FENCE.findall(command):
        command = fences[-1]
    command = command.strip()
    if not command or "\0" in command or len(command) > LONGEST:
        raise InvalidMove(
            f"a command has 1 to {LONGEST} characters and no NUL; this one has {len(command)}"
        )
    return command


def type_command(state: State, command: str) -> State:
    """Return the state after a command; the last one and `done` are followed by the check."""
    if command != DONE:
        result = run_command(command, {ROOT: state.tree}, state.folder, turn=len(state.log))
        exchange = Exchange(command, clean_output(result.output), result.exit_code)
        state = replace(
            state,
            tree=result.trees[ROOT],
            folder=result.folder,
            log=(*state.log, exchange),
            left=state.left - 1,
        )
    if command == DONE or not state.left:
        solved = state.problem is not None and state.problem.is_solved(state.tree)
        state = replace(state, score=float(solved))
    return state


def clean_output(output: str) -> str:
    """Return an output as a seat reads it: printable, and of bounded length."""
    text = "".join(
        char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for char in output.replace("\r", "")
    )
    text = "\n".join(clip_line(line, WIDEST) for line in text.rstrip("\n").split("\n"))
    if len(text) > SHOWN:
        half = SHOWN // 2
        text = f"{text[:half]}\n... {len(text) - SHOWN} characters left out ...\n{text[-half:]}"
    return text


def clip_line(line: str, limit: int) -> str:
    """Return a line, or its beginning and the number of the other characters."""
    more = len(line) - limit
    return line if more <= 0 else f"{line[:limit]}... ({more} more characters)"


def describe_screen(log: tuple[Exchange, ...], folder: str, left: int) -> str:
    """Return the last commands with their outputs, and the prompt."""
    parts = []
    for command, output, exit_code in log:
        code = f"[exit code {exit_code}]" if exit_code else ""
        shown = clip_line(command.replace("\n", "\n> "), WIDEST)
        parts += [part for part in (f"$ {shown}", output, code) if part]
    commands = "1 command" if left == 1 else f"{left} commands"
    return "\n".join([*parts, f"{folder}$ ({commands} left)"])
