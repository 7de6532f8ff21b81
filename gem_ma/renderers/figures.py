"""Figures: pieces and icons as coverage masks, drawn in code, equal on every machine."""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from gem_ma.renderers.cache import memoize
from gem_ma.renderers.contrast import make_outline

PolygonPoints = Sequence[tuple[float, float]]
FigureFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]
SAMPLES_PER_PIXEL = 8  # per axis
_COARSE_SIZE = 96  # from this size in pixels, half as many samples suffice


class UnknownFigure(ValueError):
    """No figure has this name."""


@memoize
def make_mask(figure: str, size: int, degrees: float = 0.0, spread: float = 1.0) -> np.ndarray:
    """Return the coverage (0..255) of a figure in a square of size x size pixels.

    Args:
        spread: side of the square as a multiple of the figure's size. A rotated figure needs up to
            1.42.
    """
    if figure not in FIGURES:
        close = difflib.get_close_matches(figure, FIGURES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(FIGURES)}"
        raise UnknownFigure(f"no figure {figure!r}; {hint}")
    if size < 1:
        raise ValueError(f"size={size}: expected at least one pixel")
    fine = SAMPLES_PER_PIXEL if size < _COARSE_SIZE else SAMPLES_PER_PIXEL // 2
    axis = (np.arange(size * fine) + 0.5) / (size * fine) * 2 - 1  # -1..1, y downwards
    axis = axis * spread
    x, y = np.meshgrid(axis, axis)
    if degrees:
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        x, y = c * x + s * y, c * y - s * x
    inside = FIGURES[figure](x, y)
    coverage = inside.reshape(size, fine, size, fine).mean((1, 3))
    result: np.ndarray = np.round(coverage * 255).astype(np.uint8)
    return result


@memoize
def make_outline_mask(figure: str, size: int, degrees: float, spread: float, by: int) -> np.ndarray:
    """Return the mask of the outline around a figure, `by` pixels wide."""
    coverage = make_mask(figure, size, degrees, spread)
    around: np.ndarray = make_outline(coverage, by)
    around[np.pad(coverage, by) == 255] = 0
    return around


def _make_polygon(points: PolygonPoints) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def covers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        result = np.zeros(x.shape, bool)
        for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
            if y1 == y2:
                continue
            crosses = (y1 > y) != (y2 > y)
            result ^= crosses & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
        return result

    return covers


def _make_star(spikes: int, inner: float) -> PolygonPoints:
    points = []
    for i in range(2 * spikes):
        radius = 1.0 if i % 2 == 0 else inner
        angle = math.pi * i / spikes - math.pi / 2
        points.append((radius * math.cos(angle), radius * math.sin(angle)))
    return points


def _make_regular_polygon(sides: int) -> PolygonPoints:
    turn = 2 * math.pi / sides
    return [(math.sin(turn * i), -math.cos(turn * i)) for i in range(sides)]


def _unite(*parts: Callable[[np.ndarray, np.ndarray], np.ndarray]):  # type: ignore[no-untyped-def]
    return lambda x, y: functools.reduce(np.logical_or, [part(x, y) for part in parts])


def _make_disc(cx: float, cy: float, r: float):  # type: ignore[no-untyped-def]
    return lambda x, y: (x - cx) ** 2 + (y - cy) ** 2 <= r * r


def _make_box(left: float, top: float, right: float, bottom: float):  # type: ignore[no-untyped-def]
    return lambda x, y: (x >= left) & (x <= right) & (y >= top) & (y <= bottom)


def _make_stroke(x1: float, y1: float, x2: float, y2: float, width: float):  # type: ignore[no-untyped-def]
    """Return a function that covers the points within half a width of a line segment."""
    across, down = x2 - x1, y2 - y1

    def covers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        along = ((x - x1) * across + (y - y1) * down) / (across**2 + down**2)
        along = along.clip(0, 1)
        near: np.ndarray = (x - x1 - along * across) ** 2 + (y - y1 - along * down) ** 2
        return near <= width * width / 4

    return covers


def _subtract(  # type: ignore[no-untyped-def]
    whole: Callable[[np.ndarray, np.ndarray], np.ndarray],
    *parts: Callable[[np.ndarray, np.ndarray], np.ndarray],
):
    """Return a function that covers the points of a whole that are in none of the parts."""
    return lambda x, y: whole(x, y) & ~_unite(*parts)(x, y)


def _cover_ball(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Cover a disc without the seams of a basketball."""
    square = x * x + y * y
    seams = (np.minimum(abs(x), abs(y)) < 0.05) | (abs(np.hypot(abs(x) - 1.1, y) - 0.72) < 0.055)
    inside: np.ndarray = (square <= 0.95**2) & (~seams | (square >= 0.85**2))
    return inside


def _cover_dial(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Cover the sixty minute marks of a clock face; every fifth mark is longer and thicker."""
    square = x * x + y * y
    inside: np.ndarray = (square > 0.74) & (square <= 1)
    outer = square[inside] > 0.865
    minute = np.arctan2(y[inside], x[inside]) * (30 / math.pi)
    short, long = abs(minute - np.round(minute)), 5 * abs(minute / 5 - np.round(minute / 5))
    inside[inside] = ((short < 0.1) & outer) | (long < 0.2)
    return inside


def _make_oval(cx: float, cy: float, rx: float, ry: float):  # type: ignore[no-untyped-def]
    return lambda x, y: ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1


def _subtract_figures(whole: FigureFunction, *holes: FigureFunction) -> FigureFunction:
    return lambda x, y: whole(x, y) & ~functools.reduce(np.logical_or, [h(x, y) for h in holes])


def _intersect(*parts: FigureFunction) -> FigureFunction:
    return lambda x, y: functools.reduce(np.logical_and, [part(x, y) for part in parts])


def _make_disc_arc(count: int, first: float, last: float, r: float):  # type: ignore[no-untyped-def]
    """Return discs around a head between two angles, in degrees from the right upwards."""
    turns = [math.radians(first + (last - first) * i / (count - 1)) for i in range(count)]
    return _unite(*[_make_disc(0.56 * math.cos(t), -0.16 - 0.62 * math.sin(t), r) for t in turns])


_PIECE_BASE = _unite(_make_box(-0.75, 0.72, 0.75, 1.0), _make_box(-0.58, 0.5, 0.58, 0.74))
_PIECE_TRUNK = _make_polygon([(-0.3, -0.3), (0.3, -0.3), (0.5, 0.55), (-0.5, 0.55)])

FIGURES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "disc": _make_disc(0, 0, 1),
    "dot": _make_disc(0, 0, 0.35),
    "circle": lambda x, y: (x * x + y * y <= 1) & (x * x + y * y >= 0.945),
    "ring": lambda x, y: (x * x + y * y <= 1) & (x * x + y * y >= 0.45),
    "square": _make_box(-0.88, -0.88, 0.88, 0.88),
    "frame": lambda x, y: np.maximum(abs(x), abs(y)).clip(0.62, 0.92) == np.maximum(abs(x), abs(y)),
    "cross": lambda x, y: (abs(abs(x) - abs(y)) < 0.32) & (np.maximum(abs(x), abs(y)) < 0.92),
    "plus": lambda x, y: np.minimum(abs(x), abs(y)) < 0.26,
    "bar": _make_box(-0.95, -0.26, 0.95, 0.26),
    "triangle": _make_polygon([(0, -0.92), (0.98, 0.8), (-0.98, 0.8)]),
    "diamond": lambda x, y: abs(x) + abs(y) <= 1,
    "block": _unite(  # over a hexagon: the left face of a cube, and the edges between its faces
        _make_polygon([(-0.76, -0.36), (-0.06, 0.05), (-0.06, 0.87), (-0.76, 0.45)]),
        _make_stroke(0, 0, 0.78, -0.45, 0.06),
        _make_stroke(0, 0, 0, 0.9, 0.06),
        _make_stroke(0, 0, -0.78, -0.45, 0.06),
    ),
    "hexagon": _make_polygon(_make_regular_polygon(6)),
    "pentagon": _make_polygon(_make_regular_polygon(5)),
    "star": _make_polygon(_make_star(5, 0.42)),
    "burst": _make_polygon(_make_star(8, 0.6)),
    "heart": _unite(
        _make_disc(-0.46, -0.36, 0.52),
        _make_disc(0.46, -0.36, 0.52),
        _make_polygon([(-0.95, -0.14), (0.95, -0.14), (0, 0.95)]),
    ),
    "spade": _unite(
        _make_disc(-0.44, 0.2, 0.48),
        _make_disc(0.44, 0.2, 0.48),
        _make_polygon([(-0.88, 0.04), (0, -0.98), (0.88, 0.04)]),
        _make_polygon([(0, 0.1), (0.34, 0.98), (-0.34, 0.98)]),
    ),
    "club": _unite(
        _make_disc(0, -0.48, 0.46),
        _make_disc(-0.5, 0.16, 0.46),
        _make_disc(0.5, 0.16, 0.46),
        _make_disc(0, 0, 0.16),  # no gaps where the leaves touch
        _make_polygon([(0, -0.1), (0.34, 0.98), (-0.34, 0.98)]),
    ),
    "arrow": _make_polygon(
        [(0, -0.95), (0.8, 0), (0.3, 0), (0.3, 0.95), (-0.3, 0.95), (-0.3, 0), (-0.8, 0)]
    ),
    "flag": _unite(
        _make_box(-0.62, -0.95, -0.42, 0.95),
        _make_polygon([(-0.42, -0.9), (0.8, -0.45), (-0.42, 0)]),
    ),
    "mine": _unite(_make_disc(0, 0, 0.62), _make_polygon(_make_star(8, 0.3))),
    "goal": lambda x, y: (
        ((x * x + y * y <= 0.95) & (x * x + y * y >= 0.6)) | (x * x + y * y < 0.12)
    ),
    "dial": _cover_dial,
    "key": _unite(
        lambda x, y: ((x + 0.5) ** 2 + y**2 <= 0.2) & ((x + 0.5) ** 2 + y**2 >= 0.05),
        _make_box(-0.12, -0.12, 0.95, 0.12),
        _make_box(0.62, 0, 0.8, 0.45),
        _make_box(0.3, 0, 0.46, 0.36),
    ),
    "door": _unite(
        _make_box(-0.75, -0.95, 0.75, -0.65),
        _make_box(-0.75, -0.95, -0.45, 0.95),
        _make_box(0.45, -0.95, 0.75, 0.95),
        _make_disc(0.12, 0.1, 0.2),
    ),
    "person": _unite(
        _make_disc(0, -0.55, 0.38),
        _make_polygon([(-0.3, -0.12), (0.3, -0.12), (0.72, 0.95), (-0.72, 0.95)]),
    ),
    "stick": _make_stroke(0, -0.82, 0, 0.82, 0.34),
    "rock": _subtract(
        _make_polygon(
            [
                (-0.95, 0.72),
                (-0.82, 0.02),
                (-0.38, -0.58),
                (0.25, -0.72),
                (0.72, -0.3),
                (0.96, 0.4),
                (0.84, 0.72),
            ]
        ),
        _make_stroke(-0.38, -0.58, -0.14, -0.02, 0.1),
        _make_stroke(-0.14, -0.02, 0.72, -0.3, 0.1),
        _make_stroke(-0.14, -0.02, -0.3, 0.72, 0.1),
    ),
    "sheet": _subtract(
        _make_polygon([(-0.7, -0.95), (0.26, -0.95), (0.7, -0.51), (0.7, 0.95), (-0.7, 0.95)]),
        _make_stroke(0.22, -0.95, 0.22, -0.47, 0.1),
        _make_stroke(0.22, -0.47, 0.7, -0.47, 0.1),
        *(_make_box(-0.46, y, 0.46, y + 0.12) for y in (-0.2, 0.14, 0.48)),
    ),
    "scissors": _unite(
        _make_polygon([(0.46, 0.62), (0.22, 0.62), (-0.52, -0.92), (-0.3, -0.98)]),
        _make_polygon([(-0.46, 0.62), (-0.22, 0.62), (0.52, -0.92), (0.3, -0.98)]),
        *(_subtract(_make_disc(x, 0.64, 0.34), _make_disc(x, 0.64, 0.17)) for x in (-0.44, 0.44)),
    ),
    "thumb": _unite(
        _subtract(
            _unite(
                _make_box(-0.4, -0.05, 0.7, 0.82),
                *(_make_stroke(0.3, y, 0.72, y, 0.28) for y in (0.08, 0.38, 0.68)),
            ),
            *(_make_stroke(0.16, y, 1.0, y, 0.08) for y in (0.23, 0.53)),
        ),
        _make_polygon([(-0.4, 0.1), (-0.02, -0.5), (0.0, -0.84), (0.3, -0.84), (0.26, 0.1)]),
        _make_disc(0.15, -0.8, 0.15),
        _make_box(-0.92, -0.06, -0.54, 0.86),
    ),
    "soldier": _unite(
        lambda x, y: ((x / 0.36) ** 2 + ((y + 0.54) / 0.4) ** 2 <= 1) & (y < -0.54),
        _make_box(-0.46, -0.62, 0.46, -0.52),
        _subtract(_make_disc(0, -0.44, 0.27), _make_box(-0.4, -0.52, 0.4, -0.46)),
        _make_polygon([(-0.34, -0.12), (0.34, -0.12), (0.46, 0.95), (-0.46, 0.95)]),
        _make_stroke(0.3, 0.1, 0.72, 0.16, 0.16),
        _make_box(0.66, -0.6, 0.78, 0.95),
        _make_polygon([(0.72, -0.98), (0.9, -0.56), (0.54, -0.56)]),
    ),
    "book": _subtract(
        _make_box(-0.72, -0.92, 0.72, 0.92),
        _make_box(-0.46, -0.92, -0.36, 0.66),
        _make_box(-0.5, 0.62, 0.74, 0.74),
        _make_box(-0.14, -0.6, 0.48, -0.46),
        _make_box(-0.14, -0.3, 0.48, -0.16),
    ),
    "cup": _make_polygon([(-0.6, -0.9), (0.6, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
    "hat": _subtract(
        _unite(
            _make_polygon([(-0.6, -0.82), (0.6, -0.82), (0.48, 0.5), (-0.48, 0.5)]),
            _make_stroke(-0.8, 0.58, 0.8, 0.58, 0.3),
        ),
        _make_box(-0.6, 0.12, 0.6, 0.24),
    ),
    "ball": _cover_ball,
    "pawn": _unite(_make_disc(0, -0.45, 0.36), _PIECE_TRUNK, _PIECE_BASE),
    "rook": _unite(
        _make_box(-0.55, -0.55, 0.55, -0.28),
        _make_box(-0.62, -0.9, -0.3, -0.4),
        _make_box(-0.15, -0.9, 0.15, -0.4),
        _make_box(0.3, -0.9, 0.62, -0.4),
        _make_box(-0.42, -0.4, 0.42, 0.55),
        _PIECE_BASE,
    ),
    "knight": _unite(
        _make_polygon(
            [
                (-0.5, 0.55),
                (-0.45, 0.1),
                (-0.12, -0.18),
                (-0.62, 0.02),
                (-0.8, -0.2),
                (-0.3, -0.66),
                (-0.12, -0.98),
                (0.08, -0.7),
                (0.42, -0.5),
                (0.6, -0.05),
                (0.52, 0.55),
            ]
        ),
        _PIECE_BASE,
    ),
    "bishop": _unite(
        _make_disc(0, -0.88, 0.12),
        lambda x, y: (x / 0.42) ** 2 + ((y + 0.3) / 0.52) ** 2 <= 1,
        _make_polygon([(-0.24, 0.1), (0.24, 0.1), (0.46, 0.55), (-0.46, 0.55)]),
        _PIECE_BASE,
    ),
    "queen": _unite(
        _make_polygon(
            [
                (-0.9, -0.72),
                (-0.42, -0.2),
                (-0.32, -0.92),
                (0, -0.28),
                (0.32, -0.92),
                (0.42, -0.2),
                (0.9, -0.72),
                (0.52, 0.55),
                (-0.52, 0.55),
            ]
        ),
        _PIECE_BASE,
    ),
    "king": _unite(
        _make_box(-0.1, -1.0, 0.1, -0.45),
        _make_box(-0.28, -0.86, 0.28, -0.68),
        _make_polygon(
            [
                (0, -0.5),
                (0.55, -0.42),
                (0.78, -0.1),
                (0.5, 0.55),
                (-0.5, 0.55),
                (-0.78, -0.1),
                (-0.55, -0.42),
            ]
        ),
        _PIECE_BASE,
    ),
    # Parts of a face, drawn over one another.
    "long hair": _unite(_make_oval(0, -0.2, 0.76, 0.72), _make_box(-0.76, -0.2, 0.76, 0.72)),
    "curls": _make_disc_arc(9, -48, 228, 0.27),
    "shoulders": _unite(_make_oval(0, 1.08, 0.86, 0.46), _make_box(-0.2, 0.4, 0.2, 0.8)),
    "head": _unite(
        _make_oval(0, -0.08, 0.54, 0.64), _make_disc(-0.54, 0, 0.13), _make_disc(0.54, 0, 0.13)
    ),
    "hair": _unite(
        _intersect(_make_oval(0, -0.12, 0.6, 0.7), lambda x, y: y < -0.46 + 0.5 * x * x),
        _intersect(_make_oval(0, -0.12, 0.6, 0.7), lambda x, y: (abs(x) > 0.44) & (y < -0.1)),
    ),
    "curly hair": _intersect(_make_disc_arc(7, 10, 170, 0.25), lambda x, y: y < -0.3),
    "fringe": _intersect(
        _make_oval(0, -0.12, 0.6, 0.7), lambda x, y: y < -0.28 - 0.35 * abs(x - 0.1)
    ),
    "beard": _subtract_figures(
        _intersect(_make_oval(0, 0, 0.57, 0.68), lambda x, y: y > 0.02 + 0.5 * (0.57 - abs(x))),
        _make_oval(0, 0.3, 0.24, 0.13),
    ),
    "moustache": _subtract_figures(_make_oval(0, 0.2, 0.32, 0.13), _make_oval(0, 0.34, 0.2, 0.1)),
    "eyes": _unite(_make_oval(-0.22, -0.12, 0.17, 0.13), _make_oval(0.22, -0.12, 0.17, 0.13)),
    "pupils": _unite(_make_disc(-0.22, -0.12, 0.095), _make_disc(0.22, -0.12, 0.095)),
    "lashes": _unite(
        *[
            _make_polygon(
                [(s * 0.1, -0.26), (s * 0.3, -0.27), (s * 0.46, -0.38), (s * 0.38, -0.16)]
            )
            for s in (-1, 1)
        ]
    ),
    "brows": _unite(_make_box(-0.36, -0.34, -0.1, -0.27), _make_box(0.1, -0.34, 0.36, -0.27)),
    "glasses": _unite(
        _subtract_figures(_make_disc(-0.24, -0.12, 0.26), _make_disc(-0.24, -0.12, 0.15)),
        _subtract_figures(_make_disc(0.24, -0.12, 0.26), _make_disc(0.24, -0.12, 0.15)),
        _make_box(-0.6, -0.17, -0.46, -0.09),
        _make_box(0.46, -0.17, 0.6, -0.09),
    ),
    "freckles": _unite(
        *[
            _make_disc(s * x, y, 0.06)
            for s in (-1, 1)
            for x, y in ((0.2, 0.1), (0.34, 0.06), (0.3, 0.2))
        ]
    ),
    "nose": _make_polygon([(0, -0.1), (0.1, 0.14), (-0.1, 0.14)]),
    "smile": _intersect(_make_oval(0, 0.22, 0.28, 0.28), lambda x, y: y > 0.24),
    "mouth": _make_box(-0.24, 0.28, 0.24, 0.38),
    "earrings": _unite(_make_disc(-0.6, 0.24, 0.13), _make_disc(0.6, 0.24, 0.13)),
    "scarf": _unite(
        _intersect(_make_oval(0, 0.66, 0.56, 0.24), lambda x, y: y > 0.5),
        _make_polygon([(0.14, 0.68), (0.44, 0.68), (0.54, 1), (0.2, 1)]),
    ),
    "tie": _make_polygon(
        [
            (-0.15, 0.58),
            (0.15, 0.58),
            (0.08, 0.7),
            (0.18, 0.94),
            (0, 1),
            (-0.18, 0.94),
            (-0.08, 0.7),
        ]
    ),
    "collar": _make_polygon([(-0.34, 0.62), (0.34, 0.62), (0, 1)]),
    "brimmed hat": _unite(
        _make_oval(0, -0.5, 0.84, 0.12),
        _make_polygon([(-0.48, -0.5), (-0.4, -0.96), (0.4, -0.96), (0.48, -0.5)]),
    ),
    "hat band": _make_polygon([(-0.47, -0.57), (-0.45, -0.72), (0.45, -0.72), (0.47, -0.57)]),
    # A point of a backgammon board; a crown on a disc.
    "spike": _make_polygon([(0, -1), (0.188, 1), (-0.188, 1)]),
    "crown": _make_polygon(
        [
            (-0.6, -0.38),
            (-0.3, -0.06),
            (0, -0.58),
            (0.3, -0.06),
            (0.6, -0.38),
            (0.5, 0.44),
            (-0.5, 0.44),
        ]
    ),
    "crossed": lambda x, y: abs(abs(x) - abs(y)) < 0.09,
    # Figures for a round of players at a table, by day and by night.
    "sitting": _unite(
        _make_disc(0, -0.42, 0.46),
        _intersect(_make_oval(0, 0.96, 0.92, 0.84), _make_box(-1, 0, 1, 1)),
    ),
    "wolf": _unite(
        _make_polygon([(-0.8, -0.95), (-0.2, -0.5), (-0.66, 0.2)]),
        _make_polygon([(0.8, -0.95), (0.2, -0.5), (0.66, 0.2)]),
        _make_polygon([(-0.72, -0.45), (0.72, -0.45), (0.8, 0.2), (0, 0.98), (-0.8, 0.2)]),
    ),
    "eye": _subtract_figures(
        _intersect(_make_disc(0, 0.75, 1.24), _make_disc(0, -0.75, 1.24)),
        lambda x, y: (x * x + y * y <= 0.2) & (x * x + y * y >= 0.05),
    ),
    "grave": _unite(
        _make_disc(0, -0.2, 0.62),
        _make_box(-0.62, -0.2, 0.62, 0.8),
        _make_box(-0.9, 0.8, 0.9, 0.98),
    ),
    "sun": _unite(
        _make_disc(0, 0, 0.44),
        _subtract_figures(_make_polygon(_make_star(8, 0.62)), _make_disc(0, 0, 0.58)),
    ),
    "moon": _subtract_figures(_make_disc(0, 0, 0.95), _make_disc(0.45, -0.25, 0.8)),
    "bubble": _unite(
        _make_oval(0, -0.2, 0.98, 0.7), _make_polygon([(-0.5, 0.2), (0.1, 0.3), (-0.62, 0.96)])
    ),
    "ballot": _subtract_figures(
        _unite(_make_box(-0.85, -0.05, 0.85, 0.9), _make_box(-0.4, -0.85, 0.4, -0.05)),
        _make_box(-0.55, 0.08, 0.55, 0.24),
    ),
}
