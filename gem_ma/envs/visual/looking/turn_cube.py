"""Turn a cube: see all of its six faces, three at a time, and count what is on them."""

from typing import Any, NamedTuple

from gem_ma.envs.levels import dial
from gem_ma.envs.visual.looking.parts import Looking
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import Question, numbers, pick
from gem_ma.scene import Shapes

# How a body lies: which way of it points to the left face that is seen, to the right one, and up.
TURNS = {
    "left": lambda left, right, up: (right, _back(left), up),  # the right face comes to the left
    "right": lambda left, right, up: (_back(right), left, up),
    "up": lambda left, right, up: (_back(up), right, left),  # the left face comes to the top
    "down": lambda left, right, up: (up, right, _back(left)),
}
NAMES = "top", "left face", "right face"
HIGH = 1.1  # of a cell, where half of the width of its top is 1


class Faces(NamedTuple):
    """What is seen: of each face the rows, each from the left; those of the top from behind."""

    top: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]


class Cube(NamedTuple):
    """The rows of six faces, one face after the other, two for each way of the body."""

    rows: tuple[str, ...]

    def seen(self, at):
        left, right, up = at
        size = len(self.rows) // 6
        low_to_high = range(1 - size, size, 2)  # the middles of cells, from the middle of the cube
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
        """Return what is on the face that points out so, at a place."""
        size = len(self.rows) // 6
        ((way, sign),) = [(i, one) for i, one in enumerate(out) if one]
        row, column = [(place[i] + size - 1) // 2 for i in range(3) if i != way]
        return self.rows[size * (2 * way + (sign < 0)) + row][column]


class TurnCube(Looking):
    levels = dial(
        {0: (1, 3), 2: (1, 6), 5: (2, 10), 8: (3, 20), 10: (4, 32)}
    )  # cells across a face, figures
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
        """Draw how many of a figure there are, and others."""
        kind = pick(rng, tuple(FIGURES))
        many = int(rng.integers(most + 1))
        others = [s for s in FIGURES if s != kind]
        order = rng.permutation(6 * size * size).tolist()
        cells = [kind if place < many else pick(rng, others) for place in order]
        rows = tuple(["".join(cells[i : i + size]) for i in range(0, len(cells), size)])
        text = f"How many {FIGURES[kind]} figures are on the six faces of the cube?"
        return Question(text, str(many), Cube(rows), self.moves)

    def begin(self, rng, shown):
        """Draw one of the 24 ways in which a cube can lie."""
        at = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        for _ in range(12):
            at = TURNS[pick(rng, self.looks)](*at)
        return at

    def look(self, at, asked, shown):
        return TURNS[asked](*at)

    def words(self, shown):
        return "\n".join([
            f"{name}:\n" + "\n".join([" | ".join([FIGURES[s] for s in row]) for row in rows])
            for name, rows in zip(NAMES, shown, strict=True)
        ])  # fmt: skip

    def scene(self, shown):
        size = len(shown.top)
        corners = (
            lambda i, j: (i, j, size),
            lambda i, j: (size, j, size - i),
            lambda i, j: (size - j, size, size - i),
        )
        scale = 0.94 / (size * max(2, 1 + HIGH))
        areas: list[Any] = []
        lines: dict[Any, Any] = {}
        items = []
        for color, rows, corner in zip(("white", "yellow", "white"), shown, corners, strict=True):
            for i, row in enumerate(rows):
                for j, symbol in enumerate(row):
                    ends = [corner(i + a, j + b) for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))]
                    ends = [_flat(*end, size, scale) for end in ends]
                    areas.append((color, tuple(ends)))
                    for a, b in zip(ends, [*ends[1:], ends[0]], strict=True):
                        lines[min(a, b), max(a, b)] = ("black", *min(a, b), *max(a, b), 0.006)
                    x, y = ((ends[0][k] + ends[2][k]) / 2 for k in (0, 1))
                    items.append((FIGURES[symbol], "black", x, y, 0.62 * scale, 0.0))
        return Shapes(areas=tuple(areas), lines=tuple(lines.values()), items=tuple(items))


def _flat(left, right, up, size, scale):
    """Return where a point of the cube lies in the picture, whose middle is that of the cube."""
    x, y = right - left, (right + left) / 2 - HIGH * up
    return 0.5 + scale * x, 0.5 + scale * (y - size * (1 - HIGH) / 2)


def _back(way):
    return tuple([-one for one in way])


def _sum(way, far, other, along):
    return tuple([far * a + along * b for a, b in zip(way, other, strict=True)])
