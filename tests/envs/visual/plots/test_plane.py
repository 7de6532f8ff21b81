"""Names stand beside their graph or point, on no other line; parabolas are smooth."""

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


@pytest.mark.parametrize("seeds", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_a_letter_of_a_point_stands_on_nothing(seeds):
    for difficulty in (0, 5, 10):
        env = gem_ma.make("visual:Slopes-v0", difficulty=difficulty)
        for seed in range(seeds):
            env.reset(seed=seed)
            shown = env.game_state.shown
            points = [((50 + UNIT * x) / 100, (50 - UNIT * y) / 100) for x, y in shown]
            labels = [label for label in env.game.scene(shown).labels if label[0].isalpha()]
            for (_, _, x, y, _), point in zip(labels, points, strict=True):
                own = math.dist((x, y), point)
                assert 0.03 < own < 0.06
                assert all(math.dist((x, y), one) > own + 0.01 for one in points if one != point)
                assert measure((x, y), points) > 0.023, "on the graph"
                assert min(abs(x - 0.5), abs(y - 0.5)) > 0.028, "on an axis"
                assert max(abs(x - 0.5), abs(y - 0.5)) < 0.06 * UNIT - 0.015, "not in the grid"


def test_parabolas_are_smooth_and_other_graphs_are_straight():
    env = gem_ma.make("visual:MatchingGraph-v0", difficulty=5)
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        shown = env.game_state.shown
        for graph, color in zip(shown, ("blue", "red", "purple", "brown"), strict=True):
            lines = [line for line in env.game.scene(shown).lines if line[0] == color]
            turns = [
                (math.atan2(d - b, c - a) - math.atan2(h - f, g - e)) % math.tau
                for (_, a, b, c, d, _), (_, e, f, g, h, _) in itertools.pairwise(lines)
            ]
            turned = [min(turn, math.tau - turn) for turn in turns]
            is_parabola = graph.points[1][0] - graph.points[0][0] < 1
            seen.add(is_parabola)
            if is_parabola:
                assert max(turned) < math.radians(15)
            else:
                assert sum(turn > 1e-6 for turn in turned) <= 1
    assert seen == {True, False}
