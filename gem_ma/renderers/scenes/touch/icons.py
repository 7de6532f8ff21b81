"""Icons of a phone as coverage masks, each written as strokes in a square of 24 units."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from gem_ma.renderers.figures import SAMPLES_PER_PIXEL

ShapeCover = Callable[[np.ndarray, np.ndarray, list[float]], np.ndarray]
_UNITS = 24
_STROKE = 2.0  # units

# o: ring (x, y, radius); d: disc; l: line through points; p: polygon; r: rectangle with round
# corners (x, y, width, height, radius); b: the same filled; a: arc (x, y, radius, from, to, in
# degrees clockwise from the right). A minus sign before a shape takes it away from those before.
ICONS = MappingProxyType({
    "add": "l12,5,12,19 l5,12,19,12",
    "alarm": "o12,13,7 l12,9,12,13,15,15 l5,3,2,6 l19,3,22,6",
    "archive": "r4,9,16,11,1 b3,4,18,4,1 l9,13,15,13",
    "arrow": "l20,12,5,12 l11,6,5,12,11,18",
    "back": "p17,4,17,20,5,12",
    "backspace": "l9,5,21,5,21,19,9,19,3,12,9,5 l12,9,17,15 l17,9,12,15",
    "bell": "p5,17,19,17,17,14,17,10,16,7,14,5,10,5,8,7,7,10,7,14 d12,5,2 d12,19,2.2",
    "bike": "o6,16,4 o18,16,4 l6,16,10,9,16,9,18,16 l10,9,13,16,16,9 l8,7,11,7",
    "bluetooth": "l7,8,17,16,12,20,12,4,17,8,7,16",
    "bus": "b5,4,14,14,3 -b7,7,10,5,1 d8.5,19,2 d15.5,19,2 -d8.5,15,1.2 -d15.5,15,1.2",
    "calculator": "b5,2,14,20,2 -b8,5,8,4,0 -d9,13,1.2 -d12,13,1.2 -d15,13,1.2 -d9,17,1.2 "
    "-d12,17,1.2 -d15,17,1.2",
    "calendar": "b4,5,16,16,2 -b6,10,12,9,0.5 l8,3,8,7 l16,3,16,7 b8,12,3,3,0.5",
    "camera": "b3,7,18,13,2 p8,8,10,4,14,4,16,8 -d12,13.5,4.4 d12,13.5,2.6",
    "car": "p3,12,6,6,18,6,21,12 b3,11,18,7,1.5 -d7,14.5,1.3 -d17,14.5,1.3 d7,18.5,2 d17,18.5,2 "
    "-p6.4,11,8,7.8,16,7.8,17.6,11",
    "chat": "b3,4,18,13,3 p6,15,6,21,12,16 -b7,8,10,1.8,0.9 -b7,11.6,7,1.8,0.9",
    "check": "l5,12,10,17,20,6",
    "clock": "o12,12,9 l12,7,12,12,15.5,14",
    "close": "l6,6,18,18 l18,6,6,18",
    "cloud": "d8,14,5 d14,11,6 d18,15,4 b7,14,12,5,2",
    "copy": "r8,8,12,13,2 l5,16,4,16,4,4,15,4,15,5",
    "coin": "o12,12,9 l14.8,9,12.5,8,10,9,10,11,14,13,14,15,11.5,16,9.2,15 l12,6,12,18",
    "delete": "p6,8,18,8,17,21,7,21 b5,4.5,14,2,1 b9.5,3,5,3,1 -b9,10.5,1.5,8,0.7 "
    "-b13.5,10.5,1.5,8,0.7",
    "download": "l12,4,12,15 l7,10,12,15,17,10 l5,20,19,20",
    "edit": "p4,20,5,15.5,15,5.5,18.5,9,8.5,19 p16,4.5,17.5,3,21,6.5,19.5,8",
    "enter": "l20,6,20,13,5,13 l9,9,5,13,9,17",
    "file": "p5,2,14,2,20,8,20,22,5,22 -p13.5,3.5,13.5,8.5,18.5,8.5 -b8,12,9,1.6,0.8 "
    "-b8,16,9,1.6,0.8",
    "flash": "p13,2,5,14,11,14,10,22,19,9,13,9",
    "folder": "b3,6,18,13,2 p3,9,3,5,9,5,11,7,11,9",
    "gear": "o12,12,5.4 d12,4,1.7 d12,20,1.7 d4,12,1.7 d20,12,1.7 d6.3,6.3,1.7 d17.7,6.3,1.7 "
    "d6.3,17.7,1.7 d17.7,17.7,1.7",
    "globe": "o12,12,9 l3,12,21,12 a3.5,12,10.5,-57,57 a20.5,12,10.5,123,237",
    "heart": "d8,9,4.6 d16,9,4.6 p3.9,11.2,20.1,11.2,12,20.5",
    "home": "o12,12,7.5",
    "image": "b3,4,18,16,2 -d8,9,1.8 -p5,18,10,12,13,15,16,11,19,18",
    "key": "o7,14,4 l10,12,20,5 l16,8,18.5,11",
    "list": "d5,7,1.5 d5,12,1.5 d5,17,1.5 l9,7,20,7 l9,12,20,12 l9,17,20,17",
    "location": "d12,10,7 p5.6,12.6,18.4,12.6,12,22 -d12,10,2.8",
    "lock": "b5,10,14,11,2 a12,9,4.5,180,360 l7.5,9,7.5,12 l16.5,9,16.5,12 -d12,15.5,1.8",
    "mail": "b3,5,18,14,2 -l4.5,8,12,13,19.5,8",
    "map": "p3,6,9,4,15,6,21,4,21,18,15,20,9,18,3,20 -l9,4,9,18 -l15,6,15,20",
    "mic": "b9,3,6,11,3 a12,11,6.5,0,180 l12,18,12,21",
    "more": "d12,5.5,1.9 d12,12,1.9 d12,18.5,1.9",
    "music": "d8,18,3.2 d18,16,3.2 l10.4,18,10.4,5,20.4,3.4,20.4,16 b9.6,4.6,11.6,3,0.4",
    "note": "b5,3,14,18,2 -b8,7,8,1.7,0.8 -b8,11,8,1.7,0.8 -b8,15,5,1.7,0.8",
    "person": "d12,8,4.4 a12,22,8,190,350 p4.2,20.5,6,16.5,9,14.6,15,14.6,18,16.5,19.8,20.5",
    "phone": "p4,3,8.5,3,10,8.5,7.6,10.4,13.6,16.4,15.5,14,21,15.5,21,20,17.5,21,8,16,3,6.5",
    "plane": "b11,2,2,19,1 p2,14,11.5,8,12.5,8,22,14,22,16,12.5,13,11.5,13,2,16 "
    "p8,22,8,20.6,12,18,16,20.6,16,22,12,21",
    "play": "p7,4,20,12,7,20",
    "search": "o10.5,10.5,6 l15,15,20.5,20.5",
    "send": "p3,4,22,12,3,20,3,14,13,12,3,10",
    "shield": "p12,2,20,5,20,11,17,18,12,22,7,18,4,11,4,5",
    "shift": "p12,3,21,13,16,13,16,20,8,20,8,13,3,13",
    "shop": "p4,8,20,8,19,21,5,21 a12,8,4,180,360",
    "star": "p12,2.5,14.8,9,21.5,9.5,16.3,13.9,18,20.8,12,17,6,20.8,7.7,13.9,2.5,9.5,9.2,9",
    "sun": "d12,12,4.6 l12,2,12,4.5 l12,19.5,12,22 l2,12,4.5,12 l19.5,12,22,12 l5,5,6.6,6.6 "
    "l17.4,17.4,19,19 l19,5,17.4,6.6 l6.6,17.4,5,19",
    "timer": "o12,14,7.5 l12,10,12,14 b9.5,2,5,2.4,1",
    "volume": "p3,9,7,9,12,4,12,20,7,15,3,15 a12,12,4,-50,50 a12,12,7.6,-50,50",
    "walk": "d13,4.4,2.2 l12.5,8,10.5,14,13.5,17,13.5,21.5 l10.5,14,8,21 l12.5,8,8.5,10,8,13 "
    "l13,9,16,12,18.5,12",
    "wifi": "a12,18,5,225,315 a12,18,9.5,225,315 a12,18,14,225,315 d12,18.4,1.8",
})  # fmt: skip


@functools.lru_cache(maxsize=512)  # small, and slow to make
def make_icon_mask(name: str, size: int) -> np.ndarray:
    """Return the coverage (0..255) of an icon in a square of size x size pixels."""
    axis = (np.arange(size * SAMPLES_PER_PIXEL) + 0.5) * _UNITS / (size * SAMPLES_PER_PIXEL)
    x, y = np.meshgrid(axis, axis)
    covered = np.zeros(x.shape, bool)
    for shape in ICONS[name].split():
        is_taken = shape[0] == "-"
        kind, *numbers = shape[is_taken], *map(float, shape[is_taken + 1 :].split(","))
        inside = _SHAPES[kind](x, y, numbers)
        covered = covered & ~inside if is_taken else covered | inside
    coverage = covered.reshape(size, SAMPLES_PER_PIXEL, size, SAMPLES_PER_PIXEL).mean((1, 3))
    result: np.ndarray = np.round(coverage * 255).astype(np.uint8)
    result.setflags(write=False)
    return result


def _cover_disc(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    left, top, radius = numbers
    inside: np.ndarray = np.hypot(x - left, y - top) <= radius
    return inside


def _cover_ring(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    left, top, radius = numbers
    inside: np.ndarray = abs(np.hypot(x - left, y - top) - radius) <= _STROKE / 2
    return inside


def _cover_arc(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    left, top, _, first, last = numbers
    degrees = np.degrees(np.arctan2(y - top, x - left))
    return _cover_ring(x, y, numbers[:3]) & ((degrees - first) % 360 <= last - first)


def _cover_line(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    inside = np.zeros(x.shape, bool)
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        across, down = x2 - x1, y2 - y1
        along = ((x - x1) * across + (y - y1) * down) / (across**2 + down**2)
        along = along.clip(0, 1)
        inside |= np.hypot(x - x1 - along * across, y - y1 - along * down) <= _STROKE / 2
    return inside


def _cover_polygon(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    inside = np.zeros(x.shape, bool)
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


def _measure_box(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    """Return the distance from the sides of a rectangle with round corners; inside below 0."""
    left, top, wide, high, radius = numbers
    across = abs(x - left - wide / 2) - wide / 2 + radius
    down = abs(y - top - high / 2) - high / 2 + radius
    outside = np.hypot(across.clip(0), down.clip(0))
    distance: np.ndarray = outside + np.minimum(np.maximum(across, down), 0) - radius
    return distance


def _cover_box(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    inside: np.ndarray = _measure_box(x, y, numbers) <= 0
    return inside


def _cover_frame(x: np.ndarray, y: np.ndarray, numbers: list[float]) -> np.ndarray:
    inside: np.ndarray = abs(_measure_box(x, y, numbers)) <= _STROKE / 2
    return inside


_SHAPES: dict[str, ShapeCover] = {
    "d": _cover_disc,
    "o": _cover_ring,
    "a": _cover_arc,
    "l": _cover_line,
    "p": _cover_polygon,
    "b": _cover_box,
    "r": _cover_frame,
}
