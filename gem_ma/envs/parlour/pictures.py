"""Helpers of games of talk about pictures: small pictures, their descriptions, and messages."""

import functools
import math

from gem_ma.game import InvalidMove, clip_repr
from gem_ma.scene import Grid, Tile

EMPTY = "."
GROUND = "gray"
# Drawn themes swap figures and colours, so that descriptions would be wrong.
FIGURES = ("arrow", "cross", "door", "flag", "heart", "key", "pawn", "spade")
SHADES = ("black", "white")
OBJECTS = tuple([f"{shade} {figure}" for shade in SHADES for figure in FIGURES])
TILES = (
    (EMPTY, Tile(ground=GROUND)),
    *((f"{s} {f}", Tile(f, s, GROUND)) for s in SHADES for f in FIGURES),
)
LONGEST = 500  # characters in a message
# The reason why games of talk have no list of moves.
FREE_TALK = "a message may be any text, and numbers cannot hold the text of another seat"


@functools.cache
def cells(size):
    """Return the names of the cells of a square board, row by row; A1 is top left."""
    return tuple([f"{chr(65 + i % size)}{i // size + 1}" for i in range(size * size)])


def naming(size):
    """Return the sentence of the rules that explains the names of the cells."""
    last = cells(size)[-1]
    return f"Columns are A to {last[0]} from the left, rows 1 to {last[1:]} from the top."


def scatter(rng, size, things):
    """Return a picture with the things on different random cells."""
    picture = [EMPTY] * (size * size)
    for cell, thing in zip(rng.permutation(size * size).tolist(), things, strict=False):
        picture[cell] = thing
    return tuple(picture)


def objects(rng, many):
    return [OBJECTS[i] for i in rng.integers(len(OBJECTS), size=many).tolist()]


def taken(picture):
    return [cell for cell, thing in enumerate(picture) if thing != EMPTY]


def put(picture, cell, thing):
    return (*picture[:cell], thing, *picture[cell + 1 :])


def another(rng, thing, of):
    """Return an object that differs from another in its "figure" or in its "shade"."""
    shade, figure = thing.split()
    if of == "shade":
        return f"{SHADES[1 - SHADES.index(shade)]} {figure}"
    step = int(rng.integers(1, len(FIGURES)))
    return f"{shade} {FIGURES[(FIGURES.index(figure) + step) % len(FIGURES)]}"


def words(picture):
    return ", ".join([f"{thing} at {cell}" for cell, thing in _told(picture)])


def sentences(picture):
    """Return a sentence for each thing in the picture, as a seat may say it."""
    return tuple([f"There is a {thing} at {cell}." for cell, thing in _told(picture)])


def _told(picture):
    names = cells(math.isqrt(len(picture)))
    return [pair for pair in zip(names, picture, strict=True) if pair[1] != EMPTY]


def board(picture, status=(), tiles=TILES, marks=()):
    """Return the picture as a Scene; `marks` are indices of cells to mark."""
    size = math.isqrt(len(picture))
    names = cells(size)
    return Grid(
        tuple([picture[i : i + size] for i in range(0, size * size, size)]),
        tiles,
        marks=tuple([divmod(cell, size) for cell in marks]),
        columns=tuple([cell[0] for cell in names[:size]]),
        lines=tuple([cell[1:] for cell in names[::size]]),
        status=tuple(status),
    )


def message(text, longest=LONGEST):
    """Return a message for the other seat unchanged; raise InvalidMove if empty or too long."""
    if not text.strip():
        raise InvalidMove("the message is empty")
    if len(text) > longest:
        raise InvalidMove(
            f"a message has at most {longest} characters, this has {len(text)}: {clip_repr(text)}"
        )
    return text
