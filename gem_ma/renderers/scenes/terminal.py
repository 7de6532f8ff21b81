"""The renderers of Terminal (text on a plain screen) and RichText (with boards among it)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.scenes import grid
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import Grid, RichText, Terminal

MARGIN = 6
_MIN_ROWS = 14  # rows that must fit at the largest letter height
_MAX_SEARCHED = 400  # characters of a line that are searched
# A row of a board or table: columns separated by spaces or borders, or signs with spaces between.
_TABLE_ROW = re.compile(r"\S {2,}\S|\||[\u2500-\u257f]|^ *(\S{1,3} ){2,}\S{1,3} *$")

_MIN_CELL = 9  # least cell size in pixels at which letters are readable
_GAP = 6
_MAX_CAPTION = 24  # characters of a board's caption; boards with captions can be side by side

# lines, board, x, y, size of the board
BlockPlacement = tuple[Sequence[str], Grid | None, int, int, tuple[int, int]]


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


def draw_rich_text(scene: RichText, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw boards with the largest cells that fit, or everything as text if no layout fits."""
    for text in reversed([h for h in font.LETTER_HEIGHTS if h <= font.choose_height(size)]):
        blocks = list(
            _split_blocks(scene, max(1, (size[0] - 2 * _GAP) // font.measure_advance(text)))
        )
        cell = min(size) // 2
        while cell >= _MIN_CELL:
            placements = _place_blocks(blocks, size, text, cell)
            if placements is not None:
                return _draw_blocks(placements, size, text, theme)
            cell = cell * 15 // 16  # coarse steps: at most seventy layouts are tried for a frame
    return draw(Terminal(scene.text), size, theme)


def _split_blocks(scene: RichText, columns: int) -> Iterator[tuple[list[str], Grid | None]]:
    """Yield blocks of text lines, and boards with the short line before them, if any."""
    caption: list[str] = []
    for number, part in enumerate(scene.parts):
        if isinstance(part, Grid):
            yield caption, part
            caption = []
            continue
        lines = font.wrap_text(part.strip("\n"), columns) if part.strip() else []
        if lines and number + 1 < len(scene.parts) and len(lines[-1]) <= _MAX_CAPTION:
            caption = [lines.pop()]
        while lines and not lines[-1]:
            lines.pop()
        if lines:
            yield lines, None


def _place_blocks(
    blocks: list[tuple[list[str], Grid | None]], size: tuple[int, int], text: int, cell: int
) -> list[BlockPlacement] | None:
    """Place blocks from top to bottom, boards side by side; return None if they do not fit."""
    advance = font.measure_advance(text)
    placements: list[BlockPlacement] = []
    x, y, below = _GAP, _GAP, _GAP
    for lines, board in blocks:
        box = (0, 0)
        if board is not None:
            side = max(map(len, board.lines), default=0) * advance + (_GAP if board.lines else 0)
            above = text + 2 if board.columns else 0
            box = side + len(board.rows[0]) * cell, above + len(board.rows) * cell
        wide = max(box[0], max(map(len, lines), default=0) * advance)
        if board is None or x + wide > size[0] - _GAP:
            x, y = _GAP, below
        placements.append((lines, board, x, y, box))
        below = max(below, y + len(lines) * text + box[1] + _GAP)
        if x + wide > size[0] or below > size[1]:
            return None
        x = x + wide + 2 * _GAP if board is not None else size[0]
    return placements


def _draw_blocks(
    placed: list[BlockPlacement], size: tuple[int, int], text: int, theme: Theme
) -> np.ndarray:
    frame = make_frame(size, theme.paper)
    for lines, board, x, y, box in placed:
        y = font.draw_lines(frame, x, y, lines, text, theme.ink)
        if board is not None:
            frame[y : y + box[1], x : x + box[0]] = grid.draw(board, box, theme, 1)
    return frame
