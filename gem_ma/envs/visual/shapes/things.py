"""Figures scattered over a picture, with a key that names their colours by letters."""

from typing import NamedTuple

from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Shapes

FIGURES = ("disc", "square", "triangle", "star", "heart", "arrow", "ring")
COLORS = ("red", "blue", "purple", "green")  # distinct in every theme; only the key names them
SMALL, LARGE = SIZES = ("small", "large")
TOP = 0.1  # share of the picture for the key
KEY = (
    "Its colours go by letters: the key at the top shows a sample of each. Each shape is either "
    "small or large."
)


class Thing(NamedTuple):
    figure: str
    color: int  # index in the key
    size: str = LARGE
    x: int = 0  # of its centre, in percent
    y: int = 0
    degrees: int = 0


def extent(size, across):
    """Return the size of a thing as a share of a picture with `across` cells in a row."""
    return (0.36 if size == SMALL else 0.62) * (1 - TOP) / across


def scatter(rng, things, across, turns=(0,)):
    """Place things in different cells of a square of across x across, off the cells' centres."""
    cell, placed_things = 100 * (1 - TOP) / across, []
    spots = rng.permutation(across * across)[: len(things)].tolist()
    shifts = rng.random((len(things), 2)).tolist()
    turn_indices = rng.integers(len(turns), size=len(things)).tolist()
    for thing, spot, shift, turn in zip(things, spots, shifts, turn_indices, strict=True):
        free = cell - 100 * 1.3 * extent(thing.size, across)
        row, column = divmod(spot, across)
        x, y = (
            round((at + 0.5) * cell + free * (share - 0.5))
            for at, share in zip((column, row), shift, strict=True)
        )
        at = {"x": x + round(50 * TOP), "y": y + round(100 * TOP), "degrees": turns[turn]}
        placed_things.append(thing._replace(**at))
    placed_things.sort(key=lambda t: (t.y, t.x))  # the order of sampling would reveal too much
    return across, tuple(placed_things)


def words(shown):
    _, things = shown
    lines = [f"{t.size} {t.figure}, colour {LETTERS[t.color]}, at {t.x}, {t.y}" for t in things]
    head = "Shapes, and where their middles are, in percent from the left and from the top:"
    return "\n".join([head, *lines])


def key():
    """Return the colour samples of the key and their letters."""
    at = [0.1 + 0.22 * i for i in range(len(COLORS))]
    samples = [("square", color, x, 0.04, 0.06, 0.0) for color, x in zip(COLORS, at, strict=True)]
    labels = [(LETTERS[i], "", x + 0.07, 0.04) for i, x in enumerate(at)]
    return tuple(samples), tuple(labels)


def scene(shown):
    across, things = shown
    samples, labels = key()
    items = [
        (t.figure, COLORS[t.color], t.x / 100, t.y / 100, extent(t.size, across), t.degrees)
        for t in things
    ]
    line = ("", 0.0, TOP - 0.02, 1.0, TOP - 0.02, 0.004)
    return Shapes((*samples, *items), lines=(line,), labels=labels)
