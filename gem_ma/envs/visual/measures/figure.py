"""Geometric figures: straight lines with labels, drawn to scale."""

import math
from typing import NamedTuple, TypeAlias

from gem_ma.envs.visual.measures.labels import draw_arcs, place_labels
from gem_ma.scene import Shapes

LINE, MARK = 0.012, 0.006  # thickness of lines and of marks
LETTER, HIGH = 0.03, 0.05  # width and height of a letter
RIM = 0.02  # free margin
FULL = 0.62  # least share of the frame that the figure's box should cover
TURNS = sorted(range(-90, 91, 5), key=abs)


Point: TypeAlias = tuple[float, float]
Line: TypeAlias = tuple[float, float, float, float]


class Figure(NamedTuple):
    """A figure around the centre of the picture, and its description in words.

    Attributes:
        angles: the name of each angle, its corner, and a point on each of its lines.
        lengths: the name of each length, its line, and the side of its label (see `side`).
    """

    words: str
    lines: tuple[Line, ...]
    angles: tuple[tuple[str, Point, Point, Point], ...] = ()
    lengths: tuple[tuple[str, Line, int], ...] = ()
    marks: tuple[Line, ...] = ()


def fit(points, degrees=0.0, margin=0.1, flip=False):
    """Return points rotated, flipped, and scaled to the size of the picture."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    points = [(c * x - s * y, (s * x + c * y) * (-1 if flip else 1)) for x, y in points]
    xs, ys = zip(*points, strict=True)
    scale = (1 - 2 * margin) / max(max(xs) - min(xs), max(ys) - min(ys))
    across, down = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return [(0.5 + scale * (x - across), 0.5 + scale * (y - down)) for x, y in points]


def polygon(points):
    """Return the lines around a polygon."""
    return tuple([(*a, *b) for a, b in zip(points, [*points[1:], points[0]], strict=True)])


def name_angle(text, at, one, other, room=0.052, most=0.4):
    """Return the angle at a point between two others, or None if its name has no room.

    Args:
        room: the distance of the name from both lines.
        most: the largest distance from the point, as a share of the shorter line.
    """
    if _bisect(at, one, other, room)[1] > most * min(math.dist(at, one), math.dist(at, other)):
        return None  # it would seem to belong to another corner
    return text, at, one, other


def between(at, one, other, room=0.046):
    """Return about where a name stands in the angle at a point between two others."""
    (x, y), far = _bisect(at, one, other, room)
    return at[0] + far * x, at[1] + far * y


def _bisect(at, one, other, room):
    """Return the direction between two others, and how far a name is from the point."""
    ways = [_unit(end[0] - at[0], end[1] - at[1]) for end in (one, other)]
    x, y = ways[0][0] + ways[1][0], ways[0][1] + ways[1][1]
    half = math.acos(max(-1.0, min(1.0, math.hypot(x, y) / 2)))
    return _unit(x, y), max(0.11, room / math.sin(half))


def beside(text, line, to, far=0.05):
    """Return about where a name stands beside the middle of a line, on the side `to`."""
    x1, y1, x2, y2 = line
    x, y = _unit(x2 - x1, y2 - y1)
    far += 0.012 * (len(text) - 1) * abs(y)  # text is wider than high
    across, down = middle(line)
    return across + to * far * y, down - to * far * x


def right_angle(at, one, other, size=0.045):
    """Return the two lines that mark a right angle at a point between two others."""
    (x1, y1), (x2, y2) = (_unit(end[0] - at[0], end[1] - at[1]) for end in (one, other))
    a = at[0] + size * x1, at[1] + size * y1
    b = at[0] + size * x2, at[1] + size * y2
    corner = a[0] + size * x2, a[1] + size * y2
    return (*a, *corner), (*b, *corner)


def stroke(point, line, size=0.025):
    """Return a short line across another line, at a point of that line."""
    (x, y), (across, down) = point, _unit(line[2] - line[0], line[3] - line[1])
    return x - size * down, y + size * across, x + size * down, y - size * across


def side(line, point):
    """Return the side of a line on which a point is: 1 for its left, -1 for its right."""
    x1, y1, x2, y2 = line
    return 1 if (x2 - x1) * (point[1] - y1) < (y2 - y1) * (point[0] - x1) else -1


def middle(line):
    """Return the middle of a line."""
    return (line[0] + line[2]) / 2, (line[1] + line[3]) / 2


def scene(shown):
    """Draw a figure with the smallest rotation in which it fills the frame, or fills most of it."""
    lines, marks = shown.lines, shown.marks
    points = [end for x1, y1, x2, y2 in lines + marks for end in ((x1, y1), (x2, y2))]
    tags = [between(*points) for _, *points in shown.angles]
    tags += [beside(*length) for length in shown.lengths]
    wide = LETTER * max((len(text) for text, *_ in shown.angles + shown.lengths), default=0)
    move = _turned(points, tags, TURNS[0], wide)
    for degrees in TURNS[1:]:
        if move.full >= FULL:
            break
        other = _turned(points, tags, degrees, wide)
        move = max(move, other, key=lambda turn: turn.full)
    return draw_named(
        [(*move(*line[:2]), *move(*line[2:])) for line in lines],
        [(*move(*mark[:2]), *move(*mark[2:])) for mark in marks],
        [(text, *[move(*point) for point in points]) for text, *points in shown.angles],
        [(text, (*move(*line[:2]), *move(*line[2:])), to) for text, line, to in shown.lengths],
    )


def draw_named(lines, marks, angles, lengths, items=(), circles=()):
    """Draw lines and marks, and the names of angles and lengths where they are clear of these.

    Args:
        items: further figures, as in Shapes.
        circles: the x, y and radius of circles that names keep clear of, too.
    """
    arcs, radii = draw_arcs(angles)
    labels = place_labels(lines, marks, circles, angles, radii, lengths)
    strokes = [("", *line, LINE) for line in lines]
    strokes += [("", *mark, MARK) for mark in (*marks, *arcs)]
    return Shapes(
        tuple(items),
        lines=tuple(strokes),
        labels=tuple([(text, "", *place) for text, *place in labels]),
    )


class _Move(NamedTuple):
    """A rotation and a scale that centre a figure in the frame."""

    c: float
    s: float
    scale: float
    across: float
    down: float
    full: float  # share of the frame that the figure's box covers

    def __call__(self, x, y):
        return (
            self.across + self.scale * (self.c * x - self.s * y),
            self.down + self.scale * (self.s * x + self.c * y),
        )


def _turned(points, tags, degrees, wide):
    """Return a rotation with the largest scale at which lines and labels fit."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    axes = []
    for (i, j), half in (((c, -s), wide / 2), ((s, c), HIGH / 2)):
        spans = [(_span([i * x + j * y for x, y in points]), LINE / 2)]
        if tags:
            spans.append((_span([i * x + j * y for x, y in tags]), half))
        axes.append(spans)
    scale = min(
        (1 - 2 * RIM - one - other) / max(high - low, 1e-9)
        for spans in axes
        for (low, _), one in spans
        for (_, high), other in spans
    )
    full, middles = 1.0, []
    for spans in axes:
        low = min(scale * low - half for (low, _), half in spans)
        high = max(scale * high + half for (_, high), half in spans)
        full *= high - low
        middles.append(0.5 - (low + high) / 2)
    return _Move(c, s, scale, middles[0], middles[1], full)


def _span(values):
    return min(values), max(values)


def _unit(x, y):
    length = math.hypot(x, y)
    return x / length, y / length


def read_around(labels, backwards=True):
    """Return labels that stand in a circle as they are read from the place that comes first.

    Figures are rotated and flipped at random, so that equal pictures would have other words.

    Args:
        backwards: whether they say the same if they are read the other way round.
    """
    ways = (labels, labels[::-1]) if backwards else (labels,)
    return min([*way[i:], *way[:i]] for way in ways for i in range(len(labels)))
