"""Latin square: which figure is missing from a square with each once in every row and column."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task
from gem_ma.scene import Grid, Tile

FIGURES = {
    "d": "disc",
    "s": "square",
    "t": "triangle",
    "r": "star",
    "h": "heart",
    "o": "ring",
    "p": "plus",
    "m": "diamond",
}
ASKED, FREE = "?", "."
TILES = (
    *((s, Tile(f, "", "floor", name=f)) for s, f in FIGURES.items()),
    (ASKED, Tile(ground="floor", text="?", name="what is asked for (?)")),
    (FREE, Tile(ground="outside", name="not shown (.)")),
)


class LatinSquare(Task):
    # cells across, largest number of redundant cells shown in the row and the column
    levels = interpolate_levels({0: (2, 9), 2: (3, 9), 5: (5, 3), 8: (7, 1), 10: (8, 0)})
    moves = tuple(FIGURES.values())
    about = (
        "It shows a square in which every figure stands once in each row and once in each column; "
        "some cells are not shown (.). Reply with the name of the figure that belongs to the cell "
        "with the question mark, such as star."
    )

    def draw(self, rng, size, more):
        """Shuffle a square; hide cells as long as row and column together determine the answer."""
        rows, columns = rng.permutation(size).tolist(), rng.permutation(size).tolist()
        names = [list(FIGURES)[i] for i in rng.permutation(size).tolist()]
        square = [[names[(r + c) % size] for c in columns] for r in rows]
        row, column = tuple(rng.integers(size, size=2).tolist())
        answer = square[row][column]
        around = [(row, c) for c in range(size) if c != column]
        around += [(r, column) for r in range(size) if r != row]
        hidden_cells: set[tuple[int, int]] = set()
        for i in rng.permutation(len(around)).tolist():
            remaining = {
                square[r][c] for r, c in around if (r, c) not in hidden_cells | {around[i]}
            }
            if len(remaining) == size - 1 and len(hidden_cells) < size - 1 - more:
                hidden_cells.add(around[i])
        rest = [(r, c) for r in range(size) for c in range(size) if r != row and c != column]
        hidden_cells |= {
            rest[i] for i in rng.permutation(len(rest))[: max(0, len(rest) // 2 - more)].tolist()
        }
        answer_cells = [(r, c) for r, c in rest if square[r][c] == answer]
        if hidden_cells.issuperset(answer_cells):  # every figure must be visible
            hidden_cells.discard(answer_cells[0])
        for r, c in hidden_cells:
            square[r][c] = FREE
        square[row][column] = ASKED
        choices = tuple([FIGURES[name] for name in sorted(names)])
        text = "Which figure belongs to the cell with the question mark?"
        return Question(text, FIGURES[answer], tuple(map("".join, square)), choices)

    def words(self, shown):
        return "\n".join([" | ".join([FIGURES.get(s, s) for s in row]) for row in shown])

    def scene(self, shown):
        return Grid(shown, TILES)
