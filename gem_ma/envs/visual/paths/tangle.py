"""Tangle: where one of several strings that cross each other ends."""

import functools
import itertools
import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers

APART = 2  # percent of the picture between a string and the dots of others
LEAST_ANGLE = math.radians(6)  # between strings that cross


class Tangle(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (3, 2), 5: (5, 3), 8: (7, 4), 10: (9, 6)}
    )  # strings, bends of each
    moves = numbers(9)[1:]
    about = (
        "It shows strings that lead from letters at the top to numbers at the bottom. They cross, "
        "and bend only at small dots, one in each row of dots. Reply with a number."
    )

    def draw(self, rng, many, bends):
        """Sample the order of the strings at every level."""
        rows = [tuple(range(many))]
        while len(rows) < bends + 2:
            angles = _find_angles(many, bends + 1, len(rows) - 1)
            row = tuple(rng.permutation(many).tolist())
            parts = sorted(zip(rows[-1], row, strict=True))
            if all(part in angles for part in parts) and not any(
                b > d and abs(angles[a, b] - angles[c, d]) < LEAST_ANGLE
                for (a, b), (c, d) in itertools.combinations(parts, 2)
            ):
                rows.append(row)
        strings = tuple(zip(*rows, strict=True))
        index = int(rng.integers(many))
        text = f"At which number does the string end that begins at {LETTERS[index]}?"
        return Question(text, str(strings[index][-1] + 1), strings, self.moves)

    def words(self, shown):
        lines = [
            f"{name}: " + ", ".join([str(place + 1) for place in string[1:]])
            for name, string in zip(LETTERS, shown, strict=False)
        ]
        head = "Strings, and how many places from the left they stand at each level, from the top:"
        return "\n".join([head, *lines])

    def scene(self, shown):
        lines, bends = [], []
        many, last = len(shown), len(shown[0]) - 1
        for string in shown:
            places = [_place(many, last, level, at) for level, at in enumerate(string)]
            lines += [canvas.line(a, b, 0.01) for a, b in itertools.pairwise(places)]
            bends += places[1:-1]
        names = [(LETTERS[i], _place(many, last, -0.25, i)) for i in range(many)]
        names += [(str(i + 1), _place(many, last, last + 0.25, i)) for i in range(many)]
        return canvas.drawn(items=canvas.dots(bends, 2.2), lines=lines, labels=canvas.tags(names))


@functools.cache
def _find_angles(many, last, level):
    """Return the angles of the ways to the next level that are clear of the dots of others."""
    dots = [
        (row, at, _place(many, last, row, at))
        for row in (level, level + 1)
        if 0 < row < last
        for at in range(many)
    ]
    angles = {}
    for a, b in itertools.product(range(many), repeat=2):
        ends = _place(many, last, level, a), _place(many, last, level + 1, b)
        others = [dot for row, at, dot in dots if (row, at) not in ((level, a), (level + 1, b))]
        if all(canvas.away(dot, *ends) >= APART for dot in others):
            angles[a, b] = math.atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0])
    return angles


def _place(many, last, level, at):
    """Return the place of a string at a level, in percent."""
    off = 0 if level in (0, last) or level < 0 or level > last else 2 * (at % 2) - 1
    across = 8 + 84 * at / (many - 1)
    if level < 0:
        return across, 5
    return across, (95 if level > last else 11 + 78 * level / last + off * 8 / last)
