"""The answers of the tasks of geometry, from their scenes."""

import itertools

from looked_at import around, cross, nearest, percent, thick_lines


def crossings(scene, question):
    lines = [line[1:5] for line in scene.lines if line[-1] > 0.007]
    return str(sum(cross(one, other) for one, other in itertools.combinations(lines, 2)))


def corners(scene, question):
    return str(len(set(around(thick_lines(scene)))))


def grid_area(scene, question):
    lines = sorted({line[1] for line in scene.lines if line[1] == line[3]})
    square = (lines[1] - lines[0]) ** 2
    area = 0.0
    for _, points in scene.areas:
        ends = zip(points, [*points[1:], points[0]], strict=True)
        area += abs(sum(a * d - b * c for (a, b), (c, d) in ends)) / 2
    return str(round(area / square))


def midpoint(scene, question):
    places = [(item[2], item[3]) for item in scene.items]
    named = {
        label[0]: nearest((*label[:2], label[2] - 0.04, label[3]), places) for label in scene.labels
    }
    *_, a, _, b = question.removesuffix("?").split()
    (ax, ay), (bx, by) = named[a], named[b]
    return f"{round(100 * (ax + bx)) // 2}, {round(100 * (ay + by)) // 2}"


def missing_corner(scene, question):
    (ax, ay, bx, by), (*same, cx, cy) = thick_lines(scene)
    assert same == [bx, by]
    return percent(ax - bx + cx, ay - by + cy)
