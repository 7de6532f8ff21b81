"""HarborTasks: task folders of Harbor and Terminal-Bench, without a container.

A task runs if its Dockerfile only makes folders, copies files, sets variables and runs commands
that need no network, and if its tests install nothing. Any other task is refused, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from gem_ma.envs.terminal.file_tree import FileTree
from gem_ma.envs.terminal.game import (
    AGENT,
    DONE,
    Exchange,
    TerminalGame,
    check_difficulty,
    clean_output,
)
from gem_ma.envs.terminal.harbor_tasks import HarborTask, find_task_folders, load_task, read_reward
from gem_ma.envs.terminal.machine import SECONDS, run_command

HOW = (
    "You work in a terminal: bash, without a network. Send one command in each turn, alone or in a "
    "```bash block; it may have several lines. Only the files of the task and the current folder "
    "last until the next command: no variables, and no programs in the background. A command that "
    f"takes more than {SECONDS:g} seconds is undone. When the task is done, send {DONE}: then the "
    "task's own tests are run."
)


@dataclass(frozen=True, slots=True)
class HarborState:
    """The files of a task and the commands so far."""

    task: HarborTask | None  # hidden from seats
    brief: str
    trees: tuple[tuple[str, FileTree], ...] = field(compare=False, repr=False)
    folder: str
    left: int
    log: tuple[Exchange, ...] = ()
    score: float | None = None
    tests: str = ""  # the output of the tests

    def to_act(self) -> tuple[str, ...]:
        return () if self.score is not None else (AGENT,)

    def returns(self) -> dict[str, float]:
        return {AGENT: self.score or 0.0}

    def seen_by(self, agent: str) -> HarborState:
        return replace(self, task=None, trees=(), tests="")

    def legal(self, agent: str) -> tuple[str, ...]:
        """Return some commands, enough for random agents."""
        return ("ls -la", "pwd", "cat *", DONE)

    def hint(self, agent: str) -> str:
        """Return the solution of the task, and then that it is done."""
        solution = self.task.solution if self.task is not None else ""
        return solution if solution and not self.log else DONE


class HarborTasks(TerminalGame[HarborState]):
    """The tasks of a folder; an episode draws one of them.

    Args:
        folder: A task, or a folder with tasks.
        limit: The largest number of commands.
    """

    def __init__(self, folder: str, limit: int = 50):
        check_difficulty(0, limit)
        self.folders = find_task_folders(Path(folder))
        self.limit = limit

    def start(self, rng, options):
        task = load_task(self.folders[int(rng.integers(len(self.folders)))])
        return HarborState(task, task.instruction, task.trees, task.workdir, self.limit)

    def advance(self, state, moves, rng):
        command, task = moves[AGENT], state.task
        if command != DONE:
            result = run_command(
                command,
                dict(state.trees),
                state.folder,
                turn=len(state.log),
                environment=dict(task.environment),
            )
            exchange = Exchange(command, clean_output(result.output), result.exit_code)
            state = replace(
                state,
                trees=tuple(result.trees.items()),
                folder=result.folder,
                log=(*state.log, exchange),
                left=state.left - 1,
            )
        if command == DONE or not state.left:
            score, output = read_reward(task, dict(state.trees))
            state = replace(state, score=score, tests=clean_output(output))
        return state

    def rules(self, agent):
        return HOW

    def report(self, state):
        name = state.task.name if state.task is not None else ""
        return {"task": name, "commands": len(state.log), "tests": state.tests}
