"""The rewards of WikiGameEnv."""

from gem_ma.gem.utils.constants import LanguageGameReward


class WikiGameReward(LanguageGameReward):
    """Rewards: 1 for arriving, and 0 for a step."""
