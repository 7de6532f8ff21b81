"""Draw a Table or a Page: texts in cells with lines between them, or as a browser shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import CLEAR, contrast
from gem_ma.renderers.scenes.shapes import write
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import COLORS, BadScene, Page, Table

_GAP = 4
_BULLET = 2  # columns before a link
_KEPT = 3  # lines of a page that stay however many links it has
Row = list[tuple[int, str, bool]]  # of links
_LARGEST = 6  # rows of the largest letters that would fill the frame


def _heights(size: tuple[int, int], most: int) -> list[int]:
    """Return the heights of letters of which so many lines fit, the largest first."""
    fitting = [h for h in font.HEIGHTS if h * most <= min(size)]
    return fitting[::-1] or [font.HEIGHTS[0]]


def draw(scene: Table, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame: all columns as wide as their longest cell, and what is left, shared."""
    rows = [tuple(map(_cell, row)) for row in scene.rows]
    if scene.head:
        rows.insert(0, tuple(map(_cell, scene.head)))
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        raise BadScene(f"the rows of a Table have {sorted({len(row) for row in rows})} cells")
    place = _place(scene, rows, size)
    words, text = place.words, place.text
    frame = blank(size, theme.paper)
    font.column(frame, _GAP, 2, place.above, words, theme.ink)
    top = len(place.above) * words + _GAP
    line = max(1, min(size) // 250)
    for number, row in enumerate(rows):
        x, y = _GAP, top + number * place.tall
        for (lines, color, share), wide in zip(row, place.wide, strict=True):
            area = frame[y : y + place.tall + line, x : x + wide + line]
            if scene.head and not number:
                area[:] = theme.cell
            if color:
                area[:, : round(share * wide)] = theme.color(color)
            for side in (area[:line], area[-line:], area[:, :line], area[:, -line:]):
                side[:] = theme.line
            down = y + line + (place.tall - line - text * len(lines)) // 2
            for letters in lines:
                at = x + (wide + line - font.width(text) * len(letters)) // 2
                write(frame, at, down, letters, text, theme.ink)
                down += text
            x += wide
    below = top + len(rows) * place.tall + _GAP
    font.column(frame, _GAP, below, place.below, words, theme.ink)
    return frame


@dataclass(frozen=True, slots=True)
class _Layout:
    """How high letters and rows and how wide columns are, in pixels."""

    words: int  # letters of what stands above and below
    above: Sequence[str]
    below: Sequence[str]
    text: int
    tall: int
    wide: list[int]


def _place(scene: Table, rows: list[tuple[Any, ...]], size: tuple[int, int]) -> _Layout:
    """Return the layout with the largest letters in the cells; words beside them give way."""
    longest = [max(len(part) for row in rows for part in row[i][0]) for i in range(len(rows[0]))]
    lines = max(len(parts) for row in rows for parts, _, _ in row)
    wide = size[0] - 2 * _GAP
    for words in dict.fromkeys((font.usual(size), font.HEIGHTS[0])):
        across = max(1, wide // font.width(words))
        above = font.fold([scene.title] if scene.title else [], across)
        below = font.fold(scene.status, across)
        high = size[1] - (len(above) + len(below)) * words - (3 if below else 2) * _GAP
        for text in _heights(size, _LARGEST):
            pad = max(1, text // 6)
            needed = [n * font.width(text) + 2 * pad for n in longest]
            tall = min(high // len(rows), (lines + 3) * text)
            if sum(needed) <= wide and tall >= lines * text - text // 8:
                spare = (wide - sum(needed)) // len(needed)
                return _Layout(words, above, below, text, tall, [n + spare for n in needed])
    raise BadScene(
        f"a table of {len(rows)} rows and {len(rows[0])} columns does not fit into {size[0]} x "
        f"{size[1]} pixels; use a larger image_size"
    )


def _cell(cell: Any) -> tuple[list[str], str, float]:
    """Return the lines of a cell, its colour, and how much of it has that colour."""
    text, color, share = (cell, "", 1.0) if isinstance(cell, str) else (*cell, 1.0)[:3]
    if color and color not in COLORS:
        raise BadScene(f"no colour {color!r}; there are {', '.join(COLORS)}")
    if not 0 <= share <= 1:
        raise BadScene(f"share={share} of the cell {text!r}: expected 0 to 1")
    return text.split("\n"), color, share


def draw_page(scene: Page, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame, in the largest letters in which all fits, and say what does not.

    Each link has a line of its own, or where that is too much, they run on. Of what does not fit,
    the oldest lines are left out, and then the last links.
    """
    heights = _heights(size, 12)
    ways = [(text, False) for text in heights] + [(text, True) for text in heights]
    for text, running in ways:
        columns = max(1, (size[0] - 4 * _GAP) // font.width(text))
        large = next(h for h in font.HEIGHTS if h >= text * 4 // 3 or h == font.HEIGHTS[-1])
        title = font.fold([scene.title], max(1, columns * text // large))
        links = _set(scene.links, columns, running)
        lines, below = list(font.fold(scene.lines, columns)), font.fold(scene.status, columns)
        fixed = len(title) * large + len(below) * text + 5 * _GAP
        room = (size[1] - fixed) // text
        if len(lines) + len(links) <= room:
            break
    kept = min(len(lines), _KEPT)
    if room < kept + min(2, len(links)):
        raise BadScene(
            f"a page with {len(scene.links)} links does not fit into {size[0]} x {size[1]} pixels; "
            "use a larger image_size"
        )
    more = []
    if len(links) > room - kept:
        links = links[: room - kept - 1]
        shown = sum(first for row in links for _, _, first in row)
        more = [f"... {len(scene.links) - shown} more"]
    room -= len(links) + len(more)
    if len(lines) > room:
        hidden = len(lines) - room + 1
        lines[:hidden] = [f"... {hidden} earlier line{'s' if hidden > 1 else ''}"]
    frame = blank(size, theme.paper)
    y = font.column(frame, 2 * _GAP, _GAP, title, large, theme.ink)
    frame[y : y + max(1, text // 14), 2 * _GAP : -2 * _GAP] = theme.line
    y = font.column(frame, 2 * _GAP, y + _GAP, lines, text, theme.ink) + _GAP
    blue = theme.color("blue")
    ink = blue if contrast(blue, theme.paper) >= CLEAR else theme.ink
    for row in links:
        _underlined(frame, 2 * _GAP, y, row, text, ink)
        y += text
    font.column(frame, 2 * _GAP, y, more, text, theme.ink)
    font.column(frame, 2 * _GAP, size[1] - len(below) * text - _GAP, below, text, theme.ink)
    return frame


def _set(links: Sequence[str], columns: int, running: bool) -> list[Row]:
    """Return rows of links, each behind a bullet: the column, the letters, whether one begins."""
    rows: list[Row] = []
    at = columns
    for link in links:
        first = True
        for part in font.wrap(link, max(1, columns - _BULLET)):
            if not running or at + _BULLET + len(part) > columns:
                rows.append([])
                at = 0
            rows[-1].append((at, part, first))
            at += _BULLET + len(part) + 2
            first = False
    return rows


def _underlined(frame: np.ndarray, x: int, y: int, row: Row, text: int, ink: RGB) -> None:
    thick, side, wide = max(1, text // 14), max(2, text // 4), font.width(text)
    for at, letters, first in row:
        left = x + at * wide
        if first:  # a bullet
            frame[y + (text - side) // 2 :, left:][:side, :side] = ink
        left += _BULLET * wide
        end = font.paste(frame, left, y, letters, text, ink)
        frame[y + text - thick : y + text, left:end] = ink
