"""Places in percent of a picture, and the lines, dots and labels drawn there."""

import math

from gem_ma.scene import Shapes

DOT, THIN, THICK = 3, 0.006, 0.012


def border(low=0.01, high=0.99, thick=THIN):
    """Return the four lines of a square around the picture."""
    corners = ((low, low), (high, low), (high, high), (low, high))
    return outline(corners, thick)


def outline(corners, thick=THIN):
    """Return the lines around a polygon."""
    ends = zip(corners, (*corners[1:], corners[0]), strict=True)
    return tuple([("", *a, *b, thick) for a, b in ends])


def share(place):
    """Return a place in percent as shares of the picture."""
    return place[0] / 100, place[1] / 100


def line(a, b, thick=THICK):
    """Return a line between two places in percent."""
    return ("", *share(a), *share(b), thick)


def dots(places, size=DOT, color="", figure="disc"):
    return tuple([(figure, color, x / 100, y / 100, size / 100, 0.0) for x, y in places])


def tags(named, high=0.06, color=""):
    """Return labels for pairs of (text, place in percent)."""
    return tuple([(text, color, x / 100, y / 100, high) for text, (x, y) in named])


def drawn(**parts):
    """Return Shapes within a border."""
    lines = (*parts.pop("lines", ()), *border())
    return Shapes(lines=lines, **parts)


def spots(places, size=DOT, color=""):
    """Return dots that are drawn over other lines: lines without length, whose ends are round."""
    return tuple([(color, *share(place), *share(place), size / 100) for place in places])


def lay_out(many, columns, gap=0.04, high=0.09):
    """Return left, top and side of equal squares in rows, with room for a name above each.

    Args:
        gap: the least distance between squares that are side by side.
        high: the room for a name.
    """
    rows = -(-many // columns)
    side = min((1 - gap) / columns - gap, (1 - gap) / rows - high)
    across, down = (1 - side * columns) / (columns + 1), min((1 - gap) / rows, side + high + gap)
    above = (1 - down * rows + high) / 2 + (down - side - high) / 2
    return [
        (across + (side + across) * (n % columns), above + high / 2 + down * (n // columns), side)
        for n in range(many)
    ]


def name_squares(names, squares, high=0.06):
    """Return a label above the middle of each square."""
    return tuple(
        [
            (name, "", left + side / 2, top - 0.045, high)
            for name, (left, top, side) in zip(names, squares, strict=True)
        ]
    )


def apart(rng, many, gap, low=8, high=92, fits=None):
    """Sample `many` places at least `gap` apart for which `fits` returns true."""
    places: list[tuple[int, int]] = []
    while len(places) < many:
        places = []
        for x, y in rng.integers(low, high + 1, size=(60 * many, 2)).tolist():
            near = any((x - a) ** 2 + (y - b) ** 2 < gap * gap for a, b in places)
            if not near and (fits is None or fits((x, y))):
                places.append((x, y))
            if len(places) == many:
                break
    return tuple(places)


def inside(place, corners):
    """Return whether a place lies within a polygon."""
    x, y = place
    is_inside = False
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (ay > y) != (by > y) and (x - ax) * abs(by - ay) < (bx - ax) * (y - ay) * (
            1 if by > ay else -1
        ):
            is_inside = not is_inside
    return is_inside


def away(place, a, b):
    """Return the distance of a place from the line between two others."""
    across, down = b[0] - a[0], b[1] - a[1]
    along = (place[0] - a[0]) * across + (place[1] - a[1]) * down
    t = min(1.0, max(0.0, along / (across**2 + down**2)))
    return math.dist(place, (a[0] + t * across, a[1] + t * down))


def told(places):
    """Return places in words."""
    return "; ".join([f"{x}, {y}" for x, y in places])


def star_shaped(rng, corners, least, most, middle=(50, 50)):
    """Sample the corners of a polygon around `middle`, each `least` to `most` away from it."""
    start, turn = rng.random(), 2 * math.pi / corners
    points = []
    for i in range(corners):
        far = least + (most - least) * rng.random()
        angle = turn * (i + start + 0.3 * (rng.random() - 0.5))
        points.append(
            (
                round(middle[0] + far * math.cos(angle)),
                round(middle[1] + far * math.sin(angle)),
            )
        )
    return tuple(points)
