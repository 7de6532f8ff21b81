"""Polygon angles: find an angle of a polygon from all others."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures.figure import Figure, between, fit, polygon, read_around
from gem_ma.envs.visual.question import numbers
from gem_ma.envs.visual.theorems.drawing import ANGLE, Theorem, look, name_angle, on_circle

LONG = 0.46  # of the line by which a side goes on beyond a corner


def inner_angles(rng, many, step, outer):
    """Show the angles of a polygon, whose corners are on a circle that is not shown."""
    arcs = _arcs(rng, many, 2 * step)
    if arcs is None:
        return None
    corners = on_circle(*[sum(arcs[:i]) for i in range(many)])
    sizes = [180 - (arcs[i - 1] + arcs[i]) // 2 for i in range(many)]
    order = rng.permutation(many).tolist()
    asked, outside = order[0], order[1 : outer + 1]
    beyond = [_beyond(corners[i - 1], corners[i]) for i in outside]
    points = fit([*corners, *beyond], *look(rng))
    ends = dict(zip(outside, points[many:], strict=True))
    points = points[:many]
    angles, told = [], []
    for i, size in enumerate(sizes):
        after = points[(i + 1) % many]
        if i in ends:
            angles.append(name_angle(f"{180 - size}°", points[i], ends[i], after, 0.042, 0.8))
            told.append(f"outer {180 - size}°")
        else:
            name = "x" if i == asked else f"{size}°"
            angles.append(name_angle(name, points[i], points[i - 1], after))
            told.append(name)
    if 180 - max([sizes[i] for i in outside], default=0) < 38 or None in angles:
        return None
    for i, (_, point, one, other) in enumerate(angles):
        at = between(point, one, other, 0.042 if i in ends else 0.046)
        if min(math.dist(at, other) for other in points) < math.dist(at, point):
            return None  # it would seem to belong to another corner
    told = read_around(told, backwards=not outside)
    words = f"A polygon with {many} corners; its angles in order: {', '.join(told)}."
    if outside:
        words += " An outer angle is one between a side and the line on which the side before goes."
    lines = (*polygon(points), *[(*points[i], *end) for i, end in ends.items()])
    return ANGLE, Figure(words, lines, tuple(angles)), sizes[asked]


class PolygonAngles(Theorem):
    # kinds, corners, step, corners whose outer angle is shown
    levels = interpolate_levels(
        {
            0: ((inner_angles,), 3, 10, 0),
            2: ((inner_angles,), 4, 5, 0),
            4: ((inner_angles,), 5, 5, 0),
            5: ((inner_angles,), 5, 3, 1),
            8: ((inner_angles,), 7, 2, 1),
            10: ((inner_angles,), 8, 1, 3),
        }
    )
    moves = numbers(180)
    about = (
        "It shows a polygon with angles in degrees, drawn to scale. Where a side goes on beyond a "
        "corner, the angle between that line and the next side may be given. Reply with a number."
    )


def _arcs(rng, many, unit):
    """Sample the arcs between corners, multiples of `unit` but for one."""
    least = max(30, 170 // many)
    free = (360 - many * least) // unit
    cuts = sorted(rng.integers(free + 1, size=many - 1).tolist())
    arcs = [least // 2 * 2 + unit * (b - a) for a, b in zip([0, *cuts], [*cuts, free], strict=True)]
    arcs[0] += 360 - sum(arcs)
    return arcs if max(arcs) <= 160 and min(arcs) >= 30 else None


def _beyond(start, corner):
    """Return the end of the line on which a side goes on beyond a corner."""
    share = 1 + LONG / math.dist(start, corner)
    return tuple([a + share * (b - a) for a, b in zip(start, corner, strict=True)])
