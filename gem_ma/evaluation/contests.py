"""Whether the seats of a game win from each other, and which of them did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gem_ma.rollouts.episode import Episode

_NEAR = 1e-9


def find_contest(episodes: Iterable[Episode], zero_sum: bool) -> bool | None:
    """Return whether seats win from each other; None: their returns do not show it.

    The returns of a zero-sum game show nothing, unless all seats gained at once in an episode: then
    the result is False. In another game, seats win from each other if every episode has positive
    and negative returns, as with teams or tables of many seats. Episodes with all returns at 0 do
    not count.

    Seats do not win from each other if they earn the same, if only one of them is paid, or if each
    is paid independently. Episodes with a forfeit are ignored, because the referee decided their
    returns.
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
    """Return whether a game has winners; if no returns show it, `zero_sum` decides."""
    known = [one for one in found if one is not None]
    return all(known) if known else zero_sum


def find_outcome(returns: Mapping[str, float], seats: Sequence[str]) -> str:
    """Return "win", "draw" or "loss": the mean of some seats compared with the mean of all."""
    own = fmean(returns[seat] for seat in seats)
    gap = own - fmean(returns.values())
    if abs(gap) < 1e-9:
        return "draw"
    return "win" if gap > 0 else "loss"
