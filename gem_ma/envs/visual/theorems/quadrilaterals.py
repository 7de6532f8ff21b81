"""Quadrilaterals: find an angle of a figure whose marks say that sides are parallel or equal."""

import itertools
import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures.figure import Figure, fit
from gem_ma.envs.visual.question import numbers, pick, some
from gem_ma.envs.visual.theorems.drawing import (
    ANGLE,
    Theorem,
    arrowhead,
    list_values,
    look,
    name_angle,
    sample,
    ticks,
)

SMALLEST = 32  # degrees: labels need room
SIDES = ("AB", "BC", "CD", "DA")
# Other letters for the corners A, B, C and D.
HALF_TURN = ("CDAB",)
SIDEWAYS = ("BADC",)
ALONG_BD = ("CBAD",)
ALONG_AC = ("ADCB",)
ANGLES = ("DAB", "ABC", "BCD", "CDA", "ABD", "ADB", "BDC", "DBC", "BAC", "ACB", "DCA")


def parallelogram(rng, step):
    """Show one angle of a parallelogram."""
    size = sample(rng, step, 50, 130)
    points = _points(size, 1 + 0.3 * float(rng.random()), 1.0)
    if size == 90:
        return None
    sizes = {"DAB": size, "ABC": 180 - size, "BCD": size, "CDA": 180 - size}
    given, asked = some(rng, tuple(sizes), 2)
    words = "A parallelogram ABCD."
    pairs = (("AB", "DC"), ("BC", "AD"))
    return _shown(rng, words, points, (), sizes, (given,), asked, pairs, (), HALF_TURN)


def trapezoid(rng, step):
    """Show an angle of a trapezoid whose other two sides are equal."""
    size = sample(rng, step, 54, 76)
    run = 1 / math.tan(math.radians(size))
    points = {"A": (0, 0), "B": (2 * run + 0.6, 0), "C": (run + 0.6, 1), "D": (run, 1)}
    sizes = {"DAB": size, "ABC": size, "BCD": 180 - size, "CDA": 180 - size}
    given, asked = some(rng, tuple(sizes), 2)
    words = "A quadrilateral ABCD; AB and DC are parallel, AD and BC are equally long."
    pairs, equal = (("AB", "DC"),), (("AD", "BC"),)
    return _shown(rng, words, points, (), sizes, (given,), asked, pairs, equal, SIDEWAYS)


def kite(rng, step):
    """Show two angles of a kite."""
    top, low = sample(rng, step, 80, 130), sample(rng, step, 44, 76)
    if (top + low) % 2:
        return None
    up, down = (1 / math.tan(math.radians(one / 2)) for one in (top, low))
    points = {"A": (0, -up), "B": (1, 0), "C": (0, down), "D": (-1, 0)}
    side = (360 - top - low) // 2
    sizes = {"DAB": top, "ABC": side, "BCD": low, "CDA": side}
    asked = pick(rng, tuple(sizes))
    given = tuple([name for name in ("DAB", pick(rng, ("ABC", "CDA")), "BCD") if name != asked])
    if asked in ("ABC", "CDA"):
        given = "DAB", "BCD"
    words = "A quadrilateral ABCD; AB and AD are equally long, and so are CB and CD."
    pairs = (("AB", "AD"), ("CB", "CD"))
    return _shown(rng, words, points, (), sizes, given, asked, (), pairs, ALONG_AC)


def rhombus(rng, step):
    """Show a rhombus with a diagonal."""
    half = sample(rng, step, SMALLEST, 64)
    points = _points(180 - 2 * half, 1.0, 1.0)
    sizes = {"DAB": 180 - 2 * half, "BCD": 180 - 2 * half, "ABD": half, "BDC": half, "DBC": half}
    given, asked = some(rng, tuple(sizes), 2)
    if sizes[given] == sizes[asked]:
        return None
    words = "A quadrilateral ABCD with the diagonal BD; its four sides are equally long."
    equal = (("AB", "BC", "CD", "DA"),)
    others = (*HALF_TURN, *ALONG_BD, *ALONG_AC)
    return _shown(rng, words, points, ("BD",), sizes, (given,), asked, (), equal, others)


def split(rng, step):
    """Show a parallelogram with a diagonal, and two different angles."""
    at_a, at_b = sample(rng, step, 48, 110), sample(rng, step, SMALLEST, 80)
    at_d = 180 - at_a - at_b
    if at_d < SMALLEST:
        return None
    side = math.sin(math.radians(at_b)) / math.sin(math.radians(at_d))  # AD, over AB
    if not 0.6 < side < 1.6:
        return None
    places = (("DAB", "BCD"), ("ABD", "BDC"), ("ADB", "DBC"))
    values = (at_a, at_b, at_d)
    sizes = {name: value for two, value in zip(places, values, strict=True) for name in two}
    kinds = some(rng, places, 3)
    first, second, asked = (pick(rng, two) for two in kinds)
    words = "A quadrilateral ABCD with the diagonal BD; its opposite sides are parallel."
    pairs = (("AB", "DC"), ("BC", "AD"))
    points = _points(at_a, 1.0, side)
    given = (first, second)
    return _shown(rng, words, points, ("BD",), sizes, given, asked, pairs, (), HALF_TURN)


def three_equal(rng, step):
    """Show a trapezoid with three equal sides and a diagonal."""
    small = sample(rng, step, SMALLEST, 42)
    turn = math.radians(2 * small)
    points = {"A": (0.0, 0.0), "B": (1 + 2 * math.cos(turn), 0.0)}
    points["D"] = math.cos(turn), math.sin(turn)
    points["C"] = points["D"][0] + 1, points["D"][1]
    sizes = {"BAC": small, "ABC": 2 * small, "CDA": 180 - 2 * small, "ACB": 180 - 3 * small}
    sizes["DCA"] = small
    given, asked = some(rng, tuple(sizes), 2)
    if sizes[given] == sizes[asked] or sizes[asked] < SMALLEST:
        return None
    words = (
        "A quadrilateral ABCD with the diagonal AC; AB and DC are parallel, AB is the longer one, "
        "and AD, DC and CB are equally long."
    )
    pairs, equal = (("AB", "DC"),), (("AD", "DC", "CB"),)
    return _shown(rng, words, points, ("AC",), sizes, (given,), asked, pairs, equal, ())


class Quadrilaterals(Theorem):
    levels = interpolate_levels(
        {
            0: ((parallelogram,), 10),
            1: ((parallelogram,), 5),
            2: ((parallelogram, trapezoid), 5),
            3: ((trapezoid, rhombus), 5),
            4: ((rhombus,), 2),
            5: ((rhombus, kite), 2),
            6: ((kite,), 2),
            7: ((kite, split), 1),
            8: ((split, three_equal), 1),
            9: ((split, three_equal, three_equal), 1),
            10: ((three_equal,), 1),
        }
    )
    moves = numbers(180)
    about = (
        "It shows a quadrilateral with angles in degrees, drawn to scale. Sides with as many "
        "arrowheads are parallel, sides with as many strokes are equally long. Reply with a number."
    )


def _points(degrees, wide, side):
    """Return the corners of a parallelogram with this angle at A."""
    turn = math.radians(degrees)
    d = side * math.cos(turn), side * math.sin(turn)
    return {"A": (0.0, 0.0), "B": (wide, 0.0), "C": (wide + d[0], d[1]), "D": d}


def _shown(rng, words, points, diagonals, sizes, given, asked, parallel, equal, letterings):
    """Return the question: names of angles that are given, and of the one that is asked."""
    places = dict(zip(points, fit(list(points.values()), *look(rng)), strict=True))
    names = {**{one: f"{sizes[one]}°" for one in given}, asked: "x"}
    angles = [
        name_angle(text, *[places[name[i]] for i in (1, 0, 2)]) for name, text in names.items()
    ]
    lines = [(*places[a], *places[b]) for a, b in (*SIDES, *diagonals)]
    marks = []
    for many, sides in enumerate(parallel, 1):
        for (a, b), i in itertools.product(sides, range(many)):
            marks += arrowhead(places[a], places[b], 0.64 + 0.05 * i)
    for many, sides in enumerate(equal, 1):
        for a, b in sides:
            marks += ticks(places[a], places[b], many)
    values = list_values(names, letterings, ANGLES)
    told = ", ".join([f"the angle {name} is {text}" for name, text in values])
    drawing = Figure(f"{words} Given: {told}.", tuple(lines), tuple(angles), marks=tuple(marks))
    return ANGLE, drawing, sizes[asked]
