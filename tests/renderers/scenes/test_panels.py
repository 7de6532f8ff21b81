"""Panels: each holds its scene."""

import numpy as np
import pytest

from gem_ma.renderers import (
    draw,
    make_legend,
)
from gem_ma.renderers.scenes.panels import place_panels
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    BadScene,
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


def list_places(scene, size):
    return [(one.x, one.y, *one.size) for one in place_panels(scene, size)]


def test_panels_have_their_shares():
    two = (("", Terminal("a")), ("", Terminal("b")))
    beside = [(0, 0, 98, 198), (100, 0, 298, 198)]
    assert list_places(Panels(two, 2, shares=(0.25, 0.75)), (400, 200)) == beside
    below = [(0, 0, 398, 48), (0, 50, 398, 148)]
    assert list_places(Panels(two, 1, shares=(0.25, 0.75)), (400, 200)) == below


def test_panels_without_columns_follow_the_frame():
    scene = Panels((("", Terminal("a")), ("", Terminal("b"))), 0, shares=(0.25, 0.75))
    assert list_places(scene, (200, 200)) == [(0, 0, 198, 48), (0, 50, 198, 148)]
    assert list_places(scene, (299, 200))[1][:2] == (0, 50)
    assert list_places(scene, (300, 200)) == [(0, 0, 148, 198), (150, 0, 148, 198)]


@pytest.mark.parametrize(
    ("columns", "shares", "message"),
    [
        (2, (0.5, 0.25, 0.25), "one for each panel of one row or one column"),
        (3, (0.5, 0.5), "one for each panel"),
        (1, (0.5, 0.5, 0.5), "the sum 1"),
        (1, (1.5, -0.75, 0.25), "above 0"),
        (-1, (), "columns=0 or more"),
    ],
)
def test_shares_that_make_no_sense(columns, shares, message):
    scene = Panels((("", Terminal("a")),) * 3, columns, shares=shares)
    with pytest.raises(BadScene, match=message):
        draw(scene, (252, 252))
