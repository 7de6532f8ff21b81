"""The renderers of TextTable and WebPage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import CLEAR_CONTRAST, compute_contrast
from gem_ma.renderers.scenes.shapes import draw_readable_text
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import COLORS, BadScene, FrameTooSmall, TableCell, TextTable, WebPage

_GAP = 4
_BULLET_COLUMNS = 2  # columns before a link
_MIN_PAGE_LINES = 3  # lines of a page that are always shown, however many links it has
_ParsedCell: TypeAlias = tuple[list[str], str, float]  # lines, colour, coloured share of the width
LinkRow = list[tuple[int, str, bool]]  # column, text, whether a link starts here
_MIN_ROWS = 6  # rows that must fit at the largest letter height


def _list_heights(size: tuple[int, int], most: int) -> list[int]:
    """Return the letter heights at which `most` lines fit, the largest first."""
    heights = [h for h in font.LETTER_HEIGHTS if h * most <= min(size)]
    return heights[::-1] or [font.LETTER_HEIGHTS[0]]


def draw(scene: TextTable, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the table as a new frame; columns fit their longest cell and share the spare width."""
    rows = [tuple(map(_parse_cell, row)) for row in scene.rows]
    if scene.head:
        rows.insert(0, tuple(map(_parse_cell, scene.head)))
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        lengths = sorted({len(row) for row in rows})
        raise BadScene(f"a TextTable needs rows of one length of at least 1, got lengths {lengths}")
    layout = _fit_layout(scene, rows, size)
    words, text = layout.words, layout.text
    frame = make_frame(size, theme.paper)
    font.draw_lines(frame, _GAP, 2, layout.lines_above, words, theme.ink)
    top = len(layout.lines_above) * words + _GAP
    line = max(1, min(size) // 250)
    for number, row in enumerate(rows):
        x, y = _GAP, top + number * layout.row_height
        for (lines, color, share), wide in zip(row, layout.column_widths, strict=True):
            area = frame[y : y + layout.row_height + line, x : x + wide + line]
            if scene.head and not number:
                area[:] = theme.cell
            if color:
                area[:, : round(share * wide)] = theme.color(color)
            for side in (area[:line], area[-line:], area[:, :line], area[:, -line:]):
                side[:] = theme.line
            down = y + line + (layout.row_height - line - text * len(lines)) // 2
            for letters in lines:
                at = x + (wide + line - font.measure_advance(text) * len(letters)) // 2
                draw_readable_text(frame, at, down, letters, text, theme.ink)
                down += text
            x += wide
    below = top + len(rows) * layout.row_height + _GAP
    font.draw_lines(frame, _GAP, below, layout.lines_below, words, theme.ink)
    return frame


@dataclass(frozen=True, slots=True)
class _TableLayout:
    """The letter heights, row height and column widths of a table, in pixels."""

    words: int  # letter height of title and status
    lines_above: Sequence[str]
    lines_below: Sequence[str]
    text: int
    row_height: int
    column_widths: list[int]


def _fit_layout(
    scene: TextTable, rows: list[tuple[_ParsedCell, ...]], size: tuple[int, int]
) -> _TableLayout:
    """Return the layout with the largest letters in cells; title and status shrink first."""
    longest = [max(len(part) for row in rows for part in row[i][0]) for i in range(len(rows[0]))]
    lines = max(len(parts) for row in rows for parts, _, _ in row)
    wide = size[0] - 2 * _GAP
    captions = [scene.title, *scene.status] if scene.title else scene.status
    for words in font.list_caption_heights(captions, size, 2 * _GAP):
        across = max(1, wide // font.measure_advance(words))
        above = font.wrap_lines([scene.title] if scene.title else [], across)
        below = font.wrap_lines(scene.status, across)
        high = size[1] - (len(above) + len(below)) * words - (3 if below else 2) * _GAP
        for text in _list_heights(size, _MIN_ROWS):
            pad = max(1, text // 6)
            widths = [n * font.measure_advance(text) + 2 * pad for n in longest]
            tall = min(high // len(rows), (lines + 3) * text)
            if sum(widths) <= wide and tall >= lines * text - text // 8:
                spare = (wide - sum(widths)) // len(widths)
                return _TableLayout(words, above, below, text, tall, [n + spare for n in widths])
    raise FrameTooSmall(
        f"a table of {len(rows)} rows and {len(rows[0])} columns does not fit into {size[0]} x "
        f"{size[1]} pixels; use a larger image_size"
    )


def _parse_cell(cell: TableCell) -> _ParsedCell:
    """Return the lines of a cell, its colour, and the coloured share of its width."""
    if isinstance(cell, str):
        text, color, share = cell, "", 1.0
    else:
        text, color = cell[:2]
        share = cell[2] if len(cell) > 2 else 1.0
    if color and color not in COLORS:
        raise BadScene(f"no colour {color!r}; there are {', '.join(COLORS)}")
    if not 0 <= share <= 1:
        raise BadScene(f"share={share} of the cell {text!r}: expected 0 to 1")
    return text.split("\n"), color, share


def draw_page(scene: WebPage, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the page as a new frame in the largest letters that fit.

    Each link has its own line; if that takes too much room, links share lines. If the page still
    does not fit, the oldest text lines are omitted, then the last links, with notes that say so.
    """
    heights = _list_heights(size, 12)
    ways = [(text, False) for text in heights] + [(text, True) for text in heights]
    for text, is_inline in ways:
        columns = max(1, (size[0] - 4 * _GAP) // font.measure_advance(text))
        large = next(
            h for h in font.LETTER_HEIGHTS if h >= text * 4 // 3 or h == font.LETTER_HEIGHTS[-1]
        )
        title = font.wrap_lines([scene.title], max(1, columns * text // large))
        links = _arrange_links(scene.links, columns, is_inline)
        lines, below = (
            list(font.wrap_lines(scene.lines, columns)),
            font.wrap_lines(scene.status, columns),
        )
        fixed_height = len(title) * large + len(below) * text + 5 * _GAP
        room = (size[1] - fixed_height) // text
        if len(lines) + len(links) <= room:
            break
    line_count = min(len(lines), _MIN_PAGE_LINES)
    if room < line_count + min(2, len(links)):
        raise FrameTooSmall(
            f"a page with {len(scene.links)} links does not fit into {size[0]} x {size[1]} pixels; "
            "use a larger image_size"
        )
    notes = []
    if len(links) > room - line_count:
        links = links[: room - line_count - 1]
        link_count = sum(first for row in links for _, _, first in row)
        notes = [f"... {len(scene.links) - link_count} more"]
    room -= len(links) + len(notes)
    if len(lines) > room:
        hidden_count = len(lines) - room + 1
        lines[:hidden_count] = [f"... {hidden_count} earlier line{'s' if hidden_count > 1 else ''}"]
    frame = make_frame(size, theme.paper)
    y = font.draw_lines(frame, 2 * _GAP, _GAP, title, large, theme.ink)
    frame[y : y + max(1, text // 14), 2 * _GAP : -2 * _GAP] = theme.line
    y = font.draw_lines(frame, 2 * _GAP, y + _GAP, lines, text, theme.ink) + _GAP
    blue = theme.color("blue")
    ink = blue if compute_contrast(blue, theme.paper) >= CLEAR_CONTRAST else theme.ink
    for row in links:
        _draw_links(frame, 2 * _GAP, y, row, text, ink)
        y += text
    font.draw_lines(frame, 2 * _GAP, y, notes, text, theme.ink)
    font.draw_lines(frame, 2 * _GAP, size[1] - len(below) * text - _GAP, below, text, theme.ink)
    return frame


def _arrange_links(links: Sequence[str], columns: int, running: bool) -> list[LinkRow]:
    """Arrange links in rows of (column, text, whether a link starts), with room for bullets."""
    rows: list[LinkRow] = []
    at = columns
    for link in links:
        first = True
        for part in font.wrap_text(link, max(1, columns - _BULLET_COLUMNS)):
            if not running or at + _BULLET_COLUMNS + len(part) > columns:
                rows.append([])
                at = 0
            rows[-1].append((at, part, first))
            at += _BULLET_COLUMNS + len(part) + 2
            first = False
    return rows


def _draw_links(frame: np.ndarray, x: int, y: int, row: LinkRow, text: int, ink: RGB) -> None:
    thick, side, wide = max(1, text // 14), max(2, text // 4), font.measure_advance(text)
    for at, letters, first in row:
        left = x + at * wide
        if first:  # bullet
            frame[y + (text - side) // 2 :, left:][:side, :side] = ink
        left += _BULLET_COLUMNS * wide
        end = font.draw_line(frame, left, y, letters, text, ink)
        frame[y + text - thick : y + text, left:end] = ink
