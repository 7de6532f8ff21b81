"""Draw a Terminal: text on a plain monospaced screen."""

from __future__ import annotations

import functools

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.themes import Theme, blank
from gem_ma.scene import Terminal

MARGIN = 6


def draw(scene: Terminal, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame."""
    return _draw(scene.text, size, theme.name, theme.paper, theme.ink).copy()


@functools.lru_cache(maxsize=64)
def _draw(
    text: str,
    size: tuple[int, int],
    name: str,
    paper: tuple[int, int, int],
    ink: tuple[int, int, int],
) -> np.ndarray:
    """Draw at the largest height at which everything fits; say what does not fit at the smallest."""
    frame = blank(size, paper)
    for height in reversed(font.HEIGHTS[: font.HEIGHTS.index(18) + 1]):
        columns = max(1, (size[0] - 2 * MARGIN) // font.width(height))
        rows = max(1, (size[1] - 2 * MARGIN) // height)
        lines = font.wrap(text, columns)
        if len(lines) <= rows:
            break
    if len(lines) > rows:
        lines[rows - 1 :] = [f"... {len(lines) - rows + 1} more lines"[:columns]]
    screen = font.screen(lines, columns, len(lines), height, ink, paper)
    fits = frame[MARGIN : MARGIN + screen.shape[0], MARGIN : MARGIN + screen.shape[1]]
    fits[:] = screen[: fits.shape[0], : fits.shape[1]]
    return frame
