"""NotesOracle: an agent that does the tasks of `mcp:Notes`, as a reference for other agents."""

from __future__ import annotations

import json

from gem_ma.chat.turn import Turn
from gem_ma.envs.mcp_tasks.notes import MCPNotes
from gem_ma.validation.arguments import check_each


class NotesOracle:
    """An agent that makes the calls of a task's solution, one a turn, and then says so."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        """Return the next call of the solution for each turn."""
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        position = turn.position
        if position is None or not isinstance(position.game, MCPNotes):
            raise ValueError(f"notes-oracle plays mcp:Notes only, got {turn.env_id or 'another'}")
        line = position.state.line
        task = position.game.choose_task(line.seed, line.options.get("task"))
        made = len(position.state.output.seen[None].results)
        if made >= len(task.solution):
            return "It is done."
        name, arguments = task.solution[made]
        return json.dumps({"name": name, "arguments": arguments})

    def __repr__(self) -> str:
        return "NotesOracle()"
