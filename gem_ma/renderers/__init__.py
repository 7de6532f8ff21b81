"""Renderers: a Scene in, a picture of the given size out.

A file in `scenes` for each type of Scene; here are themes, fonts, figures, PNG files, and
`drawing`, which finds the file for a Scene. They import `scene`, and nothing of games, matches or
environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.guards.later import later
from gem_ma.scene import BadScene

if TYPE_CHECKING:
    from gem_ma.renderers.drawing import draw, legend, save_gif
    from gem_ma.renderers.figures import UnknownFigure
    from gem_ma.renderers.noises import Noise, UnknownNoise, noise
    from gem_ma.renderers.themes import THEMES, Theme, UnknownTheme, theme

__all__ = [
    "THEMES",
    "BadScene",
    "Noise",
    "Theme",
    "UnknownFigure",
    "UnknownNoise",
    "UnknownTheme",
    "draw",
    "legend",
    "noise",
    "save_gif",
    "theme",
]

__getattr__ = later(  # so that a file of this folder can be imported without all others
    __name__,
    {
        "THEMES": "themes",
        "Noise": "noises",
        "Theme": "themes",
        "UnknownFigure": "figures",
        "UnknownNoise": "noises",
        "UnknownTheme": "themes",
        "draw": "drawing",
        "legend": "drawing",
        "noise": "noises",
        "save_gif": "drawing",
        "theme": "themes",
    },
)
