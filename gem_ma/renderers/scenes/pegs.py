"""The renderer of Pegs: discs of different sizes on a row of pegs."""

from __future__ import annotations

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import MIN_CONTRAST, choose_ink, compute_contrast
from gem_ma.renderers.themes import Theme, make_frame
from gem_ma.scene import COLORS, BadScene, FrameTooSmall, Pegs

DISC_COLORS = [color for color in COLORS if color not in ("black", "white", "gray")]


def draw(scene: Pegs, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the scene as a new frame, with a number on each disc."""
    width, height = size
    text = font.list_caption_heights(scene.status, size, 8)[0]
    for disc in (disc for peg in scene.pegs for disc in peg):
        if not 1 <= disc <= scene.discs:
            raise BadScene(f"no disc {disc}; the discs are 1 to {scene.discs}")
    if not scene.pegs:
        raise BadScene("Pegs needs at least one peg")
    status = font.wrap_lines(scene.status, (width - 8) // font.measure_advance(text))
    below = text * (bool(scene.labels) + len(status)) + 8
    share, floor = width // len(scene.pegs), height - below
    thick = min((floor - 16) // max(scene.discs, 1), min(size) // 6)
    if (
        thick < font.LETTER_HEIGHTS[0]
        or share < 2 * font.measure_advance(font.LETTER_HEIGHTS[0]) + 8
    ):
        raise FrameTooSmall(
            f"{scene.discs} discs on {len(scene.pegs)} pegs do not fit into {width} x {height} "
            "pixels; use a larger image_size"
        )
    frame = make_frame(size, theme.paper)
    frame[floor : floor + 3, 4:-4] = theme.line
    line = max(h for h in font.LETTER_HEIGHTS if h <= min(thick, 2 * text))
    narrow, wide = min(font.measure_advance(line) + 2, share // 4), share // 2 - 4
    for number, peg in enumerate(scene.pegs):
        middle = number * share + share // 2
        frame[floor - thick * scene.discs - 8 : floor, middle - 2 : middle + 2] = theme.line
        for level, disc in enumerate(peg):
            half = narrow + (wide - narrow) * (disc - 1) // max(scene.discs - 1, 1)
            bottom = floor - level * thick
            color = theme.color(DISC_COLORS[(disc - 1) % len(DISC_COLORS)])
            body = frame[bottom - thick + 1 : bottom, middle - half : middle + half]
            body[:] = (
                color if compute_contrast(color, theme.paper) >= MIN_CONTRAST else choose_ink(color)
            )
            edge = max(1, thick // 16)
            body[edge:-edge, edge:-edge] = color
            name = str(disc)
            x, y = (
                middle - font.measure_advance(line) * len(name) // 2,
                bottom - thick + (thick - line) // 2,
            )
            font.draw_line(frame, x, y, name, line, choose_ink(color))
        if scene.labels:
            label = scene.labels[number]
            x = middle - font.measure_advance(text) * len(label) // 2
            font.draw_line(frame, x, floor + 5, label, text, theme.ink)
    font.draw_lines(frame, 4, height - text * len(status) - 2, status, text, theme.ink)
    return frame
