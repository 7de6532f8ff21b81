"""TerminalOracle: it knows the solutions of the tasks, as a reference for other agents."""

from __future__ import annotations

from gem_ma.agents.hint_follower import HintFollower


class TerminalOracle(HintFollower):
    """An agent that solves tasks of `terminal:`, with one command a turn."""

    plays = "terminal-oracle plays environments of terminal: only"
