"""Slopes: how steep a graph is between two of its points."""

import itertools
from fractions import Fraction

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.plots import plane
from gem_ma.envs.visual.question import AROUND, BESIDE, LETTERS, Question, Task, some
from gem_ma.game import InvalidMove, clip_repr
from gem_ma.scene import Shapes

SLOPES = sorted({Fraction(up, right) for right in range(1, 6) for up in range(-8, 9)}, key=str)


class Slopes(Task):
    # points, whether slopes are whole
    levels = interpolate_levels(
        {
            0: (2, True),
            1: (3, True),
            2: (3, False),
            3: (4, False),
            5: (5, False),
            8: (7, False),
            10: (9, False),
        }
    )
    moves = tuple(map(str, SLOPES))
    about = (
        "It shows a graph of straight parts between two axes; each line of the grid is one unit "
        "from the next, and the points between its parts have letters. Reply with a whole number "
        "or a fraction, such as -2 or 3/4."
    )

    def draw(self, rng, many, is_whole):
        while True:
            xs = sorted(some(rng, range(-plane.SPAN, plane.SPAN + 1), many))
            ys = rng.integers(-plane.SPAN + 1, plane.SPAN, size=many).tolist()
            points = tuple(zip(xs, ys, strict=True))
            slopes = [Fraction(d - b, c - a) for (a, b), (c, d) in itertools.pairwise(points)]
            at = int(rng.integers(many - 1))
            if slopes[at] not in SLOPES or (is_whole and slopes[at].denominator > 1):
                continue
            if all(a != b for a, b in itertools.pairwise(slopes)):
                break
        text = f"What is the slope of the graph between {LETTERS[at]} and {LETTERS[at + 1]}?"
        return Question(text, str(slopes[at]), points, self.moves)

    def read(self, text, view, agent):
        """Return a number in its shortest form."""
        words = [word for word in text.split() if word.strip(AROUND).casefold() not in BESIDE]
        bare = answer_parsing.strip_answer(" ".join(words).strip(AROUND))
        try:
            if len(bare) > 12 or "e" in bare.casefold():
                raise ValueError
            return str(Fraction(bare.replace("\u2212", "-").replace(" ", "")))
        except (ValueError, ZeroDivisionError):
            raise InvalidMove(
                f"{clip_repr(text)} is not a whole number or a fraction such as 3/4"
            ) from None

    def words(self, shown):
        points = [f"{name} ({x}, {y})" for name, (x, y) in zip(LETTERS, shown, strict=False)]
        return f"A graph of straight parts through {', '.join(points)}."

    def scene(self, shown):
        places = [plane.place(point) for point in shown]
        lines = [
            ("blue", *canvas.share(a), *canvas.share(b), 0.011)
            for a, b in itertools.pairwise(places)
        ]
        names = []
        for i, (x, y) in enumerate(places):
            around = [places[j][1] - y for j in (i - 1, i + 1) if 0 <= j < len(places)]
            up, down = (x, y - 5.5), (x, y + 5.5)
            sides = (up, down) if sum(around) > 0 else (down, up)  # away from the graph first
            free = [side for side in sides if _is_free(side)]
            names.append((LETTERS[i], (free or sides)[0]))
        return Shapes(
            canvas.dots(places, 2.6, "blue"),
            lines=(*plane.AXES, *lines),
            labels=(*plane.NUMBERS, *canvas.tags(names, 0.065)),
            areas=plane.GRID,
        )


def _is_free(place):
    """Return whether no number of an axis is near a place."""
    x, y = place
    return all(abs(100 * a - x) > 4 or abs(100 * b - y) > 5 for _, _, a, b, _ in plane.NUMBERS)
