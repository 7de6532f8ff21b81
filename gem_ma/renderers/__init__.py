"""Renderers: a Scene in, a picture of the given size out.

One file for each type of Scene, with themes, fonts, PNG files, and `drawing`, which finds the file
for a Scene. They import `scene`, and nothing of games, matches or environments.
"""

from gem_ma.renderers import png
from gem_ma.renderers.drawing import draw, legend, save_gif
from gem_ma.renderers.figures import UnknownFigure
from gem_ma.renderers.grid import BadScene
from gem_ma.renderers.themes import THEMES, Theme, UnknownTheme, theme

__all__ = [
    "THEMES",
    "BadScene",
    "Theme",
    "UnknownFigure",
    "UnknownTheme",
    "draw",
    "legend",
    "png",
    "save_gif",
    "theme",
]
