"""Parallel angles: find an angle between parallel lines and the lines that cross them."""

import itertools
import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.measures.figure import Figure, fit
from gem_ma.envs.visual.question import numbers
from gem_ma.envs.visual.theorems.drawing import ANGLE, Theorem, arrowhead, look, name_angle

SECTORS = ("above left", "above right", "below right", "below left")  # of a crossing


def crossed(rng, step):
    """Cross two parallel lines by a third; one angle at each crossing is named."""
    slope = step * int(rng.integers(math.ceil(40 / step), 140 // step + 1))
    # sectors in order around a crossing, the line going down and to the right
    sizes = (slope, 180 - slope, slope, 180 - slope)
    given, asked = (int(n) for n in rng.integers(4, size=2))
    run = 1 / math.tan(math.radians(slope))
    ends = [(-0.5 * run, -0.5), (1.5 * run, 1.5)]  # through 0, 0 and run, 1
    left, right = min(-0.7, run - 0.7), max(0.7, run + 0.7)
    points = [(left, 0), (0, 0), (right, 0), (left, 1), (run, 1), (right, 1), *ends]
    points = fit(points, *look(rng))
    a, p, b, c, q, d, top, bottom = points
    lines = ((*a, *p), (*p, *b), (*c, *q), (*q, *d), (*top, *p), (*p, *q), (*q, *bottom))
    around_p, around_q = (a, top, b, q), (c, p, d, bottom)
    first = _sector(f"{sizes[given]}°", p, around_p, given)
    second = _sector("x", q, around_q, asked)
    words = (
        "Two parallel lines, one above the other, are crossed by a third line. At the upper "
        f"crossing the angle {SECTORS[given]} has {sizes[given]}°; at the lower one x is the angle "
        f"{SECTORS[asked]}."
    )
    marks = (*arrowhead(a, b, 0.9), *arrowhead(c, d, 0.9))
    return ANGLE, Figure(words, lines, (first, second), marks=marks), sizes[asked]


def wedge(rng, step):
    """Show two lines from a point of one parallel line to the other."""
    left, right = (step * int(n) for n in rng.integers(30 // step + 1, 75 // step + 1, size=2))
    a, b = (1 / math.tan(math.radians(one)) for one in (left, right))
    wide = a + b
    points = [(-a - 0.3, 0), (0, 0), (b + 0.3, 0), (-a - 0.3, 1), (-a, 1), (b, 1), (b + 0.3, 1)]
    points = fit([(x / wide, y / wide) for x, y in points], *look(rng))
    start, top, end, low, one, other, far = points
    lines = (
        *((*start, *top), (*top, *end), (*low, *one), (*one, *other), (*other, *far)),
        *((*top, *one), (*top, *other)),
    )
    sizes, asked = (left, 180 - left - right, right), int(rng.integers(3))
    names = ["x" if i == asked else f"{size}°" for i, size in enumerate(sizes)]
    angles = (
        name_angle(names[0], top, start, one),
        name_angle(names[1], top, one, other),
        name_angle(names[2], other, top, one),
    )
    words = (
        "Two parallel lines, one above the other. From a point of the upper one two lines go to "
        "the lower one. At the upper point the angle between the upper line, to its left, and the "
        f"first of the two is {names[0]}, and the angle between the two is {names[1]}; at the "
        f"lower end of the second one, the angle between it and the lower line, to its left, is "
        f"{names[2]}."
    )
    marks = (*arrowhead(start, end, 0.95), *arrowhead(low, far, 0.95))
    return ANGLE, Figure(words, lines, angles, marks=marks), sizes[asked]


def bend(rng, step):
    """Connect two parallel lines by a path with one bend."""
    return _path(rng, step, 2)


def two_bends(rng, step):
    """Connect two parallel lines by a path with two bends."""
    return _path(rng, step, 3)


def outer_bends(rng, step):
    """Connect two parallel lines by a path with two bends; show an outer angle."""
    return _path(rng, step, 3, True)


class ParallelAngles(Theorem):
    levels = interpolate_levels(
        {
            0: ((crossed,), 20),
            1: ((crossed,), 10),
            2: ((crossed,), 5),
            3: ((crossed, crossed, bend), 5),
            4: ((crossed, bend), 2),
            5: ((bend,), 2),
            6: ((bend, bend, wedge), 2),
            7: ((bend, two_bends, wedge), 1),
            8: ((two_bends, wedge), 1),
            9: ((two_bends, outer_bends), 1),
            10: ((outer_bends,), 1),
        }
    )
    moves = numbers(180)
    about = (
        "It shows two parallel lines, marked by arrowheads, and lines that cross or connect them, "
        "drawn to scale. Reply with a number."
    )


def _sector(text, at, around, index):
    return name_angle(text, at, around[index], around[(index + 1) % 4])


def _path(rng, step, many, outer=False):
    """Return a path of lines that go down to the right and to the left in turn."""
    least, most = 30 // step + 1, 60 // step
    slopes = [step * int(n) for n in rng.integers(least, most + 1, size=many)]
    x, path = 0.0, [(0.0, 0.0)]
    for i, slope in enumerate(slopes):
        x += (1 if i % 2 == 0 else -1) / math.tan(math.radians(slope)) / many
        path.append((x, (i + 1) / many))
    low, high = min(p[0] for p in path) - 0.35, max(p[0] for p in path) + 0.35
    points = fit([*path, (low, 0), (high, 0), (low, 1), (high, 1)], *look(rng))
    *path, left, right, low_left, low_right = points
    start, end = path[0], path[-1]
    is_right = many % 2 == 0  # whether the last line opens to the right
    ends = (low_right, low_left) if is_right else (low_left, low_right)
    sizes = [slopes[0], *(a + b for a, b in itertools.pairwise(slopes)), slopes[-1]]
    asked = int(rng.integers(len(sizes)))
    names = ["x" if i == asked else f"{size}°" for i, size in enumerate(sizes)]
    side, beside = right, "right"
    if outer and asked:
        side, beside, names[0] = left, "left", f"{180 - slopes[0]}°"
    elif outer:
        names[-1], ends = f"{180 - slopes[-1]}°", ends[::-1]
        is_right = not is_right
    angles = [name_angle(names[0], start, side, path[1])]
    for i in range(1, many):
        angles.append(name_angle(names[i], path[i], path[i - 1], path[i + 1]))
    angles.append(name_angle(names[-1], end, ends[0], path[-2]))
    lines = [(*a, *b) for a, b in itertools.pairwise(path)]
    lines += [(*left, *start), (*start, *right), (*low_left, *end), (*end, *low_right)]
    if many == 2:  # flipped, the path is one of the same kind
        names = min(names, names[::-1])
    bends = ", then ".join([f"{name} at a bend" for name in names[1:-1]])
    words = (
        "Two parallel lines, one above the other, connected by a path that goes down to the right "
        f"and down to the left in turn. Its angles are {names[0]} between the upper line, to its "
        f"{beside}, and the path, then {bends}, and {names[-1]} between the path and the lower "
        f"line, to its {'right' if is_right else 'left'}."
    )
    marks = (*arrowhead(left, right, 0.95), *arrowhead(low_left, low_right, 0.95))
    return ANGLE, Figure(words, tuple(lines), tuple(angles), marks=marks), sizes[asked]
