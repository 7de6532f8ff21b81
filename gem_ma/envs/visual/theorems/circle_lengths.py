"""Circle lengths: find a length at a circle from its radius, chords, tangents and secants."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures.figure import right_angle
from gem_ma.envs.visual.question import numbers, pick
from gem_ma.envs.visual.theorems.drawing import (
    LENGTH,
    CircleFigure,
    Theorem,
    list_values,
    name_length,
    place,
    ticks,
)

RIGHT = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (12, 35, 37), (9, 40, 41))


def radius(rng, most):
    """Show the parts of a diameter and a radius."""
    long = int(rng.integers(2, most + 1))
    points = [(-1, 0), (0, 0), (1, 0)]
    lengths = {"OA": long, "OB": long, "OC": long}
    points.append(_turned(int(rng.integers(50, 131))))
    asked = pick(rng, ("OA", "OB", "OC"))
    given = pick(rng, [name for name in lengths if name != asked])
    words = "A circle around O with the diameter AB, and C on the circle."
    lines = ("OA", "OB", "OC")
    return _shown(rng, words, "AOBC", points, lines, lengths, (given,), asked, letterings=["BAC"])


def half_chord(rng, most):
    """Show a chord, its distance from the centre, and a radius."""
    near, half, long = pick(rng, [one for one in _triples(most) if 4 * one[0] <= 3 * one[2]])
    x = near / long
    points = [(x, math.sqrt(1 - x * x)), (x, 0.0), (x, -math.sqrt(1 - x * x)), (0.0, 0.0)]
    lengths = {"OM": near, "MA": half, "OA": long}
    asked = pick(rng, tuple(lengths))
    given = tuple([name for name in lengths if name != asked])
    words = "A circle around O with a chord AB; M is its middle, and OM is at right angles to it."
    lines = ("OM", "MA", "MB", "OA")
    corner, halves = ("M", "A", "O"), ("MA", "MB")
    return _shown(rng, words, "AMBO", points, lines, lengths, given, asked, corner, halves)


def tangent(rng, most):
    """Show a tangent with the radius to where it touches, and the line to the centre."""
    short, touching, far = pick(rng, _triples(most))
    if not 0.55 <= short / touching <= 1.9:
        return None
    points = [(1.0, 0.0), (1.0, touching / short), (0.0, 0.0)]
    lengths = {"OA": short, "AP": touching, "OP": far}
    asked = pick(rng, tuple(lengths))
    given = tuple([name for name in lengths if name != asked])
    words = "A circle around O; the line from P touches it at A."
    return _shown(
        rng, words, "APO", points, ("OA", "AP", "OP"), lengths, given, asked, ("A", "P", "O")
    )


def chords(rng, most):
    """Cross two chords."""
    a, b, c = rng.integers(2, most + 1, size=3).tolist()
    if a * b % c or {c, a * b // c} == {a, b}:
        return None
    d = a * b // c
    if max(a, b, c, d) > 3 * min(a, b, c, d):
        return None
    points = _four_points((-a, b), (-c, d), rng)
    if points is None:
        return None
    lengths = {"EA": a, "EB": b, "EC": c, "ED": d}
    asked = pick(rng, tuple(lengths))
    given = tuple([name for name in lengths if name != asked])
    words = "A circle; its chords AB and CD cross in E."
    others = ("BACD", "ABDC", "BADC", "CDAB", "DCAB", "CDBA", "DCBA")
    return _shown(
        rng, words, "ABCDE", points, tuple(lengths), lengths, given, asked, letterings=others
    )


def secants(rng, most):
    """Show two lines from a point that cross the circle."""
    near, inner = rng.integers(2, most + 1, size=2).tolist()
    other = int(rng.integers(2, most + 1))
    product = near * (near + inner)
    rest = product // other - other
    if product % other or other == near or not 2 <= rest <= 2 * most:
        return None
    points = _four_points((near, near + inner), (other, other + rest), rng)
    if points is None:
        return None
    lengths = {"PA": near, "AB": inner, "PC": other, "CD": rest}
    asked = pick(rng, ("AB", "CD"))
    given = tuple([name for name in lengths if name != asked])
    words = "A circle; a line from P meets it in A, then in B; another one in C, then in D."
    return _shown(
        rng, words, "ABCDP", points, tuple(lengths), lengths, given, asked, letterings=["CDAB"]
    )


class CircleLengths(Theorem):
    levels = interpolate_levels(
        {
            0: ((radius,), 12),
            1: ((radius,), 40),
            2: ((radius, radius, half_chord), 40),
            3: ((radius, half_chord), 40),
            4: ((half_chord,), 35),
            5: ((half_chord, tangent), 45),
            6: ((half_chord, tangent), 60),
            7: ((tangent,), 75),
            8: ((chords,), 30),
            9: ((chords, secants), 40),
            10: ((secants,), 60),
        }
    )  # kinds, largest length
    moves = numbers(200)
    about = (
        "It shows a circle, a dot at its centre, and lines with lengths beside them, drawn to "
        "scale; a small square marks a right angle; strokes over two lines say that they are "
        "equally long. Reply with a number."
    )


def _turned(degrees):
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def _triples(most):
    """Return sides of right triangles up to `most`, in both orders."""
    found = [(k * a, k * b, k * c) for a, b, c in RIGHT for k in range(1, most // c + 1)]
    return [*found, *[(b, a, c) for a, b, c in found]]


def _four_points(first, second, rng):
    """Return four points of a circle and where the lines through two of them cross.

    Args:
        first: how far two of the points are from where the lines cross; below 0 on its other side.
        second: the same of the other two.
    """
    turn = _turned(int(rng.integers(45, 121)))
    if first[0] > 0:
        turn = _turned(int(rng.integers(28, 50)))
    points = [(far, 0.0) for far in first] + [(far * turn[0], far * turn[1]) for far in second]
    # the centre is above the middle of each chord
    x = sum(first) / 2
    y = (sum(second) / 2 - x * turn[0]) / turn[1]
    far = math.dist((x, y), points[0])
    if first[0] < 0 and math.hypot(x, y) < 0.15 * far:
        return None
    points.append((0.0, 0.0))
    return [((a - x) / far, (b - y) / far) for a, b in points]


def _shown(
    rng, words, names, points, lines, lengths, given, asked, corner=(), equal=(), letterings=()
):
    """Return the question with labels beside lines, and marks of a right angle and equal lines."""
    placed = place(rng, points)
    if placed is None:
        return None
    moved, circle = placed
    places = dict(zip(names, moved, strict=True), O=circle[:2])
    middle = tuple([sum(p[i] for p in places.values()) / len(places) for i in (0, 1)])
    shown = {name: str(lengths[name]) for name in given} | {asked: "x"}
    drawn = {name: (*places[name[0]], *places[name[1]]) for name in lines}
    named = [name_length(text, drawn[name], drawn.values(), middle) for name, text in shown.items()]
    marks = right_angle(*[places[name] for name in corner]) if corner else ()
    for name in equal:
        marks += ticks(places[name[0]], places[name[1]])
    told = ", ".join([f"{name} is {text}" for name, text in list_values(shown, letterings, lines)])
    drawing = CircleFigure(
        f"{words} Lengths: {told}.",
        tuple(drawn.values()),
        circle,
        lengths=tuple(named),
        marks=marks,
    )
    return LENGTH, drawing, lengths[asked]
