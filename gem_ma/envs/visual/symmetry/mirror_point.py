"""Mirror point: where the mirror image of a point in a line is."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.graded import Pointing
from gem_ma.envs.visual.question import Question, pick

UPRIGHT = ((1, 0), (0, 1))
DIAGONAL = ((1, 1), (1, -1))
SLANTED = ((2, 1), (1, 2), (2, -1), (1, -2), (3, 1), (3, -1))


class MirrorPoint(Pointing):
    # directions of the line, number of irrelevant dots
    levels = interpolate_levels(
        {
            0: (((0, 1),), 0),
            2: (UPRIGHT, 1),
            4: (UPRIGHT, 2),
            5: (DIAGONAL, 3),
            8: (SLANTED, 5),
            10: (SLANTED, 10),
        }
    )
    about = (
        "It shows a straight line and a point P, with other dots, which mean nothing. Reply with "
        "two whole numbers: how many percent of the picture a place is from its left side, and how "
        "many from its top, such as 40, 65."
    )

    def draw(self, rng, ways, others):
        while True:
            right, down = pick(rng, ways)
            ax, ay = rng.integers(30, 71, size=2).tolist()
            x, y = rng.integers(6, 95, size=2).tolist()
            off = (x - ax) * down - (y - ay) * right  # distance times the length of the direction
            bottom = right * right + down * down
            image = round(x - 2 * off * down / bottom), round(y + 2 * off * right / bottom)
            if off * off >= 100 * bottom and min(image) >= 6 and max(image) <= 94:
                break
        dots = canvas.apart(
            rng, others, 8, 5, 95, lambda p: (p[0] - x) ** 2 + (p[1] - y) ** 2 > 150
        )
        line = _ends(ax, ay, right, down)
        text = "Where is the mirror image of P in the line?"
        return Question(text, f"{image[0]}, {image[1]}", (line, (x, y), dots), self.moves)

    def words(self, shown):
        (a, b), (x, y), others = shown
        more = f" Other dots: {canvas.told(others)}." if others else ""
        return (
            "In percent from the left and from the top: the line goes from "
            f"{a[0]:.2f}, {a[1]:.2f} to {b[0]:.2f}, {b[1]:.2f}; P is at {x}, {y}.{more}"
        )

    def scene(self, shown):
        (a, b), (x, y), others = shown
        names = canvas.tags([("P", (x + 4 if x < 90 else x - 4, y))])
        items = canvas.dots([(x, y), *others])
        return canvas.drawn(items=items, lines=(canvas.line(a, b),), labels=names)


def _ends(x, y, right, down):
    """Return where a line leaves the picture."""
    ends = []
    for side in (-1, 1):
        room = [
            (98 - at if side * way > 0 else at - 2) / abs(way)
            for at, way in ((x, right), (y, down))
            if way
        ]
        ends.append((x + side * min(room) * right, y + side * min(room) * down))
    return tuple(ends)
