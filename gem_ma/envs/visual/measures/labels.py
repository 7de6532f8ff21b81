"""Names of angles and lengths in a picture: small arcs, and labels that touch no line."""

import collections
import itertools
import math
from typing import NamedTuple

LETTER, HIGH = 0.027, 0.036  # the width of a letter with its gap, the height of a digit
CLEAR = 0.02  # least space between a label and the middle of a line
ARC = 0.055  # radius of an arc
CHORD = 0.036  # least distance between the ends of an arc
PIECE = 12  # degrees of an arc that are drawn as one line
WAYS = (0.5, 0.42, 0.58, 0.34, 0.66)  # directions of a label, as shares of its angle
STEP = 0.012  # between places of a label in one direction
APART = 0.04  # least space between two labels
# places of a label beside its line: the share of the line, and the space to its middle, which is
# below 0 on the other side
PLACES = (
    *((0.5, 0.024), (0.5, 0.042), (0.44, 0.024), (0.56, 0.024), (0.38, 0.024), (0.62, 0.024)),
    *((0.5, -0.024), (0.44, -0.024), (0.56, -0.024)),
)
DOT = 0.015  # radius of a dot


class Surroundings(NamedTuple):
    """What labels keep clear of.

    Attributes:
        corners: points where lines meet.
        middles: the middle of each line.
        circles: the x, y and radius of each circle.
        boxes: the x, y, half width and half height of the labels that are in place.
    """

    corners: list[tuple[float, float]]
    middles: list[tuple[float, float]]
    lines: list[tuple[float, float, float, float]]
    circles: tuple[tuple[float, float, float], ...]
    boxes: list[tuple[float, float, float, float]]


def place_labels(lines, marks, circles, angles, radii, lengths):
    """Return labels of angles and lengths, each with its place; see `figure.Figure`.

    Args:
        radii: the radius of the arc in each angle.
    """
    ends = collections.Counter(end for a, b, c, d in lines for end in ((a, b), (c, d)))
    corners = [end for end, many in ends.items() if many > 1]
    middles = [((a + c) / 2, (b + d) / 2) for a, b, c, d in lines]
    around = Surroundings(corners, middles, [*lines, *marks], circles, [])
    labels = []
    for angle, radius in zip(angles, radii, strict=True):
        labels.append((angle[0], *_place_in_angle(angle, radius, around)))
        around.boxes.append((*labels[-1][1:], *_halve(angle[0])))
    for length in lengths:
        labels.append((length[0], *_place_beside(length, around)))
        around.boxes.append((*labels[-1][1:], *_halve(length[0])))
    return labels


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


def _place_in_angle(angle, radius, around):
    """Return the place of a label beyond an arc: the nearest one to the corner that is clear.

    It is half-way between the lines if there is a clear place.
    """
    text, at, one, other = angle
    start, turn = _open(at, one, other)
    wide, high = _halve(text)
    most = min(math.dist(at, one), math.dist(at, other))
    others = [corner for corner in around.corners if corner != at]
    best, place = -1.0, None
    for share in WAYS:
        x, y = math.cos(start + share * turn), math.sin(start + share * turn)
        far = radius + wide * abs(x) + high * abs(y) + 0.012
        place = place or (at[0] + far * x, at[1] + far * y)
        while best < CLEAR and far < most:
            here = at[0] + far * x, at[1] + far * y
            # nearer to its own corner than to all others
            if all(math.dist(here, corner) > 1.05 * far for corner in others):
                gap = _measure_gap(here, (wide, high), around)
                if gap > best:
                    best, place = gap, here
            far += STEP
    return place


def _place_beside(length, around):
    """Return the place of a label close to the middle of its line, clear of all other lines."""
    text, line, to = length
    x1, y1, x2, y2 = line
    far = math.dist(line[:2], line[2:])
    across, down = (y2 - y1) / far, (x1 - x2) / far
    wide, high = _halve(text)
    extent, middle = wide * abs(across) + high * abs(down), ((x1 + x2) / 2, (y1 + y2) / 2)
    best, place = -1.0, (0.0, 0.0)
    for share, space in PLACES:
        near = to * math.copysign(abs(space) + extent, space)
        here = (
            x1 + share * (x2 - x1) + near * across,
            y1 + share * (y2 - y1) + near * down,
        )
        # nearer to the middle of its own line than to all others
        if math.dist(here, middle) > min(math.dist(here, other) for other in around.middles):
            continue
        gap = _measure_gap(here, (wide, high), around)
        if gap > best:
            best, place = gap, here
        if best >= CLEAR:
            break
    return place


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
    for x1, y1, x2, y2 in around.lines:
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
    for x0, y0, wide0, high0 in around.boxes:
        apart = max(abs(x - x0) - wide - wide0, abs(y - y0) - high - high0)
        least = min(least, apart - APART + CLEAR)
    return least
