"""Pictures of the past rounds of games in which left and right choose at the same time."""

import itertools

NAMES = ("left", "right")
COLORS = ("blue", "red")
LOST = "cross"  # the figure of a lost turn
_LEFT = 0.18  # width of the names, in the picture
_LEAST = 3  # least number of columns


def strip(past, first, columns, top, won):
    """Return shapes, lines and labels of the last rounds, in two rows from `top` to the bottom.

    Args:
        past: a pair of figures for each round, as (figure, color, degrees).
        first: the number of the first round in `past`.
        columns: how many rounds there is room for.
        top: upper edge of the rows, as a share of the picture.
        won: the winner of each round, whose figure is underlined: 0, 1 or None.
    """
    across = (1 - _LEFT) / max(columns, _LEAST)
    line = 0.06  # height of the numbers
    high = (1 - top - line) / 2
    side = min(0.96 * across, 0.72 * high)
    items, lines, labels = [], [("gray", 0.0, top, 1.0, top, 0.004)], []
    for i, (pair, winner) in enumerate(zip(past, won, strict=True)):
        x = _LEFT + across * (i + 0.5)
        name = str(first + i)
        if len(name) < 4 or i % 2 == 0:
            labels.append((name, "", x, top + line / 2, line))
        for row, (figure, color, degrees) in enumerate(pair):
            y = top + line + high * (row + 0.5)
            if winner == row:
                below = y + 0.62 * side
                lines.append(("", x - 0.4 * side, below, x + 0.4 * side, below, 0.014))
            items.append((figure, color, x, y, 0.96 * side, degrees))
    for row, name in enumerate(NAMES):
        labels.append((name, "", _LEFT / 2, top + line + high * (row + 0.5), 0.07))
    return items, lines, labels


def frame(left, top, right, bottom):
    """Return the lines of a frame."""
    corners = ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))
    return [("", *a, *b, 0.012) for a, b in itertools.pairwise(corners)]
