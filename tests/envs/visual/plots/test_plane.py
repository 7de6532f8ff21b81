"""Names of graphs stand nearest to their own graph, and on no line of the grid."""

import itertools
import math

import pytest

import gem_ma

UNIT = 47 / 6.4  # percent of the picture


def measure(place, corners):
    """Return the distance of a place from a line through corners, by points along the line."""
    points = [
        [a + (b - a) * n / 10 for a, b in zip(one, other, strict=True)]
        for one, other in itertools.pairwise(corners)
        for n in range(11)
    ]
    return min(math.dist(place, point) for point in points)


@pytest.mark.parametrize("task", ["FunctionValue", "Intersections", "MatchingGraph"])
@pytest.mark.parametrize("seeds", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_a_name_stands_beside_its_graph_alone(task, seeds):
    env = gem_ma.make(f"visual:{task}-v0", difficulty=10)
    for seed in range(seeds):
        env.reset(seed=seed)
        shown = env.game_state.shown
        places = {label[0]: label[2:4] for label in env.game.scene(shown).labels}
        graphs = {
            graph.name: [((50 + UNIT * x) / 100, (50 - UNIT * y) / 100) for x, y in graph.points]
            for graph in shown
        }
        for name in graphs:
            x, y = places[name]
            far = {other: 100 * measure((x, y), corners) for other, corners in graphs.items()}
            own = far.pop(name)
            assert 3 < own < min(far.values()) - 0.9, (seed, name)
            for n in (x, y):
                beside = (100 * n - 50) / UNIT % 1
                assert abs(beside - 0.5) < 0.01, "a line of the grid crosses it"
