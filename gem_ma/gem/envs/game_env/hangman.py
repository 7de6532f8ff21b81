"""HangmanEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class HangmanEnv(NamedEnv):
    """The environment `game:Hangman-v0`."""

    def __init__(
        self,
        word_length: int | None = 5,
        hardcore: bool | None = False,
        max_turns: int | None = 20,
    ):
        super().__init__(
            "game:Hangman-v0",
            word_length=word_length,
            hardcore=hardcore,
            max_turns=max_turns,
        )
