"""MastermindEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class MastermindEnv(NamedEnv):
    """The environment `game:Mastermind-v0`."""

    def __init__(
        self,
        code_length: int | None = 4,
        num_numbers: int | None = 6,
        duplicate_numbers: bool = False,
        max_turns: int | None = 20,
    ):
        super().__init__(
            "game:Mastermind-v0",
            code_length=code_length,
            num_numbers=num_numbers,
            duplicate_numbers=duplicate_numbers,
            max_turns=max_turns,
        )
