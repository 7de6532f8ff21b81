"""Difficulty levels: sets of arguments to draw from, and a scale from 0 to 10."""

from collections.abc import Mapping
from typing import Any

MAX_DIFFICULTY = 10  # the highest difficulty; the lowest is 0


def fill_levels(drawn, *given):
    """Return the levels to draw from, with each argument that is not None fixed in all of them."""
    if given[-1] is not None and given[-1] < 1:
        raise ValueError(f"max_turns={given[-1]}: expected 1 or more")
    levels = [
        tuple([own if own is not None else other for own, other in zip(given, level, strict=True)])
        for level in drawn
    ]
    return tuple(dict.fromkeys(levels))


def sample_level(rng, levels):
    """Draw one of the levels; the generator is not used if there is only one."""
    return levels[int(rng.integers(len(levels)))] if len(levels) > 1 else levels[0]


def interpolate_levels(points: Mapping[int, object]) -> tuple[Any, ...]:
    """Return the values for each difficulty from 0 to 10, interpolated between the given points.

    A point is a number, or a mapping or a list of points. Numbers are interpolated linearly, and
    rounded if both ends are integers. All other values are copied from the point below.
    """
    places = sorted(points)
    if not places or places[0] != 0 or places[-1] != MAX_DIFFICULTY:
        raise ValueError(
            f"points at the difficulties {places}: expected 0, {MAX_DIFFICULTY} and any in between"
        )
    rows = []
    for place in range(MAX_DIFFICULTY + 1):
        low = max(point for point in places if point <= place)
        high = min(point for point in places if point >= place)
        share = (place - low) / (high - low) if high > low else 0.0
        rows.append(_interpolate(points[low], points[high], share))
    return tuple(rows)


def _interpolate(low, high, share):
    if isinstance(low, Mapping):
        if low.keys() != high.keys():
            own, other = (", ".join(sorted(one)) for one in (low, high))
            raise ValueError(
                "all points of a dial must set the same arguments; one sets "
                f"{own or 'none'}, the next {other or 'none'}"
            )
        return {key: _interpolate(value, high[key], share) for key, value in low.items()}
    if isinstance(low, list | tuple) and isinstance(high, list | tuple) and len(low) == len(high):
        return type(low)(_interpolate(a, b, share) for a, b in zip(low, high, strict=True))
    if not _is_number(low) or not _is_number(high):
        return low
    exact = low + share * (high - low)
    return round(exact) if isinstance(low, int) and isinstance(high, int) else exact


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def select_level(rows, difficulty):
    """Return the values for a difficulty; raise if it is not an integer from 0 to 10."""
    if not isinstance(difficulty, int) or isinstance(difficulty, bool):
        raise TypeError(
            f"difficulty={difficulty!r}: expected a whole number from 0 to {MAX_DIFFICULTY}"
        )
    if not 0 <= difficulty <= MAX_DIFFICULTY:
        raise ValueError(f"difficulty={difficulty}: expected 0 to {MAX_DIFFICULTY}")
    return rows[difficulty]
