"""Pictograph: rows of signs, each of which stands for several things."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some
from gem_ma.scene import Grid, Tile

NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FULL, HALF, FREE = "#", "o", "."
TILES = (
    (FULL, Tile("star", "blue", "floor", name="a sign (#)")),
    (HALF, Tile("dot", "blue", "floor", name="half a sign (o)")),
    (FREE, Tile(ground="floor", name="nothing (.)")),
)


def one(rng, names, counts):
    """Ask for one day."""
    i = int(rng.integers(len(names)))
    return f"on {names[i]}", counts[i]


def two(rng, names, counts):
    """Ask for the sum of two days."""
    i, j = some(rng, range(len(names)), 2)
    return f"on {names[i]} and {names[j]} together", counts[i] + counts[j]


def between(rng, names, counts):
    """Ask for the difference of two days."""
    i, j = some(rng, range(len(names)), 2)
    i, j = (i, j) if counts[i] >= counts[j] else (j, i)
    return f"more on {names[i]} than on {names[j]}", counts[i] - counts[j]


def every(rng, names, counts):
    """Ask for the sum of all days."""
    return "in all", sum(counts)


class Pictograph(Task):
    # kinds of questions, days, most signs of a day, value of a sign, whether there are half signs
    levels = interpolate_levels(
        {
            0: ((one,), 2, 3, (2,), False),
            2: ((one,), 3, 5, (2, 10), False),
            5: ((one, two, between), 5, 6, (4, 6, 10), True),
            8: ((two, between, every), 6, 8, (4, 6, 8, 12), True),
            9: ((between, every), 7, 9, (4, 6, 8, 12), True),
            10: ((every,), 7, 10, (6, 8, 14, 16), True),
        }
    )
    moves = numbers(1200)
    about = (
        "It shows how many things there were on some days: a star (#) is a whole sign, a dot (o) "
        "half a sign. Reply with a number."
    )

    def draw(self, rng, kinds, days, most, worth, halved):
        each = pick(rng, worth)
        halves = rng.integers(1, 2 * most + 1, size=days).tolist()
        halves = [n if halved else n + n % 2 for n in halves]
        counts = [n * each // 2 for n in halves]
        condition, answer = pick(rng, kinds)(rng, NAMES[:days], counts)
        rows = tuple([(FULL * (n // 2) + HALF * (n % 2)).ljust(most, FREE) for n in halves])
        text = f"A whole sign stands for {each} things. How many were there {condition}?"
        return Question(text, str(answer), rows, self.moves)

    def words(self, shown):
        return "\n".join([f"{name} {row}" for name, row in zip(NAMES, shown, strict=False)])

    def scene(self, shown):
        return Grid(shown, TILES, lines=NAMES[: len(shown)])
