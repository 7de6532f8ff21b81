"""Draw Cards: hands of cards and dice, one row for each holder."""

from __future__ import annotations

import functools

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.figures import mask
from gem_ma.renderers.grid import BadScene
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import Cards

FACE, INK, RED = (252, 252, 250), (24, 24, 27), (190, 30, 45)
SUITS = {"s": "spade", "h": "heart", "d": "diamond", "c": "club"}
PIPS = {  # where the pips of a die are, in thirds
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (0, 2), (2, 0), (2, 2)),
    5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    6: ((0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 2)),
}


def draw(scene: Cards, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame."""
    width, height = size
    if not scene.rows:
        raise BadScene("Cards needs at least one row")
    frame = blank(size, theme.paper)
    text = font.HEIGHTS[1]
    below = len(scene.status) * text + (6 if scene.status else 0)
    wide = (width - 8) // font.width(text)
    row_height = (height - below - 4) // len(scene.rows)
    most = max(len(items) for _, items in scene.rows)
    gap = 4
    card = min(row_height - text - 2 * gap, 96)
    for _, items in scene.rows:
        quarters = sum(4 if item.startswith("*") else 3 for item in items)  # of a card's height
        if items:
            card = min(card, 4 * (width - gap * (len(items) + 1)) // quarters)
    suits = any(len(item) > 1 and item[-1] in SUITS for _, items in scene.rows for item in items)
    if card < (24 if suits else 16):
        raise BadScene(
            f"{len(scene.rows)} rows of up to {most} cards do not fit into {width} x {height} "
            "pixels; use a larger image_size"
        )
    for i, (label, items) in enumerate(scene.rows):
        y = 4 + i * row_height
        font.paste(frame, gap, y, font.shorten(label, wide), text, theme.ink)
        x = gap
        for item in items:
            face = _item(item, card, theme)
            h, w = face.shape[:2]
            frame[y + text : y + text + h, x : x + w] = face
            x += w + gap
    y = height - below + 3
    for line in scene.status:
        font.paste(frame, gap, y, font.shorten(line, wide), text, theme.ink)
        y += text
    return frame


@functools.lru_cache(maxsize=512)
def _item(item: str, height: int, theme: Theme) -> np.ndarray:
    """Draw one card, die or back; a die is square, a card three quarters as wide as high."""
    if item.startswith("*"):
        return _die(item, min(height, 48), theme)
    width = height * 3 // 4
    face = _face(width, height, FACE, theme.line)
    if item == "?":
        face[2:-2, 2:-2] = theme.color("blue")
        face[4:-4:4, 4:-4] = theme.color("white")
        return face
    suit = SUITS.get(item[-1:]) if len(item) > 1 else None
    rank = item[:-1] if suit else item
    ink: RGB = RED if suit in ("heart", "diamond") else INK
    tall = [h for h in font.HEIGHTS if h <= height // 2 and font.width(h) * len(rank) <= width - 4]
    line = tall[-1] if tall else font.HEIGHTS[0]
    x = (width - font.width(line) * len(rank)) // 2
    if suit is None:
        font.paste(face, x, (height - line) // 2, rank, line, ink)
        return face
    font.paste(face, x, 3, rank, line, ink)
    side = max(min(width - 8, height - line - 10), 4)
    left, top = (width - side) // 2, line + (height - line - side) // 2
    font.blend(face[top : top + side, left : left + side], mask(suit, side), ink)
    return face


def _die(item: str, side: int, theme: Theme) -> np.ndarray:
    face = _face(side, side, FACE, theme.line)
    if item == "*?":
        face[2:-2, 2:-2] = theme.color("gray")
        line = max(h for h in font.HEIGHTS if h <= side)
        font.paste(face, (side - font.width(line)) // 2, (side - line) // 2, "?", line, FACE)
        return face
    if not item[1:].isdecimal() or int(item[1:]) not in PIPS:
        raise BadScene(f"{item!r} is no die; the dice are *1 to *6 and *?")
    pip, third = max(side // 5, 2), side / 4
    for row, column in PIPS[int(item[1:])]:
        y, x = round(third * (row + 1) - pip / 2), round(third * (column + 1) - pip / 2)
        font.blend(face[y : y + pip, x : x + pip], mask("disc", pip), INK)
    return face


def _face(width: int, height: int, face: RGB, line: RGB) -> np.ndarray:
    picture = blank((width, height), face)
    picture[0], picture[-1], picture[:, 0], picture[:, -1] = line, line, line, line
    return picture
