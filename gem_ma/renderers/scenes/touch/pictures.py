"""Pictures on a phone: wallpapers, and photos of six kinds, painted by rule."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.scenes.widget_paint import mix_colors
from gem_ma.renderers.themes import RGB

_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_WALL_CONTRAST = 5.5  # of white letters, before pale discs lie on the wallpaper
_DIM = 0.8
_FINE = 3  # samples of a pixel of a photo, each way


@functools.lru_cache(maxsize=8)
def make_wallpaper(wide: int, high: int, color: RGB) -> np.ndarray:
    """Return a wallpaper: a slope from light to dark with large, pale discs, for white letters."""
    while compute_contrast(color, _WHITE) < _WALL_CONTRAST:
        color = mix_colors(color, _BLACK, 0.15)
    top, low = mix_colors(color, _WHITE, 0.06), mix_colors(color, _BLACK, 0.72)
    y = np.arange(high, dtype=np.float32)[:, None]
    x = np.arange(wide, dtype=np.float32)[None]
    share = (y / high * 0.8 + x / wide * 0.2) ** 0.9
    white = np.zeros((high, wide), np.float32)
    for across, down, radius, alpha in (
        (0.95, 0.12, 0.62, 0.10),
        (0.02, 0.62, 0.55, 0.08),
        (0.88, 0.98, 0.50, 0.07),
    ):
        distance = np.hypot(x - across * wide, y - down * high) - radius * wide
        white += (0.5 - distance).clip(0, 1) * alpha
    picture = np.empty((high, wide, 3), np.uint8)
    for part in range(3):
        plain = (top[part] + share * (low[part] - top[part])) * _DIM
        picture[:, :, part] = plain + white * (255 - plain) + 0.5
    picture.setflags(write=False)
    return picture


class _Canvas:
    """A photo that is being painted, in units of its side: x from 0 to 1, y from 0 to 1."""

    def __init__(self, side: int, top: RGB, low: RGB):
        axis = (np.arange(side * _FINE) + 0.5) / (side * _FINE)
        self.x, self.y = np.meshgrid(axis, axis)
        share = self.y[:, :, None]
        self.pixels = np.array(top) * (1 - share) + np.array(low) * share

    def fill(self, inside: np.ndarray, color: RGB) -> None:
        self.pixels[inside] = color

    def fill_disc(self, x: float, y: float, radius: float, color: RGB) -> None:
        self.fill(np.hypot(self.x - x, self.y - y) <= radius, color)

    def fill_peak(self, x: float, y: float, slope: float, low: float, color: RGB) -> None:
        """Fill a triangle with its point at (x, y), down to `low`."""
        self.fill((self.y - y >= abs(self.x - x) * slope) & (self.y <= low), color)

    def fill_box(self, left: float, top: float, right: float, low: float, color: RGB) -> None:
        across = (self.x >= left) & (self.x <= right)
        self.fill(across & (self.y >= top) & (self.y <= low), color)

    def shrink(self) -> np.ndarray:
        side = self.pixels.shape[0] // _FINE
        mean = self.pixels.reshape(side, _FINE, side, _FINE, 3).mean((1, 3))
        picture: np.ndarray = np.round(mean).astype(np.uint8)
        return picture


@functools.lru_cache(maxsize=64)
def make_photo(kind: str, number: int, side: int) -> np.ndarray:
    """Return a photo: one of a kind, which differs a little from the others of its kind."""
    picture = PHOTO_KINDS[kind](side, number * 0.381966 % 1)
    picture.setflags(write=False)
    return picture


ROUTES = 4  # on each map
_RIM = 14  # pixels at the edge of a map that no route touches
_STREETS = 46, 62  # pixels from one street to the next, in both directions


class _Map:
    """A map that is being painted, with coordinates along its streets."""

    def __init__(self, number: int, wide: int, high: int, is_light: bool):
        self.wide, self.high, self.shift = wide, high, number * 0.381966 % 1
        self.y = np.arange(high, dtype=np.float32)[:, None]
        self.x = np.arange(wide, dtype=np.float32)[None]
        self.colors = _DAY if is_light else _NIGHT
        self.pixels = np.empty((high, wide, 3), np.uint8)
        turn = 0.35 + self.shift
        self._turn = np.array(
            ((math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))), np.float32
        )

    def lay(
        self, distance: np.ndarray, half: float, color: RGB, on: np.ndarray | None = None
    ) -> None:
        """Paint what is less than `half` pixels from a line, with soft edges."""
        pixels = self.pixels if on is None else on
        near = distance < half + 0.5
        share = (half + 0.5 - distance[near]).clip(0, 1)[:, None]
        under = pixels[near].astype(np.float32)
        pixels[near] = np.round(under + share * (np.array(color, np.float32) - under))

    def paint_land(self) -> None:
        """Paint land, water, a park, and streets in two directions."""
        colors, shift = self.colors, self.shift
        self.pixels[:] = colors["land"]
        along, across = (self.x * a + self.y * b for a, b in self._turn)
        park = np.maximum(abs(along % 190 - 95) - 52, abs((across + 60) % 260 - 130) - 46)
        self.lay(park, 0, colors["park"])
        self.lay(self.measure_to_river(self.x, self.y), 20, colors["water"])
        long, short = _STREETS
        for streets, pitch, half, color in (
            (along, long, 1.6, "street"),
            (across, short, 1.6, "street"),
            (along, 4 * long, 3.6, "road"),
            (across, 3 * short, 3.6, "road"),
        ):
            self.lay(abs((streets + pitch * shift) % pitch - pitch / 2), half, colors[color])

    def measure_to_river(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return how far points are from the middle of the river."""
        bend = 0.62 * self.high + 26 * np.sin(x / 70 + 6 * self.shift)
        return abs(bend - y * 0.9 + 0.18 * x)

    def is_inside(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return whether points are on the map, with a rim around them."""
        return (x >= _RIM) & (x < self.wide - _RIM) & (y >= _RIM) & (y < self.high - _RIM)

    def find_crossings(self, across: float, down: float) -> np.ndarray:
        """Return the crossings on dry land that are closest to a place on the map."""
        reach = self.wide + self.high
        lines = [np.arange(pitch * (0.5 - self.shift) - pitch * (reach // pitch), reach, pitch)
                 for pitch in _STREETS]  # fmt: skip
        crossings = np.stack(np.meshgrid(*lines), -1).reshape(-1, 2)
        x, y = (crossings @ self._turn).T
        away = np.hypot(x - across * self.wide, y - down * self.high)
        is_good = (self.measure_to_river(x, y) >= 30) & self.is_inside(x, y)
        closest: np.ndarray = crossings[np.argsort(away + 1e6 * ~is_good)[:16]]
        return closest

    def list_ways(self) -> list[tuple[np.ndarray, ...]]:
        """List ways along the streets, with two turns, from the left to the right of the map."""
        starts, ends = self.find_crossings(0.16, 0.84), self.find_crossings(0.84, 0.24)
        for many in (4, len(starts)):
            ways = max(
                (self._list_ways_between(a, b) for a in starts[:many] for b in ends[:many]),
                key=len,
            )
            if ways:
                return ways
        return [(starts[0], ends[0])]

    def _list_ways_between(
        self, start: np.ndarray, end: np.ndarray
    ) -> list[tuple[np.ndarray, ...]]:
        ways: list[tuple[np.ndarray, ...]] = []
        for axis, pitch in enumerate(_STREETS):
            low, high = sorted((start[axis], end[axis]))
            for line in np.arange(low, high + 1, pitch):
                turns = np.stack([start, end])
                turns[:, axis] = line
                if self.is_inside(*(turns @ self._turn).T).all():
                    ways.append((start, *turns, end))
        return ways

    def paint_route(self, way: tuple[np.ndarray, ...]) -> None:
        """Paint a route and its ends."""
        points = [self._turn.T @ point for point in way]
        for start, end in itertools.pairwise(points):
            self.lay_line(start, end, 3, self.colors["route"])
        for point, color in ((points[0], "start"), (points[-1], "end")):
            self.lay_line(point, point, 9, _WHITE)
            self.lay_line(point, point, 6.5, self.colors[color])

    def lay_line(self, start: np.ndarray, end: np.ndarray, half: float, color: RGB) -> None:
        """Paint what is less than `half` pixels from a line between two points."""
        low, high = np.minimum(start, end) - half - 1, np.maximum(start, end) + half + 2
        (left, top), (right, bottom) = low.clip(0).astype(int), high.astype(int)
        x, y = self.x[:, left:right] - start[0], self.y[top:bottom] - start[1]
        wide, long = end - start
        part = ((x * wide + y * long) / max(1, wide * wide + long * long)).clip(0, 1)
        away = np.hypot(x - part * wide, y - part * long)
        self.lay(away, half, color, self.pixels[top:bottom, left:right])


@functools.lru_cache(maxsize=32)
def _list_ways(number: int, wide: int, high: int) -> list[tuple[np.ndarray, ...]]:
    return _Map(number, wide, high, True).list_ways()


@functools.lru_cache(maxsize=12)
def make_map(number: int, wide: int, high: int, is_light: bool) -> np.ndarray:
    """Return a map without a route."""
    made = _Map(number, wide, high, is_light)
    made.paint_land()
    made.pixels.setflags(write=False)
    return made.pixels


@functools.lru_cache(maxsize=24)
def make_route_map(number: int, route: int, wide: int, high: int, is_light: bool) -> np.ndarray:
    """Return a map with one of its routes."""
    made = _Map(number, wide, high, is_light)
    made.pixels[:] = make_map(number, wide, high, is_light)
    ways = _list_ways(number, wide, high)
    made.paint_route(ways[len(ways) * route // ROUTES])
    made.pixels.setflags(write=False)
    return made.pixels


_DAY: dict[str, RGB] = {
    "land": (240, 238, 232), "park": (205, 230, 196), "water": (158, 204, 232),
    "street": (255, 255, 255), "road": (250, 222, 150), "route": (26, 104, 224),
    "start": (26, 104, 224), "end": (214, 48, 60),
}  # fmt: skip
_NIGHT: dict[str, RGB] = {
    "land": (38, 44, 54), "park": (36, 62, 52), "water": (24, 52, 84),
    "street": (58, 66, 80), "road": (92, 88, 76), "route": (110, 168, 255),
    "start": (110, 168, 255), "end": (255, 110, 110),
}  # fmt: skip


def _paint_mountains(side: int, shift: float) -> np.ndarray:
    canvas = _Canvas(side, (120, 172, 222), (252, 222, 200))
    for x, y, color in (
        (0.2 + 0.3 * shift, 0.3, (108, 122, 150)),
        (0.75 - 0.2 * shift, 0.2, (84, 98, 128)),
    ):
        canvas.fill_peak(x, y, 1.3, 1, color)
        canvas.fill_peak(x, y, 1.3, y + 0.14, (250, 252, 255))
    canvas.fill(canvas.y > 0.8 + 0.05 * np.sin(canvas.x * 7 + 6 * shift), (88, 132, 84))
    return canvas.shrink()


def _paint_sea(side: int, shift: float) -> np.ndarray:
    canvas = _Canvas(side, (146, 206, 240), (255, 240, 214))
    canvas.fill_disc(0.25 + 0.5 * shift, 0.26, 0.11, (255, 214, 102))
    canvas.fill(canvas.y > 0.56, (38, 128, 172))
    canvas.fill(canvas.y > 0.72 + 0.02 * np.sin(canvas.x * 16), (28, 106, 152))
    x = 0.7 - 0.4 * shift
    sail = (canvas.x < x) & (canvas.x > x - (canvas.y - 0.28) * 0.62) & (canvas.y < 0.62)
    canvas.fill(sail & (canvas.y > 0.28), (255, 255, 255))
    canvas.fill_box(x + 0.01, 0.26, x + 0.03, 0.66, (90, 66, 50))
    hull = (canvas.y > 0.65) & (canvas.y < 0.73) & (abs(canvas.x - x) < 0.26 - (canvas.y - 0.65))
    canvas.fill(hull, (190, 60, 52))
    return canvas.shrink()


def _paint_forest(side: int, shift: float) -> np.ndarray:
    canvas = _Canvas(side, (206, 230, 214), (150, 190, 140))
    for number in range(7):
        x = (number * 0.29 + shift) % 1.1 - 0.05
        y = 0.16 + 0.3 * ((number * 0.618) % 1)
        green = (34 + 5 * number, 84 + 8 * number, 56 + 3 * number)
        canvas.fill_box(x - 0.02, y + 0.3, x + 0.02, y + 0.52, (98, 70, 48))
        canvas.fill_peak(x, y, 2.6, y + 0.3, green)
        canvas.fill_peak(x, y + 0.12, 2.1, y + 0.44, green)
    canvas.fill(canvas.y > 0.9, (96, 138, 80))
    return canvas.shrink()


def _paint_city(side: int, shift: float) -> np.ndarray:
    canvas = _Canvas(side, (88, 76, 148), (255, 176, 120))
    for number in range(5):
        left = 0.02 + 0.2 * number
        top = 0.25 + 0.4 * ((number * 0.618 + shift) % 1)
        canvas.fill_box(left, top, left + 0.17, 1, (44, 42, 72))
        for row in range(12):
            for column in range(3):
                y, x = top + 0.05 + 0.08 * row, left + 0.025 + 0.048 * column
                if y < 0.95 and (row * 5 + column * 3 + number) % 4:
                    canvas.fill_box(x, y, x + 0.028, y + 0.04, (255, 222, 130))
    return canvas.shrink()


def _paint_night(side: int, shift: float) -> np.ndarray:
    canvas = _Canvas(side, (14, 18, 52), (50, 54, 110))
    for number in range(16):
        x, y = (number * 0.618 + shift) % 1, (number * 0.381) % 0.72
        canvas.fill_disc(x, y, 0.011 + 0.006 * (number % 2), (255, 255, 240))
    x = 0.3 + 0.4 * shift
    moon = np.hypot(canvas.x - x, canvas.y - 0.34) <= 0.17
    canvas.fill(moon & (np.hypot(canvas.x - x - 0.08, canvas.y - 0.3) > 0.15), (255, 244, 200))
    canvas.fill(canvas.y > 0.84 + 0.04 * np.sin(canvas.x * 6 + 9 * shift), (10, 14, 34))
    return canvas.shrink()


def _paint_flower(side: int, shift: float) -> np.ndarray:
    canvas = _Canvas(side, (186, 222, 160), (92, 150, 92))
    x, y = 0.42 + 0.16 * shift, 0.42
    canvas.fill_box(x - 0.018, y, x + 0.018, 1, (52, 110, 58))
    petal = ((222, 74, 110), (246, 246, 250), (148, 92, 200))[int(shift * 3)]
    for number in range(8):
        turn = math.tau * number / 8 + shift
        canvas.fill_disc(x + 0.19 * math.cos(turn), y + 0.19 * math.sin(turn), 0.105, petal)
    canvas.fill_disc(x, y, 0.12, (250, 196, 60))
    return canvas.shrink()


PHOTO_KINDS = {
    "mountains": _paint_mountains,
    "sea": _paint_sea,
    "forest": _paint_forest,
    "city": _paint_city,
    "night": _paint_night,
    "flower": _paint_flower,
}
