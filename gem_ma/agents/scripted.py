"""An agent that replies from a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gem_ma.chat.turn import Turn
from gem_ma.validation.arguments import check_each


class ScriptedAgent:
    """An agent that replies from a script, in order.

    Args:
        replies: The replies of every seat, or a mapping from seat to replies. A turn after the last
            reply raises ValueError.
    """

    portable = True

    def __init__(self, replies: Sequence[str] | Mapping[str, Sequence[str]]):
        scripts = replies.values() if isinstance(replies, Mapping) else [replies]
        for script in scripts:
            if isinstance(script, str):
                raise TypeError(f"a script is a list of replies, got the text {script!r}")
        self.replies = replies

    @property
    def seats(self) -> tuple[str, ...] | None:
        """The seats that have a script, or None if one script is for all."""
        return tuple(self.replies) if isinstance(self.replies, Mapping) else None

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        script = self.replies
        if isinstance(script, Mapping):
            if turn.seat not in script:
                raise ValueError(
                    f"no script for {turn.seat}; there are scripts for {', '.join(script)}"
                )
            script = script[turn.seat]
        if turn.index >= len(script):
            raise ValueError(
                f"{turn.seat} is to give reply number {turn.index + 1}, but its script has "
                f"{len(script)}; pass a longer script"
            )
        return script[turn.index]

    def __repr__(self) -> str:
        return f"ScriptedAgent({self.replies!r})"
