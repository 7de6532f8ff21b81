"""Rows of boxes with figures, and boxes with letters to choose from."""

from typing import NamedTuple

from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Shapes

FIGURES = ("disc", "square", "triangle", "star", "heart", "ring")
SIZES = ("small", "middle", "large")
SPOTS = (
    ((0.5, 0.5),),
    ((0.3, 0.5), (0.7, 0.5)),
    ((0.5, 0.3), (0.3, 0.7), (0.7, 0.7)),
    ((0.3, 0.3), (0.7, 0.3), (0.3, 0.7), (0.7, 0.7)),
)


class Box(NamedTuple):
    figure: str
    number: int = 1
    size: str = "middle"
    degrees: int = 0

    def __str__(self):
        rotation = f", turned by {self.degrees} degrees" if self.degrees else ""
        return f"{self.number} {self.size} {self.figure}{'s' * (self.number > 1)}{rotation}"


def words(rows, options):
    lines = [" | ".join(["?" if box is None else str(box) for box in row]) for row in rows]
    choices = [f"{name}: {box}" for name, box in zip(LETTERS, options, strict=False)]
    return "\n".join([*lines, "To choose from:", *choices])


def scene(rows, options):
    """Return rows of boxes above a row of options."""
    wide, high = len(rows[0]), len(rows)
    own = min(30.0 if high == 1 else 22.0, 96 / len(options))
    side = min(66 / high, 96 / wide)
    if high == 1:  # sizes are compared: those of the options are the same
        own = side = min(own, side)
    left, top = (100 - wide * side) / 2, 14.0 if high == 1 else 2.0
    items, lines, names = [], [], []
    for i, row in enumerate(rows):
        for j, box in enumerate(row):
            x, y = left + j * side, top + i * side
            lines += _around(x, y, side)
            if box is None:
                names.append(("?", (x + side / 2, y + side / 2)))
            else:
                items += _figures(box, x, y, side)
    left = (100 - own * len(options)) / 2
    for i, box in enumerate(options):
        x, y = left + i * own, 56 if high == 1 else 97 - own
        lines += _around(x + 0.05 * own, y + 0.05 * own, 0.9 * own)
        items += _figures(box, x, y, own)
        names.append((LETTERS[i], (x + own / 2, y - 3.5)))
    return Shapes(tuple(items), lines=tuple(lines), labels=canvas.tags(names))


def _around(x, y, side):
    corners = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
    return canvas.outline([canvas.share(place) for place in corners])


def _figures(box, x, y, side):
    share = (0.18, 0.26, 0.34)[SIZES.index(box.size)] * (1.6 if box.number == 1 else 1)
    return [
        (
            box.figure,
            "blue",
            (x + side * a) / 100,
            (y + side * b) / 100,
            side * share / 100,
            float(box.degrees),
        )
        for a, b in SPOTS[box.number - 1]
    ]
