"""Spiral: the letters of a board, read from outside inwards."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task
from gem_ma.scene import Grid, Tile

TILES = tuple([(letter, Tile(ground="floor", text=letter)) for letter in LETTERS])


class Spiral(Task):
    levels = interpolate_levels({0: (2,), 2: (3,), 5: (5,), 8: (7,), 10: (10,)})  # letters across
    moves = tuple(LETTERS)
    about = (
        "It shows a board of letters. They are read in a spiral: from the top left corner to the "
        "right, down, to the left, up, and so on inwards. Reply with a letter."
    )

    def draw(self, rng, size):
        """Ask for a letter in the second half of the spiral."""
        board = rng.integers(len(LETTERS), size=(size, size)).tolist()
        rows = tuple(["".join([LETTERS[i] for i in row]) for row in board])
        place = int(rng.integers(size * size // 2, size * size))
        row, column = spiral(size)[place]
        text = f"Which is letter number {place + 1}, where the first one is number 1?"
        return Question(text, rows[row][column], rows, self.moves)

    def words(self, shown):
        return "\n".join([" ".join(row) for row in shown])

    def scene(self, shown):
        return Grid(shown, TILES)


def spiral(size):
    """Return the cells of a square board in spiral order."""
    cells, low, high = [], 0, size - 1
    while low <= high:
        cells += [(low, c) for c in range(low, high + 1)]
        cells += [(r, high) for r in range(low + 1, high + 1)]
        cells += [(high, c) for c in range(high - 1, low - 1, -1)]
        cells += [(r, low) for r in range(high - 1, low, -1)]
        low, high = low + 1, high - 1
    return cells[: size * size]
