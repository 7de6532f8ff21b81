"""Names of angles and lengths in a picture: small arcs, and labels that touch no line."""

import itertools
import math
from typing import NamedTuple

LETTER, HIGH = 0.027, 0.036  # the width of a letter with its gap, the height of a digit
CLEAR = 0.02  # least space between a label and the middle of a line
ARC = 0.055  # radius of an arc
CHORD = 0.036  # least distance between the ends of an arc
PIECE = 12  # degrees of an arc that are drawn as one line
# places of a label beside its line: the share of the line, and the space to its middle
PLACES = ((0.5, 0.024), (0.5, 0.042), (0.44, 0.024), (0.56, 0.024), (0.38, 0.024), (0.62, 0.024))
DOT = 0.015  # radius of a dot


class Surroundings(NamedTuple):
    """What labels keep clear of."""

    lines: tuple[tuple[float, float, float, float], ...]
    marks: tuple[tuple[float, float, float, float], ...] = ()
    circles: tuple[tuple[float, float, float], ...] = ()  # x, y, radius


def draw_arcs(angles):
    """Return the short lines of an arc in each angle, and the radius of each arc."""
    lines, radii = [], []
    for _, at, one, other in angles:
        start, turn = _open(at, one, other)
        radius = max(ARC, CHORD / 2 / math.sin(abs(turn) / 2))
        radius = min(radius, 0.4 * min(math.dist(at, one), math.dist(at, other)))
        radii.append(radius)
        many = math.ceil(abs(math.degrees(turn)) / PIECE)
        ways = [start + turn * i / many for i in range(many + 1)]
        ends = [(at[0] + radius * math.cos(a), at[1] + radius * math.sin(a)) for a in ways]
        lines += [(*a, *b) for a, b in itertools.pairwise(ends)]
    return lines, radii


def place_in_angle(angle, radius, around):
    """Return a label in an angle beyond its arc: the nearest place to the corner that is clear."""
    text, at, one, other = angle
    start, turn = _open(at, one, other)
    x, y = math.cos(start + turn / 2), math.sin(start + turn / 2)
    wide, high = _halve(text)
    far = radius + wide * abs(x) + high * abs(y) + 0.012
    most = 0.52 * min(math.dist(at, one), math.dist(at, other))
    ends = {end for a, b, c, d in around.lines for end in ((a, b), (c, d)) if end != at}
    best, place = -1.0, (at[0] + far * x, at[1] + far * y)
    while True:
        here = at[0] + far * x, at[1] + far * y
        # nearer to its own corner than to all others
        if all(math.dist(here, end) > 1.05 * far for end in ends):
            gap = _measure_gap(here, (wide, high), around)
            if gap > best:
                best, place = gap, here
        far += 0.01
        if best >= CLEAR or far > most:
            return text, *place


def place_beside(length, around):
    """Return a label close to its line, near the middle, where it is clear of all other lines.

    Args:
        length: text, line, and the side of the line (see `side` of figures).
    """
    text, line, to = length
    x1, y1, x2, y2 = line
    far = math.dist(line[:2], line[2:])
    across, down = (y2 - y1) / far, (x1 - x2) / far
    wide, high = _halve(text)
    extent = wide * abs(across) + high * abs(down)
    best, place = -1.0, (0.0, 0.0)
    for share, space in PLACES:
        near = to * (space + extent)
        here = (
            x1 + share * (x2 - x1) + near * across,
            y1 + share * (y2 - y1) + near * down,
        )
        gap = _measure_gap(here, (wide, high), around)
        if gap > best:
            best, place = gap, here
        if best >= CLEAR:
            break
    return text, *place


def _open(at, one, other):
    """Return the direction of the first line of an angle, and the turn to the second one."""
    start = math.atan2(one[1] - at[1], one[0] - at[0])
    turn = math.atan2(other[1] - at[1], other[0] - at[0]) - start
    return start, (turn + math.pi) % (2 * math.pi) - math.pi


def _halve(text):
    """Return half of the width and half of the height of a label."""
    return LETTER * len(text) / 2, HIGH / 2


def _measure_gap(place, half, around):
    """Return the least space between a label and what is around it; below 0 where they touch."""
    (x, y), (wide, high) = place, half
    least = 1.0
    for x1, y1, x2, y2 in (*around.lines, *around.marks):
        dx, dy = x2 - x1, y2 - y1
        gap = abs((x - x1) * dy - (y - y1) * dx) - wide * abs(dy) - high * abs(dx)
        least = min(
            least,
            max(
                gap / math.hypot(dx, dy),
                abs(x - (x1 + x2) / 2) - abs(dx) / 2 - wide,
                abs(y - (y1 + y2) / 2) - abs(dy) / 2 - high,
            ),
        )
    for x0, y0, radius in around.circles:
        dx, dy = abs(x - x0), abs(y - y0)
        near = math.hypot(max(dx - wide, 0.0), max(dy - high, 0.0))
        least = min(least, max(near - radius, radius - math.hypot(dx + wide, dy + high)))
    return least
