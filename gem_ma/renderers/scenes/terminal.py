"""The renderer of Terminal: text on a plain monospaced screen."""

from __future__ import annotations

import re

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import Terminal

MARGIN = 6
_MIN_ROWS = 14  # rows that must fit at the largest letter height
_MAX_SEARCHED = 400  # characters of a line that are searched
# A row of a board or table: columns separated by spaces or borders, or signs with spaces between.
_TABLE_ROW = re.compile(r"\S {2,}\S|\||[\u2500-\u257f]|^ *(\S{1,3} ){2,}\S{1,3} *$")


def draw(scene: Terminal, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the scene as a new frame."""
    return _draw_text(scene.text, size, theme.paper, theme.ink).copy()


@memoize
def _draw_text(text: str, size: tuple[int, int], paper: RGB, ink: RGB) -> np.ndarray:
    """Draw text as large as fits; at the smallest height, omit the oldest lines if necessary."""
    frame = make_frame(size, paper)
    height, columns, lines = _choose_layout(text, size)
    rows = max(1, (size[1] - 2 * MARGIN) // height)
    if len(lines) > rows:
        hidden_count = len(lines) - rows + 1
        note = f"... {hidden_count} earlier line{'s' if hidden_count > 1 else ''}"
        lines[:hidden_count] = [font.truncate_line(note, columns)]
    screen = font.render_lines(lines, columns, len(lines), height, ink, paper)
    region = frame[MARGIN : MARGIN + screen.shape[0], MARGIN : MARGIN + screen.shape[1]]
    region[:] = screen[: region.shape[0], : region.shape[1]]
    return frame


def _choose_layout(text: str, size: tuple[int, int]) -> tuple[int, int, list[str]]:
    """Choose the largest letter height that fits, if possible one that breaks no table row."""
    layouts = []
    for height in reversed(font.LETTER_HEIGHTS):
        if height > max(font.LETTER_HEIGHTS[0], min(size) // _MIN_ROWS):
            continue
        columns = max(1, (size[0] - 2 * MARGIN) // font.measure_advance(height))
        lines = font.wrap_text(text, columns)
        layout = height, columns, lines
        if len(lines) * height > size[1] - 2 * MARGIN:
            continue
        layouts.append(layout)
        long = [line for line in text.splitlines() if len(line) > columns]
        if not any(_TABLE_ROW.search(line[:_MAX_SEARCHED]) for line in long):
            break
    else:
        return layouts[0] if layouts else layout
    return layout
