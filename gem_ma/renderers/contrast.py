"""Contrast: readable inks, outlines, and measures of contrast."""

from __future__ import annotations

import functools

import numpy as np

RGB = tuple[int, int, int]

DARK_INK: RGB = (20, 20, 22)
BRIGHT_INK: RGB = (250, 250, 250)
# least contrast of visible parts, as in the Web Content Accessibility Guidelines
MIN_CONTRAST = 3.0
# shapes with less contrast get an outline: thin parts and edges lose some contrast
CLEAR_CONTRAST = 5.0
# percent of an edge that may have less contrast: corners and half covered pixels
_EDGE_PERCENTILE = 10

_LUMINANCE_WEIGHTS = (0.2126, 0.7152, 0.0722)
_LUMINANCE_UNIT = 1 << 40


def _make_luminance_table(part: float) -> np.ndarray:
    """Return the contribution of each level of a channel to the luminance, as integers."""
    shares = [level / 255 for level in range(256)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return np.array([round(part * one * _LUMINANCE_UNIT) for one in linear])


# Integer sums are equal on every processor; float sums depend on the order of addition.
_RED_TABLE, _GREEN_TABLE, _BLUE_TABLE = map(_make_luminance_table, _LUMINANCE_WEIGHTS)


def compute_luminance(colors: np.ndarray | RGB) -> np.ndarray:
    """Return the relative luminance of colours, 0 to 1."""
    levels = np.asarray(colors, np.uint8)
    luminance: np.ndarray = (
        _RED_TABLE[levels[..., 0]] + _GREEN_TABLE[levels[..., 1]] + _BLUE_TABLE[levels[..., 2]]
    ) / _LUMINANCE_UNIT
    return luminance


def compute_contrast(one: np.ndarray | RGB, other: np.ndarray | RGB) -> np.ndarray:
    """Return the contrast of colours with others, 1 to 21."""
    a, b = compute_luminance(one) + 0.05, compute_luminance(other) + 0.05
    return np.maximum(a, b) / np.minimum(a, b)


@functools.lru_cache(maxsize=4096)
def choose_ink(ground: RGB) -> RGB:
    """Return the dark or bright ink, whichever contrasts more with a background."""
    return max(DARK_INK, BRIGHT_INK, key=lambda ink: compute_contrast(ink, ground))


@functools.lru_cache(maxsize=4096)
def choose_outline(color: RGB, ground: RGB) -> RGB:
    """Return the outline ink that contrasts with both colours, or else with `color` alone."""
    for ink in (DARK_INK, BRIGHT_INK):
        if min(compute_contrast(ink, color), compute_contrast(ink, ground)) >= MIN_CONTRAST:
            return ink
    return choose_ink(color)


def dilate_mask(coverage: np.ndarray, by: int) -> np.ndarray:
    """Return a mask (0..255) dilated by `by` pixels, and larger by that much on each side."""
    tall, wide = coverage.shape
    result = np.zeros((tall + 2 * by, wide + 2 * by), coverage.dtype)
    for y in range(-by, by + 1):
        for x in range(-by, by + 1):
            if x * x + y * y <= by * by + 1:
                part = result[by + y : by + y + tall, by + x : by + x + wide]
                np.maximum(part, coverage, out=part)
    return result


def make_outline(coverage: np.ndarray, by: int) -> np.ndarray:
    """Return the mask (0..255) of an outline behind a figure, `by` pixels wide on each side."""
    around = dilate_mask(coverage, by)
    if by == 1:  # its soft edge is half of it, so the edge is made darker
        around = np.minimum(255, around.astype(np.uint16) * 3).astype(np.uint8)
    return around


def compute_edge_contrast(picture: np.ndarray, shape: np.ndarray, reach: int) -> float:
    """Return the contrast of a shape along its edge, within `reach` pixels.

    The result is the tenth percentile: a tenth of the edge may have less contrast.

    Args:
        shape: mask of the pixels that belong to the shape.
    """
    if not shape.any():
        return float("inf")
    inner = ~dilate_mask((~shape).astype(np.uint8), 1)[1:-1, 1:-1].astype(bool)
    if not (shape & ~inner).any():  # it fills the picture: no edge is visible
        return float("inf")
    bright = compute_luminance(picture)
    levels = np.round(bright * 60000).astype(np.uint16) + 1
    highest = dilate_mask(levels, reach)[reach:-reach, reach:-reach]
    lowest = 60002 - dilate_mask(60002 - levels, reach)[reach:-reach, reach:-reach].astype(np.int64)
    contrast = ((highest - 1) / 60000 + 0.05) / ((lowest - 1) / 60000 + 0.05)
    return float(np.percentile(contrast[shape & ~inner], _EDGE_PERCENTILE))
