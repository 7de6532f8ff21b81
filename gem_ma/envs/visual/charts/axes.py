"""Two axes with numbers, and the places of points between them."""

from gem_ma.envs.visual import canvas

LOW, HIGH = 14, 92  # percent of the picture between which the axes run


def place(point, tops):
    """Return the place of a point, in percent."""
    (x, y), (right, up) = point, tops
    return LOW + (HIGH - LOW) * x / right, 100 - LOW - (HIGH - LOW) * y / up


def drawn(tops, steps, lined):
    """Return the lines and labels of axes that end at `tops`, with marks `steps` apart."""
    origin, (right, up) = place((0, 0), tops), tops
    lines = [
        canvas.line(origin, place((right, 0), tops)),
        canvas.line(origin, place((0, up), tops)),
    ]
    names = [("0", (LOW - 4, 100 - LOW + 4))]
    for step in range(steps[0], right + 1, steps[0]):
        x, y = place((step, 0), tops)
        names.append((str(step), (x, y + 5)))
        lines.append(canvas.line((x, y), (x, 100 - HIGH if lined else y + 2), 0.004))
    for step in range(steps[1], up + 1, steps[1]):
        x, y = place((0, step), tops)
        names.append((str(step), (x - 6, y)))
        lines.append(canvas.line((x, y), (HIGH if lined else x - 2, y), 0.004))
    return tuple(lines), canvas.tags(names, 0.05)


def words(tops, steps):
    return (
        f"Axes from 0 to {tops[0]} (to the right) and to {tops[1]} (upwards), with a mark every "
        f"{steps[0]} and every {steps[1]}; they run from {LOW} to {HIGH} percent of the picture "
        f"from the left, and from {100 - LOW} to {100 - HIGH} percent from the top."
    )


def scales(rng, marks, steps):
    """Sample the ends of both axes, and the distances of their marks."""
    intervals = [int(steps[int(rng.integers(len(steps)))]) for _ in range(2)]
    return tuple([marks * step for step in intervals]), tuple(intervals)
