"""The outcome of an episode in words: who won, or whether it was solved."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping

from gem_ma.envs import registry


def describe_outcome(returns: Mapping[str, float], contest: bool | None = None) -> str:
    """Return the outcome of an episode in words, or "" if there are no returns.

    Args:
        contest: Whether the game is zero-sum; None: unknown.
    """
    if not returns:
        return ""
    best, worst = max(returns.values()), min(returns.values())
    if best == worst and best >= 1:
        return {1: "solved", 2: "both solved it"}.get(len(returns), "all solved it")
    if len(returns) == 1:
        return "not solved" if best <= 0 else f"{best:.2g} of 1"
    if best == worst:
        if best:
            return f"{best:+.2g} each"
        return "not solved" if contest is False else "a draw"
    # not zero-sum, so neither seat is ahead of the other
    if contest is False and len(returns) == 2:
        return ", ".join(f"{seat} {value:+.2g}" for seat, value in returns.items())
    who = " and ".join(str(seat) for seat, value in returns.items() if value == best)
    return f"{who} won" if abs(sum(returns.values())) < 1e-9 else f"{who} ahead"


@functools.cache
def is_zero_sum(id: str) -> bool | None:
    """Return whether a game is zero-sum, or None if its rules are not in this package."""
    known = registry.find_registered(id)
    module, _, name = known.entry_point.partition(":") if known is not None else ("", "", "")
    if not module or registry.find_rules_host(id):
        return None
    try:
        return bool(getattr(importlib.import_module(module), name).zero_sum)
    except (ImportError, AttributeError):
        return None
