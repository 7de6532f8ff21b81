"""Draw Shapes: figures of any size and turn, lines and letters, anywhere."""

from __future__ import annotations

import math

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import CLEAR, PLAIN, between, contrast, grown, readable
from gem_ma.renderers.figures import mask, ring
from gem_ma.renderers.grid import BadScene
from gem_ma.renderers.kept import kept
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import COLORS, Shapes


def draw(scene: Shapes, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame; the unit square is as large as fits, in the middle."""
    width, height = size
    frame = blank(size, theme.paper)
    text, above = font.usual(size), 0
    if scene.title:
        lines = font.fold([scene.title], max(1, (width - 8) // font.width(text)))
        above = font.column(frame, 4, 2, lines, text, theme.ink)
    status = font.fold(scene.status, max(1, (width - 8) // font.width(text)))
    height -= len(status) * text + (4 if status else 0)
    unit = min(width, height - above)
    if unit < 1:
        raise BadScene(
            f"the words beside the shapes do not fit into {size[0]} x {size[1]} pixels; use a "
            "larger image_size"
        )
    left, top = (width - unit) // 2, above + (height - above - unit) // 2
    font.column(frame, 4, height, status, text, theme.ink)
    for item in scene.items:
        _item(frame, item, (left, top), unit, theme)
    for color, *ends, thick in scene.lines:
        ink = _ink(theme, color)
        if not (all(0 <= end <= 1 for end in ends) and 0 < thick <= 1):
            raise BadScene(f"the line {ends} of width {thick} is not in the unit square")
        ax, ay, bx, by = (end * unit for end in ends)
        line(frame, (left + ax, top + ay), (left + bx, top + by), max(1.0, thick * unit), ink)
    for letters, color, x, y, *high in scene.labels:
        ink = _ink(theme, color)
        text = font.usual((unit, unit))
        if high:
            text = max(h for h in font.HEIGHTS if h <= high[0] * unit or h == font.HEIGHTS[0])
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise BadScene(f"the label {letters!r} at {x}, {y} is not in the unit square")
        x0 = left + round(x * unit - font.width(text) * len(letters) / 2)
        write(frame, x0, top + round(y * unit) - text // 2, letters, text, ink)
    return frame


def write(frame: np.ndarray, x: int, y: int, letters: str, text: int, ink: RGB) -> None:
    """Write letters so that they can be read on whatever is there."""
    part = frame[max(y, 0) : y + text, max(x, 0) : x + font.width(text) * len(letters)]
    ground = _plain(part)
    if ground is not None and part.shape[:2] == (text, font.width(text) * len(letters)):
        if contrast(ink, ground) < CLEAR:
            ink = readable(ground)
        part[:] = font.strip(letters, text, ink, ground)
        return
    covered = font.coverage(letters, text)
    under = _part(frame, covered, x, y)[1]
    if len(under) and np.percentile(contrast(ink, under), 10) < PLAIN:
        red, green, blue = np.median(under, 0).astype(int).tolist()
        ink = readable((red, green, blue))
        if np.percentile(contrast(ink, under), 10) < PLAIN:
            inside = (covered > 63).astype(np.uint8) * 255
            by = max(1, text // 14)
            _lay(frame, grown(inside, by), x - by, y - by, readable(ink))
    _lay(frame, covered, x, y, ink)


def _item(
    frame: np.ndarray,
    item: tuple[str, str, float, float, float, float],
    corner: tuple[int, int],
    unit: int,
    theme: Theme,
) -> None:
    """Draw a figure, and an outline where it would not stand out from what is there."""
    figure, color, x, y, extent, degrees = item
    ink = _ink(theme, color)
    if not (0 <= x <= 1 and 0 <= y <= 1 and 0 < extent <= 1):
        raise BadScene(f"{figure} at {x}, {y} of size {extent} is not in the unit square")
    spread = 1.42 if degrees % 90 else 1.0
    side = max(1, round(extent * unit * spread))
    x0, y0 = corner[0] + round(x * unit) - side // 2, corner[1] + round(y * unit) - side // 2
    by = max(1, unit // 250)
    top, bottom, left, right = _extent(figure, side, degrees, spread, by).tolist()
    if x0 - by + left >= 0 and y0 - by + top >= 0:
        part = frame[y0 - by + top : y0 - by + bottom, x0 - by + left : x0 - by + right]
        ground = _plain(part)
        if ground is not None and part.shape[:2] == (bottom - top, right - left):
            patch = _patch(figure, side, degrees, spread, by, ink, ground)
            part[:] = patch[top:bottom, left:right]
            return
    _over(frame, figure, side, degrees, spread, by, ink, x0, y0)


def _plain(part: np.ndarray) -> RGB | None:
    """Return the one colour that part of a frame has, or None."""
    if not part.size:
        return None
    red, green, blue = part[0, 0].tolist()
    same = (part == part[0, 0]).all()
    return (red, green, blue) if same else None


@kept
def _extent(figure: str, side: int, degrees: float, spread: float, by: int) -> np.ndarray:
    """Return the rows and columns between which a figure and its outline stand."""
    covered = np.pad(mask(figure, side, degrees, spread), by)
    rows, columns = np.nonzero(covered | ring(figure, side, degrees, spread, by))
    if not len(rows):
        return np.zeros(4, np.intp)
    return np.array([rows.min(), rows.max() + 1, columns.min(), columns.max() + 1])


@kept
def _patch(
    figure: str, side: int, degrees: float, spread: float, by: int, ink: RGB, ground: RGB
) -> np.ndarray:
    """Draw a figure on a ground of one colour, as it will be met again and again."""
    patch = blank((side + 2 * by, side + 2 * by), ground)
    _over(patch, figure, side, degrees, spread, by, ink, by, by)
    return patch


def _over(
    frame: np.ndarray,
    figure: str,
    side: int,
    degrees: float,
    spread: float,
    by: int,
    ink: RGB,
    x0: int,
    y0: int,
) -> None:
    covered = mask(figure, side, degrees, spread)
    around = ring(figure, side, degrees, spread, by)
    under = _part(frame, around, x0 - by, y0 - by)[1]
    if len(under) and np.percentile(contrast(ink, under), 10) < PLAIN:
        red, green, blue = np.median(under, 0).astype(int).tolist()
        _lay(frame, around, x0 - by, y0 - by, between(ink, (red, green, blue)))
    _lay(frame, covered, x0, y0, ink)


def _part(
    frame: np.ndarray, covered: np.ndarray, x: int, y: int
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Return rows, columns and coverage of the pixels of a frame that are covered; and these."""
    rows, columns = np.nonzero(covered)
    inside = (
        (rows + y >= 0)
        & (rows + y < frame.shape[0])
        & (columns + x >= 0)
        & (columns + x < frame.shape[1])
    )
    rows, columns = rows[inside], columns[inside]
    return (rows + y, columns + x, covered[rows, columns]), frame[rows + y, columns + x]


def _lay(frame: np.ndarray, covered: np.ndarray, x: int, y: int, ink: RGB) -> None:
    """Lay ink over a frame where it is covered, clipped at its borders."""
    (rows, columns, much), part = _part(frame, covered, x, y)
    font.blend(part, much, ink)
    frame[rows, columns] = part


def _ink(theme: Theme, color: str) -> RGB:
    if color and color not in COLORS:
        raise BadScene(f"no colour {color!r}; there are {', '.join(COLORS)}")
    return theme.color(color) if color else theme.ink


def line(
    frame: np.ndarray, start: tuple[float, float], end: tuple[float, float], width: float, ink: RGB
) -> None:
    """Blend a line with round ends and smooth edges into the frame."""
    (x1, y1), (x2, y2) = start, end
    if abs(y2 - y1) > abs(x2 - x1):  # so that it has few pixels for each step along x
        frame = frame.swapaxes(0, 1)
        x1, y1, x2, y2 = y1, x1, y2, x2
    across, down, reach = x2 - x1, y2 - y1, width / 2 + 1
    x = np.arange(math.floor(min(x1, x2) - reach), math.ceil(max(x1, x2) + reach) + 1)[:, None]
    wide = math.ceil(1.5 * reach)
    middle = np.rint(y1 + (x - x1) * (down / across if across else 0.0))
    y = middle.astype(np.intp) + np.arange(-wide, wide + 1)
    along = ((x - x1) * across + (y - y1) * down) / (across**2 + down**2 or 1.0)
    along = along.clip(0, 1)
    beside = (x - x1 - along * across) ** 2 + (y - y1 - along * down) ** 2
    covered = (255 * (width / 2 + 0.5 - np.sqrt(beside)).clip(0, 1)).astype(np.uint8)
    height, length = frame.shape[:2]
    inside = (covered > 0) & (x >= 0) & (x < length) & (y >= 0) & (y < height)
    rows, columns = y[inside], np.broadcast_to(x, y.shape)[inside]
    _touch(frame, rows, columns, covered[inside], ink)


def _touch(
    frame: np.ndarray, rows: np.ndarray, columns: np.ndarray, covered: np.ndarray, ink: RGB
) -> None:
    """Lay ink over single pixels, which is faster than a square that is nearly empty."""
    part = frame[rows, columns]
    font.blend(part, covered, ink)
    frame[rows, columns] = part
