"""Cubes seen over a corner: where they are drawn, and which are left out."""

import numpy as np
import pytest

from gem_ma.envs.visual.solids import isometric

EDGE = 3**0.5 / 2


def places(cells):
    """Return where cubes are drawn, in edges of a cube from the first of them."""
    hexagons = [item for item in isometric.cubes(cells) if item[0] == "hexagon"]
    edge = hexagons[0][4] / 2
    x, y = hexagons[0][2:4]
    return [(round((i[2] - x) / edge, 6), round((i[3] - y) / edge, 6)) for i in hexagons]


@pytest.mark.parametrize(
    ("other", "place"),
    [((1, 0, 0), (-EDGE, 0.5)), ((0, 1, 0), (EDGE, 0.5)), ((0, 0, 1), (0, -1))],
)
def test_where_a_cube_is_drawn(other, place):
    first, second = places([(0, 0, 0), other])
    assert first == (0, 0)
    assert second == pytest.approx(place, abs=1e-5)


def test_cubes_that_cannot_be_seen_are_left_out():
    heights = ((2, 2), (2, 2))
    assert len(isometric.stacks(heights)) == 8
    assert len(places(isometric.stacks(heights))) == 7


def test_nearer_cubes_are_drawn_later():
    cells = [(2, 1, 0), (0, 0, 0), (1, 1, 1), (0, 1, 0)]
    drawn = places(cells)
    assert drawn == places(sorted(cells, key=sum))
    assert drawn[-1] == pytest.approx((0, 0), abs=1e-5)  # 1, 1, 1 hides 0, 0, 0 behind it


def test_a_pile_falls_from_its_corner():
    for seed in range(20):
        heights = np.array(isometric.pile(np.random.default_rng(seed), 4, 4))
        assert (np.diff(heights, axis=0) <= 0).all()
        assert (np.diff(heights, axis=1) <= 0).all()
        assert heights[0, 0] >= 3
