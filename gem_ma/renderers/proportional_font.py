"""The proportional font of screens: lines of text as cached coverage masks."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.scene import text_metrics

_FONT_FILE = Path(__file__).with_name("fonts") / "sans.npz"


@functools.cache
def _load_letters(size: int, bold: bool) -> dict[str, tuple[int, np.ndarray]]:
    """Return each letter's left overhang and its flattened columns of pixels."""
    name = f"{size}{'-Bold' if bold else ''}"
    with np.load(_FONT_FILE, allow_pickle=False) as data:
        codes, strip = data["codes"], data[name] * np.uint8(font.COVERAGE_STEP)
        widths, before = data[f"{name} widths"], data[f"{name} before"]
    shapes = np.split(strip, np.cumsum(widths)[:-1], axis=1)
    return {
        chr(code): (int(left), _flatten_columns(shape))
        for code, left, shape in zip(codes, before, shapes, strict=True)
    }


@memoize
def render_line_coverage(text: str, size: int, bold: bool = False) -> np.ndarray:
    """Return the coverage (0..255) of a line, with one free pixel column at its left."""
    letters, high = _load_letters(size, bold), text_metrics.LINE_HEIGHTS[size]
    edges = text_metrics.measure_edges(text, size, bold)
    wide = int(edges[-1])
    coverage = np.zeros((wide + size + 2) * high, np.uint8)  # column by column
    end = 0
    for letter, edge in zip(text, edges, strict=False):
        entry = letters.get(letter)
        before, shape = (
            entry
            if entry is not None
            else (0, _flatten_columns(_make_missing_letter(letter, high)))
        )
        start = max(0, 1 + round(edge) - before) * high
        if start < end:  # it overlaps the letter before
            area = coverage[start : start + len(shape)]
            np.maximum(area, shape[: len(area)], out=area)
        else:
            coverage[start : start + len(shape)] = shape[: len(coverage) - start]
        end = start + len(shape)
    line = coverage.reshape(-1, high)[: max(1, wide + 3)].T
    return np.ascontiguousarray(line)


def _flatten_columns(shape: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(shape.T).reshape(-1)


def _make_missing_letter(letter: str, high: int) -> np.ndarray:
    """Return a letter that this font lacks, from the monospaced font."""
    near = max((one for one in font.LETTER_HEIGHTS if one <= high), default=font.LETTER_HEIGHTS[0])
    shape = np.zeros((high, font.measure_advance(near)), np.uint8)
    shape[high - near :] = font.render_coverage(letter, near)[:near, : font.measure_advance(near)]
    return shape
