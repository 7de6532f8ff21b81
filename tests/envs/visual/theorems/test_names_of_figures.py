"""The names of angles and lengths touch no line, and each named angle has an arc."""

import math

import numpy as np
import pytest

from gem_ma.envs.visual.measures.angles import Angles
from gem_ma.envs.visual.measures.lengths import Lengths
from gem_ma.envs.visual.theorems.circle_angles import CircleAngles
from gem_ma.envs.visual.theorems.parallel_angles import ParallelAngles
from gem_ma.envs.visual.theorems.polygon_angles import PolygonAngles
from gem_ma.envs.visual.theorems.quadrilaterals import Quadrilaterals
from gem_ma.envs.visual.theorems.similar_triangles import SimilarTriangles

WITH_ARCS = (Angles, CircleAngles, ParallelAngles, PolygonAngles, Quadrilaterals)


def drawn(family, difficulty, many=12):
    game, rng = family(difficulty), np.random.default_rng(difficulty)
    for _ in range(many):
        shown = game.draw(rng, *game.levels[difficulty]).shown
        yield shown, game.scene(shown)


@pytest.mark.parametrize("family", [*WITH_ARCS, Lengths, SimilarTriangles])
def test_names_touch_no_line(family):
    for difficulty in range(11):
        for _, scene in drawn(family, difficulty):
            for text, _, x, y in scene.labels:
                wide, high = 0.012 * len(text), 0.016
                for _, x1, y1, x2, y2, width in scene.lines:
                    for share in np.linspace(0, 1, 60):
                        a, b = x1 + share * (x2 - x1), y1 + share * (y2 - y1)
                        gap = math.hypot(max(abs(a - x) - wide, 0), max(abs(b - y) - high, 0))
                        assert gap > width / 2, (family, difficulty, text)


@pytest.mark.parametrize("family", WITH_ARCS)
def test_each_named_angle_has_an_arc(family):
    for difficulty in (0, 5, 10):
        for shown, scene in drawn(family, difficulty):
            thin = [line for line in scene.lines if line[-1] < 0.01]
            assert len(thin) >= len(shown.marks) + 3 * len(shown.angles)
