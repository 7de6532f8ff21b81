"""A small language of chalk strokes in black and white: parsing and drawing."""

import itertools
import math
from typing import NamedTuple

from gem_ma.game import InvalidMove, clip_repr

PAPER = "gray"
CHALKS = ("black", "white")
SIDE = 100  # size of the paper; coordinates are 0 to 100, from the left and from the top
POINTS = 12  # in a line or a curve
MOST = 12  # strokes in one reply
LONGEST = 2000  # characters in a reply
THIN, THICK = 0.014, 0.04  # width of strokes, as shares of the paper
_KINDS = {  # the least and the most numbers of each kind
    "line": (4, 2 * POINTS),
    "curve": (4, 2 * POINTS),
    "circle": (3, 3),
    "disc": (3, 3),
    "box": (4, 4),
}
_FINE = 8  # segments of a curve between two of its points
_ROUND = 32  # segments of a circle
LANGUAGE = (
    f"The paper is a square; places are two numbers, 0 to {SIDE} from the left and 0 to {SIDE} "
    "from the top. Strokes, with ; between them: line X Y X Y ... through places; curve X Y X Y "
    f"... smoothly through places (2 to {POINTS} of them); circle X Y R around a place; disc X Y "
    "R, a filled one; box X Y X Y from corner to corner. Chalk is black, or white with the word "
    f"white before a stroke; thick before it makes it so. At most {MOST} strokes a reply. An "
    "example: circle 50 30 15; thick line 50 45 50 75; white disc 45 27 2"
)


class Stroke(NamedTuple):
    """One stroke of the chalk; a disc is filled, so `thick` has no effect on it."""

    kind: str
    numbers: tuple[int, ...]
    chalk: str = CHALKS[0]
    thick: bool = False

    def __str__(self):
        style = f"{self.chalk} thick" if self.thick else self.chalk
        return f"{style} {self.kind} {' '.join(map(str, self.numbers))}"


def read(text):
    """Return the strokes in a text; raise InvalidMove if there are others."""
    if len(text) > LONGEST:
        raise InvalidMove(f"a drawing has at most {LONGEST} characters, this one {len(text)}")
    parts = [part for part in text.casefold().replace("\n", ";").split(";") if part.strip(" .`")]
    if not 1 <= len(parts) <= MOST:
        raise InvalidMove(f"a reply has 1 to {MOST} strokes with ; between them, not {len(parts)}")
    return tuple([_stroke(part) for part in parts])


def _stroke(part):
    words = part.translate(str.maketrans(",()[]:`.", " " * 8)).split()
    chalk, thick = CHALKS[0], False
    while words and words[0] in (*CHALKS, "thick"):
        word = words.pop(0)
        chalk, thick = (chalk, True) if word == "thick" else (word, thick)
    if not words or words[0] not in _KINDS:
        raise InvalidMove(f"{clip_repr(part.strip())} is no stroke: expected {', '.join(_KINDS)}")
    kind, arguments = words[0], words[1:]
    minimum, maximum = _KINDS[kind]
    if not minimum <= len(arguments) <= maximum or (
        kind in ("line", "curve") and len(arguments) % 2
    ):
        requirement = f"2 to {POINTS} pairs of numbers" if maximum > 4 else f"{maximum} numbers"
        raise InvalidMove(f"{clip_repr(part.strip())}: a {kind} takes {requirement}")
    if not all(n.isascii() and n.isdecimal() and len(n) < 4 and int(n) <= SIDE for n in arguments):
        raise InvalidMove(f"{clip_repr(part.strip())}: expected whole numbers, 0 to {SIDE}")
    numbers = tuple(map(int, arguments))
    if len(numbers) == 3:
        x, y, radius = numbers
        if not 1 <= radius <= min(x, y, SIDE - x, SIDE - y):
            raise InvalidMove(f"{clip_repr(part.strip())}: it does not lie on the paper")
    return Stroke(kind, numbers, chalk, thick and kind != "disc")


def add(drawn, strokes):
    """Return a drawing with strokes added; repeated strokes move to the top."""
    strokes = tuple(dict.fromkeys(strokes))
    return (*(stroke for stroke in drawn if stroke not in strokes), *strokes)


def lines(drawn):
    """Return a drawing as the lines of a Shapes scene."""
    segments = []
    for stroke in drawn:
        path, width = _path(stroke)
        ends = [(max(0.0, min(1.0, x / SIDE)), max(0.0, min(1.0, y / SIDE))) for x, y in path]
        segments += [(stroke.chalk, *a, *b, width) for a, b in itertools.pairwise(ends)]
    return tuple(segments)


def _path(stroke):
    """Return the points of a stroke, and its width as a share of the paper."""
    width, n = THICK if stroke.thick else THIN, stroke.numbers
    if stroke.kind == "disc":  # a line without length has round ends
        return [n[:2]] * 2, 2 * n[2] / SIDE
    if stroke.kind == "circle":
        turns = [2 * math.pi * i / _ROUND for i in range(_ROUND + 1)]
        return [(n[0] + n[2] * math.cos(t), n[1] + n[2] * math.sin(t)) for t in turns], width
    if stroke.kind == "box":
        a, b, c, d = n
        return [(a, b), (c, b), (c, d), (a, d), (a, b)], width
    places = list(zip(n[::2], n[1::2], strict=True))
    return (_smooth(places) if stroke.kind == "curve" else places), width


def _smooth(places):
    """Return a smooth curve through all points (Catmull-Rom)."""
    path = [places[0]]
    around = [places[0], *places, places[-1]]
    for a, b, c, d in zip(around, around[1:], around[2:], around[3:], strict=False):
        path += [
            tuple([_between(*four, i / _FINE) for four in zip(a, b, c, d, strict=True)])
            for i in range(1, _FINE + 1)
        ]
    return path


def _between(a, b, c, d, t):
    """Return the value at the share t of the way from b to c (Catmull-Rom)."""
    bent = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
    return b + t * ((c - a) + t * (bent[0] + t * bent[1])) / 2
