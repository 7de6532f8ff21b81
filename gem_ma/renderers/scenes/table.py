"""The renderers of TextTable, also as a card, and of WebPage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.contrast import CLEAR_CONTRAST, compute_contrast
from gem_ma.renderers.scenes.shapes import draw_readable_text
from gem_ma.renderers.scenes.widget_paint import clear_corners, draw_border
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import COLORS, BadScene, FrameTooSmall, TableCell, TextTable, WebPage

_GAP = 4
_BULLET_COLUMNS = 2  # columns before a link
_MIN_PAGE_LINES = 3  # lines of a page that are always shown, however many links it has
_ParsedCell: TypeAlias = tuple[list[str], str, float | None]  # lines, colour, length of a bar
LinkRow = list[tuple[int, str, bool]]  # column, text, whether a link starts here
_MIN_GRID_COLUMNS = (
    4  # a table of so many columns has lines between them; without bars, centred cells
)
_MIN_BAR_LETTERS = 4  # the least length of a bar, in letters
_MAX_FREE_HALVES = 5  # the most free height of a row, in halves of a letter's height
_SMALLEST_LETTERS = font.LETTER_HEIGHTS[0]
_MIN_ROWS = 6  # rows that must fit at the largest letter height


def _list_heights(size: tuple[int, int], most: int) -> list[int]:
    """Return the letter heights at which `most` lines fit, the largest first."""
    heights = [h for h in font.LETTER_HEIGHTS if h * most <= min(size)]
    return heights[::-1] or [font.LETTER_HEIGHTS[0]]


def draw(scene: TextTable, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the table as a new frame."""
    return draw_card(scene, size, theme).copy() if scene.card else _draw_table(scene, size, theme)


def _draw_table(scene: TextTable, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw a table; columns fit their longest cell and share the spare width."""
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
                area[:, : round(wide if share is None else share * wide)] = theme.color(color)
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
    """Return the lines of a cell, its colour, and its share of colour, None for a whole ground."""
    if isinstance(cell, str):
        return cell.split("\n"), "", None
    text, color = cell[:2]
    share = cell[2] if len(cell) > 2 else None
    if color and color not in COLORS:
        raise BadScene(f"no colour {color!r}; there are {', '.join(COLORS)}")
    if share is not None and not 0 <= share <= 1:
        raise BadScene(f"share={share} of the cell {text!r}: expected 0 to 1")
    return text.split("\n"), color, share


@memoize
def draw_card(scene: TextTable, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw a table as a card, in the largest letters that fit; cached, because cards stay the same.

    A cell with a share of colour has a bar of that length, with the text at its right.
    """
    rows = [tuple(map(_parse_cell, row)) for row in scene.rows]
    if scene.head:
        rows.insert(0, tuple(map(_parse_cell, scene.head)))
    layout = _fit_card(scene, rows, size)
    frame = make_frame(size, theme.paper)
    rim = layout.rim
    card = frame[rim : rim + layout.bar + sum(layout.heights), rim : size[0] - rim]
    titles, letters = layout.titles, layout.title_text
    card[: layout.bar] = theme.ink
    font.draw_lines(card, letters // 2, 1 + letters // 6, titles, letters, theme.paper)
    y = layout.bar
    for number, (row, high) in enumerate(zip(rows, layout.heights, strict=True)):
        is_head = bool(scene.head) and not number
        if is_head:
            card[y : y + high] = theme.cell
        x = 0
        for i, (cell, wide) in enumerate(zip(row, layout.widths, strict=True)):
            area = card[y : y + high, x : x + wide]
            _draw_cell(area, cell, layout.text, layout.sides[i], theme)
            if i and layout.is_grid and cell[2] is None:
                area[:, :1] = theme.line
            x += wide
        if number:
            card[y : y + 1] = theme.line
        y += high
    draw_border(card, theme.line if theme.line != theme.paper else theme.ink)
    clear_corners(card, theme.paper)
    return frame


def _draw_cell(area: np.ndarray, cell: _ParsedCell, text: int, side: str, theme: Theme) -> None:
    """Draw the ground or the bar of a cell, and its lines of text."""
    lines, color, share = cell
    pad, advance = max(2, text // 3), font.measure_advance(text)
    high, wide = area.shape[:2]
    if share is not None:
        letters = max(map(len, lines))
        top, room = (high - text // 2) // 2, wide - 2 * pad - (max(letters, 2) + 1) * advance
        track = area[top : top + text // 2, pad : pad + max(room, 1)]
        track[:] = theme.cell
        track[:, : round(share * track.shape[1])] = theme.color(color)
        draw_border(track, theme.line)
        side = "right"
    elif color:
        area[:] = theme.color(color)
    y = 1 + (high - 1 - text * len(lines)) // 2  # below the line between rows
    for line in lines:
        free = wide - len(line) * advance
        x = {"left": pad, "right": free - pad}.get(side, free // 2)
        draw_readable_text(area, x, y, line, text, theme.ink)
        y += text


@dataclass(frozen=True, slots=True)
class _CardLayout:
    """The parts of a card, in pixels."""

    rim: int  # around the card
    bar: int  # height of the title's bar
    title_text: int
    titles: Sequence[str]
    text: int
    heights: list[int]  # of the rows
    widths: list[int]  # of the columns
    sides: list[str]  # where the text of each column stands
    is_grid: bool


def _fit_card(
    scene: TextTable, rows: list[tuple[_ParsedCell, ...]], size: tuple[int, int]
) -> _CardLayout:
    """Return the layout with the largest letters that fit."""
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        lengths = sorted({len(row) for row in rows})
        raise BadScene(f"a card needs rows of one length of at least 1, got lengths {lengths}")
    rim = max(1, min(size) // 60)
    room = size[0] - 2 * rim, size[1] - 2 * rim
    if scene.status:
        raise BadScene("a TextTable that is a card has no status")
    columns = list(zip(*rows, strict=True))
    is_grid = len(columns) >= (_MIN_GRID_COLUMNS if scene.head else _MIN_GRID_COLUMNS - 1)
    sides = _choose_sides(columns, is_grid)
    lines = [max(len(cell[0]) for cell in row) for row in rows]
    for text in reversed(
        [h for h in font.LETTER_HEIGHTS if h <= max(_SMALLEST_LETTERS, room[1] // 4)]
    ):
        pad, advance = max(2, text // 3), font.measure_advance(text)
        title_text, titles = _fit_title(scene.title, text, room[0])
        bar = len(titles) * title_text + 2 * (title_text // 6) + 2 if titles else 0
        least = [
            max(map(_count_letters, column)) * advance
            + 2 * (max(2, text // 4) if side == "middle" else pad)
            for column, side in zip(columns, sides, strict=True)
        ]
        spare = room[0] - sum(least), room[1] - bar - sum(lines) * text - len(rows)
        if spare[0] >= 0 and spare[1] >= 0:
            heights = [n * text + 1 for n in lines]
            for i in range(len(rows)):
                more = spare[1] * (i + 1) // len(rows) - spare[1] * i // len(rows)
                heights[i] += min(more, _MAX_FREE_HALVES * text // 2)
            return _CardLayout(
                rim, bar, title_text, titles, text, heights,
                _share_width(columns, least, spare[0]), sides, is_grid,
            )  # fmt: skip
    raise FrameTooSmall(
        f"a card of {len(rows)} rows and {len(columns)} columns does not fit into {size[0]} x "
        f"{size[1]} pixels; use a larger image_size"
    )


def _fit_title(title: str, text: int, room: int) -> tuple[int, Sequence[str]]:
    """Return the letter height of a title and its lines: one line, if small letters are enough."""
    for height in reversed(
        [h for h in font.LETTER_HEIGHTS if h <= max(_SMALLEST_LETTERS, text * 4 // 5)]
    ):
        across = max(1, (room - height) // font.measure_advance(height))
        if len(title) <= across:
            break
    return height, font.wrap_lines([title], across) if title else []


def _count_letters(cell: _ParsedCell) -> int:
    """Return the width that a cell needs, in letters."""
    letters = max(map(len, cell[0]))
    return letters if cell[2] is None else max(letters, 2) + 1 + _MIN_BAR_LETTERS


def _share_width(columns: list[tuple[_ParsedCell, ...]], least: list[int], spare: int) -> list[int]:
    """Return the widths of columns: bars get the spare width, or else all columns do."""
    bars = [i for i, column in enumerate(columns) if any(c[2] is not None for c in column)]
    which = bars or range(len(columns))
    widths = least.copy()
    for place, i in enumerate(which):
        widths[i] += spare * (place + 1) // len(which) - spare * place // len(which)
    return widths


def _choose_sides(columns: list[tuple[_ParsedCell, ...]], is_grid: bool) -> list[str]:
    """Return where each column has its text: in a list, names at the left, values at the right."""
    if is_grid and not any(cell[2] is not None for column in columns for cell in column):
        return ["middle"] * len(columns)
    return ["left"] * (len(columns) - 1) + ["right"]


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
