"""Nets: points with letters, some of which are connected."""

from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS


def draw(rng, many, more):
    """Sample points and a tree of short lines plus `more` lines, none of them close to a point."""
    while True:
        points = canvas.apart(rng, many, 60 // int(many**0.5 + 1) + 6, 8, 92)
        free = [(i, j) for i in range(many) for j in range(i)]
        free = [pair for pair in free if _clear(points, *pair)]
        free.sort(key=lambda p: _away(points[p[0]], points[p[1]]))
        group, edges = list(range(many)), []
        for i, j in free:
            if group[i] != group[j]:
                edges.append((i, j))
                group = [group[i] if g == group[j] else g for g in group]
        rest = [pair for pair in free if pair not in edges][: 2 * more]
        edges += [rest[i] for i in rng.permutation(len(rest))[:more].tolist()]
        if len(set(group)) == 1:
            return points, tuple(sorted(edges))


def _away(a, b):
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _clear(points, i, j):
    return all(
        canvas.away(point, points[i], points[j]) > 6
        for n, point in enumerate(points)
        if n not in (i, j)
    )


def words(shown):
    points, edges = shown
    listing = ", ".join([f"{LETTERS[i]} {x}, {y}" for i, (x, y) in enumerate(points)])
    lines = ", ".join([f"{LETTERS[j]}-{LETTERS[i]}" for i, j in edges])
    return f"Points, in percent from the left and from the top: {listing}. Lines: {lines}."


def scene(shown):
    points, edges = shown
    items = [("disc", "yellow", x / 100, y / 100, 0.08, 0.0) for x, y in points]
    items = [("disc", "", x / 100, y / 100, 0.09, 0.0) for x, y in points] + items
    labels = canvas.tags([(LETTERS[i], point) for i, point in enumerate(points)])
    cut = [_shorter(points[i], points[j]) for i, j in edges]
    return canvas.drawn(
        items=tuple(items), lines=[canvas.line(a, b, 0.008) for a, b in cut], labels=labels
    )


def _shorter(a, b):
    """Return the ends of a line between two points, cut at the discs around them."""
    far = _away(a, b) ** 0.5
    dx, dy = 4.5 * (b[0] - a[0]) / far, 4.5 * (b[1] - a[1]) / far
    return (a[0] + dx, a[1] + dy), (b[0] - dx, b[1] - dy)
