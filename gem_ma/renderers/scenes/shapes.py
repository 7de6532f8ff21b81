"""The renderer of Shapes: figures, lines and labels at any position, size and angle."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import NamedTuple

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.contrast import (
    MIN_CONTRAST,
    choose_ink,
    choose_outline,
    compute_contrast,
    dilate_mask,
)
from gem_ma.renderers.figures import make_mask, make_outline_mask
from gem_ma.renderers.themes import RGB, Theme, make_frame, make_shared_frame
from gem_ma.scene import COLORS, GROUNDS, BadScene, FrameTooSmall, Shapes

_FAINT_FIGURE = 3.6  # figures with less contrast get an outline: their edges lose a sixth
_MAX_KEPT = 2000  # pixels of an edge or of letters whose colours are kept
_MAX_PATCH = 120  # pixels of a side of a figure that is kept with its background
_PIXEL = np.dtype((np.void, 3))  # three levels at once, which is faster to read and to write


def draw(scene: Shapes, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the scene as a new frame; the unit square is as large as possible and centred."""
    width, height = size
    frame = make_frame(size, theme.paper)
    captions = [scene.title, *scene.status] if scene.title else scene.status
    text, above = font.list_caption_heights(captions, size, 8)[0], 0
    if scene.title:
        lines = font.wrap_lines([scene.title], max(1, (width - 8) // font.measure_advance(text)))
        above = font.draw_lines(frame, 4, 2, lines, text, theme.ink)
    status = font.wrap_lines(scene.status, max(1, (width - 8) // font.measure_advance(text)))
    height -= len(status) * text + (4 if status else 0)
    unit = min(width, height - above)
    if unit < 1:
        raise FrameTooSmall(
            f"the words beside the shapes do not fit into {size[0]} x {size[1]} pixels; use a "
            "larger image_size"
        )
    left, top = (width - unit) // 2, above + (height - above - unit) // 2
    if scene.ground:
        frame[top : top + unit] = make_shared_frame((width, unit), _find_ink(theme, scene.ground))
    font.draw_lines(frame, 4, height, status, text, theme.ink)
    for color, corners in scene.areas:
        _fill_polygon(frame, corners, (left, top), unit, _find_ink(theme, color))
    for item in scene.items:
        _draw_item(frame, item, (left, top), unit, theme)
    for color, stretch in itertools.groupby(scene.lines, operator.itemgetter(0)):
        strokes = _place_lines([line[1:] for line in stretch], (left, top), unit)
        draw_strokes(frame, strokes, _find_ink(theme, color))
    _draw_labels(frame, scene, (left, top), unit, theme)
    return frame


def _draw_labels(
    frame: np.ndarray, scene: Shapes, corner: tuple[int, int], unit: int, theme: Theme
) -> None:
    for letters, color, x, y, *high in scene.labels:
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise BadScene(f"the label {letters!r} at {x}, {y} is not in the unit square")
        text = font.choose_height((unit, unit))
        if high:
            text = max(
                h for h in font.LETTER_HEIGHTS if h <= high[0] * unit or h == font.LETTER_HEIGHTS[0]
            )
        place = corner[0] + x * unit, corner[1] + round(y * unit) - text // 2
        _draw_label(frame, letters, text, _find_ink(theme, color), *place)


def _draw_label(frame: np.ndarray, letters: str, text: int, ink: RGB, x: float, y: int) -> None:
    """Draw a label centred at x, moved as far as necessary to stay within the frame."""
    wide, room = font.measure_advance(text) * len(letters), frame.shape[1]
    if wide > room:
        raise FrameTooSmall(
            f"the label {letters!r} does not fit into {room} pixels; use a larger image_size"
        )
    draw_readable_text(frame, min(max(round(x - wide / 2), 0), room - wide), y, letters, text, ink)


def draw_readable_text(
    frame: np.ndarray, x: int, y: int, letters: str, text: int, ink: RGB
) -> None:
    """Draw letters so that they are readable on the pixels below them."""
    placed = _cover_text(letters, text, 0).place(frame, x, y)
    under = placed.read()
    if placed.is_whole and 0 < len(under) <= _MAX_KEPT:
        colors = _color_letters(letters, text, ink, under.tobytes())
        if len(colors):
            placed.write(colors)
            return
    if _is_faint(ink, under):
        ink = choose_ink(_find_median_color(under))
        if _is_faint(ink, under):
            width = max(1, text // 14)
            around = _cover_text(letters, text, width).place(frame, x - width, y - width)
            around.blend(choose_ink(ink))
    placed.blend(ink)


@memoize
def _color_letters(letters: str, text: int, ink: RGB, below: bytes) -> np.ndarray:
    """Return the colours of letters, from those below them; none if the ink is faint there."""
    under = np.frombuffer(below, np.uint8).reshape(-1, 3)
    if _is_faint(ink, under):
        return under[:0]
    covered = _cover_text(letters, text, 0)
    patch = np.empty((covered.last_row + 1, covered.last_column + 1, 3), np.uint8)
    placed = covered.place(patch, 0, 0)
    placed.write(under)
    placed.blend(ink)
    return placed.read()


def _draw_item(
    frame: np.ndarray,
    item: tuple[str, str, float, float, float, float],
    corner: tuple[int, int],
    unit: int,
    theme: Theme,
) -> None:
    """Draw a figure, with an outline if its contrast with the background is low."""
    figure, color, x, y, extent, degrees = item
    ink = _find_ink(theme, color)
    if not (0 <= x <= 1 and 0 <= y <= 1 and 0 < extent <= 1):
        raise BadScene(f"{figure} at {x}, {y} of size {extent} is not in the unit square")
    spread = 1.42 if degrees % 90 else 1.0
    side = max(1, round(extent * unit * spread))
    x0, y0 = corner[0] + round(x * unit) - side // 2, corner[1] + round(y * unit) - side // 2
    draw_figure(frame, x0, y0, figure, side, ink, max(1, unit // 250), degrees, spread)


def draw_figure(
    frame: np.ndarray,
    x: int,
    y: int,
    figure: str,
    side: int,
    ink: RGB,
    by: int,
    degrees: float = 0.0,
    spread: float = 1.0,
    levels: int = 255,
) -> None:
    """Draw a figure, on an outline `by` pixels wide if its contrast with the background is low.

    Args:
        levels: number of coverage levels above 0; few levels give few colours.
    """
    look = _Look(figure, side, degrees, spread, by, levels, ink)
    height, width = frame.shape[:2]
    far = side + by
    if x >= by and y >= by and x + far <= width and y + far <= height and far <= _MAX_PATCH:
        box = frame[y - by : y + far, x - by : x + far]
        ground = box[0, 0].tobytes()
        if box.tobytes() == ground * (box.size // 3):  # nothing is below it
            box[:] = _draw_patch(look, ground)
            return
    around = look.cover_outline().place(frame, x - by, y - by)
    under = around.read()
    if around.is_whole and 0 < len(under) <= _MAX_KEPT:  # it is drawn there again and again
        around.write(_color_edge(look, under.tobytes()))
        look.cover_figure().place(frame, x, y).fill(ink)
        return
    _blend_figure(frame, x, y, look)


class _Look(NamedTuple):
    """What decides how a figure is drawn on a background."""

    figure: str
    side: int
    degrees: float
    spread: float
    by: int
    levels: int
    ink: RGB

    def cover_outline(self) -> _CoveredPixels:
        """Return the pixels of the outline; its corner is `by` pixels above and to the left."""
        return _cover_outline(*self[:6])

    def cover_figure(self) -> _CoveredPixels:
        """Return the pixels of the figure."""
        return _cover_figure(self.figure, self.side, self.degrees, self.spread, self.levels)

    def make_patch(self) -> np.ndarray:
        """Return a frame, not filled, of the size of the figure and its outline."""
        return np.empty((self.side + 2 * self.by, self.side + 2 * self.by, 3), np.uint8)


def _blend_figure(frame: np.ndarray, x: int, y: int, look: _Look) -> None:
    around = look.cover_outline().place(frame, x - look.by, y - look.by)
    under = around.read()
    if _is_faint(look.ink, under, _FAINT_FIGURE):
        around.blend(choose_outline(look.ink, _find_median_color(under)))
    look.cover_figure().place(frame, x, y).blend(look.ink)


@memoize
def _draw_patch(look: _Look, ground: bytes) -> np.ndarray:
    """Return a figure with its outline on a background of one colour."""
    patch = look.make_patch()
    patch[:] = np.frombuffer(ground, np.uint8)
    _blend_figure(patch, look.by, look.by, look)
    return patch


@memoize
def _color_edge(look: _Look, below: bytes) -> np.ndarray:
    """Return the colours of a figure's edge and outline, from those below it."""
    patch = look.make_patch()
    around = look.cover_outline().place(patch, 0, 0)
    around.write(np.frombuffer(below, np.uint8).reshape(-1, 3))
    _blend_figure(patch, look.by, look.by, look)
    return around.read()


def _is_faint(ink: RGB, under: np.ndarray, least: float = MIN_CONTRAST) -> bool:
    """Return whether ink has too little contrast with a tenth or more of these pixels."""
    if not len(under):
        return False
    if (under == under[0]).all():  # the common case, and faster
        return _compare(ink, tuple(under[0].tolist())) < least
    return int(np.count_nonzero(compute_contrast(ink, under) < least)) > len(under) // 10


@functools.lru_cache(maxsize=4096)
def _compare(one: RGB, other: RGB) -> float:
    return float(compute_contrast(one, other))


def _find_median_color(under: np.ndarray) -> RGB:
    middle = len(under) // 2
    red, green, blue = np.partition(under, middle, 0)[middle].tolist()
    return red, green, blue


class _CoveredPixels:
    """The pixels that a figure covers, and how much of each (0..255); opaque ones stand first."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray, coverage: np.ndarray):
        is_opaque = coverage == 255
        order = np.concatenate([np.flatnonzero(is_opaque), np.flatnonzero(~is_opaque)])
        self.rows, self.columns, self.coverage = rows[order], columns[order], coverage[order]
        self.opaque = int(np.count_nonzero(is_opaque))
        self.first_row = self.first_column = 0
        self.last_row = self.last_column = -1
        if len(rows):
            self.first_row, self.last_row = int(rows.min()), int(rows.max())
            self.first_column, self.last_column = int(columns.min()), int(columns.max())
        self._numbers = 0, order  # of the pixels in frames of a width
        self.nbytes = 3 * order.nbytes + self.coverage.nbytes

    def place(self, frame: np.ndarray, x: int, y: int) -> _PlacedPixels:
        """Return the pixels of a frame that are covered if the figure is moved by (x, y)."""
        height, width = frame.shape[:2]
        if (
            self.first_row + y < 0
            or self.first_column + x < 0
            or self.last_row + y >= height
            or self.last_column + x >= width
        ):
            rows, columns = self.rows + y, self.columns + x
            inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
            opaque = int(np.count_nonzero(inside[: self.opaque]))
            numbers = rows[inside] * width + columns[inside]
            return _PlacedPixels(frame, numbers, self.coverage[inside], opaque, is_whole=False)
        known, numbers = self._numbers
        if known != width:
            numbers = self.rows * width + self.columns
            self._numbers = width, numbers
        numbers = numbers + (y * width + x)
        return _PlacedPixels(frame, numbers, self.coverage, self.opaque, is_whole=True)


class _PlacedPixels:
    """Pixels of a frame, by their numbers: reading order from the top left corner."""

    def __init__(
        self,
        frame: np.ndarray,
        numbers: np.ndarray,
        coverage: np.ndarray,
        opaque: int,
        is_whole: bool,
    ):
        self._frame, self._numbers = frame, numbers
        self._coverage, self._opaque = coverage, opaque
        self.is_whole = is_whole

    def read(self) -> np.ndarray:
        """Return the colours of the pixels."""
        return self._read(self._numbers)

    def write(self, colors: np.ndarray) -> None:
        """Set the colours of the pixels."""
        self._write(self._numbers, colors)

    def fill(self, ink: RGB) -> None:
        """Set the colour of the pixels that are covered wholly."""
        if self._opaque:
            self._write(self._numbers[: self._opaque], np.array(ink, np.uint8))

    def blend(self, ink: RGB) -> None:
        """Blend ink into the frame by coverage."""
        self.fill(ink)
        others = self._numbers[self._opaque :]
        if len(others):
            part = self._read(others)
            font.blend_ink(part, self._coverage[self._opaque :], ink)
            self._write(others, part)

    def _read(self, numbers: np.ndarray) -> np.ndarray:
        frame = self._frame
        if frame.flags.c_contiguous:
            pixels: np.ndarray = frame.reshape(-1, 3).take(numbers, 0)
            return pixels
        part: np.ndarray = frame[np.divmod(numbers, frame.shape[1])]
        return part

    def _write(self, numbers: np.ndarray, pixels: np.ndarray) -> None:
        frame = self._frame
        if frame.flags.c_contiguous:
            frame.reshape(-1).view(_PIXEL)[numbers] = pixels.reshape(-1).view(_PIXEL)
        else:
            frame[np.divmod(numbers, frame.shape[1])] = pixels


@memoize
def _cover_text(letters: str, text: int, by: int) -> _CoveredPixels:
    """Return the pixels that letters cover, extended by `by` pixels."""
    coverage = font.render_coverage(letters, text)
    return _list_pixels(dilate_mask((coverage > 63).astype(np.uint8) * 255, by) if by else coverage)


@memoize
def _cover_figure(
    figure: str, side: int, degrees: float, spread: float, levels: int
) -> _CoveredPixels:
    return _list_pixels(_round_coverage(make_mask(figure, side, degrees, spread), levels))


@memoize
def _cover_outline(
    figure: str, side: int, degrees: float, spread: float, by: int, levels: int
) -> _CoveredPixels:
    around = make_outline_mask(figure, side, degrees, spread, by)
    return _list_pixels(_round_coverage(around, levels))


def _round_coverage(coverage: np.ndarray, levels: int) -> np.ndarray:
    steps: np.ndarray = (coverage.astype(np.uint16) * levels + 127) // 255 * 255 // levels
    return steps.astype(np.uint8)


def _list_pixels(covered: np.ndarray, top: int = 0, left: int = 0) -> _CoveredPixels:
    rows, columns = np.nonzero(covered)
    return _CoveredPixels(rows + top, columns + left, covered[rows, columns])


def _find_ink(theme: Theme, color: str) -> RGB:
    if color and color not in COLORS and color not in GROUNDS:
        raise BadScene(f"no colour {color!r}; there are {', '.join((*COLORS, *GROUNDS))}")
    return theme.color(color) if color else theme.ink


def _fill_polygon(
    frame: np.ndarray,
    corners: tuple[tuple[float, float], ...],
    corner: tuple[int, int],
    unit: int,
    ink: RGB,
) -> None:
    """Fill a polygon given by corners in the unit square."""
    if len(corners) < 3 or not all(0 <= end <= 1 for place in corners for end in place):
        raise BadScene(f"an area needs at least 3 corners in the unit square, got {corners}")
    covered = _cover_polygon(tuple([(x * unit, y * unit) for x, y in corners]))
    covered.place(frame, *corner).blend(ink)


@memoize
def _cover_polygon(corners: tuple[tuple[float, float], ...]) -> _CoveredPixels:
    """Return the coverage of a polygon: exact along x, with four samples per pixel along y."""
    fine = 4
    ends = np.array(corners)
    x0, y0 = np.floor(ends.min(0)).astype(int).tolist()
    wide, high = (np.ceil(ends.max(0)).astype(int) - (x0, y0)).tolist()
    y = y0 + (np.arange(high * fine) + 0.5) / fine
    (ax, ay), (bx, by) = ends.T, np.roll(ends, -1, axis=0).T
    row, edge = np.nonzero((ay > y[:, None]) != (by > y[:, None]))
    ax, ay, bx, by = ax[edge], ay[edge], bx[edge], by[edge]
    x = (bx - ax) * (y[row] - ay) / (by - ay) + ax
    x = x[np.lexsort((x, row))]  # each row has an even number: at every second one the inside ends
    sign = np.where(np.arange(len(x)) % 2, -1.0, 1.0)
    column = np.floor(x).astype(int)
    before = row // fine * (wide + 2) + column - x0
    weights = np.concatenate([sign * (1 - (x - column)), sign * (x - column)])
    cells = np.concatenate([before, before + 1])
    # The change from one pixel to the next, of the sum of all samples.
    change = np.bincount(cells, weights, minlength=high * (wide + 2)).reshape(high, wide + 2)
    share = change.cumsum(1)[:, :wide] / fine
    return _list_pixels(np.round(255 * share).astype(np.uint8), y0, x0)


def _place_lines(
    lines: list[tuple[float, float, float, float, float]], corner: tuple[int, int], unit: int
) -> np.ndarray:
    """Return lines of the unit square as strokes in pixels."""
    strokes = np.array(lines, float)
    ends, thick = strokes[:, :4], strokes[:, 4]
    inside = ((ends >= 0) & (ends <= 1)).all(1) & (thick > 0) & (thick <= 1)
    if not inside.all():
        *outside, width = lines[int(inside.argmin())]
        raise BadScene(f"the line {outside} of width {width} is not in the unit square")
    strokes *= unit
    ends += (*corner, *corner)
    np.maximum(thick, 1.0, out=thick)
    return strokes


def draw_strokes(frame: np.ndarray, strokes: np.ndarray, ink: RGB) -> None:
    """Blend lines with round ends and smooth edges into the frame, as one shape.

    A pixel that several of them cover is blended once, so that a curve of many lines has no dots.

    Args:
        strokes: a row for each line: x and y of both ends, and its width, in pixels.
    """
    _cover_strokes(strokes.tobytes()).place(frame, 0, 0).blend(ink)


@memoize
def _cover_strokes(strokes: bytes) -> _CoveredPixels:
    """Return the pixels that lines cover, with the largest coverage by one of them."""
    x1, y1, x2, y2, width = np.frombuffer(strokes).reshape(-1, 5).T
    if len(width) > 1 and ((x1 == x2) | (y1 == y2)).all():  # the lines of a board return
        size = len(strokes) // len(width)
        return _unite([_cover_strokes(strokes[i : i + size]) for i in range(0, len(strokes), size)])
    steep = abs(y2 - y1) > abs(x2 - x1)  # axes are swapped: each step along x has few pixels then
    x1, y1, x2, y2 = np.where(steep, (y1, x1, y2, x2), (x1, y1, x2, y2))
    reach = width / 2 + 1
    first = np.floor(np.minimum(x1, x2) - reach).astype(np.intp)
    steps = np.ceil(np.maximum(x1, x2) + reach).astype(np.intp) - first + 1
    beside = np.ceil(1.5 * reach).astype(np.intp)
    sizes = np.ceil(np.log2(steps * (2 * beside + 1)))  # lines of like sizes are computed together
    rows, columns, coverage = [], [], []
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        ends = np.stack([x1, y1, x2, y2, width])[:, chosen, None, None]
        x, y, covered = _cover_like_strokes(ends, first[chosen], steps[chosen], beside[chosen])
        inside = covered > 0
        swapped = np.broadcast_to(steep[chosen, None, None], covered.shape)[inside]
        x, y = np.broadcast_to(x, covered.shape)[inside], y[inside]
        rows.append(np.where(swapped, x, y))
        columns.append(np.where(swapped, y, x))
        coverage.append(covered[inside])
    row, column = np.concatenate(rows), np.concatenate(columns)
    if len(width) == 1:
        return _CoveredPixels(row, column, coverage[0])
    top, left = row.min(), column.min()
    most = np.zeros((row.max() - top + 1, column.max() - left + 1), np.uint8)
    np.maximum.at(most, (row - top, column - left), np.concatenate(coverage))
    return _list_pixels(most, top, left)


def _unite(parts: list[_CoveredPixels]) -> _CoveredPixels:
    """Return the pixels that parts cover, with the largest coverage; some pixels occur twice."""
    rows = np.concatenate([one.rows for one in parts])
    columns = np.concatenate([one.columns for one in parts])
    top, left = int(rows.min()), int(columns.min())
    wide = int(columns.max()) - left + 1
    most = np.zeros((int(rows.max()) - top + 1) * wide, np.uint8)
    numbers = (rows - top) * wide + (columns - left)
    np.maximum.at(most, numbers, np.concatenate([one.coverage for one in parts]))
    return _CoveredPixels(rows, columns, most[numbers])


def _cover_like_strokes(
    ends: np.ndarray, first: np.ndarray, steps: np.ndarray, beside: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y and coverage of the pixels around lines that rise by at most 1 for each x."""
    x1, y1, x2, y2, width = ends
    across, down = x2 - x1, y2 - y1
    x = first[:, None, None] + np.arange(steps.max())[:, None]
    slope = np.divide(down, across, out=np.zeros_like(down), where=across != 0)
    middle = np.rint(y1 + (x - x1) * slope).astype(np.intp)
    most = beside.max()
    y = middle + np.arange(-most, most + 1)
    length = across**2 + down**2
    along = ((x - x1) * across + (y - y1) * down) / np.where(length == 0, 1.0, length)
    along = along.clip(0, 1)
    distance = np.sqrt((x - x1 - along * across) ** 2 + (y - y1 - along * down) ** 2)
    return x, y, (255 * (width / 2 + 0.5 - distance).clip(0, 1)).astype(np.uint8)
