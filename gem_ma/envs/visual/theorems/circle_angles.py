"""Circle angles: find an angle at a circle, its centre or its tangents."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures.figure import polygon
from gem_ma.envs.visual.question import numbers, some
from gem_ma.envs.visual.theorems.drawing import (
    ANGLE,
    CircleFigure,
    Theorem,
    list_values,
    name_angle,
    on_circle,
    place,
    sample,
)

SMALLEST = 34  # degrees: labels need room
NARROW, CROSSED = 20, 30  # degrees: a chord and a radius with less seem to be one thick line
_AROUND = ("BCDA", "CDAB", "DABC", "DCBA", "CBAD", "BADC", "ADCB")  # around a quadrilateral


def semicircle(rng, step):
    """Show a triangle over a diameter."""
    angle = sample(rng, step, SMALLEST, 90 - SMALLEST)
    a, b, c = on_circle(180, 0, 2 * angle)
    words = f"Triangle ABC in a circle; AB is a diameter. The angle at A is {angle}°, at B x."
    placed = place(rng, [a, b, c, (0, 0)])
    if placed is None:
        return None
    (a, b, c, o), circle = placed
    angles = (name_angle(f"{angle}°", a, b, c), name_angle("x", b, a, c))
    lines = ((*a, *o), (*o, *b), (*b, *c), (*c, *a))
    return ANGLE, CircleFigure(words, lines, circle, angles), 90 - angle


def inscribed(rng, step):
    """Show the angles of a chord at the centre and at the circle."""
    at_circle = sample(rng, step, SMALLEST, 80)
    apex = int(rng.integers(2 * at_circle + 70, 291))
    # twice the angles between a chord and a radius; above 0 where the chord crosses the other one
    if any(-NARROW < turn < CROSSED for turn in (180 - apex, apex - 2 * at_circle - 180)):
        return None
    sizes = at_circle, 2 * at_circle
    asked = int(rng.integers(2))
    names = ["x" if i == asked else f"{size}°" for i, size in enumerate(sizes)]
    words = (
        f"Points A, B and C of a circle around O. The angle ACB is {names[0]}, the angle AOB is "
        f"{names[1]}; C is not on the shorter arc AB."
    )
    placed = place(rng, [*on_circle(0, 2 * at_circle, apex), (0, 0)])
    if placed is None:
        return None
    (a, b, c, o), circle = placed
    lines = ((*a, *c), (*c, *b), (*a, *o), (*o, *b))
    angles = (name_angle(names[0], c, a, b), name_angle(names[1], o, a, b))
    return ANGLE, CircleFigure(words, lines, circle, angles), sizes[asked]


def cyclic(rng, step):
    """Show a quadrilateral in a circle with two neighbouring angles."""
    arcs = _arcs(rng, step, 4)
    if arcs is None:
        return None
    starts = [sum(arcs[:i]) for i in range(4)]
    sizes = [(arcs[(i + 1) % 4] + arcs[(i + 2) % 4]) // 2 for i in range(4)]
    asked, extra = some(rng, range(4), 2)
    names = {asked: "x", (asked + 2) % 4: f"{sizes[(asked + 2) % 4]}°"}
    if extra not in names:
        names[extra] = f"{sizes[extra]}°"
    values = list_values({"ABCD"[i]: text for i, text in names.items()}, _AROUND)
    named = ", ".join([f"at {name} {text}" for name, text in values])
    words = f"Quadrilateral ABCD in a circle; its angles: {named}."
    placed = place(rng, on_circle(*starts))
    if placed is None:
        return None
    points, circle = placed
    angles = tuple(
        [name_angle(names[i], points[i], points[i - 1], points[(i + 1) % 4]) for i in sorted(names)]
    )
    return ANGLE, CircleFigure(words, polygon(points), circle, angles), sizes[asked]


def arrow(rng, step):
    """Show a quadrilateral of two chords and two radii."""
    first, second = sample(rng, step, 30, 44), sample(rng, step, 30, 44)
    at_centre = 2 * (first + second)
    if at_centre > 150:
        return None
    # the apex opposite to the arc; each chord makes an isosceles triangle with the radii
    ends = (180 - 2 * first, 180 + 2 * second)
    sizes, asked = (first, second, at_centre), int(rng.integers(3))
    names = ["x" if i == asked else f"{size}°" for i, size in enumerate(sizes)]
    at_a, at_b = sorted(names[:2])
    words = (
        "Points A, B and C of a circle around O; C is on the side of O away from A and B. The "
        f"angle OAC is {at_a}, the angle OBC is {at_b} and the angle AOB, on the side of "
        f"A and B, is {names[2]}."
    )
    placed = place(rng, [*on_circle(*ends, 0), (0, 0)])
    if placed is None:
        return None
    (a, b, c, o), circle = placed
    lines = ((*a, *c), (*c, *b), (*a, *o), (*o, *b))
    angles = (
        name_angle(names[0], a, o, c),
        name_angle(names[1], b, o, c),
        name_angle(names[2], o, a, b),
    )
    return ANGLE, CircleFigure(words, lines, circle, angles), sizes[asked]


def tangent(rng, step):
    """Show a tangent, a chord from where it touches, and an angle over the chord."""
    angle = sample(rng, step, 46, 74)  # the circle goes through it, beside the label
    apex = int(rng.integers(2 * angle + 80, 290))
    start, end, c = on_circle(0, 2 * angle, apex)
    points = [start, end, c, (1, 1.0), (1, -0.6)]
    asked = int(rng.integers(2))
    names = ["x" if i == asked else f"{angle}°" for i in range(2)]
    words = (
        "A circle with its tangent at A, and points B and C of the circle. The angle between the "
        f"tangent and AB, on the side away from C, is {names[0]}; the angle ACB is {names[1]}."
    )
    placed = place(rng, points)
    if placed is None:
        return None
    (a, b, c, up, down), circle = placed
    lines = ((*a, *b), (*b, *c), (*c, *a), (*up, *a), (*a, *down))
    angles = (name_angle(names[0], a, up, b), name_angle(names[1], c, a, b))
    return ANGLE, CircleFigure(words, lines, circle, angles), angle


def two_tangents(rng, step):
    """Show two tangents from a point, and an angle at the circle over the chord between them."""
    half = sample(rng, step, SMALLEST // 2 + 8, 38)
    far = 1 / on_circle(half)[0][1]
    at_circle = 90 - half  # half of the angle at the centre
    points = [*on_circle(at_circle, -at_circle, int(rng.integers(150, 211))), (far, 0)]
    asked = int(rng.integers(2))
    sizes = 2 * half, at_circle
    names = ["x" if i == asked else f"{size}°" for i, size in enumerate(sizes)]
    words = (
        f"From a point P two tangents touch a circle at A and B; their angle at P is {names[0]}. C "
        f"is a point of the longer arc AB; the angle ACB is {names[1]}."
    )
    placed = place(rng, points)
    if placed is None:
        return None
    (a, b, c, p), circle = placed
    lines = ((*p, *a), (*p, *b), (*a, *c), (*c, *b))
    angles = (name_angle(names[0], p, a, b), name_angle(names[1], c, a, b))
    return ANGLE, CircleFigure(words, lines, circle, angles), sizes[asked]


class CircleAngles(Theorem):
    levels = interpolate_levels(
        {
            0: ((semicircle,), 10),
            1: ((semicircle,), 5),
            2: ((semicircle, cyclic), 5),
            3: ((cyclic,), 5),
            4: ((cyclic, inscribed), 5),
            5: ((inscribed, cyclic), 2),
            6: ((inscribed, inscribed, tangent), 2),
            7: ((inscribed, tangent), 1),
            8: ((tangent, two_tangents), 1),
            9: ((tangent, arrow, two_tangents), 1),
            10: ((arrow,), 1),
        }
    )
    moves = numbers(180)
    about = (
        "It shows a circle, a dot at its centre, and lines with angles in degrees, drawn to scale; "
        "lines that touch the circle from outside are tangents. Reply with a number."
    )


def _arcs(rng, step, many):
    """Sample even arcs of a whole circle, none of them too short or long for its angles."""
    unit = 2 * step
    cuts = sorted((rng.permutation(360 // unit - 1)[: many - 1] + 1).tolist())
    ends = [0, *cuts, 360 // unit]
    arcs = [unit * (b - a) for a, b in itertools.pairwise(ends)]
    arcs[-1] += 360 - sum(arcs)
    return arcs if min(arcs) >= 44 and max(arcs) <= 160 else None
