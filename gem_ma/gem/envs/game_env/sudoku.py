"""SudokuEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class SudokuEnv(NamedEnv):
    """The environment `game:Sudoku-v0`."""

    def __init__(
        self,
        clues: int | None = 30,
        max_turns: int | None = 100,
        scale: int | None = 9,
    ):
        super().__init__(
            "game:Sudoku-v0",
            clues=clues,
            max_turns=max_turns,
            scale=scale,
        )
