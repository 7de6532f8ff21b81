"""The answers of the tasks of geometry, theorems and plots, from their scenes."""

import itertools
import re
from collections import Counter
from fractions import Fraction

from looked_at import (
    around,
    cross,
    measured_angle,
    measured_length,
    nearest,
    percent,
    thick_lines,
)

circle_angles = parallel_angles = polygon_angles = quadrilaterals = measured_angle
circle_lengths = similar_triangles = measured_length


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


def plane(scene):
    """Return a function from places of a picture to coordinates, by the numbers of the axes."""
    numbers = [label for label in scene.labels if label[0].strip().lstrip("-").isdecimal()]
    (row, _), *_ = Counter(label[3] for label in numbers).most_common(1)
    (column, _), *_ = Counter(label[2] for label in numbers).most_common(1)
    right = sorted((int(text), x) for text, _, x, y, _ in numbers if y == row)
    up = sorted((int(text), y) for text, _, x, y, _ in numbers if x == column)

    def coordinates(x, y):
        found = []
        for marks, at in ((right, x), (up, y)):
            (low, start), (high, end) = marks[0], marks[-1]
            found.append(low + (high - low) * (at - start) / (end - start))
        return found[0], found[1]

    return coordinates


def graphs(scene):
    """Return the points of each graph by its name."""
    at, names = plane(scene), {}
    for text, color, *_ in scene.labels:
        if color:
            names[color] = text
    found = {}
    for color, x1, y1, x2, y2, _ in scene.lines:
        if color in names:
            found.setdefault(names[color], []).extend([at(x1, y1), at(x2, y2)])
    return {name: {round(x, 6): round(y, 6) for x, y in points} for name, points in found.items()}


def function_value(scene, question):
    points = graphs(scene)

    def value(text):
        if " + " in text or " - " in text:
            first, sign, second = text.split(" ")
            return value(first) + value(second) * (1 if sign == "+" else -1)
        inner = re.fullmatch(r"([fg])\((.*)\)", text)
        if inner is None:
            return int(text)
        found = along(points[inner[1]], value(inner[2]))
        assert found == round(found)
        return found

    if question.startswith("For which"):
        wanted = int(question.removesuffix("?").split()[-1])
        (x,) = [x for x in range(-6, 7) if along(points["f"], x) == wanted]
        return str(x)
    return str(round(value(question.removeprefix("What is ").removesuffix("?"))))


def along(points, x):
    """Return the value of a graph at x, between its points too; None where there is none."""
    if x in points:
        return points[x]
    before, after = [a for a in points if a < x], [a for a in points if a > x]
    if not before or not after:
        return None
    a, b = max(before), min(after)
    return round(points[a] + (points[b] - points[a]) * (x - a) / (b - a), 6)


def intersections(scene, question):
    f, g = (graphs(scene)[name] for name in "fg")
    tenths = [n / 20 for n in range(-120, 121)]
    both = [(x, along(f, x), along(g, x)) for x in tenths]
    both = [(x, a, b) for x, a, b in both if a is not None and b is not None]
    found = [(round(x), round(a)) for x, a, b in both if a == b]
    assert all(x == round(x) for x, a, b in both if a == b)
    signs = [a > b for _, a, b in both if a != b]
    assert sum(one != other for one, other in itertools.pairwise(signs)) == len(found)
    axis = 0 if " x " in question else 1
    values = [point[axis] for point in found]
    if "sum" in question:
        return str(sum(values))
    if "differ" in question:
        return str(abs(values[-1] - values[0]))
    if "farthest" in question:
        return str(values[0 if "left" in question else -1])
    (only,) = values
    return str(only)


def matching_graph(scene, question):
    factor, inside, rest = re.search(
        r"y = (-?\d*)(\(x[^)]*\)\^2|x\^2|\|x[^|]*\||x)((?: [+-] \d+)?)\?", question
    ).groups()
    shift = re.search(r"x ([+-]) (\d+)", inside)
    shift = int(shift[1] + shift[2]) if shift else 0
    times = int(f"{factor}1") if factor in ("", "-") else int(factor)

    def formula(x):
        one = x + shift
        one = one**2 if "^2" in inside else abs(one) if "|" in inside else x
        return times * one + int(rest.replace(" ", "") or 0)

    (name,) = [
        name
        for name, points in graphs(scene).items()
        if all(abs(formula(x) - y) < 1e-6 for x, y in points.items())
    ]
    return name


def slopes(scene, question):
    at = plane(scene)
    places = [(x, y) for _, _, x, y, *_ in scene.items]
    letters = [label for label in scene.labels if label[0].isalpha()]
    named = {label[0]: at(*nearest(label, places)) for label in letters}
    assert len(set(named.values())) == len(letters)
    *_, a, _, b = question.removesuffix("?").split()
    (x1, y1), (x2, y2) = ([round(one, 6) for one in named[name]] for name in (a, b))
    return str(Fraction(round(y2 - y1), round(x2 - x1)))
