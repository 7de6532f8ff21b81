"""Find star: move a window over a board until a star is visible, and name its cell."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.changes.pairs import name
from gem_ma.envs.visual.looking.window import FREE, WIDE, Board, Window
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import Question, pick

WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
MOST = 18


def cells(size):
    return tuple([name((r, c)) for r in range(size) for c in range(size)])


class FindStar(Window):
    levels = interpolate_levels({0: (4,), 2: (6,), 5: (9,), 8: (13,), 10: (MOST,)})  # cells across
    looks = tuple(WAYS)
    moves = (*cells(MOST), *WAYS)
    about = (
        "It is a board with one star; columns have letters from the left, rows numbers from the "
        "top. You see three rows and three columns. Reply up, down, left or right to move on by as "
        "many cells, or with the cell of the star, such as B3."
    )

    def draw(self, rng, size):
        symbols = [s for s, figure in FIGURES.items() if figure != "star"] + [FREE] * 8
        (star,) = [s for s, figure in FIGURES.items() if figure == "star"]
        cell = tuple(rng.integers(size, size=2).tolist())
        rows = [[pick(rng, symbols) for _ in range(size)] for _ in range(size)]
        rows[cell[0]][cell[1]] = star
        board = Board(tuple(map("".join, rows)))
        return Question("In which cell is the star?", name(cell), board, (*cells(size), *WAYS))

    def place(self, at, asked, last):
        down, right = WAYS[asked]
        row, column = at[0] + WIDE * down, at[1] + WIDE * right
        return min(last, max(0, row)), min(last, max(0, column))
