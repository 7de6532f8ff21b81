"""Frame order: in which order pictures of a rolling ball were taken."""

import itertools
import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, some
from gem_ma.scene import Shapes

SCALE = 0.86  # of places in a frame, around its middle
BEFORE = 7  # how far the square is from the start of the line, in percent


def orders(many):
    """Return all orders of the first letters."""
    return tuple(["".join(one) for one in itertools.permutations(LETTERS[:many])])


class FrameOrder(Task):
    # pictures, bends of the path
    levels = interpolate_levels(
        {0: (2, 1), 1: (2, 2), 2: (3, 2), 5: (4, 4), 7: (4, 7), 8: (5, 8), 10: (5, 12)}
    )
    moves = tuple([order for many in range(2, 6) for order in orders(many)])
    about = (
        "It shows pictures with letters, in no order, of a ball that rolls along a line. It starts "
        "at the end of the line with the square and never goes back. Reply with the letters in the "
        "order in which the pictures were taken, such as BAC."
    )

    def draw(self, rng, many, bends):
        path = _path(rng, bends)
        spots: list[tuple[int, float, float, float]] = []
        while len(spots) < many:
            part, share = int(rng.integers(len(path) - 1)), int(rng.integers(1, 10)) / 10
            a, b = path[part], path[part + 1]
            x, y = (round(p + share * (q - p), 2) for p, q in zip(a, b, strict=True))
            if all((x - c) ** 2 + (y - d) ** 2 > 80 for _, _, c, d in spots):
                spots.append((part, share, x, y))
        spots.sort()
        names = some(rng, LETTERS[:many], many)
        places = sorted(zip(names, [spot[2:] for spot in spots], strict=True))
        shown = path, tuple([place for _, place in places])
        text = "In which order were the pictures taken?"
        return Question(text, "".join(names), shown, orders(many))

    def read(self, text, view, agent):
        """Drop commas, arrows and blanks between letters."""
        bare = "".join([char for char in text if char not in " ,->"])
        return super().read(bare if len(bare) == len(view.choices[0]) else text, view, agent)

    def words(self, shown):
        path, places = shown
        balls = [
            f"{name}: ball at {x:g}, {y:g}" for name, (x, y) in zip(LETTERS, places, strict=False)
        ]
        return f"The line goes through {canvas.told(path)}.\n" + "\n".join(balls)

    def scene(self, shown):
        path, places = shown
        squares = canvas.lay_out(len(places), 2 if len(places) < 5 else 3)
        (a, b), (c, d) = path[:2]  # the square stands before the start, where no ball is over it
        far = BEFORE / math.dist(path[0], path[1])
        path = (a - far * (c - a), b - far * (d - b)), *path[1:]
        starts, lines, balls, frames = [], [], [], []
        for place, (left, top, side) in zip(places, squares, strict=True):
            corners = [
                (
                    100 * left + side * (50 + SCALE * (x - 50)),
                    100 * top + side * (50 + SCALE * (y - 50)),
                )
                for x, y in (*path, place)
            ]
            starts += canvas.dots(corners[:1], 7 * side, "", "square")
            lines += [canvas.line(*ends, 0.006) for ends in itertools.pairwise(corners[:-1])]
            balls += canvas.spots(corners[-1:], 8 * side, "red")
            right, bottom = left + side, top + side
            frames += canvas.outline(
                ((left, top), (right, top), (right, bottom), (left, bottom)), 0.003
            )
        labels = canvas.name_squares(LETTERS[: len(squares)], squares)
        return Shapes(tuple(starts), lines=(*frames, *lines, *balls), labels=labels)


def _path(rng, bends):
    """Sample a line that goes through cells of a grid, and through none of them twice."""
    across = 3 if bends < 6 else 4
    step = 84 / (across - 1)
    while True:
        cell = tuple(rng.integers(across, size=2).tolist())
        cells, ways = [cell], list[tuple[int, int]]()
        while len(ways) < bends + 1:
            options = []
            for way in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                other = cell[0] + way[0], cell[1] + way[1]
                if max(other) < across and min(other) >= 0 and other not in cells:
                    options.append((other, way))
            if not options:
                break
            cell, way = options[int(rng.integers(len(options)))]
            if ways and ways[-1] == way:
                cells[-1:] = [cells[-1], cell]
            else:
                ways.append(way)
                cells.append(cell)
        if len(ways) == bends + 1:
            return tuple([(round(8 + step * c), round(8 + step * r)) for r, c in cells])
