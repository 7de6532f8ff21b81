"""Next in row: how a row of boxes continues."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.matrices import boxes
from gem_ma.envs.visual.matrices.boxes import Box
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some

TURNS = (45, 90, 135, 225, 270, 315)


class NextInRow(Task):
    # boxes of the row, traits that change, options
    levels = interpolate_levels(
        {0: (3, 1, 2), 2: (4, 1, 4), 5: (5, 2, 5), 8: (6, 3, 6), 10: (7, 3, 6)}
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows a row of boxes. From each box to the next, the arrows turn by the same angle; "
        "their number and their size repeat in the same order. Which box comes next? "
        "Reply with a letter."
    )

    def draw(self, rng, many, changes, options):
        """Turn the arrows, and repeat number and size after two or three boxes."""
        traits = set(some(rng, range(3), changes))
        turn = pick(rng, TURNS) if 0 in traits else 0
        start = 45 * int(rng.integers(8))
        period = 2 if many < 5 else 3
        numbers = some(rng, (1, 2, 3, 4), period if 1 in traits else 1)
        sizes = some(rng, boxes.SIZES, min(2, period) if 2 in traits else 1)
        row = [
            Box("arrow", numbers[i % len(numbers)], sizes[i % len(sizes)], (start + turn * i) % 360)
            for i in range(many + 1)
        ]
        variants: list[Box] = []
        while len(set(variants)) < options:
            variants, place = patterns.variants(rng, row[-1], options, lambda box: _vary(rng, box))
        order = rng.permutation(options).tolist()
        choices = tuple(LETTERS[:options])
        content = ((*row[:-1], None),), tuple([variants[i] for i in order])
        return Question("Which box comes next?", choices[order.index(place)], content, choices)

    def words(self, shown):
        return boxes.words(*shown)

    def scene(self, shown):
        return boxes.scene(*shown)


def _vary(rng, box):
    """Return a box with one trait changed."""
    trait = int(rng.integers(3))
    if trait == 0:
        return box._replace(degrees=(box.degrees + pick(rng, TURNS)) % 360)
    if trait == 1:
        return box._replace(number=pick(rng, [n for n in (1, 2, 3, 4) if n != box.number]))
    return box._replace(size=pick(rng, [size for size in boxes.SIZES if size != box.size]))
