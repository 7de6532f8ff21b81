"""Contrast: ink that can be read on its ground, outlines, and measures of both."""

from __future__ import annotations

import numpy as np

RGB = tuple[int, int, int]

DARK_INK: RGB = (20, 20, 22)
BRIGHT_INK: RGB = (250, 250, 250)
# the least contrast of what is to be seen, as the guidelines for web pages have it
MIN_CONTRAST = 3.0
# what stands out less gets an outline, since thin parts and edges lose some of it
CLEAR_CONTRAST = 5.0
# percent of an edge that may stand out less: corners, and pixels half covered
_EDGE_PERCENTILE = 10

_LUMINANCE_WEIGHTS = (0.2126, 0.7152, 0.0722)
_LUMINANCE_UNIT = 1 << 40


def _make_luminance_table(part: float) -> np.ndarray:
    """Return what each level of a channel adds to the luminance, as whole numbers."""
    shares = [level / 255 for level in range(256)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return np.array([round(part * one * _LUMINANCE_UNIT) for one in linear])


# Sums of whole numbers are the same on every processor; those of floats hang on how it adds.
_RED_TABLE, _GREEN_TABLE, _BLUE_TABLE = map(_make_luminance_table, _LUMINANCE_WEIGHTS)


def compute_luminance(colors: np.ndarray | RGB) -> np.ndarray:
    """Return the relative luminance of colours, 0 to 1."""
    levels = np.asarray(colors, np.uint8)
    luminance: np.ndarray = (
        _RED_TABLE[levels[..., 0]] + _GREEN_TABLE[levels[..., 1]] + _BLUE_TABLE[levels[..., 2]]
    ) / _LUMINANCE_UNIT
    return luminance


def compute_contrast(one: np.ndarray | RGB, other: np.ndarray | RGB) -> np.ndarray:
    """Return how much colours stand out from others, 1 to 21."""
    a, b = compute_luminance(one) + 0.05, compute_luminance(other) + 0.05
    return np.maximum(a, b) / np.minimum(a, b)


def choose_ink(ground: RGB) -> RGB:
    """Return dark or bright, whichever stands out more from a ground."""
    return max(DARK_INK, BRIGHT_INK, key=lambda ink: compute_contrast(ink, ground))


def choose_outline(color: RGB, ground: RGB) -> RGB:
    """Return dark or bright for an outline: what stands out from both, or else from the colour."""
    for ink in (DARK_INK, BRIGHT_INK):
        if min(compute_contrast(ink, color), compute_contrast(ink, ground)) >= MIN_CONTRAST:
            return ink
    return choose_ink(color)


def dilate_mask(coverage: np.ndarray, by: int) -> np.ndarray:
    """Return coverage (0..255) that reaches so many pixels further, and is that much larger."""
    tall, wide = coverage.shape
    result = np.zeros((tall + 2 * by, wide + 2 * by), coverage.dtype)
    for y in range(-by, by + 1):
        for x in range(-by, by + 1):
            if x * x + y * y <= by * by + 1:
                part = result[by + y : by + y + tall, by + x : by + x + wide]
                np.maximum(part, coverage, out=part)
    return result


def compute_edge_contrast(picture: np.ndarray, shape: np.ndarray, reach: int) -> float:
    """Return how much a shape stands out along its edge, within so many pixels of it.

    Args:
        shape: which pixels belong to it. What stands out least, but for a tenth of the edge,
            counts.
    """
    if not shape.any():
        return float("inf")
    inner = ~dilate_mask((~shape).astype(np.uint8), 1)[1:-1, 1:-1].astype(bool)
    if not (shape & ~inner).any():  # all of the picture: what is around it is drawn elsewhere
        return float("inf")
    bright = compute_luminance(picture)
    levels = np.round(bright * 60000).astype(np.uint16) + 1
    highest = dilate_mask(levels, reach)[reach:-reach, reach:-reach]
    lowest = 60002 - dilate_mask(60002 - levels, reach)[reach:-reach, reach:-reach].astype(np.int64)
    contrast = ((highest - 1) / 60000 + 0.05) / ((lowest - 1) / 60000 + 0.05)
    return float(np.percentile(contrast[shape & ~inner], _EDGE_PERCENTILE))
