"""Shapes: lines, labels and figures of any size."""

import math

import numpy as np
import pytest

from gem_ma.renderers import draw, font, parse_theme
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.scenes.shapes import draw_figure, draw_strokes
from gem_ma.scene import Shapes


def inked(scene, size=(252, 252)):
    """Return which pixels have the colour of text, where nothing is blended."""
    return (draw(scene, size) == parse_theme("light").ink).all(-1)


def test_lines_are_as_long_and_thick_as_they_say_whatever_their_way():
    for turn in range(0, 360, 15):
        x, y = math.sin(math.radians(turn)), math.cos(math.radians(turn))
        line = ("", 0.5 - 0.3 * x, 0.5 - 0.3 * y, 0.5 + 0.3 * x, 0.5 + 0.3 * y, 0.04)
        frame = draw(Shapes(lines=(line,)), (250, 250)).astype(float).sum(-1)
        share = (frame.max() - frame) / (frame.max() - sum(parse_theme("light").ink))
        assert share.sum() == pytest.approx(10 * 150 + math.pi * 25, rel=0.01)
        rows, columns = np.nonzero(share > 0.5)
        assert (rows.mean(), columns.mean()) == pytest.approx((125, 125), abs=0.6)


def test_a_line_may_reach_the_border_and_be_a_dot():
    assert inked(Shapes(lines=(("", 0, 0, 1, 1, 0.02), ("", 1, 0, 1, 1, 0.02)))).sum() > 500
    dot = Shapes(lines=(("", 0.5, 0.5, 0.5, 0.5, 0.1),))
    assert inked(dot).sum() == pytest.approx(math.pi * 12.6**2, rel=0.1)


def test_labels_stand_around_their_place_and_grow_with_the_picture():
    for x, y in ((0.2, 0.3), (0.5, 0.5), (0.9, 0.8)):
        for side in (252, 504):
            rows, columns = np.nonzero(inked(Shapes(labels=(("88", "", x, y),)), (side, side)))
            middle = (rows.min() + rows.max()) / 2, (columns.min() + columns.max()) / 2
            assert middle == pytest.approx((y * side, x * side), abs=3)
            assert np.ptp(rows) > side / 40


def test_a_thin_large_figure_is_drawn_like_any_other():
    frame = draw(Shapes((("dial", "red", 0.5, 0.5, 1, 0),)), (200, 200))
    expected = np.empty_like(frame)
    expected[:] = parse_theme("light").paper
    font.blend_ink(expected, make_mask("dial", 200), parse_theme("light").color("red"))
    assert (frame == expected).all()


@pytest.mark.parametrize(("x", "y"), [(20, 12), (-9, -13), (70, 50), (200, 5)])
def test_a_part_of_a_frame_is_drawn_on_like_a_frame(x, y):
    color, under = (200, 30, 40), np.random.default_rng(0).integers(0, 256, (60, 90, 3), np.uint8)
    whole = np.zeros((80, 120, 3), np.uint8)
    part = whole[10:70, 20:110]
    part[:] = under
    draw_figure(part, x, y, "star", 41, color, 2, degrees=20)
    strokes = np.array([[5.5, 50.0, 80.0, 8.0, 4.0]])
    draw_strokes(part, strokes, color)
    draw_figure(under, x, y, "star", 41, color, 2, degrees=20)
    draw_strokes(under, strokes, color)
    assert np.array_equal(part, under)
    whole[10:70, 20:110] = 0
    assert not whole.any()
