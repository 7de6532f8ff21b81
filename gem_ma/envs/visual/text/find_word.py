"""Find word: where a word begins on a board of letters."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.changes.pairs import name
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick
from gem_ma.envs.visual.reading.spiral import TILES
from gem_ma.scene import Grid

WORDS = ("SUN", "KEY", "MAP", "TREE", "BIRD", "SHIP", "HOUSE", "RIVER", "PLANT", "WINTER", "GARDEN")
WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1))
MOST = 12


class FindWord(Task):
    # letters across, letters of the word, directions in which it may be written
    levels = interpolate_levels(
        {0: (3, 3, 1), 2: (4, 3, 2), 5: (6, 4, 2), 8: (9, 5, 4), 10: (MOST, 6, 6)}
    )
    moves = tuple([name((r, c)) for r in range(MOST) for c in range(MOST)])
    about = (
        "It shows a board of letters, in which a word is written once, in a straight line. Columns "
        "have letters from the left, rows numbers from the top. Reply with the cell of its first "
        "letter, such as B3."
    )

    def draw(self, rng, size, long, ways):
        """Write the word and fill the board until it occurs once; its own letters are frequent."""
        word = pick(rng, [word for word in WORDS if len(word) == long])
        cells = [(r, c) for r in range(size) for c in range(size)]
        while True:
            (row, column), (down, right) = pick(rng, cells), pick(rng, WAYS[:ways])
            line = [(row + i * down, column + i * right) for i in range(long)]
            if not all(cell in cells for cell in line):
                continue
            board = {cell: pick(rng, word + LETTERS) for cell in cells}
            board |= dict(zip(line, word, strict=True))
            if len(found(board, word)) == 1:
                break
        rows = tuple(["".join([board[r, c] for c in range(size)]) for r in range(size)])
        choices = tuple([name(cell) for cell in cells])
        return Question(f"Where does the word {word} begin?", name((row, column)), rows, choices)

    def words(self, shown):
        return "\n".join([" ".join(row) for row in shown])

    def scene(self, shown):
        size = len(shown)
        lines = tuple(map(str, range(1, size + 1)))
        return Grid(shown, TILES, columns=tuple(LETTERS[:size]), lines=lines)


def found(board, word):
    """Return where a word occurs, and its direction, for all directions."""
    return [
        (cell, way)
        for cell in board
        for way in WAYS
        if all(
            board.get((cell[0] + i * way[0], cell[1] + i * way[1])) == c for i, c in enumerate(word)
        )
    ]
