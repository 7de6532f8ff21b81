"""The renderer of Cards: hands of cards and dice, as large as the frame allows."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import BadScene, Cards, FrameTooSmall

CARD_FACE, CARD_INK, CARD_RED = (252, 252, 250), (24, 24, 27), (190, 30, 45)
SUIT_FIGURES = {"s": "spade", "h": "heart", "d": "diamond", "c": "club"}
COURT_FIGURES = {"J": "knight", "Q": "queen", "K": "king"}
DIE_PIPS = {  # row and column of each pip of a die, in thirds
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (0, 2), (2, 0), (2, 2)),
    5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    6: ((0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 2)),
}
_GAP = 4
_MIN_CARD = 16  # least height of a card or die in pixels
_MIN_SUIT_CARD = 24  # the same for a card with a suit
_LARGE_CARD = 20  # from this height in pixels, whole words in labels matter more than larger cards


@dataclass(frozen=True, slots=True)
class _CardLayout:
    """The layout of holders in a frame: columns of holders, each with lines of items."""

    card_height: int  # height of a card or die in pixels
    text: int
    holder_columns: int  # holders side by side
    label_width: int  # pixels for labels at the left; 0 means that labels are above
    label_lines: int  # lines for labels above
    lines: int  # lines of items for each holder


def draw(scene: Cards, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the scene as a new frame."""
    layout, below = _choose_layout(scene, size)
    text = layout.text
    frame = make_frame(size, theme.paper)
    rows = math.ceil(len(scene.rows) / layout.holder_columns)
    tall = layout.label_lines * text + layout.lines * (layout.card_height + _GAP)
    spare = size[1] - rows * tall - len(below) * text - 2 * _GAP
    share, between = size[0] // layout.holder_columns, max(0, spare) // (rows + 1)
    for i, (label, items) in enumerate(scene.rows):
        left = i % layout.holder_columns * share + _GAP
        y = between + i // layout.holder_columns * (tall + between)
        if layout.label_width:
            font.draw_line(frame, left, y + (tall - text) // 2, label, text, theme.ink)
        else:
            lines = font.wrap_lines([label], (share - 2 * _GAP) // font.measure_advance(text))
            font.draw_lines(frame, left, y, lines, text, theme.ink)
        y += layout.label_lines * text
        per_line = max(1, math.ceil(len(items) / layout.lines))
        for number, item in enumerate(items):
            if number % per_line == 0:
                x, top = (
                    left + layout.label_width,
                    y + number // per_line * (layout.card_height + _GAP),
                )
            face = _draw_item(item, layout.card_height, theme)
            frame[top : top + face.shape[0], x : x + face.shape[1]] = face
            x += face.shape[1] + _GAP
    font.draw_lines(frame, _GAP, rows * (tall + between) + between // 2, below, text, theme.ink)
    return frame


def _choose_layout(scene: Cards, size: tuple[int, int]) -> tuple[_CardLayout, Sequence[str]]:
    """Return the layout and the status lines, in the largest letters that leave room for cards."""
    if not scene.rows:
        raise BadScene("Cards needs at least one row")
    labels = tuple(label for label, _ in scene.rows)
    quarters = tuple(sum(map(_count_quarters, items)) for _, items in scene.rows)
    counts = tuple(len(items) for _, items in scene.rows)
    suits = any(
        len(item) > 1 and item[-1] in SUIT_FIGURES for _, items in scene.rows for item in items
    )
    least = _MIN_SUIT_CARD if suits else _MIN_CARD
    for text in font.list_caption_heights(scene.status, size, 2 * _GAP):
        below = font.wrap_lines(scene.status, (size[0] - 2 * _GAP) // font.measure_advance(text))
        room = size[0], size[1] - len(below) * text - (_GAP if below else 0)
        layout = _fit_layout(labels, counts, quarters, room, text)
        if layout is not None and layout.card_height >= least:
            return layout, below
    raise FrameTooSmall(
        f"{len(scene.rows)} rows of up to {max(counts)} cards do not fit into {size[0]} x "
        f"{size[1]} pixels; use a larger image_size"
    )


def _count_quarters(item: str) -> int:
    """Return the width of an item in quarters of its height; dice are square."""
    return 4 if item.startswith("*") else 3


@functools.lru_cache(maxsize=1024)
def _fit_layout(
    labels: tuple[str, ...],
    counts: tuple[int, ...],
    quarters: tuple[int, ...],
    size: tuple[int, int],
    text: int,
) -> _CardLayout | None:
    """Return the layout with the largest cards, or None if no layout fits."""
    best, best_worth = None, (False, 0)
    advance = font.measure_advance(text)
    longest = max((len(word) for label in labels for word in label.split()), default=0)
    most = max(max(counts), 1)
    for across in range(1, len(labels) + 1):
        rows = math.ceil(len(labels) / across)
        wide, high = size[0] // across - 2 * _GAP, size[1] // rows - _GAP
        for lines in range(1, min(most, 8) + 1):
            per_line = math.ceil(most / lines)
            broad = max(  # width of a line of items in quarters of the card height
                math.ceil(q / max(n, 1) * min(n, per_line))
                for q, n in zip(quarters, counts, strict=True)
            )
            for beside in (0, max(map(len, labels)) * advance + _GAP):
                columns = max(1, wide // advance)
                above = 0 if beside else max(len(font.wrap_lines([one], columns)) for one in labels)
                room = wide - beside - _GAP * (per_line - 1)
                card = min((high - above * text) // lines - _GAP, 4 * room // max(broad, 3))
                worth = card >= _LARGE_CARD and (bool(beside) or longest <= columns), card
                if card > 0 and worth > best_worth:
                    best_worth = worth
                    best = _CardLayout(card, text, across, beside, above, lines)
    return best


@memoize
def _draw_item(item: str, height: int, theme: Theme) -> np.ndarray:
    """Draw a card, a die or a card's back; a card's width is three quarters of its height."""
    if item.startswith("*"):
        return _draw_die(item, height, theme)
    width = height * 3 // 4
    face = _draw_face(width, height, CARD_FACE, theme.line)
    if item == "?":
        edge = max(2, height // 24)
        face[edge:-edge, edge:-edge] = theme.color("blue")
        for line in range(2 * edge, height - 2 * edge, 2 * edge):
            face[line : line + max(1, edge // 2), 2 * edge : -2 * edge] = theme.color("white")
        return face
    suit = SUIT_FIGURES.get(item[-1:]) if len(item) > 1 else None
    rank = item[:-1] if suit else item
    ink: RGB = CARD_RED if suit in ("heart", "diamond") else CARD_INK
    share = 3 if suit or rank in COURT_FIGURES else 1  # the rank takes 1/share of the card
    tall = [
        h
        for h in font.LETTER_HEIGHTS
        if h <= height * 2 // (3 * share) + 4
        and font.measure_advance(h) * len(rank) <= width * (3 if share == 1 else 2) // 3
    ]
    line = tall[-1] if tall else font.LETTER_HEIGHTS[0]
    if share == 1:
        x = (width - font.measure_advance(line) * len(rank)) // 2
        font.draw_line(face, x, (height - line) // 2, rank, line, ink)
        return face
    edge = max(2, height // 32)
    font.draw_line(face, edge + 1, edge, rank, line, ink)
    if suit:  # small beside the rank, and large below unless a court card has its figure there
        small = max(
            5, min(line * 3 // 4, width - 3 * edge - font.measure_advance(line) * len(rank))
        )
        at = width - small - edge - 1, edge + (line - small) // 2
        font.blend_ink(
            face[at[1] : at[1] + small, at[0] : at[0] + small], make_mask(suit, small), ink
        )
    figure = COURT_FIGURES.get(rank, suit)
    side = max(min(width - 4 * edge, height - line - 3 * edge), 4)
    left, top = (width - side) // 2, line + edge + (height - line - 2 * edge - side) // 2
    if figure:
        font.blend_ink(face[top : top + side, left : left + side], make_mask(figure, side), ink)
    return face


def _draw_die(item: str, side: int, theme: Theme) -> np.ndarray:
    face = _draw_face(side, side, CARD_FACE, theme.line)
    if item == "*?":
        face[2:-2, 2:-2] = theme.color("gray")
        line = max(h for h in font.LETTER_HEIGHTS if h <= side)
        font.draw_line(
            face, (side - font.measure_advance(line)) // 2, (side - line) // 2, "?", line, CARD_FACE
        )
        return face
    if not item[1:].isdecimal() or int(item[1:]) not in DIE_PIPS:
        raise BadScene(f"{item!r} is no die; the dice are *1 to *6 and *?")
    pip, third = max(side // 5, 2), side / 4
    for row, column in DIE_PIPS[int(item[1:])]:
        y, x = round(third * (row + 1) - pip / 2), round(third * (column + 1) - pip / 2)
        font.blend_ink(face[y : y + pip, x : x + pip], make_mask("disc", pip), CARD_INK)
    return face


def _draw_face(width: int, height: int, face: RGB, line: RGB) -> np.ndarray:
    picture = make_frame((width, height), face)
    edge = max(1, height // 64)
    for side in (picture[:edge], picture[-edge:], picture[:, :edge], picture[:, -edge:]):
        side[:] = line
    return picture
