"""ScreenOracle: a perfect user of screens, as a reference for other agents."""

from __future__ import annotations

from typing import Any

from gem_ma.agents.hint_follower import HintFollower


class ScreenOracle(HintFollower):
    """An agent that solves tasks of `screens:`, with one action a turn."""

    plays = "screen-oracle plays environments of screens: only"

    def _convert_hint(self, hint: str, game: Any) -> str:
        action: str = game.coordinates.convert_action(hint)
        return action
