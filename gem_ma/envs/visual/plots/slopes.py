"""Slopes: how steep a graph is between two of its points."""

import itertools
from fractions import Fraction

import numpy as np

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
        names = zip(LETTERS, _place_letters(np.array(places)), strict=False)
        return Shapes(
            canvas.dots(places, 2.6, "blue"),
            lines=tuple(lines),
            labels=(*plane.NUMBERS, *canvas.tags(names, 0.065)),
            areas=plane.GRID,
        )


def _place_letters(points):
    """Yield a place beside each point: far from the graph, axes, other points and letters."""
    places = points[:, None] + SIDES
    flat = places.reshape(-1, 2)
    from_others = np.linalg.norm(flat[:, None] - points, axis=2)
    from_own = np.linalg.norm(SIDES, axis=1)
    from_others[np.repeat(np.eye(len(points), dtype=bool), len(SIDES), 0)] = np.inf
    lines = plane.measure_distances(flat, points), abs(flat - 50).min(1)
    beside = from_others.min(1) - np.tile(from_own, len(points))
    free = np.minimum.reduce([*lines, beside]).reshape(len(points), -1)
    free[(abs(places - 50) > EDGE).any(2)] = -np.inf
    letters = np.empty((0, 2))
    for around, room in zip(places, free, strict=True):
        apart = np.linalg.norm(around[:, None] - letters, axis=2).min(1, initial=np.inf)
        room = np.minimum(room, apart - 3)
        best = around[np.argmax(np.minimum(room, ENOUGH) + 0.01 * room.clip(0, 9) - WORSE)]
        letters = np.vstack([letters, best])
        yield best.tolist()


CELL, NEAR = plane.UNIT / 2, (2.2, 4.4)  # percent from a point to its letter
SIDES = np.array(  # the middles of the cells around a point, then places nearer to it
    [(x * a, y * b) for a, b in ((CELL, CELL), NEAR) for y in (-1, 1) for x in (-1, 1)]
)
WORSE = np.array([0.0] * 4 + [1.2] * 4)  # percent that the latter have to be farther from the rest
ENOUGH = 3.6  # percent from a letter to what is near: more is hardly better
EDGE = plane.UNIT * plane.SPAN - 2  # percent from the middle to the edge of the grid, at most
