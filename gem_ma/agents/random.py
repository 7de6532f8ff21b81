"""An agent that plays legal moves at random."""

from __future__ import annotations

from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import pick_option
from gem_ma.validation.arguments import check_each


class RandomAgent:
    """An agent that replies with a legal move, drawn from the turn's seed and its own seed."""

    portable = True

    def __init__(self, seed: int = 0):
        self.seed = seed

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        if not turn.legal:
            raise ValueError(
                f"{turn.env_id} does not list the legal moves of {turn.seat}, so a RandomAgent "
                "cannot play it"
            )
        return pick_option(turn.legal, self.seed, turn.seed)

    def __repr__(self) -> str:
        return f"RandomAgent(seed={self.seed})"
