"""Renderers: a Scene in, a picture of the given size out.

One file for each type of Scene, with themes, fonts, PNG files, and `drawing`, which finds the file
for a Scene. They import `scene`, and nothing of games, matches or environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.guards.later import later

if TYPE_CHECKING:
    from gem_ma.renderers.drawing import draw, legend, save_gif
    from gem_ma.renderers.figures import UnknownFigure
    from gem_ma.renderers.grid import BadScene
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
        "BadScene": "grid",
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
