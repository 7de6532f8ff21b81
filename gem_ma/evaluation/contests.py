"""Whether the seats of a game win from each other, and which of them did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gem_ma.rollouts.episode import Episode

_NEAR = 1e-9


def find_contest(episodes: Iterable[Episode], zero_sum: bool) -> bool | None:
    """Return whether seats win from each other, as far as what they earned tells; None: not at all.

    In a game that says it is zero-sum they do, unless all have gained at once. In another they do
    if, whenever they did not end level at 0, some earned more than 0 and others less, as teams
    and tables of many do. They do not where they earn the same together, where only one of them
    is paid, or where each looks after itself. Episodes that a seat left by invalid replies say
    nothing, as the referee has paid for that.
    """
    ends = [
        (min(one.returns.values()), max(one.returns.values()))
        for one in episodes
        if one.failure is None and not one.forfeits
    ]
    if zero_sum:
        return None if all(low < _NEAR for low, _ in ends) else False
    decided = [low < -_NEAR and high > _NEAR for low, high in ends if max(high, -low) > _NEAR]
    return all(decided) if decided else None


def is_contest(found: Iterable[bool | None], zero_sum: bool) -> bool:
    """Return whether a game has winners; where what was earned does not tell, as it says."""
    known = [one for one in found if one is not None]
    return all(known) if known else zero_sum


def find_outcome(returns: Mapping[str, float], seats: Sequence[str]) -> str:
    """Return whether seats earned more than the mean of all: "win", "draw" or "loss"."""
    own = fmean(returns[seat] for seat in seats)
    gap = own - fmean(returns.values())
    if abs(gap) < 1e-9:
        return "draw"
    return "win" if gap > 0 else "loss"
