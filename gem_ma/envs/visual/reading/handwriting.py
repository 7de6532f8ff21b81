"""Handwriting: letters and numbers as strokes of a pen, and what a hand does to them."""

import itertools
import math
from typing import NamedTuple

import numpy as np

# Strokes of each character, through points: to the right from 0, up from the line at 0. Small
# letters are 1 high, tall ones 2; g, j, p, q and y reach down to -1.
STROKES = {
    "a": (
        ((0.8, 0.85), (0.4, 1.0), (0.05, 0.5), (0.3, 0.0), (0.8, 0.5), (0.8, 1.0)),
        ((0.8, 1.0), (0.8, 0.2), (1.0, 0.05)),
    ),
    "b": (((0.1, 2.0), (0.1, 0.1)), ((0.1, 0.6), (0.5, 1.0), (0.85, 0.5), (0.5, 0.0), (0.1, 0.2))),
    "c": (((0.8, 0.8), (0.45, 1.0), (0.05, 0.5), (0.4, 0.0), (0.85, 0.2)),),
    "d": (
        ((0.8, 0.8), (0.4, 1.0), (0.05, 0.5), (0.35, 0.0), (0.8, 0.4)),
        ((0.8, 2.0), (0.8, 0.2), (1.0, 0.05)),
    ),
    "e": (((0.1, 0.5), (0.8, 0.6), (0.5, 1.0), (0.1, 0.6), (0.35, 0.0), (0.85, 0.2)),),
    "f": (((0.85, 1.8), (0.55, 2.0), (0.35, 1.5), (0.35, 0.0)), ((0.05, 1.0), (0.75, 1.0))),
    "g": (
        ((0.8, 0.8), (0.4, 1.0), (0.05, 0.55), (0.35, 0.1), (0.8, 0.5)),
        ((0.8, 1.0), (0.8, -0.5), (0.4, -1.0), (0.05, -0.7)),
    ),
    "h": (((0.1, 2.0), (0.1, 0.0)), ((0.1, 0.6), (0.5, 1.0), (0.8, 0.7), (0.8, 0.0))),
    "i": (((0.2, 1.0), (0.2, 0.0)), ((0.2, 1.45), (0.22, 1.55))),
    "k": (((0.1, 2.0), (0.1, 0.0)), ((0.75, 1.0), (0.12, 0.5)), ((0.3, 0.65), (0.8, 0.0))),
    "l": (((0.15, 2.0), (0.15, 0.2), (0.4, 0.0)),),
    "m": (
        ((0.1, 1.0), (0.1, 0.0)),
        ((0.1, 0.6), (0.4, 1.0), (0.6, 0.7), (0.6, 0.0)),
        ((0.6, 0.6), (0.9, 1.0), (1.1, 0.7), (1.1, 0.0)),
    ),
    "n": (((0.1, 1.0), (0.1, 0.0)), ((0.1, 0.6), (0.5, 1.0), (0.8, 0.7), (0.8, 0.0))),
    "o": (((0.45, 1.0), (0.05, 0.5), (0.45, 0.0), (0.85, 0.5), (0.45, 1.0)),),
    "p": (((0.1, 1.0), (0.1, -1.0)), ((0.1, 0.6), (0.5, 1.0), (0.85, 0.5), (0.5, 0.0), (0.1, 0.3))),
    "r": (((0.1, 1.0), (0.1, 0.0)), ((0.1, 0.5), (0.4, 0.95), (0.75, 0.9))),
    "s": (((0.75, 0.85), (0.4, 1.0), (0.15, 0.75), (0.65, 0.35), (0.45, 0.0), (0.05, 0.15)),),
    "t": (((0.35, 1.7), (0.35, 0.25), (0.75, 0.05)), ((0.0, 1.05), (0.75, 1.05))),
    "u": (((0.1, 1.0), (0.1, 0.4), (0.4, 0.0), (0.8, 0.4)), ((0.8, 1.0), (0.8, 0.0))),
    "w": (
        ((0.0, 1.0), (0.3, 0.0)),
        ((0.3, 0.0), (0.6, 0.8)),
        ((0.6, 0.8), (0.9, 0.0)),
        ((0.9, 0.0), (1.2, 1.0)),
    ),
    "y": (
        ((0.1, 1.0), (0.1, 0.5), (0.4, 0.15), (0.8, 0.5)),
        ((0.8, 1.0), (0.8, -0.5), (0.4, -1.0), (0.05, -0.7)),
    ),
    "0": (((0.45, 2.0), (0.05, 1.0), (0.45, 0.0), (0.85, 1.0), (0.45, 2.0)),),
    "1": (((0.1, 1.5), (0.5, 2.0)), ((0.5, 2.0), (0.5, 0.0))),
    "2": (((0.1, 1.6), (0.5, 2.0), (0.85, 1.5), (0.1, 0.05)), ((0.1, 0.05), (0.95, 0.05))),
    "3": (
        ((0.1, 1.8), (0.5, 2.0), (0.8, 1.5), (0.35, 1.1)),
        ((0.35, 1.1), (0.9, 0.6), (0.5, 0.0), (0.05, 0.2)),
    ),
    "4": (((0.6, 2.0), (0.05, 0.7)), ((0.05, 0.7), (0.95, 0.7)), ((0.7, 1.3), (0.7, 0.0))),
    "5": (
        ((0.85, 2.0), (0.2, 2.0)),
        ((0.2, 2.0), (0.15, 1.15)),
        ((0.15, 1.15), (0.6, 1.2), (0.85, 0.6), (0.5, 0.0), (0.05, 0.2)),
    ),
    "6": (
        ((0.75, 1.95), (0.25, 1.3), (0.1, 0.6), (0.45, 0.0), (0.85, 0.5), (0.5, 1.0), (0.12, 0.6)),
    ),
    "7": (((0.05, 2.0), (0.9, 2.0)), ((0.9, 2.0), (0.35, 0.0)), ((0.3, 1.0), (0.85, 1.0))),
    "8": (
        (
            (0.45, 1.05),
            (0.1, 1.5),
            (0.45, 2.0),
            (0.8, 1.5),
            (0.45, 1.05),
            (0.05, 0.5),
            (0.45, 0.0),
            (0.85, 0.5),
            (0.45, 1.05),
        ),
    ),
    "9": (((0.8, 1.4), (0.45, 1.0), (0.1, 1.5), (0.45, 2.0), (0.8, 1.5), (0.7, 0.6), (0.4, 0.0)),),
}
JOINED = "acdehiklmntu"  # letters that end on the line, at their right
FOLLOWING = "eimnpruwy"  # letters that begin at the left
JOIN = 0.5  # the height at which a line from the letter before meets the first stroke
GAP = 0.35  # between two letters
CLOSED = 0.5  # the ends of a bowl are not farther from each other than this
ROUND = 4 * (2**0.5 - 1)  # the speed of a quarter of a circle, as a multiple of its radius
PARTS = 3, 6  # straight parts from point to point: least and most


class Hand(NamedTuple):
    """How somebody writes.

    Attributes:
        slant: how far a letter leans to the right, as a share of its height; negative: to the left.
        wide: the width of letters.
        tall: the height of all that is above a small letter, as a multiple of the usual one.
        wobble: how far a point may be from its place.
        rise: how far the line rises, as a share of its length.
    """

    slant: float = 0.0
    wide: float = 1.0
    tall: float = 1.0
    wobble: float = 0.0
    rise: float = 0.0


def write(text, hand, rng):
    """Return the strokes of a text as a hand writes it, in the points of STROKES.

    Lines join each letter with the next one, if that begins at its left. They meet it half way up:
    from top to top they would make a zigzag of "un".
    """
    strokes, left, last = [], 0.0, None
    for letter in text:
        own = [
            tuple([_move(x + left, y, hand, rng) for x, y in stroke]) for stroke in STROKES[letter]
        ]
        if last and letter in FOLLOWING:
            strokes.append(_join(last, STROKES[letter][0], own[0]))
        strokes += own
        last = own[0 if letter in "it" else -1][-1] if letter in JOINED else None
        left += max(x for stroke in STROKES[letter] for x, _ in stroke) + GAP
    return tuple(strokes)


def _move(x, y, hand, rng):
    """Return where a hand puts a point."""
    high = y if y < 1 else 1 + (y - 1) * hand.tall
    shift = [hand.wobble * (2 * rng.random() - 1) for _ in range(2)]
    across = x * hand.wide
    place = across + hand.slant * high + shift[0], high + hand.rise * across + shift[1]
    return tuple([round(n, 2) for n in place])


def _join(last, usual, stroke):
    """Return a line that rises from the end of a letter to a place on the stroke after it."""
    (_, top), (_, low) = usual[:2]
    share = max(0.0, (top - JOIN) / (top - low)) if top != low else 0.0
    (ax, ay), (bx, by) = stroke[:2]
    x, y = ax + share * (bx - ax), ay + share * (by - ay)
    bend = (last[0] + x) / 2, last[1] + 0.3 * (y - last[1])
    return (last, *[tuple([round(n, 2) for n in place]) for place in (bend, (x, y))])


def measure_box(strokes):
    """Return the left, right, lower and upper ends of strokes."""
    xs, ys = zip(*[point for stroke in strokes for point in stroke], strict=True)
    return min(xs), max(xs), min(ys), max(ys)


def draw_strokes(strokes, place, unit, thick=0.008):
    """Return smooth lines along strokes.

    Args:
        place: where the point 0, 0 is, in shares of the picture.
        unit: the length of 1, in the same.
    """
    parts = min(max(round(45 * unit), PARTS[0]), PARTS[1])
    lines = []
    for points in smooth(strokes, parts):
        at = [(place[0] + unit * x, place[1] - unit * y) for x, y in points]
        lines += [("", *a, *b, thick) for a, b in itertools.pairwise(at)]
    return lines


def smooth(strokes, parts):
    """Return the points of each stroke, with others between them on a curve, `parts` from each.

    A stroke of two points stays straight. The ends of a bowl go on into each other, so that it has
    no corner where the pen begins.
    """
    fours: list[tuple[tuple[float, float], ...]] = []
    for stroke in strokes:
        if len(stroke) > 2:
            is_bowl = len(stroke) > 4 and math.dist(stroke[0], stroke[-1]) <= CLOSED
            ends = (-2, 1) if is_bowl else (0, -1)
            padded = [stroke[ends[0]], *stroke, stroke[ends[1]]]
            fours += zip(padded, padded[1:], padded[2:], padded[3:], strict=False)
    curves = iter(_bend(np.array(fours), parts).tolist() if fours else ())
    return [
        stroke
        if len(stroke) == 2
        else [*itertools.chain(*itertools.islice(curves, len(stroke) - 1)), stroke[-1]]
        for stroke in strokes
    ]


def _bend(fours, parts):
    """Return points between the middle two of each four, on a Catmull-Rom curve.

    Its speeds are ROUND times the usual ones, with which four points make an oval, and limited
    where a short step follows a long one. A stroke ends without a bend: its first and last points
    are given twice.
    """
    flat = fours[..., 0] + 1j * fours[..., 1]
    move = flat[:, 2] - flat[:, 1]
    speeds = ROUND / 2 * (flat[:, 2:] - flat[:, :2])
    most = ROUND * abs(move[:, None])
    speeds *= np.minimum(1, most / np.maximum(abs(speeds), 1e-9))
    start, end = speeds.T
    start = np.where(flat[:, 0] == flat[:, 1], (3 * move - end) / 2, start)
    end = np.where(flat[:, 2] == flat[:, 3], (3 * move - start) / 2, end)
    t = np.arange(parts)[:, None] / parts
    curve = flat[:, 1] + t * (
        start + t * (3 * move - 2 * start - end + t * (start + end - 2 * move))
    )
    return np.stack([curve.real.T, curve.imag.T], -1)


def tell_strokes(strokes):
    """Return the points of strokes in words, in hundredths."""
    return "; ".join(
        [" - ".join([f"{round(100 * x)} {round(100 * y)}" for x, y in one]) for one in strokes]
    )
