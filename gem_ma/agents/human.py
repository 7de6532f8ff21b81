"""A person at the terminal."""

from __future__ import annotations

import sys

from gem_ma.actions import listing
from gem_ma.episode import Turn


class HumanAgent:
    """Show what the seat sees, and reply with the line that is typed."""

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in turns]

    def _reply(self, turn: Turn) -> str:
        parts = [turn.rules, ""] if turn.first else [""]
        parts.append(turn.text)
        if turn.legal:
            parts.append(f"({listing(turn.legal)})")
        sys.stdout.write("\n".join(parts) + "\n")
        return input(f"{turn.seat}> ")

    def __repr__(self) -> str:
        return "HumanAgent()"
