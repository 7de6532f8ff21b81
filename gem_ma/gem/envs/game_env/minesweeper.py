"""MinesweeperEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class MinesweeperEnv(NamedEnv):
    """The environment `game:Minesweeper-v0`."""

    def __init__(
        self,
        rows: int | None = 8,
        cols: int | None = 8,
        num_mines: int | None = 10,
        max_turns: int | None = 20,
    ):
        super().__init__(
            "game:Minesweeper-v0",
            rows=rows,
            cols=cols,
            num_mines=num_mines,
            max_turns=max_turns,
        )
