"""Reference agents for screens: a perfect user, and one who says that nothing can be done."""

from __future__ import annotations

from typing import Any

from gem_ma.agents.hint_follower import HintFollower
from gem_ma.chat.turn import Turn
from gem_ma.envs.screens.game import REFUSAL
from gem_ma.validation.arguments import check_each


class ScreenOracle(HintFollower):
    """An agent that solves tasks of `screens:`, with one action a turn."""

    plays = "screen-oracle plays environments of screens: only"

    def _convert_hint(self, hint: str, game: Any) -> str:
        action: str = game.coordinates.convert_action(hint)
        return action


class ScreenRefuser:
    """An agent that says of every task of `screens:` that it cannot be done."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [REFUSAL for _ in check_each(turns, Turn, "turns")]

    def __repr__(self) -> str:
        return "ScreenRefuser()"
