"""Broken symmetry: which square breaks the symmetry of a mirrored pattern."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick
from gem_ma.scene import Grid

MOST = 7


def cells(half):
    """Return the names of the squares of the right half."""
    columns = range(half, 2 * half)
    return tuple([f"{LETTERS[c]}{r + 1}" for r in range(2 * half) for c in columns])


class BrokenSymmetry(Task):
    levels = interpolate_levels(
        {0: (1,), 2: (2,), 5: (3,), 8: (5,), 10: (MOST,)}
    )  # squares from the middle to the side
    moves = tuple(sorted({cell for half in range(1, MOST + 1) for cell in cells(half)}))
    about = (
        "It shows a pattern whose right half is the left one in a mirror, but for one square of "
        "the right half. Columns have letters from the left, rows numbers from the top. Reply with "
        "the name of this square, such as D2."
    )

    def draw(self, rng, half):
        side = 2 * half
        left = [row[:half] for row in patterns.draw(rng, side)]
        rows = [[*row, *row[::-1]] for row in left]
        wrong = int(rng.integers(side)), int(rng.integers(half, side))
        others = [s for s in patterns.SYMBOLS if s != rows[wrong[0]][wrong[1]]]
        rows[wrong[0]][wrong[1]] = pick(rng, others)
        answer = f"{LETTERS[wrong[1]]}{wrong[0] + 1}"
        text = "Which square of the right half is not as in a mirror?"
        return Question(text, answer, tuple(map("".join, rows)), cells(half))

    def words(self, shown):
        head = "   " + " ".join(LETTERS[: len(shown)])
        return "\n".join([head, *(f"{i:>2} {' '.join(row)}" for i, row in enumerate(shown, 1))])

    def scene(self, shown):
        size = len(shown)
        numbers = tuple(map(str, range(1, size + 1)))
        return Grid(shown, patterns.TILES, columns=tuple(LETTERS[:size]), lines=numbers)
