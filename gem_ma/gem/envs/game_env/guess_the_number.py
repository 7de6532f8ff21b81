"""GuessTheNumberEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class GuessTheNumberEnv(NamedEnv):
    """The environment `game:GuessTheNumber-v0`."""

    def __init__(
        self,
        min_number: int | None = 1,
        max_number: int | None = 20,
        max_turns: int | None = 20,
    ):
        super().__init__(
            "game:GuessTheNumber-v0",
            min_number=min_number,
            max_number=max_number,
            max_turns=max_turns,
        )
