"""ScreenOracle: a perfect user of screens, as a reference for other agents."""

from __future__ import annotations

from gem_ma.chat.turn import Turn
from gem_ma.validation.arguments import check_each


class ScreenOracle:
    """An agent that solves tasks of `screens:`, with one action a turn."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        position = turn.position
        hint = getattr(position and position.state, "hint", None)
        if position is None or hint is None:
            raise ValueError(
                f"screen-oracle plays environments of screens: only, got {turn.env_id or 'another'}"
            )
        action: str = position.game.coordinates.convert_action(str(hint(turn.seat)))
        return action

    def __repr__(self) -> str:
        return "ScreenOracle()"
