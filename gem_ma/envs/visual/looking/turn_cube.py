"""Turn a cube: see all of its six faces, three at a time, and count figures on them."""

from typing import NamedTuple

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.blocks import solid
from gem_ma.envs.visual.changes import pairs
from gem_ma.envs.visual.looking.parts import Looking, strewn
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import Question, numbers, pick
from gem_ma.scene import Shapes

# The orientation of the cube: which of its directions point left, right and up.
TURNS = {
    "left": lambda left, right, up: (right, _back(left), up),  # the right face becomes the left one
    "right": lambda left, right, up: (_back(right), left, up),
    "up": lambda left, right, up: (_back(up), right, left),  # the left face becomes the top
    "down": lambda left, right, up: (up, right, _back(left)),
}
NAMES = "top", "left face", "right face"


class Faces(NamedTuple):
    """The rows of the visible faces, from the left; those of the top begin at its back right."""

    top: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]


class Cube(NamedTuple):
    """The rows of the six faces in order: the two faces of each axis of the cube."""

    rows: tuple[str, ...]

    def seen(self, at):
        left, right, up = at
        size = len(self.rows) // 6
        low_to_high = range(1 - size, size, 2)  # centres of cells, from the cube's centre
        high_to_low = low_to_high[::-1]
        faces = (
            (up, left, low_to_high, right, low_to_high),
            (left, up, high_to_low, right, low_to_high),
            (right, up, high_to_low, left, high_to_low),
        )
        return Faces(*[
            tuple(["".join([self.cell(out, _sum(a, i, b, j)) for j in columns]) for i in rows])
            for out, a, rows, b, columns in faces
        ])  # fmt: skip

    def cell(self, out, place):
        """Return the symbol at a place of the face with the normal `out`."""
        size = len(self.rows) // 6
        ((way, sign),) = [(i, one) for i, one in enumerate(out) if one]
        row, column = [(place[i] + size - 1) // 2 for i in range(3) if i != way]
        return self.rows[size * (2 * way + (sign < 0)) + row][column]


class TurnCube(Looking):
    levels = interpolate_levels(
        {0: (1, 3), 2: (1, 6), 5: (2, 10), 8: (3, 20), 10: (4, 32)}
    )  # cells across a face, largest count
    looks = tuple(TURNS)
    moves = (*numbers(40), *TURNS)
    about = (
        "It is a cube with a figure in each cell of its six faces. You see its top, its left and "
        "its right face, in words the rows of each, from the left; those of the top begin at its "
        "edge on the right, behind. Reply left or right to turn it by a quarter, as seen from "
        "above: with left its right face comes to the left. Reply up or down to roll it: with up "
        "its left face comes to the top, with down its top to the left. Or reply with a number, "
        "which is your answer."
    )

    def draw(self, rng, size, most):
        """Sample the count of a figure, and other figures for the remaining cells."""
        kind, many, rows = strewn(rng, 6 * size * size, size, most)
        text = f"How many {FIGURES[kind]} figures are on the six faces of the cube?"
        return Question(text, str(many), Cube(rows), self.moves)

    def begin(self, rng, shown):
        """Sample one of the 24 orientations of a cube."""
        at = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        for _ in range(12):
            at = TURNS[pick(rng, self.looks)](*at)
        return at

    def look(self, at, asked, shown):
        return TURNS[asked](*at)

    def words(self, shown):
        return pairs.told(zip(NAMES, shown, strict=True))

    def scene(self, shown):
        size = len(shown.top)
        corners = (
            lambda i, j: (i, j, size),
            lambda i, j: (size, j, size - i),
            lambda i, j: (size - j, size, size - i),
        )
        faces = []
        for color, rows, corner in zip(("white", "yellow", "white"), shown, corners, strict=True):
            for i, row in enumerate(rows):
                for j in range(len(row)):
                    around = ((0, 0), (0, 1), (1, 1), (1, 0))
                    faces.append((color, [corner(i + a, j + b) for a, b in around]))
        areas, lines = solid.drawn(faces, "black")
        figures = [FIGURES[symbol] for rows in shown for row in rows for symbol in row]
        items = []
        for figure, (_, (first, second, third, _)) in zip(figures, areas, strict=True):
            x, y = ((a + b) / 2 for a, b in zip(first, third, strict=True))
            items.append((figure, "black", x, y, 0.62 * abs(second[0] - first[0]), 0.0))
        return Shapes(areas=areas, lines=lines, items=tuple(items))


def _back(way):
    return tuple([-one for one in way])


def _sum(way, far, other, along):
    return tuple([far * a + along * b for a, b in zip(way, other, strict=True)])
