"""Raven matrix: which box completes three rows that follow rules."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.matrices import boxes
from gem_ma.envs.visual.matrices.boxes import Box
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some

ALONG = ((1, 0), (0, 1))  # one value for each row, or for each column
ACROSS = ((1, 1), (1, 2))  # each value once in each row and column
VALUES = (boxes.FIGURES, (1, 2, 3, 4), boxes.SIZES)


class RavenMatrix(Task):
    # traits that vary, directions in which they may vary, options
    levels = interpolate_levels(
        {
            0: (1, ALONG, 2),
            2: (1, ALONG, 4),
            5: (2, ALONG, 5),
            7: (2, (*ALONG, *ACROSS), 5),
            8: (3, (*ALONG, *ACROSS), 6),
            10: (3, ACROSS, 6),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows three rows of three boxes that follow rules, from left to right and from the top "
        "down; the last one is missing. The boxes below them have letters: which one completes the "
        "rules? Reply with a letter."
    )

    def draw(self, rng, vary, ways, many):
        """Give each trait three values and a direction over the boxes."""
        traits = set(some(rng, range(3), vary))
        values = [some(rng, options, 3) for options in VALUES]
        walks = [pick(rng, ways) if trait in traits else (0, 0) for trait in range(3)]
        rows = [
            [
                Box(*(v[(a * r + b * c) % 3] for v, (a, b) in zip(values, walks, strict=True)))
                for c in range(3)
            ]
            for r in range(3)
        ]
        right = rows[2][2]
        options: list[Box] = []
        while len(set(options)) < many:
            options, place = patterns.variants(
                rng, right, many, lambda box: _vary(rng, box, values)
            )
        order = rng.permutation(many).tolist()
        choices = tuple(LETTERS[:many])
        content = (*map(tuple, rows[:2]), (*rows[2][:2], None)), tuple([options[i] for i in order])
        return Question("Which box is missing?", choices[order.index(place)], content, choices)

    def words(self, shown):
        return boxes.words(*shown)

    def scene(self, shown):
        return boxes.scene(*shown)


def _vary(rng, box, values):
    """Return a box with one trait changed."""
    trait = int(rng.integers(3))
    other = pick(rng, [value for value in values[trait] if value != box[trait]])
    return Box(*(other if i == trait else box[i] for i in range(3)))
