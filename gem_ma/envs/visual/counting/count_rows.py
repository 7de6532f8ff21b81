"""Count rows: how many rows or columns an empty grid has."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick
from gem_ma.scene import Shapes

LOW, HIGH = 4, 96  # percent of the picture


class CountRows(Task):
    # least and largest number
    levels = interpolate_levels({0: (1, 3), 2: (2, 7), 5: (5, 12), 8: (9, 18), 10: (13, 24)})
    moves = numbers(30)
    about = "It shows an empty grid of rows and columns. Reply with a number."

    def draw(self, rng, least, most):
        rows, columns = rng.integers(least, most + 1, size=2).tolist()
        kind = pick(rng, ("rows", "columns"))
        answer = rows if kind == "rows" else columns
        return Question(
            f"How many {kind} does the grid have?", str(answer), (rows, columns), self.moves
        )

    def words(self, shown):
        down, across = (", ".join([f"{at:.1f}" for at in _lines(many)]) for many in shown)
        return (
            f"A grid. Its upright lines stand at {across} percent from the left, the others at "
            f"{down} percent from the top."
        )

    def scene(self, shown):
        rows, columns = shown
        low, high = LOW / 100, HIGH / 100
        thick = 0.01 if max(shown) < 13 else 0.006
        upright = [("", x / 100, low, x / 100, high, thick) for x in _lines(columns)]
        level = [("", low, y / 100, high, y / 100, thick) for y in _lines(rows)]
        return Shapes(lines=(*upright, *level))


def _lines(many):
    return [LOW + (HIGH - LOW) * i / many for i in range(many + 1)]
