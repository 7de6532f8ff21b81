"""The renderer of Chart: bars, lines and pies with readable values."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.contrast import MIN_CONTRAST, choose_ink, compute_contrast, dilate_mask
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.scenes.shapes import draw_strokes
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import BadScene, Chart, FrameTooSmall

SERIES_COLORS = ("blue", "orange", "green", "purple", "brown", "yellow", "red")  # unlike neighbours
_MAX_LABEL_LINES = 4  # lines of a label at the smallest letter height
_SERIES_FIGURES = ("disc", "square", "triangle", "diamond", "plus", "star", "cross", "hexagon")
_SERIES_PATTERNS: tuple[Callable[[np.ndarray, np.ndarray, int], np.ndarray], ...] = (
    # distance of a pixel from a line of the pattern
    lambda x, y, gap: x + y + gap,  # no pattern
    lambda x, y, gap: (x + y) % gap,
    lambda x, y, gap: y % gap + 0 * x,
    lambda x, y, gap: np.maximum(x % gap, y % gap),
    lambda x, y, gap: (x - y) % gap,
    lambda x, y, gap: x % gap + 0 * y,
    lambda x, y, gap: np.minimum((x + y) % gap, (x - y) % gap),
)


def draw(scene: Chart, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the chart as a new frame, with the largest letters that fit."""
    _check_chart(scene, size)
    for text in font.list_heights(size):
        if scene.kind == "pie":
            frame = _draw_pie(scene, size, text, theme)
        else:
            frame = _draw_axes(
                scene, size, text, theme, _MAX_LABEL_LINES if text == font.LETTER_HEIGHTS[0] else 2
            )
        if frame is not None:
            return frame
    raise FrameTooSmall(
        f"{len(scene.labels)} labels and {len(scene.series)} series do not fit into {size[0]} x "
        f"{size[1]} pixels; use a larger image_size"
    )


def _check_chart(scene: Chart, size: tuple[int, int]) -> None:
    if scene.kind not in ("bar", "line", "pie"):
        raise BadScene(f"kind={scene.kind!r}: expected 'bar', 'line' or 'pie'")
    if not scene.labels or not scene.series:
        raise BadScene("a Chart needs at least one label and one series")
    for name, values in scene.series:
        if len(values) != len(scene.labels):
            raise BadScene(f"{name}: {len(values)} values for {len(scene.labels)} labels")
        if min(values) < 0 or not all(map(math.isfinite, values)):
            raise BadScene(f"{name}: expected finite values of 0 or more, got {values}")
    if min(size) < 100:
        raise FrameTooSmall(
            f"a Chart needs at least 100 x 100 pixels, got {size[0]} x {size[1]}; use a larger "
            "image_size"
        )
    if scene.kind == "pie" and (len(scene.series) != 1 or not sum(scene.series[0][1])):
        raise BadScene(f"a pie shows one series, not all of it 0, got {scene.series}")


def _draw_axes(
    scene: Chart, size: tuple[int, int], text: int, theme: Theme, most: int
) -> np.ndarray | None:
    """Draw bars or lines; return None if they do not fit, or a label takes over `most` lines."""
    width, height = size
    advance = font.measure_advance(text)
    frame = make_frame(size, theme.paper)
    top = font.draw_lines(
        frame, 4, 2, _wrap_words(scene.title, (width - 8) // advance), text, theme.ink
    )
    behind = _draw_series_names(frame, scene, top, text, theme)
    if behind is None:
        return None
    top = behind + text // 3
    highest = max(max(values) for _, values in scene.series) or 1
    step = _round_step(highest / 5)
    ticks = math.ceil(highest / step - 1e-9)
    left = advance * max(len(f"{tick * step:g}") for tick in range(ticks + 1)) + 8
    share = (width - left - 6) / len(scene.labels)
    below = [_wrap_words(label, max(1, int(share) // advance)) for label in scene.labels]
    lines = max(map(len, below))
    floor = height - lines * text - 6
    scale = (floor - top) / (ticks * step)
    words = (word for label in scene.labels for word in label.split())
    is_cut = most < _MAX_LABEL_LINES and max(map(len, words), default=0) * advance > share
    if is_cut or lines > most or floor - top < 2 * text or share < 4 * len(scene.series):
        return None
    for tick in range(ticks + 1):
        y = floor - round(tick * step * scale)
        frame[y, left:-4] = theme.line
        name = f"{tick * step:g}"
        font.draw_line(frame, left - 4 - advance * len(name), y - text // 2, name, text, theme.ink)
    for i, label_lines in enumerate(below):
        for number, part in enumerate(label_lines):
            x = left + round((i + 0.5) * share) - advance * len(part) // 2
            font.draw_line(frame, x, floor + 3 + number * text, part, text, theme.ink)
    for number, (_, values) in enumerate(scene.series):
        heights = [round(value * scale) for value in values]
        if scene.kind == "bar":
            thick = max(3, int(share * 0.8 / len(scene.series)))
            for i, high in enumerate(heights):
                x = left + round(i * share + share * 0.1) + number * thick
                _fill_pattern(
                    frame[floor - high : floor + 1, x : x + thick - 1], number, theme, text
                )
        else:
            points = [(left + (i + 0.5) * share, floor - h) for i, h in enumerate(heights)]
            _draw_series(frame, points, number, theme, text)
    return frame


def _draw_series_names(
    frame: np.ndarray, scene: Chart, y: int, text: int, theme: Theme
) -> int | None:
    """Draw the legend of the series; return the y below it, or None if a name does not fit."""
    if len(scene.series) == 1:
        return y
    x, width = 4, frame.shape[1]
    for number, (name, _) in enumerate(scene.series):
        long = text + font.measure_advance(text) * len(name)
        if x > 4 and x + long > width:
            x, y = 4, y + text
        if x + long > width:
            return None
        _draw_key(frame, scene.kind, number, x, y, text, theme)
        x = font.draw_line(frame, x + text + 2, y, name, text, theme.ink) + font.measure_advance(
            text
        )
    return y + text


def _wrap_words(words: str, columns: int) -> list[str]:
    return font.wrap_text(words, columns) if words else []


def _choose_color(number: int, theme: Theme) -> RGB:
    return theme.color(SERIES_COLORS[number % len(SERIES_COLORS)])


def _fill_pattern(area: np.ndarray, number: int, theme: Theme, text: int) -> None:
    """Fill an area with the colour, the pattern and the border of a series."""
    tall, wide = area.shape[:2]
    area[:] = _make_pattern(tall, wide, number, theme, text)


@memoize
def _make_pattern(tall: int, wide: int, number: int, theme: Theme, text: int) -> np.ndarray:
    color = _choose_color(number, theme)
    ink = choose_ink(color)
    area = np.empty((tall, wide, 3), np.uint8)
    y, x = np.ogrid[:tall, :wide]
    gap, thick = max(5, text // 2), max(1, text // 11)
    pattern = _SERIES_PATTERNS[number % len(_SERIES_PATTERNS)](x, y, gap)
    area[:] = color
    area[np.broadcast_to(pattern < thick, (tall, wide))] = ink
    for side in (area[:thick], area[-thick:], area[:, :thick], area[:, -thick:]):
        side[:] = ink if compute_contrast(color, theme.paper) < MIN_CONTRAST else color
    return area


def _draw_key(
    frame: np.ndarray, kind: str, number: int, x: int, y: int, text: int, theme: Theme
) -> None:
    """Draw the legend symbol of a series."""
    side = text * 3 // 4
    if kind == "line":
        _draw_series(frame, [(x + side / 2, y + text / 2)], number, theme, text)
    else:
        top = y + (text - side) // 2
        _fill_pattern(frame[top : top + side, x : x + side], number, theme, text)


def _draw_series(
    frame: np.ndarray, points: Sequence[tuple[float, float]], number: int, theme: Theme, text: int
) -> None:
    """Draw a series as a line with a marker at each value."""
    color, thick = _choose_color(number, theme), max(2, text // 7)
    strokes = [(*start, *end, thick) for start, end in itertools.pairwise(points)]
    if strokes:
        draw_strokes(frame, np.array(strokes, float), color)
    side = max(7, text * 3 // 4)
    coverage = make_mask(_SERIES_FIGURES[number % len(_SERIES_FIGURES)], side)
    around = dilate_mask(coverage, 1)
    for x, y in points:
        left, top = round(x - side / 2), round(y - side / 2)
        # Markers have an edge, so that they stay distinct where lines cross.
        under = frame[max(0, top - 1) : top + side + 1, left - 1 : left + side + 1]
        font.blend_ink(under, around[around.shape[0] - under.shape[0] :], choose_ink(color))
        inside = frame[max(0, top) : top + side, left : left + side]
        font.blend_ink(inside, coverage[side - inside.shape[0] :], color)


@functools.lru_cache(maxsize=8)
def _measure_disc(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of a turn, clockwise from the top, at each pixel, and which are inside."""
    radius = side // 2
    y, x = np.ogrid[:side, :side]
    angle = (np.arctan2(x - radius + 0.5, radius - 0.5 - y) / (2 * math.pi)) % 1.0
    return angle, (x - radius + 0.5) ** 2 + (y - radius + 0.5) ** 2 <= radius**2


def _draw_pie(scene: Chart, size: tuple[int, int], text: int, theme: Theme) -> np.ndarray | None:
    width, height = size
    advance = font.measure_advance(text)
    frame = make_frame(size, theme.paper)
    top = (
        font.draw_lines(
            frame, 4, 2, _wrap_words(scene.title, (width - 8) // advance), text, theme.ink
        )
        + 4
    )
    ((_, values),) = scene.series
    longest = max(map(len, scene.labels))
    # Labels are beside the pie, or below it if the pie is larger that way.
    beside = min(height - top - 4, width - 12 - text - advance * longest)
    below = min(height - top - len(scene.labels) * (text + 2) - 8, width - 8)
    side = max(beside, below) // 2 * 2
    if side < 6 * text or (beside >= below and len(scene.labels) * (text + 2) > height - top):
        return None
    angle, inside = _measure_disc(side)
    ends = np.cumsum(values) / sum(values)
    slice_numbers = np.searchsorted(ends, angle, side="right").clip(0, len(values) - 1)
    part = frame[top : top + side, 4 : 4 + side]
    for number in range(len(values)):
        here = inside & (slice_numbers == number)
        part[here] = _make_pattern(side, side, number, theme, text)[here]
    apart = np.zeros((side, side), bool)  # lines between slices and around the pie
    for axis in (0, 1):
        apart |= inside & (
            (slice_numbers != np.roll(slice_numbers, 1, axis)) | ~np.roll(inside, 1, axis)
        )
    part[apart] = theme.ink
    left, at = (side + 10, top) if beside >= below else (4, top + side + 4)
    for number, label in enumerate(scene.labels):
        behind = left + text + 2
        if behind + advance * len(label) > width:
            return None
        _draw_key(frame, "pie", number, left, at, text, theme)
        font.draw_line(frame, behind, at, label, text, theme.ink)
        at += text + 2
    return frame


def _round_step(rough: float) -> float:
    """Round the distance of ticks up to 1, 2, 5 or 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= rough * 0.999)
