"""An agent made of a function."""

from __future__ import annotations

from collections.abc import Callable

from gem_ma.episode import Turn


class FunctionAgent:
    """Reply with what a function of the Turn returns."""

    def __init__(self, function: Callable[[Turn], str]):
        self.function = function

    def act(self, turns: list[Turn]) -> list[str]:
        return [self.function(turn) for turn in turns]

    def __repr__(self) -> str:
        return f"FunctionAgent({self.function!r})"
