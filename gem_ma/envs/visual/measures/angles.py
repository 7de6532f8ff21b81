"""Angles: find an angle of a figure from the angles that are shown."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures import figure
from gem_ma.envs.visual.measures.figure import Figure, fit, name_angle, polygon, read_around
from gem_ma.envs.visual.question import Question, Task, numbers, pick

SMALLEST = 30  # degrees: labels need room


def triangle(rng, step):
    """Show two angles of a triangle and ask for the third."""
    a, b, c = _parts(rng, step, 180, 3)
    points = fit(_triangle(a, b), *_look(rng))
    labels = _named((a, b, c), 2)
    first, second, third = read_around(labels)
    words = f"A triangle with the angles {first}, {second} and {third}."
    return Figure(words, polygon(points), _corners(labels, points)), c


def straight(rng, step, parts=3):
    """Show all parts of a straight angle except one."""
    angles = _parts(rng, step, 180, parts)
    unknown = int(rng.integers(parts))
    labels = _named(angles, unknown)
    words = (
        "A straight line; rays from one of its points divide one of its sides into the angles "
        f"{', '.join(min(labels, labels[::-1]))}, in this order."
    )
    return _rays(rng, words, [*angles, 180], [*labels, ""]), angles[unknown]


def halves(rng, step):
    """Show one of the two parts of a straight angle."""
    return straight(rng, step, 2)


def around(rng, step, parts=3):
    """Show all angles around a point except one."""
    while True:
        angles = _parts(rng, step, 360, parts)
        if max(angles) <= 160:
            break
    unknown = int(rng.integers(parts))
    labels = _named(angles, unknown)
    told = ", ".join(read_around(labels))
    words = f"Rays from one point; the angles around it are, in order, {told}."
    return _rays(rng, words, angles, labels), angles[unknown]


def spokes(rng, step):
    """Show four of the five angles around a point."""
    return around(rng, step, 5)


def crossing(rng, step):
    """Show one angle between two crossing lines and ask for the opposite or the next one."""
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
    """Show one angle of an isosceles triangle and ask for a different one."""
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
    return Figure(words, polygon(points), _corners(labels, points), marks=marks), answer


def exterior(rng, step):
    """Show an interior and an exterior angle of a triangle."""
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
        name_angle("x" if unknown == "A" else f"{a}°", first, second, third),
        name_angle("x" if unknown == "C" else f"{c}°", third, first, second),
        name_angle(f"{180 - b}°", second, third, end),
    )
    return Figure(words, lines, labels), a if unknown == "A" else c


def quadrilateral(rng, step):
    """Show three angles of a quadrilateral."""
    while True:
        angles = _parts(rng, step, 360, 4, 55)
        points = _quadrilateral(*angles[:3])
        if max(angles) <= 140 and points:
            break
    points = fit(points, *_look(rng))
    unknown = int(rng.integers(4))
    labels = _named(angles, unknown)
    words = f"A quadrilateral with the angles {', '.join(read_around(labels))}, in this order."
    return Figure(words, polygon(points), _corners(labels, points)), angles[unknown]


class Angles(Task):
    levels = interpolate_levels(
        {  # kinds of figures; all angles are multiples of these degrees
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
        while None in drawing.angles:
            drawing, answer = kind(rng, step)
        return Question("How many degrees has the angle x?", str(answer), drawing, self.moves)

    def words(self, shown):
        return shown.words

    def scene(self, shown):
        return figure.scene(shown)


def _parts(rng, step, whole, parts, least=SMALLEST):
    """Sample `parts` angles of at least `least` degrees, in steps, that add up to `whole`."""
    free = (whole - parts * least) // step
    cuts = sorted(rng.integers(free + 1, size=parts - 1).tolist())
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, free], strict=True)]
    angles = [least + step * size for size in sizes]
    angles[0] += whole - sum(angles)
    return angles


def _named(angles, unknown):
    return ["x" if i == unknown else f"{angle}°" for i, angle in enumerate(angles)]


def _look(rng):
    """Sample the rotation of a figure in degrees, its margin, and whether it is flipped."""
    return float(rng.integers(360)), 0.1, bool(rng.random() < 0.5)


def _triangle(a, b):
    """Return the corners of a triangle over a side of length 1 with these adjacent angles."""
    a, b = math.radians(a), math.radians(b)
    length = math.sin(b) / math.sin(a + b)
    return [(0.0, 0.0), (1.0, 0.0), (length * math.cos(a), length * math.sin(a))]


def _quadrilateral(a, b, c):
    """Return the corners of a quadrilateral with these angles, or None if it is too narrow."""
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
    """Return the named angles of a polygon."""
    many = len(points)
    return tuple(
        [
            name_angle(text, points[i], points[i - 1], points[(i + 1) % many])
            for i, text in enumerate(labels)
            if text
        ]
    )


def _rays(rng, words, angles, labels):
    """Return rays from one point with these angles between them, and the names of these."""
    at, turn, flip = (0.0, 0.0), float(rng.integers(360)), 1 if rng.random() < 0.5 else -1
    ends, total = [], turn
    for angle in angles:
        ends.append((math.cos(math.radians(total)), flip * math.sin(math.radians(total))))
        total += angle
    at, *ends = fit([at, *ends])
    named = [
        name_angle(text, at, ends[i], ends[(i + 1) % len(ends)])
        for i, text in enumerate(labels)
        if text
    ]
    return Figure(words, tuple([(*at, *end) for end in ends]), tuple(named))
