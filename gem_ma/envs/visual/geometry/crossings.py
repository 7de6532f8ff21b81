"""Crossings: how often straight lines cross each other."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.canvas import away
from gem_ma.envs.visual.question import Question, Task, numbers


class Crossings(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (3, 3), 5: (5, 7), 8: (7, 12), 10: (10, 20)}
    )  # lines, largest number of crossings
    moves = numbers(45)
    about = (
        "It shows straight lines, some of which cross. No three of them meet in a point, and none "
        "ends on another. Reply with a number."
    )

    def draw(self, rng, many, most):
        """Sample the count, and then lines until they cross that often."""
        most = min(most, max(1, many * (many - 1) // 3))
        crossing_count, attempts = int(rng.integers(most + 1)), 0
        while True:
            attempts += 1
            crossing_count = crossing_count if attempts % 25 else int(rng.integers(most + 1))
            lines: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
            crossing_points: list[tuple[float, float]] = []
            for _ in range(80):
                ends = _ends(rng, 25 + 65 * crossing_count // most)
                more = _crossed(ends, lines, crossing_points)
                if more is None or len(crossing_points) + len(more) > crossing_count:
                    continue
                if len(lines) < many - 1 or len(crossing_points) + len(more) == crossing_count:
                    lines.append(ends)
                    crossing_points += more
                if len(lines) == many:
                    text = "How often do the lines cross?"
                    return Question(text, str(crossing_count), tuple(sorted(lines)), self.moves)

    def words(self, shown):
        lines = [f"from {a[0]}, {a[1]} to {b[0]}, {b[1]}" for a, b in shown]
        return "Lines, in percent from the left and from the top:\n" + "\n".join(lines)

    def scene(self, shown):
        return canvas.drawn(lines=[canvas.line(a, b, 0.009) for a, b in shown])


def _ends(rng, reach):
    """Sample the ends of a line that is at most `reach` percent wide and high."""
    (x, y), (right, down) = rng.integers(5, 96, size=2), rng.integers(-reach, reach + 1, size=2)
    return (int(x), int(y)), tuple([int(min(95, max(5, n))) for n in (x + right, y + down)])


def _side(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cross(one, other):
    (a, b), (c, d) = one, other
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _meets(one, other):
    (a, b), (c, d) = one, other
    share = _side(c, d, a) / (_side(c, d, a) - _side(c, d, b))
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _crossed(ends, lines, met):
    """Return where a line crosses others, or None if it is too short or too close to something."""
    a, b = ends
    if math.dist(a, b) < 20:
        return None
    for c, d in lines:
        if min(away(p, *q) for p, q in ((a, (c, d)), (b, (c, d)), (c, ends), (d, ends))) < 3:
            return None
    more = [_meets(ends, other) for other in lines if _cross(ends, other)]
    near = any(math.dist(p, q) < 3 for i, p in enumerate(more) for q in (*met, *more[:i]))
    return None if near else more
