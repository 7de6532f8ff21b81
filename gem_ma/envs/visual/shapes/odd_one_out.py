"""Odd one out: which shape has a figure, colour or size that no other shape has."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, some
from gem_ma.envs.visual.shapes import things
from gem_ma.envs.visual.shapes.things import COLORS, FIGURES, SIZES, TOP
from gem_ma.scene import Shapes

TRAITS = (FIGURES, tuple(range(len(COLORS))), SIZES)  # of a Thing, in the order of its fields
LEFT, ABOVE = 0.09, TOP + 0.07  # shares of the picture for row and column names


def cells(size):
    return tuple([f"{LETTERS[column]}{row + 1}" for row in range(size) for column in range(size)])


class OddOneOut(Task):
    # cells across, other traits that vary
    levels = interpolate_levels({0: (2, 0), 2: (4, 0), 5: (5, 1), 8: (5, 2), 10: (8, 2)})
    moves = (*cells(5), *sorted({*cells(8)} - {*cells(5)}))
    about = (
        "It shows shapes in rows and columns. All have the same figure, or the figure of each is "
        "shared by others; so it is with the colours, and with the sizes. In one of the three, "
        "though, one shape differs from all others: find that shape. "
        f"{things.KEY} Columns have letters from the left, rows numbers from the top. "
        "Reply with the cell of the shape, such as B3."
    )

    def draw(self, rng, size, vary):
        """Sample the odd trait, and which of the other traits vary."""
        many = size * size
        odd = int(rng.integers(many))
        order = rng.permutation(3).tolist()
        columns = [None] * 3
        for place, trait in enumerate(order):
            first, second, *_ = some(rng, TRAITS[trait], len(TRAITS[trait]))
            values = [first] * many
            if place == 0:
                values[odd] = second
            elif place <= vary:  # about half of the shapes differ, at least two
                for i in rng.permutation(many)[: int(rng.integers(2, many // 2 + 1))].tolist():
                    values[i] = second
            columns[trait] = values
        content = size, tuple(zip(*columns, strict=True))
        return Question("Which shape is the odd one?", cells(size)[odd], content, cells(size))

    def words(self, shown):
        size, shapes = shown
        return "\n".join(
            [
                f"{name}: {extent} {figure}, colour {LETTERS[color]}"
                for name, (figure, color, extent) in zip(cells(size), shapes, strict=True)
            ]
        )

    def scene(self, shown):
        size, shapes = shown
        samples, labels = things.key()
        side = (1 - ABOVE) / size
        across = [LEFT + side * (i + 0.5) for i in range(size)]
        down = [ABOVE + side * (i + 0.5) for i in range(size)]
        places = [(x, y) for y in down for x in across]
        items = [
            (figure, COLORS[color], x, y, things.extent(extent, size + 0.5), 0.0)
            for (figure, color, extent), (x, y) in zip(shapes, places, strict=True)
        ]
        names = [(LETTERS[i], "", x, ABOVE - 0.03) for i, x in enumerate(across)]
        names += [(str(i + 1), "", LEFT / 2, y) for i, y in enumerate(down)]
        line = ("", 0.0, TOP - 0.02, 1.0, TOP - 0.02, 0.004)
        return Shapes((*samples, *items), lines=(line,), labels=(*labels, *names))
