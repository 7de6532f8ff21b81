"""Drawn things with named parts: clocks, polygons, bars, arrows and flags.

Places are in thousandths of the picture, from the left and from the top.
"""

import itertools
import math
from typing import NamedTuple

from gem_ma.envs.visual.question import pick
from gem_ma.envs.visual.shapes.things import COLORS

_OUTLINE = 72  # corners of a circle
CORNERS = {"topmost": (1, 1), "lowest": (1, -1), "leftmost": (0, 1), "rightmost": (0, -1)}


class Drawn(NamedTuple):
    """A drawn thing.

    Attributes:
        name: what it is.
        parts: the name and the place of each part that can be asked for.
        told: the thing in words: what a place is, and the place.
        lines: (x1, y1, x2, y2, width) of each.
        areas: (color, corners) of each polygon.
    """

    name: str
    parts: tuple[tuple[str, tuple[int, int]], ...]
    told: tuple[tuple[str, tuple[int, int]], ...]
    lines: tuple[tuple[float, float, float, float, int], ...]
    areas: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()


def make_clock(rng, x, y, size, detail):
    """Return a clock whose hands are at least 40 degrees apart."""
    short, turn = int(rng.integers(360)), int(rng.integers(40, 321))
    middle = x, y
    ends = _turn(x, y, 0.5 * size, short), _turn(x, y, 0.82 * size, short + turn)
    ticks = [
        (*_turn(x, y, 0.84 * size, turn), *_turn(x, y, 0.95 * size, turn), 6)
        for turn in (0, 90, 180, 270)
    ]
    widths = size // 12, size // 24
    hands = [(*middle, *end, width) for end, width in zip(ends, widths, strict=True)]
    names = ("the tip of the short hand", "the tip of the long hand")
    parts = tuple(zip(names, ends, strict=True))
    told = (("its middle", middle), *parts)
    rim = [_aim(x, y, size - 4, 360 * n / _OUTLINE) for n in range(_OUTLINE + 1)]
    rims = [(*a, *b, 8) for a, b in itertools.pairwise(rim)]
    return Drawn("clock", parts, told, (*ticks, *hands, *rims))


def make_polygon(rng, x, y, size, detail):
    """Return a polygon of 3 to 3 + detail corners; only corners that stand out are asked for."""
    many = 3 + int(rng.integers(detail + 1))
    while True:
        start = rng.random()
        turns = [(n + start + 0.5 * (rng.random() - 0.5)) * 360 / many for n in range(many)]
        corners = [_turn(x, y, size * (0.65 + 0.35 * rng.random()), turn) for turn in turns]
        parts = []
        for name, (axis, sign) in CORNERS.items():
            first, second = sorted(corners, key=lambda corner: sign * corner[axis])[:2]
            if abs(first[axis] - second[axis]) > 0.15 * size:
                parts.append((f"the {name} corner", first))
        if parts:
            break
    told = tuple([("a corner", corner) for corner in corners])
    return Drawn("polygon", tuple(parts), told, (), ((pick(rng, COLORS), tuple(corners)),))


def make_bars(rng, x, y, size, detail):
    """Return bars of different heights on a line; their upper ends are asked for."""
    many = 2 + int(rng.integers(1, 2 + detail))
    heights = [(n + 1.4) / (many + 0.4) for n in rng.permutation(many).tolist()]
    step, low = 2 * size / many, y + round(0.9 * size)
    color, areas, tops = pick(rng, COLORS), [], []
    for n, height in enumerate(heights):
        left, right = (round(x - size + step * (n + part)) for part in (0.18, 0.82))
        top = low - round(1.7 * size * height)
        areas.append((color, ((left, top), (right, top), (right, low), (left, low))))
        tops.append(((left + right) // 2, top))
    parts = [
        ("the middle of the upper end of the tallest bar", tops[heights.index(max(heights))]),
        ("the middle of the upper end of the shortest bar", tops[heights.index(min(heights))]),
    ]
    line = (x - size, low, x + size, low, 8)
    told = tuple([("the middle of the upper end of a bar", top) for top in tops])
    return Drawn("bar chart", tuple(parts), told, (line,), tuple(areas))


def make_arrow(rng, x, y, size, detail):
    """Return an arrow; its two ends are asked for."""
    turn = int(rng.integers(360))
    tip, tail = _turn(x, y, 0.95 * size, turn), _turn(x, y, 0.95 * size, turn + 180)
    barbs = [_turn(tip[0], tip[1], 0.4 * size, turn + side) for side in (152, -152)]
    parts = (("the tip", tip), ("the end of the tail", tail))
    width = max(8, size // 14)
    lines = ((*tail, *tip, width), *((*tip, *barb, width) for barb in barbs))
    return Drawn("arrow", parts, parts, lines)


def make_flag(rng, x, y, size, detail):
    """Return a pennant on a pole, at its left or right side."""
    side = pick(rng, (-1, 1))
    pole = x - side * round(0.4 * size)
    top, foot = (pole, y - size), (pole, y + size)
    high = round((0.35 + 0.3 * rng.random()) * size)
    tip = pole + side * round((0.7 + 0.5 * rng.random()) * size), top[1] + high
    area = (pick(rng, COLORS), (top, tip, (pole, top[1] + 2 * high)))
    parts = (
        ("the top of the pole", top),
        ("the foot of the pole", foot),
        ("the tip of the cloth", tip),
    )
    return Drawn("flag", parts, parts, ((*top, *foot, max(8, size // 12)),), (area,))


MAKERS = (make_clock, make_polygon, make_bars, make_arrow, make_flag)


def _turn(x, y, far, degrees):
    across, down = _aim(x, y, far, degrees)
    return round(across), round(down)


def _aim(x, y, far, degrees):
    angle = math.radians(degrees)
    return x + far * math.sin(angle), y - far * math.cos(angle)
