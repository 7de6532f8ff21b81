"""Solids made of cubes, seen from above over a corner."""

HIGH = 1.1  # height of a cube, in units of half the width of its top


def drawn(faces, ink=""):
    """Return faces as areas with lines around them, as large as the picture allows.

    Args:
        faces: pairs of a colour and corners; a corner has coordinates to the left, right and up.
    """
    flat = [[_flat(*corner) for corner in corners] for _, corners in faces]
    xs, ys = ([p[i] for one in flat for p in one] for i in (0, 1))
    scale = 0.94 / max(max(xs) - min(xs), max(ys) - min(ys))
    left, top = (0.5 - scale * (max(v) + min(v)) / 2 for v in (xs, ys))
    areas, lines = [], {}
    for (color, _), corners in zip(faces, flat, strict=True):
        ends = [(left + scale * x, top + scale * y) for x, y in corners]
        areas.append((color, tuple(ends)))
        for a, b in zip(ends, [*ends[1:], ends[0]], strict=True):
            lines[min(a, b), max(a, b)] = (ink, *min(a, b), *max(a, b), 0.006)
    return tuple(areas), tuple(lines.values())


def _flat(r, c, z):
    return c - r, (c + r) / 2 - HIGH * z
