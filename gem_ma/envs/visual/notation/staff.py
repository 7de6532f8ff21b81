"""Staves, drawn in code: clefs, notes, rests, signs and bar lines.

Places on a staff count from its bottom line: 0 is that line, 1 the space above it. All sizes are
in spaces, the distance of two lines.
"""

import functools
import itertools
import math
from typing import NamedTuple

from gem_ma.envs.visual.curves import PARTS, smooth
from gem_ma.scene import Shapes

SHARP, FLAT, NATURAL = "#", "b", "n"
SIGN_NAMES = {SHARP: "sharp", FLAT: "flat", NATURAL: "natural"}
LENGTHS = {  # in sixteenths of a whole note
    16: "whole",
    12: "dotted half",
    8: "half",
    6: "dotted quarter",
    4: "quarter",
    3: "dotted eighth",
    2: "eighth",
    1: "sixteenth",
}
DOTTED = (12, 6, 3)
THIN, MIDDLE, THICK = 0.09, 0.13, 0.24
STEM = 3.4
HEAD_CORNERS = 16
# The curves start at the dot of a clef; their origin is the line that the clef is named after.
TREBLE = (
    *((0.1, -0.55), (-0.5, -0.3), (-0.45, 0.45), (0.3, 0.75), (0.95, 0.15), (0.8, -0.7)),
    *((0.0, -1.1), (-0.95, -0.75), (-1.35, 0.2), (-1.0, 1.25), (-0.1, 2.2), (0.5, 3.1)),
    *((0.6, 4.1), (0.3, 4.75), (-0.1, 4.3), (-0.2, 3.2), (0.05, 1.2), (0.4, -1.4)),
    *((0.4, -2.3), (-0.1, -2.75), (-0.65, -2.45), (-0.6, -2.0)),
)
BASS = (
    *((-0.9, 0.1), (-0.65, 0.75), (0.0, 1.0), (0.75, 0.7), (0.95, -0.1), (0.6, -1.2)),
    *((-0.2, -2.1), (-1.15, -2.75)),
)
CLEFS = {
    "treble": (TREBLE, (15,), 2, ((-0.42, -2.15, 0.32),)),
    "bass": (BASS, (), 6, ((-0.7, 0.0, 0.34), (1.5, 0.5, 0.18), (1.5, -0.5, 0.18))),
}
FLAG = (  # its outer edge, down from the end of its stem, and its inner edge back up
    *((0.0, -0.06), (0.07, 0.0), (0.11, 0.3), (0.26, 0.6), (0.52, 0.93), (0.78, 1.3)),
    *((0.92, 1.72), (0.9, 2.2), (0.74, 2.7), (0.69, 2.67), (0.8, 2.25), (0.79, 1.82)),
    *((0.65, 1.47), (0.42, 1.16), (0.2, 0.93), (0.0, 0.8)),
)
# Lines that are an oval together: an end, opposite to the other one, and the width.
HEAD = ((0.071, 0.036, 0.944), (0.178, 0.09, 0.858), (0.267, 0.135, 0.71))
BOWL = ((-0.3, 0.35), (0.15, 0.5), (0.35, 0.15), (0.1, -0.3), (-0.3, -0.6))  # of a flat
QUARTER_REST = ((-0.3, 1.4), (0.3, 0.6), (-0.15, 0.1), (0.4, -0.7), (-0.2, -0.55), (0.1, -1.4))


class Note(NamedTuple):
    """A note or a rest.

    Attributes:
        place: its place on the staff; None: a rest.
        length: in sixteenths of a whole note.
        sign: the sign in front of it, or "".
    """

    place: int | None
    length: int = 4
    sign: str = ""


class Pen(NamedTuple):
    """What is drawn of one staff, whose bottom line is at a height of the picture."""

    bottom: float
    space: float
    lines: list[tuple[str, float, float, float, float, float]]
    areas: list[tuple[str, tuple[tuple[float, float], ...]]]

    def draw_path(self, points, x, place, thick=MIDDLE):
        """Draw lines from point to point, given in spaces around a place; up is positive."""
        y = self.bottom - place * self.space / 2
        at = [(x + a * self.space, y - b * self.space) for a, b in points]
        for a, b in itertools.pairwise(at):
            self.lines.append(("", *a, *b, round(thick * self.space, 5)))

    def fill(self, points, x, place):
        """Fill a polygon, given in spaces around a place."""
        y = self.bottom - place * self.space / 2
        corners = [(x + a * self.space, y - b * self.space) for a, b in points]
        self.areas.append(("", tuple(corners)))

    def draw_dot(self, x, place, radius, across=0.0, up=0.0):
        self.draw_path(((across, up), (across, up)), x, place, 2 * radius)

    def draw_staff(self, left, right, clef, last=0.0):
        """Draw five lines, a clef, and bar lines at both ends."""
        # One area, which has the same place in many pictures: it is drawn once, and copied.
        half = max(THIN * self.space, 0.003) / 2
        rows = [self.bottom - up * self.space for up in range(5)]
        ends = ((left, -half), (right, -half), (right, half), (left, half))
        self.areas.append(("", tuple([(x, y + by) for y in rows for x, by in ends])))
        self.draw_bar_line(left)
        self.draw_bar_line(right)
        if clef:
            curve, cuts, place, dots = CLEFS[clef]
            x = left + 2.0 * self.space
            for i, j in itertools.pairwise((0, *cuts, len(curve) - 1)):
                self.fill(make_band(curve, 0.19, i, j), x, place)
            for across, up, radius in dots:
                self.draw_dot(x, place, radius, across, up)

    def draw_bar_line(self, x):
        self.draw_path(((0, 0), (0, 4)), x, 0)

    def draw_note(self, x, note):
        """Draw a note with its sign, stem, flags, dot and ledger lines, or a rest."""
        if note.place is None:
            self.draw_rest(x, note.length)
        else:
            self.draw_head(x, note)
        if note.length in DOTTED:
            place = 5 if note.place is None else note.place + 1 - note.place % 2
            self.draw_dot(x, place, 0.17, 1.15)

    def draw_head(self, x, note):
        place, base = note.place, note.length
        for ledger in [*range(-2, place - 1, -2), *range(10, place + 1, 2)]:
            self.draw_path(((-1.05, 0), (1.05, 0)), x, ledger, THIN)
        if base < 8:
            for a, b, thick in HEAD:
                self.draw_path(((-a, -b), (a, b)), x, place, thick)
        else:
            oval = list_oval(0.75 if base == 16 else 0.62, 0.48)
            turned = oval if base == 16 else [(a + 0.25 * b, b + 0.25 * a) for a, b in oval]
            hole = [(0.66 * a, 0.6 * b) for a, b in turned]
            self.fill([*turned, turned[0], *hole, hole[0]], x, place)
        if base < 16:
            up = 1 if place < 4 else -1
            tall = STEM + (0.8 if base == 1 else 0)
            side = 0.56 * up
            self.draw_path(((side, 0.1 * up), (side, tall * up)), x, place)
            for i in range({4: 0, 6: 0, 8: 0, 12: 0, 2: 1, 3: 1, 1: 2}[base]):
                flag = [(side + a, up * (tall - b - 1.0 * i)) for a, b in FLAG]
                self.fill(flag, x, place)
        if note.sign:
            self.draw_sign(x - 1.45 * self.space, place, note.sign)

    def draw_sign(self, x, place, sign):
        """Draw a sharp, a flat or a natural."""
        if sign == FLAT:
            self.draw_path(((-0.3, 1.7), (-0.3, -0.6)), x, place)
            self.fill(make_band(BOWL, 0.19, 0, len(BOWL) - 1), x, place)
            return
        for side in (-0.22, 0.22):
            ends = (-1.2, 1.3) if sign == SHARP else ((-0.55, 1.3) if side < 0 else (-1.3, 0.55))
            self.draw_path([(side, end + 0.1 * (side > 0)) for end in ends], x, place, MIDDLE)
        wide = 0.5 if sign == SHARP else 0.22
        for up in (-0.45, 0.45):
            self.draw_path(((-wide, up - 0.12), (wide, up + 0.12)), x, place, THICK)

    def draw_rest(self, x, length):
        """Draw a rest around the middle line."""
        base = {12: 8, 6: 4, 3: 2}.get(length, length)
        if base >= 8:
            low, high = (0.5, 1.0) if base == 16 else (0.0, 0.5)
            self.fill(((-0.6, low), (0.6, low), (0.6, high), (-0.6, high)), x, 4)
        elif base == 4:
            self.draw_path(QUARTER_REST, x, 4, THICK)
        else:
            low = -1.1 if base == 2 else -1.9
            self.draw_path(((0.5, 0.75), (0.5 - 0.3 * (0.75 - low), low)), x, 4, MIDDLE)
            for i in range(3 - base):
                left, up = -0.3 * i - 0.3, 0.55 - i
                self.draw_dot(x, 4, 0.26, left, up)
                hook = ((left, up - 0.15), (left + 0.4, up - 0.1), (left + 0.74, up + 0.1))
                self.draw_path(hook, x, 4)


def open_pen(bottom, space):
    """Return a pen that has drawn nothing."""
    return Pen(bottom, space, [], [])


def round_space(space):
    """Return a distance of lines out of few, so that few clefs must be drawn anew."""
    return int(space * 500) / 500


def list_oval(across, along):
    """Return the corners of an oval around the origin."""
    turns = [2 * math.pi * i / HEAD_CORNERS for i in range(HEAD_CORNERS)]
    return [(across * math.cos(turn), along * math.sin(turn)) for turn in turns]


@functools.cache
def make_band(curve, thick, first, last):
    """Return the outline of a band along a part of a curve, which does not cross itself there.

    Args:
        curve: points of the curve.
        first: the number of the point at which the band begins.
        last: the number of the point at which it ends.
    """
    points = smooth(curve)
    sides: list[list[tuple[float, float]]] = [[], []]
    for i in range(max(PARTS * first - 1, 0), PARTS * last + 1):  # parts overlap a little
        (ax, ay), (bx, by) = points[max(i - 1, 0)], points[min(i + 1, len(points) - 1)]
        far = thick / 2 / math.dist((ax, ay), (bx, by))
        for side, sign in zip(sides, (1, -1), strict=True):
            (px, py), shift = points[i], sign * far
            side.append((px - shift * (by - ay), py + shift * (bx - ax)))
    return (*sides[0], *sides[1][::-1])


def draw_scene(pens, labels):
    """Return all staves as a scene."""
    lines = [line for pen in pens for line in pen.lines]
    areas = [area for pen in pens for area in pen.areas]
    return Shapes(lines=tuple(lines), areas=tuple(areas), labels=tuple(labels))


def tell_place(place):
    """Return a place on a staff in words."""
    if 0 <= place <= 8:
        return f"{'space' if place % 2 else 'line'} {place // 2 + 1}"
    far = -place if place < 0 else place - 8
    side = "below" if place < 0 else "above"
    if far == 1:
        return f"just {side} the staff"
    if far % 2:
        return f"just {side} ledger line {far // 2} {side} the staff"
    return f"ledger line {far // 2} {side} the staff"
