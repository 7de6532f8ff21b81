"""Similar triangles: find a length in a triangle that a parallel line divides."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures.figure import Figure, fit
from gem_ma.envs.visual.question import numbers
from gem_ma.envs.visual.theorems.drawing import (
    LENGTH,
    Theorem,
    arrowhead,
    list_values,
    look,
    name_length,
)


def sides(rng, most):
    """Divide two sides by a line parallel to the third; ask for one of the four parts."""
    a, b, c, (upper, lower) = _sample(rng, most)
    parts = {"AD": a * upper, "DB": a * lower, "AE": b * upper, "EC": b * lower}
    asked = tuple(parts)[int(rng.integers(4))]
    return _divided(rng, (a, b, c), (upper, lower), parts, asked)


def bases(rng, most):
    """Ask for the parallel line or for the side that it is parallel to."""
    a, b, c, (upper, lower) = _sample(rng, most)
    parts = {"AD": a * upper, "DB": a * lower, "DE": c * upper, "BC": c * (upper + lower)}
    asked = tuple(parts)[int(rng.integers(2, 4))]
    return _divided(rng, (a, b, c), (upper, lower), parts, asked)


def crossed(rng, most):
    """Cross two lines between two parallel ones."""
    a, b, c, (upper, lower) = _sample(rng, most)
    parts = {"AB": c * upper, "CD": c * lower, "AE": a * upper, "EC": a * lower}
    if rng.random() < 0.5:
        parts = {"AB": c * upper, "CD": c * lower, "BE": b * upper, "ED": b * lower}
    asked = tuple(parts)[int(rng.integers(4))]
    apex = _apex(a, b, c)
    points = {"E": (0.0, 0.0), "A": (-apex[0], -apex[1]), "B": (c - apex[0], -apex[1])}
    # opposite to A and B beyond E
    points = {
        name: (upper * x, upper * y) if name in "AB" else (x, y) for name, (x, y) in points.items()
    }
    for name, other in (("C", "A"), ("D", "B")):
        points[name] = tuple([-lower / upper * one for one in points[other]])
    words = "The lines AC and BD cross in E; AB and CD are parallel."
    lines = ("AB", "CD", "AE", "EC", "BE", "ED")
    others = ("BADCE", "CDABE", "DCBAE")
    return _shown(rng, words, points, lines, parts, asked, others, "AB", "DC")


def three(rng, most):
    """Divide two sides by two parallel lines."""
    a, b, c, (upper, lower) = _sample(rng, most)
    third = int(rng.integers(1, 4))
    parts = {"AD": a * upper, "DF": a * lower, "FB": a * third}
    parts |= {"AE": b * upper, "EG": b * lower, "GC": b * third}
    names = ("AE", "EG", "GC")
    asked = names[int(rng.integers(3))]
    kept = names[(names.index(asked) + 1 + int(rng.integers(2))) % 3]
    parts = {name: length for name, length in parts.items() if name[0] in "ADF" or name == kept}
    whole = upper + lower + third
    points = _triangle((a, b, c), whole)
    for name, corner, share in (("D", "B", upper), ("F", "B", upper + lower)):
        points[name] = _along(points["A"], points[corner], share / whole)
    for name, corner, share in (("E", "C", upper), ("G", "C", upper + lower)):
        points[name] = _along(points["A"], points[corner], share / whole)
    parts = {name: parts[name] for name in parts if name != "AE" or name in (asked, kept)}
    parts[asked] = b * {"AE": upper, "EG": lower, "GC": third}[asked]
    words = "A triangle ABC; D and F are on AB, E and G are on AC; DE and FG are parallel to BC."
    lines = ("AD", "DF", "FB", "AE", "EG", "GC", "DE", "FG", "BC")
    return _shown(rng, words, points, lines, parts, asked, ["ACBEDGF"], "DE", "FG", "BC")


class SimilarTriangles(Theorem):
    levels = interpolate_levels(
        {
            0: ((sides,), 2),
            1: ((sides,), 3),
            2: ((sides,), 4),
            3: ((sides, sides, bases), 4),
            4: ((sides, bases), 4),
            5: ((sides, bases, crossed), 5),
            6: ((bases, crossed, crossed), 5),
            7: ((crossed, crossed, three), 6),
            8: ((crossed, three), 6),
            9: ((three, three, crossed), 7),
            10: ((three,), 8),
        }
    )  # kinds, largest number that lengths are multiples of
    moves = numbers(200)
    about = (
        "It shows lines with lengths beside them, drawn to scale; lines with arrowheads are "
        "parallel. Reply with a number."
    )


def _sample(rng, most):
    """Sample three factors that are sides of a triangle, and two different ones for its parts."""
    while True:
        a, b, c = rng.integers(2, most + 3, size=3).tolist()
        upper, lower = rng.integers(1, most + 1, size=2).tolist()
        ratio = upper / lower
        if (
            max(a, b, c) < 0.85 * (a + b + c - max(a, b, c))
            and min(a, b, c) > 0.5 * max(a, b, c)
            and (0.5 <= ratio <= 2)
            and math.gcd(upper, lower) == 1
        ):
            return a, b, c, (upper, lower)


def _apex(a, b, c):
    """Return where the sides a and b meet, over the side c from 0, 0 to c, 0."""
    x = (a * a + c * c - b * b) / (2 * c)
    return x, math.sqrt(a * a - x * x)


def _triangle(factors, whole):
    a, b, c = factors
    x, y = _apex(a, b, c)
    return {"A": (whole * x, whole * y), "B": (0.0, 0.0), "C": (whole * c, 0.0)}


def _along(start, end, share):
    return tuple([a + share * (b - a) for a, b in zip(start, end, strict=True)])


def _divided(rng, factors, ratio, parts, asked):
    """Return a triangle that a line parallel to its base divides in this ratio."""
    upper, lower = ratio
    points = _triangle(factors, upper + lower)
    for name, corner in (("D", "B"), ("E", "C")):
        points[name] = _along(points["A"], points[corner], upper / (upper + lower))
    words = "A triangle ABC; D is on AB, E is on AC, and DE is parallel to BC."
    lines = ("AD", "DB", "AE", "EC", "DE", "BC")
    return _shown(rng, words, points, lines, parts, asked, ["ACBED"], "DE", "BC")


def _shown(rng, words, points, lines, parts, asked, letterings, *parallel):
    """Return the question with labels beside the lines that have lengths."""
    turn, _, flip = look(rng)
    places = dict(zip(points, fit(list(points.values()), turn, 0.14, flip), strict=True))
    middle = tuple([sum(p[i] for p in places.values()) / len(places) for i in (0, 1)])
    drawn = {name: (*places[name[0]], *places[name[1]]) for name in lines}
    marks = [stroke for a, b in parallel for stroke in arrowhead(places[a], places[b], 0.3)]
    named = {name: "x" if name == asked else str(length) for name, length in parts.items()}
    shown = [name_length(text, drawn[name], drawn.values(), middle) for name, text in named.items()]
    told = ", ".join([f"{name} is {text}" for name, text in list_values(named, letterings, lines)])
    drawing = Figure(
        f"{words} Lengths: {told}.",
        tuple(drawn.values()),
        lengths=tuple(shown),
        marks=tuple(marks),
    )
    return LENGTH, drawing, parts[asked]
