"""Letters that are as wide as they are, for screens: lines of text as coverage, kept."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.kept import kept
from gem_ma.scene import letters

_FILE = Path(__file__).with_name("fonts") / "sans.npz"


class _Letters(NamedTuple):
    """The letters of one size."""

    strip: np.ndarray  # all of them, side by side
    places: dict[str, tuple[int, np.ndarray]]  # how far left of its place it begins; its columns


@functools.cache
def _letters(size: int, bold: bool) -> _Letters:
    name = f"{size}{'-Bold' if bold else ''}"
    with np.load(_FILE, allow_pickle=False) as data:
        codes, strip = data["codes"], data[name] * np.uint8(font.LEVEL)
        widths, before = data[f"{name} widths"], data[f"{name} before"]
    ends = np.cumsum(widths)
    places = {
        chr(code): (int(left), np.arange(int(end) - int(wide), int(end)))
        for code, end, wide, left in zip(codes, ends, widths, before, strict=True)
    }
    return _Letters(strip, places)


@kept
def line(text: str, size: int, bold: bool = False) -> np.ndarray:
    """Return how much of each pixel a line covers, as 0..255; a pixel is free at its left."""
    strip, known = _letters(size, bold)
    edges = letters.edges(text, size, bold)
    high = letters.LINES[size]
    out = np.zeros((2, high, int(edges[-1]) + size + 2), np.uint8)
    others = []
    for half in (0, 1):  # only letters that are neighbours may have a column in common
        columns, places = [], []
        for letter, x in zip(text[half::2], edges[half::2], strict=False):
            found = known.get(letter)
            if found is None:
                others.append((letter, 1 + round(x)))
                continue
            columns.append(found[1])
            places.append(max(0, 1 + round(x) - found[0]))
        if columns:
            wide = [len(one) for one in columns]
            starts = np.cumsum(wide) - wide
            at = np.arange(sum(wide)) + np.repeat(np.array(places) - starts, wide)
            out[half][:, at] = strip[:, np.concatenate(columns)]
    drawn: np.ndarray = np.maximum(out[0], out[1])
    for letter, place in others:
        shape = _other(letter, high)
        area = drawn[:, place : place + shape.shape[1]]
        np.maximum(area, shape[:, : area.shape[1]], out=area)
    return drawn[:, : max(1, int(edges[-1]) + 3)]


def _other(letter: str, high: int) -> np.ndarray:
    """Return a letter that is not among these, from those of one width."""
    near = max((one for one in font.HEIGHTS if one <= high), default=font.HEIGHTS[0])
    shape = np.zeros((high, font.width(near)), np.uint8)
    shape[high - near :] = font.coverage(letter, near)[:near, : font.width(near)]
    return shape
