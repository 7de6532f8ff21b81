"""Themes: the colours of a picture."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gem_ma.renderers.cache import memoize
from gem_ma.scene import COLORS, SKIN

RGB = tuple[int, int, int]


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

    def __hash__(self) -> int:
        return hash(self.name)  # every frame uses the theme as a cache key

    def color(self, name: str) -> RGB:
        """Return the RGB value of a scene colour."""
        return self._find_color(name)[0]

    def figure(self, name: str) -> str:
        """Return the figure that a Grid draws for a figure name."""
        return self.figures.get(name, name)

    def describe_color(self, name: str) -> str:
        """Return the name of a scene colour as a reader of the picture would call it."""
        return self._find_color(name)[1]

    def _find_color(self, name: str) -> tuple[RGB, str]:
        if name not in self.colors:
            raise ValueError(f"no colour {name!r}; there are {', '.join(self.colors)}")
        return self.colors[name]


def _name_colors(**rgb: RGB) -> dict[str, tuple[RGB, str]]:
    return {name: (rgb[name], name) for name in (*COLORS, SKIN)}


# The palette of Okabe and Ito: readers with any common type of colour vision can distinguish it.
_OKABE_ITO = _name_colors(
    red=(213, 94, 0),
    orange=(230, 159, 0),
    yellow=(240, 228, 66),
    green=(0, 158, 115),
    blue=(0, 114, 178),
    purple=(204, 121, 167),
    brown=(120, 78, 40),
    black=(26, 26, 28),
    gray=(142, 142, 147),
    white=(250, 250, 250),
    skin=(246, 208, 172),
)
_GRAY_COLORS = {
    "red": ((40, 40, 40), "dark gray"),
    "orange": ((104, 104, 104), "slate gray"),
    "yellow": ((196, 196, 196), "light gray"),
    "green": ((76, 76, 76), "dim gray"),
    "blue": ((128, 128, 128), "mid gray"),
    "purple": ((170, 170, 170), "gray"),
    "brown": ((146, 146, 146), "stone gray"),
    "black": ((0, 0, 0), "black"),
    "gray": ((222, 222, 222), "pale gray"),
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
            _OKABE_ITO,
        ),
        Theme(
            "dark",
            (24, 26, 30),
            (232, 234, 237),
            (84, 88, 96),
            (44, 48, 56),
            (255, 255, 255),
            _OKABE_ITO,
        ),
        Theme(
            "contrast",
            (255, 255, 255),
            (0, 0, 0),
            (0, 0, 0),
            (255, 255, 255),
            (255, 0, 255),
            _OKABE_ITO,
        ),
        Theme(
            "wood",
            (92, 62, 38),
            (250, 240, 220),
            (110, 76, 44),
            (222, 184, 135),
            (20, 20, 20),
            _OKABE_ITO,
        ),
        Theme(
            "mono",
            (255, 255, 255),
            (0, 0, 0),
            (120, 120, 120),
            (244, 244, 244),
            (0, 0, 0),
            _GRAY_COLORS,
        ),
    )
}
_HUES = {  # colour names by hue in degrees
    "red": 0,
    "orange": 30,
    "yellow": 55,
    "green": 125,
    "turquoise": 175,
    "blue": 220,
    "purple": 275,
    "pink": 325,
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


def parse_theme(which: str | int | Theme, split: Literal["train", "held-out"] = "train") -> Theme:
    """Return the theme with a name, or sample a theme from a seed.

    Every sampled theme belongs to a split, "train" or "held-out". `split` selects the split of an
    integer seed; the names "train:5" and "held-out:5" give split and seed.
    """
    if isinstance(which, Theme):
        return which
    if isinstance(which, str) and which.startswith(("train:", "held-out:")):
        part, _, seed = which.partition(":")
        if seed.removeprefix("-").isdecimal():
            return _sample_theme(int(seed), part)
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


def _sample_theme(seed: int, split: str) -> Theme:
    """Sample a theme; hues of the two splits do not overlap."""
    rng = np.random.default_rng([abs(seed), int(seed < 0), int(split == "held-out")])
    dark = bool(rng.random() < 0.5)
    shift = 0 if split == "train" else 12  # degrees between the hues of the splits
    names = list(rng.permutation(list(_HUES)))
    colors: dict[str, tuple[RGB, str]] = {}
    for color in (*COLORS, SKIN):
        if color in ("black", "white", "gray", SKIN):
            colors[color] = _OKABE_ITO[color]
        else:
            name = str(names.pop())
            hue = (_HUES[name] + shift + rng.uniform(-5, 5)) % 360
            colors[color] = (
                _convert_hsv(hue, rng.uniform(0.7, 0.95), rng.uniform(0.65, 0.95)),
                name,
            )
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
    name = f"{split}:{seed}"
    return Theme(name, paper, ink, line, cell, mark, colors, size, (across, down), figures)


def _convert_hsv(hue: float, saturation: float, value: float) -> RGB:
    def compute_channel(n: int) -> int:
        k = (n + hue / 60) % 6
        return round(255 * value * (1 - saturation * max(0, min(k, 4 - k, 1))))

    return compute_channel(5), compute_channel(3), compute_channel(1)
