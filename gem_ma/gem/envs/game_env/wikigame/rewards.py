"""What WikiGameEnv pays."""

from gem_ma.gem.utils.constants import LanguageGameReward


class WikiGameReward(LanguageGameReward):
    """1 for arriving, and nothing for a step."""
