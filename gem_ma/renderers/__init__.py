"""Renderers: functions that draw a Scene as a picture of a given size.

`scenes` has a file for each type of Scene. This folder has themes, fonts, figures, PNG files and
`drawing`, which selects the renderer of a Scene. Renderers import `scene`, and nothing from games,
matches or environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.scene import BadScene
from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.renderers.drawing import draw, make_legend, save_gif
    from gem_ma.renderers.figures import FIGURES, UnknownFigure
    from gem_ma.renderers.noises import ImageNoise, UnknownNoise, parse_noise
    from gem_ma.renderers.photos import PhotoCamera
    from gem_ma.renderers.themes import THEMES, Theme, UnknownTheme, parse_theme
    from gem_ma.renderers.user_fonts import use_fonts

__all__ = [
    "FIGURES",
    "THEMES",
    "BadScene",
    "ImageNoise",
    "PhotoCamera",
    "Theme",
    "UnknownFigure",
    "UnknownNoise",
    "UnknownTheme",
    "draw",
    "make_legend",
    "parse_noise",
    "parse_theme",
    "save_gif",
    "use_fonts",
]

__getattr__ = lazy_getattr(  # allows to import one file of this folder without the others
    __name__,
    {
        "FIGURES": "figures",
        "THEMES": "themes",
        "ImageNoise": "noises",
        "PhotoCamera": "photos",
        "Theme": "themes",
        "UnknownFigure": "figures",
        "UnknownNoise": "noises",
        "UnknownTheme": "themes",
        "draw": "drawing",
        "make_legend": "drawing",
        "parse_noise": "noises",
        "save_gif": "drawing",
        "parse_theme": "themes",
        "use_fonts": "user_fonts",
    },
)
