"""Themes: the colours of a picture."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

import numpy as np

from gem_ma.renderers.cache import memoize
from gem_ma.renderers.color_names import find_color_name
from gem_ma.scene import COLORS, SKIN

RGB = tuple[int, int, int]
Split: TypeAlias = Literal["train", "held-out"]


# Grounds by role. A game names what a cell is, and the theme what that looks like.
_LIGHT_GROUNDS: dict[str, RGB] = {
    "light-square": (240, 232, 206),
    "dark-square": (122, 150, 96),
    "board": (224, 182, 116),
    "felt": (72, 164, 92),
    "water": (70, 140, 200),
    "floor": (246, 244, 238),
    "wall": (56, 62, 74),
    "outside": (166, 169, 176),
}
# Colours of seats. They are no named colours: no task asks for the speaker in orange. The pages of
# the viewer and of the arena have the same ones (look.css).
_DEEP_SEATS: tuple[RGB, ...] = (
    (11, 87, 208),
    (179, 64, 10),
    (20, 116, 60),
    (132, 48, 206),
    (135, 96, 10),
    (11, 114, 133),
    (179, 19, 43),
    (95, 100, 112),
)
_PALE_SEATS: tuple[RGB, ...] = (
    (138, 180, 248),
    (246, 164, 107),
    (127, 209, 151),
    (207, 159, 245),
    (227, 193, 92),
    (108, 208, 224),
    (255, 138, 143),
    (195, 200, 210),
)


@dataclass(frozen=True)
class Theme:
    """The colours of a picture, and the size and position of figures in their cells."""

    name: str
    paper: RGB  # background of a picture
    ink: RGB  # text
    line: RGB  # borders and grid lines
    cell: RGB  # background of a cell
    mark: RGB  # frame of a marked cell
    colors: dict[str, tuple[RGB, str]] = field(hash=False)  # scene colour -> RGB, its name
    size: float = 0.72  # of a figure, as a share of its cell
    shift: tuple[float, float] = (0.0, 0.0)  # of a figure, in cells: right, down
    figures: dict[str, str] = field(default_factory=dict)  # Grid figure -> drawn figure
    grounds: dict[str, RGB] = field(default_factory=_LIGHT_GROUNDS.copy)  # role -> RGB
    seats: tuple[RGB, ...] = _DEEP_SEATS  # of the first seat, the second, and so on

    def __hash__(self) -> int:
        return hash(self.name)  # every frame uses the theme as a cache key

    def color(self, name: str) -> RGB:
        """Return the RGB value of a scene colour or of a ground by its role."""
        return self.grounds[name] if name in self.grounds else self._find_color(name)[0]

    def figure(self, name: str) -> str:
        """Return the figure that a Grid draws for a figure name."""
        return self.figures.get(name, name)

    def describe_color(self, name: str) -> str:
        """Return the name of a scene colour as a reader of the picture would call it."""
        if name in self.grounds:
            return find_color_name(self.grounds[name], shades=True)
        return self._find_color(name)[1]

    def _find_color(self, name: str) -> tuple[RGB, str]:
        if name not in self.colors:
            known = ", ".join((*self.colors, *self.grounds))
            raise ValueError(f"no colour {name!r}; there are {known}")
        return self.colors[name]


def _name_colors(**rgb: RGB) -> dict[str, tuple[RGB, str]]:
    return {name: (rgb[name], name) for name in (*COLORS, SKIN)}


# Each is nearest to its own name in the survey, and readers with any common type of colour vision
# can tell them apart: their lightness differs where their hues may look alike.
_NAMED_COLORS = _name_colors(
    red=(212, 32, 16),
    orange=(241, 150, 35),
    yellow=(255, 224, 20),
    green=(56, 178, 88),
    blue=(36, 60, 220),
    purple=(116, 56, 142),
    brown=(98, 44, 10),
    black=(26, 26, 28),
    gray=(146, 140, 138),
    white=(250, 250, 250),
    skin=(246, 208, 172),
)
_GRAY_COLORS = {
    "red": ((40, 40, 40), "dark gray"),
    "orange": ((94, 94, 94), "slate gray"),
    "yellow": ((170, 170, 170), "light gray"),
    "green": ((72, 72, 72), "dim gray"),
    "blue": ((114, 114, 114), "mid gray"),
    "purple": ((150, 150, 150), "gray"),
    "brown": ((132, 132, 132), "stone gray"),
    "black": ((0, 0, 0), "black"),
    "gray": ((190, 190, 190), "pale gray"),
    "white": ((255, 255, 255), "white"),
    SKIN: ((236, 236, 236), "pale gray"),
}
THEMES = {
    theme.name: theme
    for theme in (
        Theme(
            "light",
            (250, 250, 247),
            (32, 33, 36),
            (176, 178, 184),
            (236, 238, 242),
            (0, 0, 0),
            _NAMED_COLORS,
        ),
        Theme(
            "dark",
            (24, 26, 30),
            (232, 234, 237),
            (84, 88, 96),
            (44, 48, 56),
            (255, 255, 255),
            _NAMED_COLORS,
            grounds={
                "light-square": (204, 212, 220),
                "dark-square": (124, 140, 156),
                "board": (178, 134, 82),
                "felt": (58, 148, 82),
                "water": (42, 96, 158),
                "floor": (56, 61, 71),
                "wall": (156, 163, 174),
                "outside": (10, 11, 13),
            },
            seats=_PALE_SEATS,
        ),
        Theme(
            "contrast",
            (255, 255, 255),
            (0, 0, 0),
            (0, 0, 0),
            (255, 255, 255),
            (255, 0, 255),
            _NAMED_COLORS,
            grounds={
                "light-square": (255, 255, 255),
                "dark-square": (140, 140, 140),
                "board": (255, 205, 120),
                "felt": (0, 164, 80),
                "water": (30, 110, 200),
                "floor": (255, 255, 255),
                "wall": (0, 0, 0),
                "outside": (150, 150, 150),
            },
        ),
        Theme(
            "wood",
            (92, 62, 38),
            (250, 240, 220),
            (110, 76, 44),
            (222, 184, 135),
            (20, 20, 20),
            _NAMED_COLORS,
            grounds={
                "light-square": (238, 208, 164),
                "dark-square": (182, 130, 82),
                "board": (212, 168, 110),
                "felt": (112, 156, 96),
                "water": (92, 138, 160),
                "floor": (222, 184, 135),
                "wall": (52, 33, 18),
                "outside": (140, 98, 62),
            },
            seats=_PALE_SEATS,
        ),
        Theme(
            "mono",
            (255, 255, 255),
            (0, 0, 0),
            (120, 120, 120),
            (244, 244, 244),
            (0, 0, 0),
            _GRAY_COLORS,
            grounds={
                "light-square": (226, 226, 226),
                "dark-square": (134, 134, 134),
                "board": (190, 190, 190),
                "felt": (150, 150, 150),
                "water": (150, 150, 150),
                "floor": (255, 255, 255),
                "wall": (0, 0, 0),
                "outside": (168, 168, 168),
            },
            seats=tuple([(gray,) * 3 for gray in (36, 206, 118, 78, 176, 142, 226, 98)]),
        ),
    )
}
# Hues of a sampled theme in degrees, saturation and brightness, by the name that people give them.
# The first half of the hues belongs to "train", the second to "held-out".
_HUES = {
    "red": ((-8, 6), (0.8, 0.97), (0.75, 0.95)),
    "orange": ((22, 36), (0.8, 1.0), (0.92, 1.0)),
    "yellow": ((48, 60), (0.75, 0.95), (0.95, 1.0)),
    "green": ((104, 138), (0.6, 0.9), (0.5, 0.75)),
    "turquoise": ((164, 182), (0.75, 0.97), (0.7, 0.9)),
    "blue": ((214, 240), (0.75, 0.97), (0.75, 0.95)),
    "purple": ((272, 294), (0.6, 0.85), (0.5, 0.7)),
    "pink": ((320, 342), (0.4, 0.6), (0.92, 1.0)),
}


# a sampled theme permutes these figures
_SHUFFLED_FIGURES = ["disc", "ring", "square", "diamond", "triangle", "hexagon", "star"]


class UnknownTheme(ValueError):
    """No theme has this name."""


def make_frame(size: tuple[int, int], color: RGB) -> np.ndarray:
    """Return a new frame of one colour."""
    return make_shared_frame(size, color).copy()  # copying is a hundred times faster than filling


@memoize
def make_shared_frame(size: tuple[int, int], color: RGB) -> np.ndarray:
    """Return a cached frame of one colour, to be copied and not changed."""
    frame = np.empty((size[1], size[0], 3), np.uint8)
    frame[:] = color
    return frame


def parse_theme(which: str | int | Theme, split: Split = "train") -> Theme:
    """Return the theme with a name, or sample a theme from a seed.

    Every sampled theme belongs to a split, "train" or "held-out". `split` selects the split of an
    integer seed; the names "train:5" and "held-out:5" give split and seed.
    """
    if isinstance(which, Theme):
        return which
    if isinstance(which, str) and (named := parse_split_seed(which)):
        return _sample_theme(*named)
    if isinstance(which, str):
        if which in THEMES:
            return THEMES[which]
        close = difflib.get_close_matches(which, THEMES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(THEMES)}"
        raise UnknownTheme(f"no theme {which!r}; {hint}, or any int")
    if isinstance(which, bool) or not isinstance(which, int):
        raise UnknownTheme(f"theme={which!r}: expected a name or an int")
    if split not in ("train", "held-out"):
        raise ValueError(f"split={split!r}: expected 'train' or 'held-out'")
    return _sample_theme(which, split)


def parse_split_seed(text: str) -> tuple[int, Split] | None:
    """Return the seed and the split of a text such as "held-out:5", or None for other texts."""
    split, _, seed = text.partition(":")
    if split in ("train", "held-out") and seed.removeprefix("-").isdecimal():
        return int(seed), cast(Split, split)
    return None


def _sample_theme(seed: int, split: str) -> Theme:
    """Sample a theme; hues of the two splits do not overlap."""
    rng = np.random.default_rng([abs(seed), int(seed < 0), int(split == "held-out")])
    dark = bool(rng.random() < 0.5)
    names = list(rng.permutation(list(_HUES)))
    colors: dict[str, tuple[RGB, str]] = {}
    for color in (*COLORS, SKIN):
        if color in ("black", "white", "gray", SKIN):
            colors[color] = _NAMED_COLORS[color]
        else:
            name = str(names.pop())
            colors[color] = _sample_named_color(name, split, rng), name
    tone = rng.uniform(0, 360)
    paper = _convert_hsv(tone, rng.uniform(0.02, 0.12), rng.uniform(0.08, 0.2) if dark else 0.97)
    cell = _convert_hsv(tone, rng.uniform(0.02, 0.15), 0.28 if dark else 0.9)
    ink = (235, 235, 235) if dark else (28, 28, 30)
    line = _convert_hsv(tone, 0.1, 0.45 if dark else 0.65)
    mark = (255, 255, 255) if dark else (0, 0, 0)
    size = float(rng.uniform(0.6, 0.82))
    half_margin = (1 - size) / 2
    across, down = (float(rng.uniform(-half_margin, half_margin) * 0.8) for _ in range(2))
    figures = dict(
        zip(_SHUFFLED_FIGURES, map(str, rng.permutation(_SHUFFLED_FIGURES)), strict=True)
    )
    squares, boards = rng.uniform(0, 360), rng.uniform(15, 45)
    grounds = {
        "light-square": _convert_hsv(squares, rng.uniform(0.04, 0.14), rng.uniform(0.92, 0.97)),
        "dark-square": _convert_hsv(squares, rng.uniform(0.2, 0.35), rng.uniform(0.64, 0.7)),
        "board": _convert_hsv(boards, rng.uniform(0.3, 0.55), rng.uniform(0.72, 0.9)),
        "felt": _convert_hsv(rng.uniform(110, 165), rng.uniform(0.4, 0.65), 0.66),
        "water": _convert_hsv(rng.uniform(195, 220), rng.uniform(0.45, 0.75), 0.72),
        "floor": _convert_hsv(tone, rng.uniform(0.02, 0.12), 0.3 if dark else 0.95),
        "wall": _convert_hsv(tone, rng.uniform(0.05, 0.2), 0.75 if dark else 0.25),
        "outside": _convert_hsv(tone, 0.05, 0.06 if dark else 0.65),
    }
    name, seats = f"{split}:{seed}", _PALE_SEATS if dark else _DEEP_SEATS
    shift = across, down
    return Theme(name, paper, ink, line, cell, mark, colors, size, shift, figures, grounds, seats)


def _sample_named_color(name: str, split: str, rng: np.random.Generator) -> RGB:
    """Sample a colour of a split that people call by this name."""
    hues, saturations, brightness = _HUES[name]
    middle = sum(hues) / 2
    low, high = (hues[0], middle - 1) if split == "train" else (middle + 1, hues[1])
    while True:
        hue = rng.uniform(low, high) % 360
        color = _convert_hsv(hue, rng.uniform(*saturations), rng.uniform(*brightness))
        if find_color_name(color) == name:
            return color


def _convert_hsv(hue: float, saturation: float, value: float) -> RGB:
    def compute_channel(n: int) -> int:
        k = (n + hue / 60) % 6
        return round(255 * value * (1 - saturation * max(0, min(k, 4 - k, 1))))

    return compute_channel(5), compute_channel(3), compute_channel(1)
