"""Cubes seen over a corner: where they are drawn, and which are left out."""

import numpy as np
import pytest

from gem_ma.envs.visual.solids import isometric


def places(cells):
    """Return the middle of the triangles that show each cube, and their number."""
    shown = {}
    for (u, v), (cell, _) in isometric.find_faces(cells).items():
        shown.setdefault(cell, []).append((u, v))
    return {
        cell: (*np.mean(triangles, axis=0).tolist(), len(triangles))
        for cell, triangles in shown.items()
    }


@pytest.mark.parametrize(
    ("other", "place"), [((2, 0, 0), (-2, 2)), ((0, 2, 0), (2, 2)), ((0, 0, 2), (0, -4))]
)
def test_where_a_cube_is_seen(other, place):
    seen = places([(0, 0, 0), other])
    assert seen[0, 0, 0] == (-0.5, 0, 6)
    assert seen[other] == (place[0] - 0.5, place[1], 6)


def test_cubes_that_cannot_be_seen_are_left_out():
    heights = ((2, 2), (2, 2))
    assert len(isometric.stacks(heights)) == 8
    assert len(places(isometric.stacks(heights))) == 7


def test_nearer_cubes_hide_others():
    seen = places([(2, 1, 0), (0, 0, 0), (1, 1, 1), (0, 1, 0)])
    assert (0, 0, 0) not in seen
    assert seen[1, 1, 1] == (-0.5, 0, 6)


def test_areas_are_what_is_seen_of_faces():
    """One cube on another one in a box: two strips for each colour, and eleven sides."""
    cells = [(0, 0, 0), (0, 0, 1), (0, 1, 0)]
    areas, lines = isometric.cubes(cells, (0.1, 0.1, 0.8, 0.8))
    triangles = [face for _, face in isometric.find_faces(cells).values()]
    for color, face in (("blue", "left"), ("gray", "right")):
        covered = sum(measure_area(corners) for one, corners in areas if one == color)
        unit = min(measure_area(corners) for _, corners in areas) / 2
        assert covered / unit == pytest.approx(triangles.count(face))
    ends = np.array([line[1:5] for line in lines]).reshape(-1, 2)
    assert ends.min() == pytest.approx(0.1)
    assert ends.max() == pytest.approx(0.9)


def measure_area(corners):
    x, y = np.array(corners).T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


def test_a_pile_falls_from_its_corner():
    for seed in range(20):
        heights = np.array(isometric.pile(np.random.default_rng(seed), 4, 4))
        assert (np.diff(heights, axis=0) <= 0).all()
        assert (np.diff(heights, axis=1) <= 0).all()
        assert heights[0, 0] >= 3
