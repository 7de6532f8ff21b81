"""WalkOracle: it knows the plans of houses and takes the shortest ways, as a reference."""

from __future__ import annotations

from gem_ma.chat.turn import Turn
from gem_ma.validation.arguments import check_each


class WalkOracle:
    """An agent that walks the shortest way in the games of this folder, in any of their seats."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        hint = getattr(turn.position and turn.position.state, "hint", None)
        if hint is None:
            raise ValueError(
                "walk-oracle plays walks through rooms only, such as visual:FetchObject-v0, got "
                f"{turn.env_id or 'another'}"
            )
        return str(hint(turn.seat))

    def __repr__(self) -> str:
        return "WalkOracle()"
