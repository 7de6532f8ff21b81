"""WordSearchEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class WordSearchEnv(NamedEnv):
    """The environment `game:WordSearch-v0`."""

    def __init__(
        self,
        hardcore: bool | None = False,
        max_turns: int | None = 20,
        num_words: int | None = 5,
    ):
        super().__init__(
            "game:WordSearch-v0",
            hardcore=hardcore,
            max_turns=max_turns,
            num_words=num_words,
        )
