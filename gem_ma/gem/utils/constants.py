"""Texts that scripts for GEM compare with."""

# What an environment for GEM shows when an episode of one question is over. Ours go on showing the
# game, and say by `terminated` and `truncated` that it is over, as GEM's do, too.
TERMINAL_STATE = "<｜TERMINAL_STATE｜>"  # noqa: RUF001 - these bars are GEM's
