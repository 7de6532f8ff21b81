"""Game2048Env, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class Game2048Env(NamedEnv):
    """The environment `game:Game2048-v0`."""

    def __init__(
        self,
        target_tile: int | None = 2048,
        max_turns: int | None = 1000,
        board_size: int = 4,
    ):
        super().__init__(
            "game:Game2048-v0",
            target_tile=target_tile,
            max_turns=max_turns,
            board_size=board_size,
        )
