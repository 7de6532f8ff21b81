"""Count inside: how many dots lie within a closed line."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers


class CountInside(Task):
    # dots, largest number inside, corners of the line
    levels = interpolate_levels(
        {0: (3, 2, 4), 2: (7, 5, 5), 5: (14, 9, 8), 8: (22, 14, 12), 10: (34, 20, 16)}
    )
    moves = numbers(36)
    about = "It shows a closed line and dots, none of which touches it. Reply with a number."

    def draw(self, rng, many, most, corners):
        count = int(rng.integers(most + 1))
        while True:
            shape = canvas.star_shaped(rng, corners, 17 if corners > 6 else 26, 42)
            dots = [
                place for place in canvas.apart(rng, 3 * many, 5, 5, 95) if _clear(place, shape)
            ]
            within = [place for place in dots if canvas.inside(place, shape)][:count]
            without = [place for place in dots if not canvas.inside(place, shape)]
            dots = sorted([*within, *without[: many - count]])
            if len(within) == count and len(dots) == many:
                content = shape, tuple(dots)
                return Question(
                    "How many dots are inside the line?", str(count), content, self.moves
                )

    def words(self, shown):
        shape, dots = shown
        return (
            "In percent from the left and from the top, the corners of the line, in order: "
            f"{canvas.told(shape)}. The dots: {canvas.told(dots)}."
        )

    def scene(self, shown):
        shape, dots = shown
        lines = canvas.outline([canvas.share(place) for place in shape], canvas.THICK)
        return canvas.drawn(items=canvas.dots(dots, 2.6), lines=lines)


def _clear(place, shape):
    ends = zip(shape, (*shape[1:], shape[0]), strict=True)
    return all(canvas.away(place, a, b) >= 3 for a, b in ends)
