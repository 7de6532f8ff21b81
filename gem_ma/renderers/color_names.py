"""Names of colours: how people call a colour, by the xkcd survey of colour names."""

from __future__ import annotations

import functools

import numpy as np

RGB = tuple[int, int, int]

# The colours that the survey found for its most frequent names (xkcd.com/color/rgb).
SURVEY_COLORS: dict[str, RGB] = {
    "red": (229, 0, 0),
    "orange": (249, 115, 6),
    "yellow": (255, 255, 20),
    "green": (21, 176, 26),
    "blue": (3, 67, 223),
    "purple": (126, 30, 156),
    "brown": (101, 55, 0),
    "black": (0, 0, 0),
    "gray": (146, 149, 145),
    "white": (255, 255, 255),
    "pink": (255, 129, 192),
    "turquoise": (6, 194, 172),
}
_SHADES: tuple[tuple[str, RGB], ...] = (  # names for grounds, which are paler or darker
    *SURVEY_COLORS.items(),
    ("gray", (81, 101, 114)),  # slate
    ("light gray", (216, 220, 214)),
    ("light gray", (197, 201, 199)),  # silver
    ("dark gray", (54, 55, 55)),
    ("light brown", (173, 129, 80)),
    ("dark brown", (52, 28, 2)),
    ("tan", (209, 178, 111)),
    ("blue", (44, 111, 187)),  # medium blue
    ("light blue", (149, 208, 252)),
    ("dark blue", (0, 3, 91)),
    ("green", (57, 173, 72)),  # medium green
    ("green", (135, 174, 115)),  # sage
    ("light green", (150, 249, 123)),
    ("dark green", (3, 53, 0)),
)
_TO_XYZ = np.array(  # linear sRGB to XYZ, with the white of D65 at 1
    [[0.43394, 0.37626, 0.18981], [0.21267, 0.71516, 0.07217], [0.01775, 0.10947, 0.87289]]
)


def find_color_name(color: RGB, *, shades: bool = False) -> str:
    """Return the name of the survey's colour that is nearest in CIELAB.

    Args:
        shades: whether names of paler and darker colours count, such as light brown.
    """
    return _find_nearest(tuple(color), shades)


@functools.lru_cache(4096)
def _find_nearest(color: RGB, shades: bool) -> str:
    names, points = _list_survey_points(shades)
    return names[int(((points - _compute_lab(color)) ** 2).sum(1).argmin())]


@functools.cache
def _list_survey_points(shades: bool) -> tuple[list[str], np.ndarray]:
    names, colors = zip(*(_SHADES if shades else SURVEY_COLORS.items()), strict=True)
    return list(names), np.array([_compute_lab(color) for color in colors])


def _compute_lab(color: RGB) -> np.ndarray:
    levels = np.array(color) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    xyz = _TO_XYZ @ linear
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
