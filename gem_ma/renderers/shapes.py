"""Draw Shapes: figures of any size and turn, anywhere."""

from __future__ import annotations

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.figures import mask
from gem_ma.renderers.grid import BadScene
from gem_ma.renderers.themes import Theme, blank
from gem_ma.scene import COLORS, Shapes


def draw(scene: Shapes, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame; the unit square is as large as fits, in the middle."""
    width, height = size
    frame = blank(size, theme.paper)
    text, above = font.HEIGHTS[1], 0
    if scene.title:
        shown = font.shorten(scene.title, (width - 8) // font.width(text))
        font.paste(frame, 4, 2, shown, text, theme.ink)
        above = text + 2
    unit = min(width, height - above)
    left, top = (width - unit) // 2, above + (height - above - unit) // 2
    for figure, color, x, y, extent, degrees in scene.items:
        if color not in COLORS:
            raise BadScene(f"no colour {color!r}; there are {', '.join(COLORS)}")
        if not (0 <= x <= 1 and 0 <= y <= 1 and 0 < extent <= 1):
            raise BadScene(f"{figure} at {x}, {y} of size {extent} is not in the unit square")
        spread = 1.42 if degrees % 90 else 1.0
        side = max(1, round(extent * unit * spread))
        covered = mask(figure, side, degrees, spread)
        x0, y0 = left + round(x * unit) - side // 2, top + round(y * unit) - side // 2
        x1, y1 = max(x0, 0), max(y0, 0)
        x2, y2 = min(x0 + side, width), min(y0 + side, height)
        inside = covered[y1 - y0 : y2 - y0, x1 - x0 : x2 - x0]
        font.blend(frame[y1:y2, x1:x2], inside, theme.color(color))
    return frame
