"""A plane with two axes and numbers of both signs, and graphs of functions drawn in it."""

import itertools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import pick
from gem_ma.scene import Shapes

SPAN = 6  # the axes go from -SPAN to SPAN
COLORS = ("blue", "red", "purple", "brown", "green", "black")
VALUES = (0, *[sign * n for n in range(1, 2 * SPAN + 1) for sign in (1, -1)])
SIGNED = tuple(map(str, VALUES))  # answers; the first has no sign, as numbers are parsed
MARKS = range(-SPAN, SPAN + 1, 2)  # numbers of the axes
UNIT = 47 / (SPAN + 0.4)  # percent of the picture


class Graph(NamedTuple):
    """A graph with a name: points that straight lines or a smooth curve connect."""

    name: str
    points: tuple[tuple[float, float], ...]
    formula: str = ""


def place(point):
    """Return the place of a point in percent of the picture."""
    return 50 + UNIT * point[0], 50 - UNIT * point[1]


def words(shown):
    """Return the points of graphs with whole coordinates in words."""
    rows = []
    for graph in shown:
        points = [f"({x:g}, {y:g})" for x, y in graph.points if x == int(x) and y == int(y)]
        rows.append(f"{graph.name} goes through {', '.join(points)}.")
    return "\n".join([f"Axes from {-SPAN} to {SPAN}.", *rows])


def scene(shown):
    """Draw graphs, each in a colour with its name at one of its ends."""
    lines, labels = [], [*NUMBERS]
    for graph, color, (name, _) in zip(shown, COLORS, _place_names(shown), strict=False):
        ends = [place(point) for point in _bend(graph.points)]
        for a, b in itertools.pairwise(ends):
            lines.append((color, *canvas.share(a), *canvas.share(b), 0.011))
        labels.append((graph.name, color, *canvas.share(name), 0.07))
    return Shapes(lines=tuple(lines), labels=tuple(labels), areas=GRID)


def _bend(points):
    """Return more points of a parabola, so that it looks smooth; other graphs stay as they are."""
    ys = [y for _, y in points]
    bends = {c - 2 * b + a for a, b, c in zip(ys, ys[1:], ys[2:], strict=False)}
    if len(bends) != 1 or 0 in bends:
        return points
    (bend,) = bends
    more = []
    for (a, low), (b, high) in itertools.pairwise(points):
        for t in PARTS:
            more.append((a + t * (b - a), low + t * (high - low) - bend * t * (1 - t) / 2))
    return (*more, points[-1])


def line(rng, most=3):
    """Sample a line with a whole slope: its points and its formula."""
    slope = pick(rng, [n for n in range(-most, most + 1) if n])
    rise = int(rng.integers(-3, 4))
    return points_of(lambda x: slope * x + rise, 1), f"{term(slope)}x{constant(rise)}"


def parabola(rng):
    """Sample a parabola that opens upwards or downwards: its points and its formula."""
    bend = pick(rng, (1, -1))
    x, y = int(rng.integers(-3, 4)), int(rng.integers(-4, 5))
    if bend * y > 2:
        y = -y
    square = f"(x{constant(-x)})^2" if x else "x^2"
    return points_of(lambda at: bend * (at - x) ** 2 + y, 2), f"{term(bend)}{square}{constant(y)}"


def tip(rng):
    """Sample the graph of an absolute value: its points and its formula."""
    bend = pick(rng, (1, -1, 2, -2))
    x, y = int(rng.integers(-3, 4)), int(rng.integers(-4, 5))
    if bend * y > 2:
        y = -y
    inside = f"|x{constant(-x)}|"
    return points_of(lambda at: bend * abs(at - x) + y, 1), f"{term(bend)}{inside}{constant(y)}"


def zigzag(rng, steepest=2):
    """Sample a graph of straight parts over the whole axis; it has no formula."""
    y, points = int(rng.integers(-4, 5)), []
    for x in range(-SPAN, SPAN + 1):
        points.append((float(x), float(y)))
        y += int(rng.integers(max(-steepest, -5 - y), min(steepest, 5 - y) + 1))
    return tuple(points), ""


def points_of(function, parts):
    """Return the points of a function within the axes, `parts` in each unit."""
    found = [
        (n / parts, float(function(n / parts))) for n in range(-SPAN * parts, SPAN * parts + 1)
    ]
    return tuple([(x, y) for x, y in found if abs(y) <= SPAN])


def term(factor):
    """Return a factor as it stands before x."""
    return {1: "", -1: "-"}.get(factor, str(factor))


def constant(number):
    """Return a number as it stands after a term."""
    return f" {'+' if number > 0 else '-'} {abs(number)}" if number else ""


def value(points, x):
    """Return the value of a graph at a whole x, or None."""
    return next((int(b) for a, b in points if a == x and b == int(b)), None)


def has_clear_names(graphs):
    """Return whether the name of each graph stands clearly nearer to it than to all others."""
    return min(clearer for _, clearer in _place_names(graphs)) >= LEAST_CLEARER


def _place_names(graphs):
    """Yield a place for the name of each graph, and by how much it is nearer to it than to others.

    It is a cell of the grid near one of its ends, so no line of the grid crosses the name.
    """
    lines = [np.array([place(point) for point in graph.points]) for graph in graphs]
    far = np.stack([measure_distances(CELLS, line) for line in lines])
    free = np.ones(len(CELLS), bool)
    for i, line in enumerate(lines):
        own, others = far[i], np.delete(far, i, 0).min(0, initial=np.inf)
        clearer = np.minimum(others - own, CLEARER)
        near_end = np.linalg.norm(CELLS[:, None] - line[[0, -1]], axis=2).min(1)
        suits = free & (own > BESIDE[0]) & (own < BESIDE[1])
        best = np.lexsort((near_end, -clearer, ~suits))[0]
        free &= np.linalg.norm(CELLS - CELLS[best], axis=1) > 1.1 * UNIT
        yield CELLS[best].tolist(), clearer[best]


def measure_distances(places, line):
    """Return the distance of each place from a line through points."""
    starts, ways = line[:-1], np.diff(line, axis=0)
    beside = places[:, None] - starts
    share = ((beside * ways).sum(2) / (ways**2).sum(1)).clip(0, 1)
    return np.linalg.norm(beside - share[..., None] * ways, axis=2).min(1)


def _bars(is_upright, numbers, thin):
    """Return the corners of thin bars, one after the other: one area is quick."""
    corners = []
    for n in numbers:
        low, high = (canvas.share(place((n, end))) for end in (-SPAN, SPAN))
        for x, y in ((low[0] - thin, low[1]), (low[0] - thin, high[1]),
                     (low[0] + thin, high[1]), (low[0] + thin, low[1])):  # fmt: skip
            corners.append((x, y) if is_upright else (y, x))
    return tuple(corners)


PARTS = (0.0, 0.25, 0.5, 0.75)  # of the way from one point of a parabola to the next
GRID = tuple(  # and the axes: they lie below all that is drawn
    [
        (color, _bars(is_upright, numbers, thin))
        for color, numbers, thin in (("gray", range(-SPAN, SPAN + 1), 0.002), ("", (0,), 0.004))
        for is_upright in (True, False)
    ]
)
NUMBERS = canvas.tags(  # at the left and below the grid, where no graph goes
    [(str(n), (place((n, 0))[0], 97.0)) for n in MARKS]
    + [(f"{n:2}", (2.4, place((0, n))[1])) for n in MARKS],
    0.044,
)
LEAST_CLEARER = 1.0  # percent by which a name is nearer to its own graph than to others
CLEARER = 3.0  # percent from which on more is no better
BESIDE = 3.2, 8.0  # percent between a name and its graph
CELLS = np.array(  # the middles of the cells; beside an axis a name could be that of the axis
    [
        place((x + 0.5, y + 0.5))
        for x in range(-SPAN, SPAN)
        for y in range(-SPAN, SPAN)
        if not any(
            a == -1 and -SPAN < b < SPAN - 1 and b not in (-1, 0) for a, b in ((x, y), (y, x))
        )
    ]
)
