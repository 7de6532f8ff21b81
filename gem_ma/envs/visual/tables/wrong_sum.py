"""Wrong sum: which row of a table does not add up."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick
from gem_ma.scene import TextTable


class WrongSum(Task):
    levels = interpolate_levels(
        {0: (2, 2, 5), 2: (3, 2, 10), 5: (5, 3, 20), 8: (7, 4, 60), 10: (10, 5, 200)}
    )
    moves = tuple(LETTERS[:10])
    about = (
        "It shows a table: in each row stand numbers, and at its end their sum. One of the sums is "
        "wrong. Reply with the letter of its row."
    )

    def draw(self, rng, many, wide, most):
        """Sample `many` rows of `wide` numbers up to `most`."""
        cells = rng.integers(1, most + 1, size=(many, wide)).tolist()
        rows = [[*row, sum(row)] for row in cells]
        wrong = int(rng.integers(many))
        off = pick(rng, (-10, -2, -1, 1, 2, 10) if most > 10 else (-1, 1))
        rows[wrong][-1] += off if rows[wrong][-1] + off > 0 else -off
        choices = tuple(LETTERS[:many])
        text = "In which row is the sum wrong?"
        return Question(text, choices[wrong], tuple(map(tuple, rows)), choices)

    def words(self, shown):
        labelled_rows = zip(LETTERS, shown, strict=False)
        return "\n".join(
            [f"{name}: {' + '.join(map(str, row[:-1]))} = {row[-1]}" for name, row in labelled_rows]
        )

    def scene(self, shown):
        rows = [(name, *map(str, row)) for name, row in zip(LETTERS, shown, strict=False)]
        return TextTable(tuple(rows), (*[""] * (len(shown[0])), "sum"))
