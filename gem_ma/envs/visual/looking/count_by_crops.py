"""Count by crops: ask for parts of a board, and count figures on the whole board."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.changes.pairs import name
from gem_ma.envs.visual.looking.parts import strewn
from gem_ma.envs.visual.looking.window import FREE, Board, Window
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import Question, numbers

MOST = 15
LOOKS = tuple([f"show {name((r, c))}" for r in range(MOST) for c in range(MOST)])


class CountByCrops(Window):
    levels = interpolate_levels(
        {0: (3, 2), 2: (5, 4), 5: (8, 8), 8: (11, 12), 10: (MOST, 16)}
    )  # cells across, largest count
    looks = LOOKS
    moves = (*numbers(20), *LOOKS)
    about = (
        "It is a square board; columns have letters from the left, rows numbers from the top. You "
        "see three rows and three columns, and may ask for others by the cell in their top left "
        "corner, such as: show B3. Or reply with a number, which is your answer."
    )

    def draw(self, rng, size, most):
        """Sample the count of a figure, and other symbols for the remaining cells."""
        kind, many, rows = strewn(rng, size * size, size, most, [FREE] * 8)
        text = f"The board has {size} rows. How many {FIGURES[kind]} figures are on it?"
        return Question(text, str(many), Board(rows), self.moves)

    def place(self, at, asked, last):
        place = LOOKS.index(asked)
        return min(last, place // MOST), min(last, place % MOST)
