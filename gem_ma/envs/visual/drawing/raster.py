"""The cells of a fixed grid that a picture paints, and how far two pictures overlap."""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from gem_ma.envs.visual.drawing.svg import COLORS, SIDE, Element

Points: TypeAlias = Sequence[Sequence[float]]
TOP = 10  # rows at the top that do not count: the key of colours
_ROWS = np.arange(TOP, SIDE) + 0.5
_COLUMNS = np.arange(SIDE) + 0.5
_AROUND = [(math.cos(n * math.pi / 12), math.sin(n * math.pi / 12)) for n in range(24)]
CELLS = len(_ROWS) * len(_COLUMNS)


@functools.lru_cache(maxsize=256)
def paint(elements: tuple[Element, ...]) -> np.ndarray:
    """Return the number of the colour in each cell, 0 for none; a cell is painted at its middle."""
    cells = np.zeros((len(_ROWS), len(_COLUMNS)), np.uint8)
    for one in elements:
        if one.fill:
            cells[_fill(one)] = 1 + COLORS.index(one.fill)
        if one.stroke and one.width > 0:
            cells[_stroke(one)] = 1 + COLORS.index(one.stroke)
    cells.flags.writeable = False
    return cells


def measure_overlap(right: np.ndarray, painted: np.ndarray) -> Fraction:
    """Return the mean over colours of what both paint so, divided by what either paints so."""
    colors = [c for c in range(1, len(COLORS) + 1) if (right == c).any() or (painted == c).any()]
    shares = []
    for color in colors:
        one, other = right == color, painted == color
        shares.append(Fraction(int((one & other).sum()), int((one | other).sum())))
    return sum(shares, Fraction(0)) / max(1, len(shares))


def grade(right: np.ndarray, painted: np.ndarray) -> float:
    """Return the reward of a picture: its overlap, less the most that one colour alone would get.

    An empty picture and a picture full of one colour earn nothing, and the right one earns 1.
    """
    counts = [int((right == color).sum()) for color in range(1, len(COLORS) + 1)]
    least = Fraction(max(counts), CELLS * sum(count > 0 for count in counts))
    if least == 1:
        return float(bool((right == painted).all()))
    score = (measure_overlap(right, painted) - least) / (1 - least)
    return max(0, math.floor(100 * score)) / 100


def _fill(one: Element) -> np.ndarray:
    numbers = one.numbers
    if one.name == "rect":
        x, y, wide, high = numbers
        return _cross((y <= _ROWS) & (y + high > _ROWS), (x <= _COLUMNS) & (x + wide > _COLUMNS))
    if one.name == "lines":
        return _fill_polygons(_list_points(one))
    cx, cy, rx, ry = numbers if one.name == "ellipse" else (*numbers, numbers[2])
    return _fill_ellipse(cx, cy, rx, ry)


def _cross(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    cells: np.ndarray = rows[:, None] & columns
    return cells


def _fill_ellipse(cx: float, cy: float, rx: float, ry: float) -> np.ndarray:
    if rx <= 0 or ry <= 0:
        return np.zeros((len(_ROWS), len(_COLUMNS)), bool)
    away = (((_ROWS - cy) / ry) ** 2)[:, None] + ((_COLUMNS - cx) / rx) ** 2
    cells: np.ndarray = away <= 1
    return cells


def _fill_polygons(*polygons: Points) -> np.ndarray:
    """Return the cells around whose middle any of the polygons winds.

    Those that overlap must all wind the same way.
    """
    corners = np.array([corner for polygon in polygons for corner in polygon])
    after = np.array([corner for polygon in polygons for corner in (*polygon[1:], polygon[0])])
    (ax, ay), (bx, by) = corners.T[:, :, None], after.T[:, :, None]
    edges, rows = np.nonzero((ay <= _ROWS) != (by <= _ROWS))  # where an edge crosses a row
    y = _ROWS[rows]
    ax, ay, bx, by = (side[edges, 0] for side in (ax, ay, bx, by))
    crossings = ax + (bx - ax) * (y - ay) / (by - ay)
    first = np.searchsorted(_COLUMNS, crossings)  # the first cell at the right of the crossing
    turns = np.zeros((len(_ROWS), len(_COLUMNS) + 1), np.int64)
    np.add.at(turns, (rows, first), np.where(by > ay, 1, -1))
    cells: np.ndarray = turns.cumsum(axis=1)[:, :-1] != 0
    return cells


def _stroke(one: Element) -> np.ndarray:
    """Return the cells of a stroke: flat ends, round corners."""
    half = one.width / 2
    if one.name in ("circle", "ellipse"):
        cx, cy, rx, ry = one.numbers if one.name == "ellipse" else (*one.numbers, one.numbers[2])
        outer = _fill_ellipse(cx, cy, rx + half, ry + half)
        return outer & ~_fill_ellipse(cx, cy, rx - half, ry - half)
    points = _list_points(one)
    is_closed = one.closed or one.name == "rect"
    ends = [*points[1:], points[0]] if is_closed else points[1:]
    pieces = []
    for (ax, ay), (bx, by) in zip(points, ends, strict=False):
        if length := math.hypot(bx - ax, by - ay):
            i, j = half * (by - ay) / length, half * (ax - bx) / length
            pieces.append([(ax + i, ay + j), (bx + i, by + j), (bx - i, by - j), (ax - i, ay - j)])
    for x, y in points if is_closed else points[1:-1]:
        pieces.append([(x + half * i, y + half * j) for i, j in _AROUND])
    if not pieces:
        return np.zeros((len(_ROWS), len(_COLUMNS)), bool)
    return _fill_polygons(*pieces)


def _list_points(one: Element) -> Points:
    if one.name == "rect":
        x, y, wide, high = one.numbers
        return [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
    if one.name == "line":
        return [one.numbers[:2], one.numbers[2:]]
    return list(zip(one.numbers[::2], one.numbers[1::2], strict=True))
