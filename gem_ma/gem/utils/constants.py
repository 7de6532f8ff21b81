"""Constants that scripts for GEM import."""

# GEM's observation after an episode of one question. Environments of gem_ma still show the game
# then. As in GEM, `terminated` and `truncated` say that the episode is over.
TERMINAL_STATE = "<｜TERMINAL_STATE｜>"  # noqa: RUF001 - these bars are GEM's


class LanguageGameReward:
    """The rewards of gem_ma's games for one reply; GEM's constants have other values."""

    success_reward: float = 1.0
    internal_step_reward: float = 0.0
    fail_reward: float = 0.0
    invalid_action_reward: float = 0.0
    format_error_reward: float = 0.0
