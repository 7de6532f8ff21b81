"""Smooth curves through given points."""

PARTS = 4  # straight parts from point to point


def smooth(points):
    """Return points on a curve through the given ones."""
    padded = [points[0], *points, points[-1]]
    curve = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for i in range(PARTS):
            t = i / PARTS
            curve.append(tuple([_blend(*four, t) for four in zip(a, b, c, d, strict=True)]))
    return [*curve, points[-1]]


def _blend(a, b, c, d, t):
    """Return a value between the middle two of four: a Catmull-Rom spline."""
    return b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))) / 2
