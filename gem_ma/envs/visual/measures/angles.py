"""Angles: find an angle of a figure from those that are given."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures import figure
from gem_ma.envs.visual.measures.figure import Figure, between, fit, polygon
from gem_ma.envs.visual.question import Question, Task, numbers, pick

SMALLEST = 30  # degrees, so that there is room for labels


def triangle(rng, step):
    """Give two angles of a triangle."""
    a, b, c = _parts(rng, step, 180, 3)
    points = fit(_triangle(a, b), *_look(rng))
    labels = _named((a, b, c), 2)
    words = f"A triangle with the angles {labels[0]}, {labels[1]} and {labels[2]}."
    return Figure(words, polygon(points), _corners(labels, points)), c


def straight(rng, step, parts=3):
    """Give all parts but one of a straight angle."""
    angles = _parts(rng, step, 180, parts)
    unknown = int(rng.integers(parts))
    labels = _named(angles, unknown)
    words = (
        "A straight line; rays from one of its points divide one of its sides into the angles "
        f"{', '.join(labels)}, in this order."
    )
    return _rays(rng, words, [*angles, 180], [*labels, ""]), angles[unknown]


def halves(rng, step):
    """Give one of the two parts of a straight angle."""
    return straight(rng, step, 2)


def around(rng, step, parts=3):
    """Give all angles around a point but one."""
    while True:
        angles = _parts(rng, step, 360, parts)
        if max(angles) <= 160:
            break
    unknown = int(rng.integers(parts))
    labels = _named(angles, unknown)
    words = f"Rays from one point; the angles around it are, in order, {', '.join(labels)}."
    return _rays(rng, words, angles, labels), angles[unknown]


def spokes(rng, step):
    """Give four of the five angles around a point."""
    return around(rng, step, 5)


def crossing(rng, step):
    """Give one angle between two lines that cross."""
    a, b = _parts(rng, step, 180, 2)
    opposite = bool(rng.random() < 0.5)
    labels = [f"{a}°", *(("", "x") if opposite else ("x", "")), ""]
    where = "opposite" if opposite else "next"
    words = (
        f"Two straight lines cross. One of the angles between them is {a}°; x is the angle {where} "
        "to it."
    )
    return _rays(rng, words, [a, b, a, b], labels), a if opposite else b


def isosceles(rng, step):
    """Give one angle of a triangle with two equal sides, and ask for one that is not the same."""
    base = int(rng.integers(SMALLEST, 75 + 1))
    apex = 180 - 2 * base
    a, b, c = points = fit(_triangle(base, base), *_look(rng))
    sides = (*a, *c), (*b, *c)
    marks = tuple([figure.stroke(figure.middle(side), side) for side in sides])
    head = "A triangle with two equal sides. "
    if rng.random() < 0.5:
        words = f"{head}The angle between them is {apex}°; x is another of its angles."
        answer, labels = base, ("x", "", f"{apex}°")
    else:
        words = f"{head}The angle between them is x; another of its angles is {base}°."
        answer, labels = apex, (f"{base}°", "", "x")
    return Figure(words, polygon(points), _corners(labels, points), marks), answer


def exterior(rng, step):
    """Give an angle of a triangle and one outside of it."""
    while True:
        a, b, c = _parts(rng, step, 180, 3)
        if b <= 150 - SMALLEST:
            break
    corners = _triangle(a, b)
    points = fit([*corners, (1.6, 0.0)], *_look(rng))
    first, second, third, end = points
    lines = (*polygon(points[:3]), (*second, *end))
    unknown = pick(rng, ("A", "C"))
    words = (
        f"A triangle ABC; its side AB goes on beyond B to D. The angle between BC and BD is "
        f"{180 - b}°, the angle of the triangle at {'C' if unknown == 'A' else 'A'} is "
        f"{c if unknown == 'A' else a}°; x is its angle at {unknown}."
    )
    labels = (
        between("x" if unknown == "A" else f"{a}°", first, second, third),
        between("x" if unknown == "C" else f"{c}°", third, first, second),
        between(f"{180 - b}°", second, third, end),
    )
    return Figure(words, lines, labels), a if unknown == "A" else c


def quadrilateral(rng, step):
    """Give three angles of a quadrilateral."""
    while True:
        angles = _parts(rng, step, 360, 4, 55)
        points = _quadrilateral(*angles[:3])
        if max(angles) <= 140 and points:
            break
    points = fit(points, *_look(rng))
    unknown = int(rng.integers(4))
    labels = _named(angles, unknown)
    words = f"A quadrilateral with the angles {', '.join(labels)}, in this order."
    return Figure(words, polygon(points), _corners(labels, points)), angles[unknown]


class Angles(Task):
    levels = interpolate_levels(
        {  # kinds of figures, and degrees of which angles are multiples
            0: ((halves,), 30),
            1: ((halves,), 15),
            2: ((triangle, halves), 10),
            4: ((triangle, straight), 10),
            5: ((triangle, straight, around, crossing), 5),
            6: ((straight, around), 5),
            7: ((straight, around), 2),
            8: ((isosceles, exterior, quadrilateral, around), 1),
            9: ((quadrilateral,), 1),
            10: ((spokes,), 1),
        }
    )
    moves = numbers(360)
    about = (
        "It shows a figure of straight lines with angles in degrees, drawn to scale; strokes over "
        "two sides say that they are equally long. Reply with a number."
    )

    def draw(self, rng, kinds, step):
        kind = pick(rng, kinds)
        drawing, answer = kind(rng, step)
        while None in drawing.labels:
            drawing, answer = kind(rng, step)
        return Question("How many degrees has the angle x?", str(answer), drawing, self.moves)

    def words(self, shown):
        return shown.words

    def scene(self, shown):
        return figure.scene(shown)


def _parts(rng, step, whole, parts, least=SMALLEST):
    """Return angles that are multiples of a step, not too small, and add up to the whole."""
    free = (whole - parts * least) // step
    cuts = sorted(rng.integers(free + 1, size=parts - 1).tolist())
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, free], strict=True)]
    angles = [least + step * size for size in sizes]
    angles[0] += whole - sum(angles)
    return angles


def _named(angles, unknown):
    return ["x" if i == unknown else f"{angle}°" for i, angle in enumerate(angles)]


def _look(rng):
    """Return how a figure is turned, its margin, and whether it is flipped."""
    return float(rng.integers(360)), 0.1, bool(rng.random() < 0.5)


def _triangle(a, b):
    """Return the corners of a triangle over a side of 1, with these angles beside it."""
    a, b = math.radians(a), math.radians(b)
    length = math.sin(b) / math.sin(a + b)
    return [(0.0, 0.0), (1.0, 0.0), (length * math.cos(a), length * math.sin(a))]


def _quadrilateral(a, b, c):
    """Return the corners of a quadrilateral with these angles, or nothing if it is too narrow."""
    a, b, c = (math.radians(angle) for angle in (a, b, c))
    start = (0.9 * math.cos(a), 0.9 * math.sin(a))  # the fourth corner
    way = math.pi - b  # from the second corner to the third
    back = way + math.pi - c  # from the third to the fourth
    across = math.cos(way) * math.sin(back) - math.sin(way) * math.cos(back)
    x, y = start[0] - 1.0, start[1]
    length = (x * math.sin(back) - y * math.cos(back)) / across
    rest = (math.cos(way) * y - math.sin(way) * x) / across
    if min(length, rest) < 0.5 or max(length, rest) > 1.5:
        return None
    return [(0.0, 0.0), (1.0, 0.0), (1 + length * math.cos(way), length * math.sin(way)), start]


def _corners(labels, points):
    """Return the labels in the corners of a polygon."""
    many = len(points)
    return tuple(
        [
            between(text, points[i], points[i - 1], points[(i + 1) % many])
            for i, text in enumerate(labels)
            if text
        ]
    )


def _rays(rng, words, angles, labels):
    """Return rays from one point with these angles between them, and the labels in these."""
    at, turn, flip = (0.0, 0.0), float(rng.integers(360)), 1 if rng.random() < 0.5 else -1
    ends, total = [], turn
    for angle in angles:
        ends.append((math.cos(math.radians(total)), flip * math.sin(math.radians(total))))
        total += angle
    at, *ends = fit([at, *ends])
    placed_labels = [
        between(text, at, ends[i], ends[(i + 1) % len(ends)])
        for i, text in enumerate(labels)
        if text
    ]
    return Figure(words, tuple([(*at, *end) for end in ends]), tuple(placed_labels))
