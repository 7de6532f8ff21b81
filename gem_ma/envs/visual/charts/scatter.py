"""Scatter: read the coordinates of points off two axes."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.charts import axes
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers, pick


class Scatter(Task):
    # points, marks of an axis, steps between marks, whether marks have lines
    levels = interpolate_levels(
        {
            0: (1, 3, (1,), True),
            2: (3, 5, (1,), True),
            5: (5, 6, (2,), True),
            8: (8, 6, (2, 4), False),
            10: (12, 5, (5,), False),
        }
    )
    moves = numbers(30)
    about = (
        "It shows points between two axes, each with a letter above it; x counts to the right, y "
        "upwards, both in whole numbers. Reply with a number."
    )

    def draw(self, rng, many, marks, steps, lined):
        tops, apart = axes.scales(rng, marks, steps)
        far = 8
        while True:
            points = tuple(
                map(tuple, rng.integers(1, [t + 1 for t in tops], size=(many, 2)).tolist())
            )
            places = [axes.place(point, tops) for point in points]
            near = any(
                (a - c) ** 2 + (b - d) ** 2 < far * far
                for i, (a, b) in enumerate(places)
                for c, d in places[:i]
            )
            if not near:
                break
        index, axis = int(rng.integers(many)), pick(rng, (0, 1))
        text = f"What is the {'xy'[axis]} of point {LETTERS[index]}?"
        return Question(text, str(points[index][axis]), (tops, apart, lined, points), self.moves)

    def words(self, shown):
        tops, apart, _, points = shown
        pairs = zip(LETTERS, points, strict=False)
        listing = ", ".join([f"{name} {x}, {y}" for name, (x, y) in pairs])
        return f"{axes.words(tops, apart)} Points: {listing}."

    def scene(self, shown):
        tops, apart, has_lines, points = shown
        lines, labels = axes.drawn(tops, apart, has_lines)
        places = [axes.place(point, tops) for point in points]
        names = [(name, (x, y - 4)) for name, (x, y) in zip(LETTERS, places, strict=False)]
        items = canvas.dots(places, 2.5)
        return canvas.drawn(items=items, lines=lines, labels=(*labels, *canvas.tags(names, 0.05)))
