"""Guesses with their marks, as columns of a board: the earliest on the left, each from the top."""

import math

SHAPES = ((1, 10), (2, 15), (3, 20))  # how many columns, and how deep


def columns(rows, width):
    """Return rows of tiles, which are guesses of this width, beside one another in columns."""
    count, deep = next(shape for shape in SHAPES if math.prod(shape) >= len(rows))
    rows = [*rows, *[(" ",) * width] * (count * deep - len(rows))]
    lines = []
    for i in range(deep):
        first, *others = rows[i::deep]
        lines.append(sum(((" ", *other) for other in others), first))
    return tuple(lines)
