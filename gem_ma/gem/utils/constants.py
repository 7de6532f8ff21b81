"""Texts that scripts for GEM compare with."""

# What an environment for GEM shows when an episode of one question is over. Ours go on showing the
# game, and say by `terminated` and `truncated` that it is over, as GEM's do, too.
TERMINAL_STATE = "<｜TERMINAL_STATE｜>"  # noqa: RUF001 - these bars are GEM's


class LanguageGameReward:
    """What games here pay for one reply, where GEM's constants of these names are others."""

    success_reward: float = 1.0
    internal_step_reward: float = 0.0
    fail_reward: float = 0.0
    invalid_action_reward: float = 0.0
    format_error_reward: float = 0.0
