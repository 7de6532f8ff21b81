"""Panels: each holds its scene."""

from gem_ma.renderers import (
    draw,
    make_legend,
)
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    Grid,
    Panels,
    Terminal,
    Tile,
)

TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))
LIGHT = THEMES["light"]


def board(*rows, **more):
    return Grid(rows, TILES, **more)


def test_panels_hold_their_scenes():
    scene = Panels((("own", board("xo")), ("other", Terminal("hello"))))
    frame = draw(scene, (504, 252))
    assert frame.shape == (252, 504, 3)
    assert frame.tobytes() != draw(Panels((scene.scenes[1], scene.scenes[0])), (504, 252)).tobytes()
    assert make_legend(scene, LIGHT) == "cross: red cross"
