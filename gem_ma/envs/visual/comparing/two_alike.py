"""Two alike: which two of several patterns are the same."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import LETTERS, Question, Task
from gem_ma.scene import Grid, Panels

PAIRS = tuple(map("".join, itertools.combinations(LETTERS[:9], 2)))


class TwoAlike(Task):
    levels = interpolate_levels(
        {0: (3, 2), 2: (4, 3), 5: (6, 4), 8: (9, 5), 10: (9, 8)}
    )  # patterns, squares across
    moves = PAIRS
    about = (
        "It shows patterns of squares, each with a letter. Two are exactly the same. Reply with "
        "their letters, in order, such as AC."
    )

    def draw(self, rng, many, size):
        """Sample patterns that differ by exchanges of two squares; show one of them twice."""
        variants: list[tuple[str, ...]] = []
        while len(set(variants)) < many - 1:
            variants = [patterns.draw(rng, size)]
            while len(variants) < many - 1:
                variants.append(patterns.swapped(rng, variants[int(rng.integers(len(variants)))]))
        variants.append(variants[int(rng.integers(len(variants)))])
        panels = tuple([variants[i] for i in rng.permutation(many).tolist()])
        answer = "".join([LETTERS[i] for i, one in enumerate(panels) if panels.count(one) == 2])
        choices = tuple(map("".join, itertools.combinations(LETTERS[:many], 2)))
        return Question("Which two patterns are the same?", answer, panels, choices)

    def read(self, text, view, agent):
        letters = [c for c in text.replace("and", " ") if c.isalnum()]
        return super().read(
            "".join(sorted("".join(letters).upper())) if len(letters) == 2 else text, view, agent
        )

    def words(self, shown):
        return "\n".join([f"{LETTERS[i]}:\n" + "\n".join(rows) for i, rows in enumerate(shown)])

    def scene(self, shown):
        panels = [(LETTERS[i], Grid(rows, patterns.TILES)) for i, rows in enumerate(shown)]
        return Panels(tuple(panels), 2 if len(panels) == 4 else 3, gap=0.08)
