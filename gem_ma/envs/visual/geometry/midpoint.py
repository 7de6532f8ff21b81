"""Midpoint: where the middle between two of several points is."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.graded import Pointing
from gem_ma.envs.visual.question import LETTERS, Question, some


class Midpoint(Pointing):
    levels = interpolate_levels({0: (2,), 2: (3,), 5: (6,), 8: (12,), 10: (20,)})  # points
    has_own_seeds = True
    about = (
        "It shows points, each with a letter at its right. Reply with two whole numbers: how many "
        "percent of the picture a place is from its left side, and how many from its top, such as "
        "40, 65."
    )

    def draw(self, rng, many):
        places = canvas.apart(rng, many, 12 if many < 15 else 10, 8, 88)
        points = tuple(zip(LETTERS, places, strict=False))
        (a, (ax, ay)), (b, (bx, by)) = some(rng, points, 2)
        text = f"Where is the middle between {a} and {b}?"
        return Question(text, f"{(ax + bx) // 2}, {(ay + by) // 2}", points, self.moves)

    def words(self, shown):
        listing = ", ".join([f"{name} {x}, {y}" for name, (x, y) in shown])
        return f"In percent from the left and from the top: {listing}."

    def scene(self, shown):
        names = [(name, (x + 4, y)) for name, (x, y) in shown]
        dots = canvas.dots([place for _, place in shown])
        return canvas.drawn(items=dots, labels=canvas.tags(names))
