"""Tangle: where one of several strings that cross each other ends."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers


class Tangle(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (3, 2), 5: (5, 3), 8: (7, 4), 10: (9, 6)}
    )  # strings, bends of each
    moves = numbers(9)[1:]
    about = (
        "It shows strings that lead from letters at the top to numbers at the bottom. They cross, "
        "and bend only at small dots, where one goes on. Reply with a number."
    )

    def draw(self, rng, many, bends):
        """Sample the order of the strings at every level."""
        rows = [tuple(range(many))]
        rows += [tuple(rng.permutation(many).tolist()) for _ in range(bends + 1)]
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
        for string in shown:
            places = [_place(shown, level, at) for level, at in enumerate(string)]
            lines += [canvas.line(a, b, 0.01) for a, b in itertools.pairwise(places)]
            bends += places[1:-1]
        names = [(LETTERS[i], _place(shown, -0.25, i)) for i in range(len(shown))]
        names += [(str(i + 1), _place(shown, len(shown[0]) - 0.75, i)) for i in range(len(shown))]
        return canvas.drawn(items=canvas.dots(bends, 2.2), lines=lines, labels=canvas.tags(names))


def _place(strings, level, at):
    """Return the place of a string at a level, in percent."""
    last = len(strings[0]) - 1
    off = 0 if level in (0, last) or level < 0 or level > last else 2 * (at % 2) - 1
    across = 8 + 84 * at / (len(strings) - 1)
    if level < 0:
        return across, 5
    return across, (95 if level > last else 11 + 78 * level / last + off * 8 / last)
