"""Letters that are as wide as they are, for screens: lines of text as coverage, kept."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.kept import kept
from gem_ma.scene import letters

_FILE = Path(__file__).with_name("fonts") / "sans.npz"


@functools.cache
def _glyphs(size: int, bold: bool) -> dict[str, tuple[int, np.ndarray]]:
    """Return how far left of its place a letter begins, and its picture."""
    name = f"{size}{'-Bold' if bold else ''}"
    with np.load(_FILE, allow_pickle=False) as data:
        codes, strip = data["codes"], data[name] * np.uint8(font.LEVEL)
        widths, before = data[f"{name} widths"], data[f"{name} before"]
    ends = np.cumsum(widths)
    return {
        chr(code): (int(left), strip[:, end - wide : end])
        for code, end, wide, left in zip(codes, ends, widths, before, strict=True)
    }


@kept
def line(text: str, size: int, bold: bool = False) -> np.ndarray:
    """Return how much of each pixel a line covers, as 0..255; a pixel is free at its left."""
    glyphs, places = _glyphs(size, bold), letters.edges(text, size, bold)
    high = letters.LINES[size]
    out = np.zeros((high, int(places[-1]) + size + 2), np.uint8)
    for letter, x in zip(text, places, strict=False):
        left, shape = glyphs.get(letter, (0, None))
        if shape is None:
            shape = _other(letter, high)
        at = max(0, 1 + round(x) - left)
        area = out[:, at : at + shape.shape[1]]
        np.maximum(area, shape[:, : area.shape[1]], out=area)
    return out[:, : max(1, int(places[-1]) + 3)]


def _other(letter: str, high: int) -> np.ndarray:
    """Return a letter that is not among these, from those of one width."""
    near = max((one for one in font.HEIGHTS if one <= high), default=font.HEIGHTS[0])
    shape = np.zeros((high, font.width(near)), np.uint8)
    shape[high - near :] = font.coverage(letter, near)[:near, : font.width(near)]
    return shape
