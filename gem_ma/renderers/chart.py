"""Draw Charts: bars, lines and pies whose values can be read off."""

from __future__ import annotations

import itertools
import math

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.grid import BadScene
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import COLORS, Chart

ORDER = [color for color in COLORS if color not in ("black", "white", "gray")]


def draw(scene: Chart, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame."""
    _check(scene, size)
    text = font.HEIGHTS[0]
    frame = blank(size, theme.paper)
    colors = [theme.color(ORDER[i % len(ORDER)]) for i in range(64)]
    top = 4
    if scene.title:
        font.paste(
            frame, 4, 2, font.shorten(scene.title, size[0] // font.width(text) - 1), text, theme.ink
        )
        top += text
    if scene.kind == "pie":
        _pie(frame, scene, top, colors, theme, text)
        return frame
    if len(scene.series) > 1:
        x = 4
        for (name, _), color in zip(scene.series, colors, strict=False):
            frame[top + 2 : top + 9, x : x + 7] = color
            x = font.paste(frame, x + 10, top, name, text, theme.ink) + 8
        top += text
    _axes(frame, scene, top + 4, colors, theme, text)
    return frame


def _check(scene: Chart, size: tuple[int, int]) -> None:
    if scene.kind not in ("bar", "line", "pie"):
        raise BadScene(f"kind={scene.kind!r}: expected 'bar', 'line' or 'pie'")
    if not scene.labels or not scene.series:
        raise BadScene("a Chart needs at least one label and one series")
    for name, values in scene.series:
        if len(values) != len(scene.labels):
            raise BadScene(f"{name}: {len(values)} values for {len(scene.labels)} labels")
        if min(values) < 0 or not all(map(math.isfinite, values)):
            raise BadScene(f"{name}: the values of a Chart are finite and 0 or more")
    if min(size) < 100:
        raise BadScene(f"a Chart does not fit into {size[0]} x {size[1]} pixels")
    if scene.kind == "pie" and (len(scene.series) != 1 or not sum(scene.series[0][1])):
        raise BadScene("a pie shows one series, not all of it 0")


def _axes(
    frame: np.ndarray, scene: Chart, top: int, colors: list[RGB], theme: Theme, text: int
) -> None:
    height, width = frame.shape[:2]
    highest = max(max(values) for _, values in scene.series) or 1
    step = _step(highest / 5)
    ticks = math.ceil(highest / step - 1e-9)
    left = font.width(text) * len(f"{ticks * step:g}") + 8
    floor = height - text - 6
    scale = (floor - top) / (ticks * step)
    for tick in range(ticks + 1):
        y = floor - round(tick * step * scale)
        frame[y, left:-4] = theme.line
        name = f"{tick * step:g}"
        font.paste(
            frame, left - 4 - font.width(text) * len(name), y - text // 2, name, text, theme.ink
        )
    share = (width - left - 6) / len(scene.labels)
    for i, label in enumerate(scene.labels):
        shown = font.shorten(label, max(1, int(share) // font.width(text)))
        x = left + round((i + 0.5) * share) - font.width(text) * len(shown) // 2
        font.paste(frame, x, floor + 3, shown, text, theme.ink)
    for number, (_, values) in enumerate(scene.series):
        if scene.kind == "bar":
            thick = max(2, int(share * 0.8 / len(scene.series)))
            for i, value in enumerate(values):
                x = left + round(i * share + share * 0.1) + number * thick
                frame[floor - round(value * scale) : floor + 1, x : x + thick - 1] = colors[number]
        else:
            points = [(left + (i + 0.5) * share, floor - v * scale) for i, v in enumerate(values)]
            _line(frame, points, colors[number])


def _line(frame: np.ndarray, points: list[tuple[float, float]], color: RGB) -> None:
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        steps = int(max(abs(x2 - x1), abs(y2 - y1))) + 1
        xs, ys = np.linspace(x1, x2, steps).round(), np.linspace(y1, y2, steps).round()
        for dx in (0, 1):
            frame[ys.astype(int) + dx, xs.astype(int)] = color
    for x, y in points:
        frame[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3] = color


def _pie(
    frame: np.ndarray, scene: Chart, top: int, colors: list[RGB], theme: Theme, text: int
) -> None:
    height, width = frame.shape[:2]
    ((_, values),) = scene.series
    radius = min(height - top - 8, width * 3 // 5) // 2
    y, x = np.ogrid[: 2 * radius, : 2 * radius]
    angle = (np.arctan2(x - radius + 0.5, radius - 0.5 - y) / (2 * math.pi)) % 1.0
    inside = (x - radius + 0.5) ** 2 + (y - radius + 0.5) ** 2 <= radius**2
    part = frame[top + 4 : top + 4 + 2 * radius, 4 : 4 + 2 * radius]
    ends = np.cumsum(values) / sum(values)
    which = np.searchsorted(ends, angle, side="right").clip(0, len(values) - 1)
    part[inside] = np.array(colors, np.uint8)[which][inside]
    line = top + 4
    for label, color in zip(scene.labels, colors, strict=False):
        frame[line + 2 : line + 9, 2 * radius + 12 : 2 * radius + 19] = color
        room = max(1, (width - 2 * radius - 24) // font.width(text))
        font.paste(frame, 2 * radius + 22, line, font.shorten(label, room), text, theme.ink)
        line += text + 2


def _step(rough: float) -> float:
    """Return the round number next above a step between ticks."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= rough * 0.999)
