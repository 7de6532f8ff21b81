"""Corners: how many corners a closed figure has."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers


class Corners(Task):
    # least and largest number of corners
    levels = interpolate_levels({0: (3, 4), 2: (3, 7), 5: (5, 11), 8: (9, 16), 10: (14, 22)})
    moves = numbers(24)
    about = "It shows a closed figure of straight lines. Reply with a number."

    def draw(self, rng, least, most):
        many = int(rng.integers(least, most + 1))
        while True:
            shape = canvas.star_shaped(rng, many, 20, 46)
            if all(
                _bent(*three)
                for three in zip(shape, shape[1:] + shape[:1], shape[2:] + shape[:2], strict=True)
            ):
                return Question(
                    "How many corners does the figure have?", str(many), shape, self.moves
                )

    def words(self, shown):
        return (
            "The figure's lines go, in percent from the left and from the top, from corner to "
            f"corner and back to the first: {canvas.told(shown)}."
        )

    def scene(self, shown):
        corners = tuple([canvas.share(place) for place in shown])
        return canvas.drawn(
            areas=(("yellow", corners),), lines=canvas.outline(corners, canvas.THICK)
        )


def _bent(a, b, c):
    """Return whether the corner at `b` is clearly visible."""
    turn = math.atan2(b[1] - a[1], b[0] - a[0]) - math.atan2(c[1] - b[1], c[0] - b[0])
    turn = abs((math.degrees(turn) + 180) % 360 - 180)
    return 22 <= turn <= 155 and math.dist(a, b) >= 5
