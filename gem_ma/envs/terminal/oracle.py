"""TerminalOracle: it knows the solutions of the tasks, as a reference for other agents."""

from __future__ import annotations

from gem_ma.chat.turn import Turn
from gem_ma.validation.arguments import check_each


class TerminalOracle:
    """An agent that solves tasks of `terminal:`, with one command a turn."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        hint = getattr(turn.position and turn.position.state, "hint", None)
        if hint is None:
            raise ValueError(
                f"terminal-oracle plays environments of terminal: only, got "
                f"{turn.env_id or 'another'}"
            )
        return str(hint(turn.seat))

    def __repr__(self) -> str:
        return "TerminalOracle()"
