"""WordleEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class WordleEnv(NamedEnv):
    """The environment `game:Wordle-v0`."""

    def __init__(
        self,
        word_length: int | None = 5,
        only_real_words: bool = True,
        max_turns: int | None = 20,
    ):
        super().__init__(
            "game:Wordle-v0",
            word_length=word_length,
            only_real_words=only_real_words,
            max_turns=max_turns,
        )
