"""Panels: each holds its scene."""

import numpy as np
import pytest

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


def find_drawn_rows(picture):
    """Return the rows in which something is drawn."""
    return np.flatnonzero((picture != np.array(LIGHT.paper)).any((1, 2)))


@pytest.mark.parametrize("side", [252, 336, 1008])
def test_a_title_stands_on_its_scene(side):
    scene = Panels((("own", board("xox", "o.o", "xox")), ("other", board("...", "...", "..."))))
    rows = find_drawn_rows(draw(scene, (side, side)))
    assert np.diff(rows).max() <= side // 40  # at most the space below the letters
    assert (rows[0] + rows[-1]) // 2 == pytest.approx(side / 2, abs=side / 10)


def test_a_board_in_a_panel_is_as_large_as_the_panel_allows():
    scene = Panels(tuple((name, board("x.x.", "o.o.", ".x.x", "oxox")) for name in "abcdef"), 3)
    picture = draw(scene, (252, 252))
    drawn = (picture != np.array(LIGHT.paper)).any(2)
    assert drawn[:, :84].any(0).sum() >= 80
