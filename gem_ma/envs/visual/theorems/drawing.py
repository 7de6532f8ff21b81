"""Figures of lines with marks, with or without a circle, drawn to scale."""

import math
from typing import NamedTuple

from gem_ma.envs.visual.measures import figure
from gem_ma.envs.visual.measures.figure import Figure, Line, Point
from gem_ma.envs.visual.measures.labels import DOT
from gem_ma.envs.visual.question import Question, Task, pick

ANGLE, LENGTH = "How many degrees has the angle x?", "How long is x?"
STEPS = 50  # radii are whole parts of the picture, so that few circles must be drawn anew
FULL = 0.6  # least share of the picture that the box around a figure with a circle covers
RING = 0.986  # where the middle of the line of a circle is, as a share of its radius


class CircleFigure(NamedTuple):
    """A figure with a circle, whose centre has a dot, and its description in words."""

    words: str
    lines: tuple[Line, ...]
    circle: tuple[float, float, float]  # x, y, radius
    angles: tuple[tuple[str, Point, Point, Point], ...] = ()  # as in a Figure
    lengths: tuple[tuple[str, Line, int], ...] = ()
    marks: tuple[Line, ...] = ()


class Theorem(Task):
    """A task about a figure; levels: the kinds of figures, and what these take."""

    moves: tuple[str, ...]

    def draw(self, rng, kinds, *level):
        while True:
            drawn = pick(rng, kinds)(rng, *level)
            if drawn is not None and None not in drawn[1].angles + drawn[1].lengths:
                text, drawing, answer = drawn
                return Question(text, str(answer), drawing, self.moves)

    def words(self, shown):
        return shown.words

    def scene(self, shown):
        if isinstance(shown, Figure):
            return figure.scene(shown)
        x, y, radius = shown.circle
        circle = "circle", "", x, y, 2 * radius / RING, 0.0
        return figure.draw_named(
            shown.lines,
            shown.marks,
            shown.angles,
            shown.lengths,
            (circle, ("disc", "", x, y, 2 * DOT, 0.0)),
            ((x, y, radius), (x, y, DOT)),
        )


def list_values(named, letterings, known=()):
    """Return names and their values in the letters that come first.

    A picture shows no letters, and figures are rotated and flipped at random: equal pictures
    would have other words.

    Args:
        letterings: for the letters A, B, C and so on, others with which all else that is said of
            the figure is true as well.
        known: names that are written in this order of letters, and not in the other one.
    """
    ways = [list(named.items())]
    for letters in letterings:
        table = str.maketrans("ABCDEFG"[: len(letters)], letters)
        renamed = {name.translate(table): value for name, value in named.items()}
        ways.append([(n if n in known else n[::-1], value) for n, value in renamed.items()])
    return min(map(sorted, ways))


def look(rng):
    """Sample the rotation of a figure in degrees, its margin, and whether it is flipped."""
    return float(rng.integers(360)), 0.12, bool(rng.random() < 0.5)


def on_circle(*degrees):
    """Return points of the circle of radius 1 around 0, 0."""
    return [(math.cos(math.radians(one)), math.sin(math.radians(one))) for one in degrees]


def place(rng, points):
    """Return points rotated and scaled with the circle of radius 1, and where the circle is.

    None stands for points that leave too much of the picture empty.
    """
    turn, flip = math.radians(int(rng.integers(360))), 1 if rng.random() < 0.5 else -1
    c, s = math.cos(turn), math.sin(turn)
    turned = [(c * x - s * y, flip * (s * x + c * y)) for x, y in points]
    spans = [(min(-1.0, *side), max(1.0, *side)) for side in zip(*turned, strict=True)]
    wide, high = (most - least for least, most in spans)
    radius = math.floor(0.86 * STEPS / max(wide, high)) / STEPS
    if radius * radius * wide * high < FULL:
        return None
    x, y = (0.5 - radius * (least + most) / 2 for least, most in spans)
    return [(x + radius * a, y + radius * b) for a, b in turned], (x, y, radius)


def arrowhead(start, end, share=0.5, size=0.022):
    """Return the two lines of an arrowhead on a line; lines with arrowheads are parallel."""
    x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
    far = math.dist(start, end)
    along, across = size * (end[0] - start[0]) / far, size * (end[1] - start[1]) / far
    return tuple([(x - along - to * across, y - across + to * along, x, y) for to in (1, -1)])


def ticks(start, end, many=1):
    """Return short lines across a line; lines with as many of them are equally long."""
    far = math.dist(start, end)
    shares = [0.5 + 0.022 * (i - (many - 1) / 2) / far for i in range(many)]
    points = [
        tuple([a + share * (b - a) for a, b in zip(start, end, strict=True)]) for share in shares
    ]
    return tuple([figure.stroke(point, (*start, *end)) for point in points])


def name_angle(text, at, one, other, room=0.046, most=0.52):
    """Return the angle at a point between two others, or None if its name has no room."""
    return figure.name_angle(text, at, one, other, room, most)


def name_length(text, line, lines, point):
    """Return the length of a line, with its name on the side away from a point.

    None stands for a name that may seem to be another line's.
    """
    to = -figure.side(line, point)
    place = figure.beside(text, line, to)
    far = 1.25 * math.dist(place, figure.middle(line))
    near = [one for one in lines if math.dist(place, figure.middle(one)) < far]
    return (text, line, to) if near == [line] else None


def sample(rng, step, least, most):
    """Sample a multiple of `step` from `least` to `most`."""
    return step * int(rng.integers(-(-least // step), most // step + 1))
