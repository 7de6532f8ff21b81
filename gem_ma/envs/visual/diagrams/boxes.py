"""Boxes with text, and lines between them."""

import itertools

THIN, LINE = 0.005, 0.006
CAP = LINE / 2  # how far a line reaches beyond its end
NUB = (LINE - THIN) / 2  # how far a line that ends on a thin one would stand out behind it
ADVANCE = 0.55  # the width of a letter, as a share of its height, at most
BACKWARDS = {0.0: (0, 1), 90.0: (-1, 0), 180.0: (0, -1), 270.0: (1, 0)}  # from the tip of arrows


def box(x, y, wide, high):
    """Return the four lines around a box with its centre at a place."""
    left, right, top, bottom = x - wide / 2, x + wide / 2, y - high / 2, y + high / 2
    return ring(((left, top), (right, top), (right, bottom), (left, bottom)))


def diamond(x, y, wide, high):
    """Return the four lines around a diamond with its centre at a place."""
    return ring(((x, y - high / 2), (x + wide / 2, y), (x, y + high / 2), (x - wide / 2, y)))


def ring(corners):
    """Return the lines around a polygon."""
    ends = zip(corners, (*corners[1:], corners[0]), strict=True)
    return [("", *a, *b, THIN) for a, b in ends]


def path(*points):
    """Return lines from point to point."""
    return [("", *a, *b, LINE) for a, b in itertools.pairwise(points)]


def tip(x, y, degrees=180.0, size=0.03):
    """Return an arrowhead whose tip is at a place; 180 degrees points downwards."""
    across, down = BACKWARDS[degrees]
    return "triangle", "", x + across * size / 2, y + down * size / 2, size, degrees


def arrow(points, degrees=180.0, size=0.03):
    """Return lines from point to point up to the base of an arrowhead, and the arrowhead."""
    *before, (x, y) = points
    across, down = BACKWARDS[degrees]
    base = 0.8 * size
    return path(*before, (x + across * base, y + down * base)), tip(x, y, degrees, size)
