"""Draw text on a plain panel, with the bitmap font that Pillow carries."""

from __future__ import annotations

import functools

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gem_ma.scene import Terminal

CELL = 6, 11  # pixels of a character
MARGIN = 6
PAPER, INK = (250, 250, 247), (32, 33, 36)


def draw(scene: Terminal, size: tuple[int, int]) -> np.ndarray:
    return _draw(scene.text, size).copy()


@functools.lru_cache(maxsize=256)
def _draw(text: str, size: tuple[int, int]) -> np.ndarray:
    columns = max(1, (size[0] - 2 * MARGIN) // CELL[0])
    rows = max(1, (size[1] - 2 * MARGIN) // CELL[1])
    lines = [
        line[start : start + columns]
        for line in text.splitlines()
        for start in range(0, len(line) or 1, columns)
    ]
    if len(lines) > rows:
        lines[rows - 1 :] = [f"... {len(lines) - rows + 1} more lines"[:columns]]
    image = Image.new("RGB", size, PAPER)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default_imagefont()
    for row, line in enumerate(lines):
        latin = line.encode("latin-1", "replace").decode("latin-1")
        pen.text((MARGIN, MARGIN + row * CELL[1]), latin, fill=INK, font=font)
    return np.asarray(image)
