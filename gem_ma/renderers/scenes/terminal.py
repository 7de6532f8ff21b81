"""Draw a Terminal: text on a plain monospaced screen."""

from __future__ import annotations

import re

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.kept import kept
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import Terminal

MARGIN = 6
_ROWS = 14  # that there is room for at the largest height
_WIDEST = 400  # letters of a line that are looked at
# A row of a board or table: columns set by spaces, by borders, or signs with spaces between.
_ROW = re.compile(r"\S {2,}\S|\||[\u2500-\u257f]|^ *(\S{1,3} ){2,}\S{1,3} *$")


def draw(scene: Terminal, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame."""
    return _draw(scene.text, size, theme.paper, theme.ink).copy()


@kept
def _draw(text: str, size: tuple[int, int], paper: RGB, ink: RGB) -> np.ndarray:
    """Draw as large as everything fits; what does not at the smallest height is the oldest."""
    frame = blank(size, paper)
    height, columns, lines = _layout(text, size)
    rows = max(1, (size[1] - 2 * MARGIN) // height)
    if len(lines) > rows:
        hidden = len(lines) - rows + 1
        more = f"... {hidden} earlier line{'s' if hidden > 1 else ''}"
        lines[:hidden] = [font.shorten(more, columns)]
    screen = font.screen(lines, columns, len(lines), height, ink, paper)
    fits = frame[MARGIN : MARGIN + screen.shape[0], MARGIN : MARGIN + screen.shape[1]]
    fits[:] = screen[: fits.shape[0], : fits.shape[1]]
    return frame


def _layout(text: str, size: tuple[int, int]) -> tuple[int, int, list[str]]:
    """Choose the largest height at which all fits: one that breaks no row of a table, if any."""
    fitting = []
    for height in reversed(font.HEIGHTS):
        if height > max(font.HEIGHTS[0], min(size) // _ROWS):
            continue
        columns = max(1, (size[0] - 2 * MARGIN) // font.width(height))
        lines = font.wrap(text, columns)
        layout = height, columns, lines
        if len(lines) * height > size[1] - 2 * MARGIN:
            continue
        fitting.append(layout)
        long = [line for line in text.splitlines() if len(line) > columns]
        if not any(_ROW.search(line[:_WIDEST]) for line in long):
            break
    else:
        return fitting[0] if fitting else layout
    return layout
