"""WalkOracle: it knows the plans of houses and takes the shortest ways, as a reference."""

from __future__ import annotations

from gem_ma.agents.hint_follower import HintFollower


class WalkOracle(HintFollower):
    """An agent that walks the shortest way in the games of this folder, in any of their seats."""

    plays = "walk-oracle plays walks through rooms only, such as visual:FetchObject-v0"
