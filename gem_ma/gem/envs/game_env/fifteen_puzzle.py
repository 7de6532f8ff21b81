"""FifteenPuzzleEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class FifteenPuzzleEnv(NamedEnv):
    """The environment `game:FifteenPuzzle-v0`."""

    def __init__(
        self,
        max_turns: int | None = 20,
        num_rows: int | None = 2,
        init_algo: str = "monte_carlo",
        mc_rand_moves: int = 100,
    ):
        super().__init__(
            "game:FifteenPuzzle-v0",
            max_turns=max_turns,
            num_rows=num_rows,
            init_algo=init_algo,
            mc_rand_moves=mc_rand_moves,
        )
