"""HintFollower: the base of reference agents that reply with the hint of a state."""

from __future__ import annotations

from typing import Any, ClassVar

from gem_ma.chat.turn import Turn
from gem_ma.validation.arguments import check_each


class HintFollower:
    """An agent that replies with `state.hint(seat)`, in the games whose states have it."""

    portable = True
    plays: ClassVar[str]
    """Its name and what it plays: so begins the error in any other game."""

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        position = turn.position
        hint = getattr(position and position.state, "hint", None)
        if position is None or hint is None:
            raise ValueError(f"{self.plays}, got {turn.env_id or 'another'}")
        return self._convert_hint(str(hint(turn.seat)), position.game)

    def _convert_hint(self, hint: str, game: Any) -> str:
        """Return the reply that a hint stands for: the hint itself."""
        return hint

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
