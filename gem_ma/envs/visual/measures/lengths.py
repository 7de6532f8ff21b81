"""Lengths: find a length, a perimeter or an area from the lengths that are shown."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures import figure
from gem_ma.envs.visual.measures.figure import Figure, fit, polygon
from gem_ma.envs.visual.question import Question, Task, numbers, pick

TRIPLES = (  # sides of right triangles, the longest last
    (3, 4, 5), (6, 8, 10), (9, 12, 15), (12, 16, 20), (15, 20, 25), (18, 24, 30),
    (5, 12, 13), (10, 24, 26), (8, 15, 17), (16, 30, 34), (20, 21, 29), (12, 35, 37),
)  # fmt: skip
AREA, PERIMETER, LENGTH = "What is the area?", "What is the perimeter?", "How long is x?"


def rectangle(rng):
    """Ask for the area or the perimeter of a rectangle."""
    wide = int(rng.integers(3, 21))
    high = int(rng.integers(max(2, wide // 3), wide + 1))
    points = fit([(0, 0), (wide, 0), (wide, high), (0, high)], *_look(rng))
    lines = polygon(points)
    labels = _around(lines, (str(wide), str(high), "", ""))
    words = f"A rectangle with sides of {wide} and {high}."
    text = pick(rng, (AREA, PERIMETER))
    answer = wide * high if text == AREA else 2 * (wide + high)
    return text, answer, Figure(words, lines, lengths=labels)


def parts(rng, many=2):
    """Ask for one part of a line; the whole and the other parts are shown."""
    lengths = rng.integers(4, 16, size=many).tolist()
    unknown, whole = int(rng.integers(many)), sum(lengths)
    ends = [(sum(lengths[:i]), 0.0) for i in range(many + 1)]
    below = [(0.0, 0.2 * whole), (whole, 0.2 * whole)]
    *line, start, end = fit([*ends, *below], *_look(rng))
    lines = [(*a, *b) for a, b in itertools.pairwise(line)]
    names = ["x" if i == unknown else str(n) for i, n in enumerate(lengths)]
    left = figure.side((*line[0], *line[-1]), start)  # the side of the second line
    named = [(name, part, -left) for name, part in zip(names, lines, strict=True)]
    named.append((str(whole), (*start, *end), left))
    marks = [figure.stroke(point, lines[0]) for point in (*line, start, end)]
    words = f"A line of length {whole} is divided into parts of length {', '.join(names)}."
    drawing = Figure(words, (*lines, (*start, *end)), lengths=tuple(named), marks=tuple(marks))
    return LENGTH, lengths[unknown], drawing


def three_parts(rng):
    """Ask for one of three parts of a line."""
    return parts(rng, 3)


def right_triangle(rng):
    """Ask for the third side of a right triangle."""
    sides = pick(rng, TRIPLES)
    unknown = int(rng.integers(3))
    return LENGTH, sides[unknown], _right(rng, sides, unknown, "x")


def around_triangle(rng):
    """Ask for the perimeter or the area of a right triangle with two known sides."""
    sides = pick(rng, TRIPLES)
    text = pick(rng, (AREA, PERIMETER))
    answer = sides[0] * sides[1] // 2 if text == AREA else sum(sides)
    return text, answer, _right(rng, sides, int(rng.integers(3)), "")


def corner(rng):
    """Ask for one side of a figure with six sides and right angles."""
    points, sides = _corner(rng)
    unknown = int(rng.integers(6))
    return LENGTH, sides[unknown], _six(rng, points, sides, {unknown: "x"})


def around_corner(rng):
    """Ask for the area or the perimeter of a figure with six sides and right angles."""
    points, sides = _corner(rng)
    wide, step, _, _, short, high = sides
    text = pick(rng, (AREA, PERIMETER))
    answer = wide * step + short * (high - step) if text == AREA else 2 * (wide + high)
    names = {pick(rng, (0, 2, 4)): "", pick(rng, (1, 3, 5)): ""}
    return text, answer, _six(rng, points, sides, names)


class Lengths(Task):
    levels = interpolate_levels(
        {  # kinds of figures
            0: ((parts,),),
            1: ((parts, parts, rectangle),),
            2: ((rectangle, parts),),
            3: ((rectangle,),),
            4: ((three_parts, right_triangle),),
            5: ((three_parts, corner, right_triangle),),
            6: ((corner, right_triangle),),
            7: ((around_triangle,),),
            8: ((around_triangle, around_corner),),
            9: ((around_triangle, around_corner, around_corner),),
            10: ((around_corner,),),
        }
    )
    moves = numbers(400)
    about = (
        "It shows a figure of straight lines with lengths beside them, drawn to scale; a small "
        "square marks a right angle. Reply with a number."
    )

    def draw(self, rng, kinds):
        text, answer, drawing = pick(rng, kinds)(rng)
        return Question(text, str(answer), drawing, self.moves)

    def words(self, shown):
        return shown.words

    def scene(self, shown):
        return figure.scene(shown)


def _look(rng):
    """Sample the rotation of a figure in degrees, its margin with room for labels, and its flip."""
    return float(rng.integers(360)), 0.14, bool(rng.random() < 0.5)


def _around(lines, names):
    """Return the names of the sides of a polygon, on its outside."""
    outside = -figure.side(lines[0], lines[1][2:])  # the polygons here turn inward first
    pairs = zip(names, lines, strict=True)
    return tuple([(name, line, outside) for name, line in pairs if name])


def _right(rng, sides, unknown, name):
    """Return a right triangle with labelled sides: two beside the right angle, one opposite."""
    a, b, _ = sides
    points = fit([(0, 0), (a, 0), (0, b)], *_look(rng))
    lines = polygon(points)
    first, second, third = (name if i == unknown else str(n) for i, n in enumerate(sides))
    labels = _around(lines, (first, third, second))
    marks = figure.right_angle(*points)
    words = (
        f"A right triangle. The sides beside its right angle are {first or 'not given'} and "
        f"{second or 'not given'}, the side opposite to it is {third or 'not given'}."
    )
    return Figure(words, lines, lengths=labels, marks=marks)


def _corner(rng):
    """Sample a figure with six sides: corners clockwise from the top left, and side lengths."""
    wide, high = rng.integers(8, 21, size=2).tolist()
    short, step = int(rng.integers(3, wide - 2)), int(rng.integers(3, high - 2))
    points = [(0, 0), (wide, 0), (wide, step), (short, step), (short, high), (0, high)]
    return points, (wide, step, wide - short, high - step, short, high)


def _six(rng, points, sides, names):
    """Return the figure with six sides; `names` replaces the labels of some sides."""
    lines = polygon(fit(points, *_look(rng)))
    labels = [names.get(i, str(length)) for i, length in enumerate(sides)]
    ways = ("right", "down", "left", "down", "left", "up")
    directions = [f"{way} {name or '(not given)'}" for way, name in zip(ways, labels, strict=True)]
    words = f"A figure with six sides and right angles. Its sides go {', '.join(directions)}."
    return Figure(words, lines, lengths=_around(lines, labels))
