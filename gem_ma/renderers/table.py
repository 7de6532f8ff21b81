"""Draw a Table or a Page: texts in cells with lines between them, or as a browser shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import CLEAR, contrast, readable
from gem_ma.renderers.grid import BadScene
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import COLORS, Page, Table

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
        rows.insert(0, tuple((text, "") for text in scene.head))
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        raise BadScene(f"the rows of a Table have {sorted({len(row) for row in rows})} cells")
    words = font.usual(size)
    across = max(1, (size[0] - 2 * _GAP) // font.width(words))
    above = font.fold([scene.title] if scene.title else [], across)
    below = font.fold(scene.status, across)
    top = len(above) * words + _GAP
    high = size[1] - top - len(below) * words - (2 if below else 1) * _GAP
    longest = [max(len(row[i][0]) for row in rows) for i in range(len(rows[0]))]
    for text in _heights(size, _LARGEST):
        pad = max(2, text // 3)
        needed = [n * font.width(text) + 2 * pad for n in longest]
        tall = min(high // len(rows), 3 * text)
        if sum(needed) <= size[0] - 2 * _GAP and tall >= text + 2:
            break
    else:
        raise BadScene(
            f"a table of {len(rows)} rows and {len(rows[0])} columns does not fit into {size[0]} x "
            f"{size[1]} pixels; use a larger image_size"
        )
    frame = blank(size, theme.paper)
    font.column(frame, _GAP, 2, above, words, theme.ink)
    spare = (size[0] - 2 * _GAP - sum(needed)) // len(needed)
    line = max(1, min(size) // 250)
    for number, row in enumerate(rows):
        x, y = _GAP, top + number * tall
        for (letters, color), wide in zip(row, needed, strict=True):
            wide += spare
            ground = (
                theme.color(color) if color else theme.cell if scene.head and not number else None
            )
            area = frame[y : y + tall + line, x : x + wide + line]
            if ground is not None:
                area[:] = ground
            for side in (area[:line], area[-line:], area[:, :line], area[:, -line:]):
                side[:] = theme.line
            ink = _ink(theme.ink, ground or theme.paper)
            at = x + (wide - font.width(text) * len(letters)) // 2
            font.paste(frame, at, y + (tall - text) // 2, letters, text, ink)
            x += wide
    font.column(frame, _GAP, top + len(rows) * tall + _GAP, below, words, theme.ink)
    return frame


def _cell(cell: Any) -> tuple[str, str]:
    text, color = (cell, "") if isinstance(cell, str) else cell
    if color and color not in COLORS:
        raise BadScene(f"no colour {color!r}; there are {', '.join(COLORS)}")
    return text, color


def _ink(ink: RGB, ground: RGB) -> RGB:
    return ink if contrast(ink, ground) >= CLEAR else readable(ground)


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
