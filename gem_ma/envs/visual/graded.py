"""Answers that are a place or a box in the picture, paid by their accuracy."""

import math

from gem_ma.envs import answer_parsing
from gem_ma.envs.visual.question import Task
from gem_ma.game import InvalidMove, clip_repr

NEAR, FAR = 300, 1500  # hundredths of a percent: up to NEAR the reward is 1, from FAR on it is 0
STEP = 5
PLACES = tuple([f"{x}, {y}" for y in range(0, 101, STEP) for x in range(0, 101, STEP)])
_EDGES = range(0, 101, 20)
BOXES = tuple(
    [
        f"{left}, {top}, {right}, {bottom}"
        for top in _EDGES
        for left in _EDGES
        for bottom in _EDGES
        for right in _EDGES
        if left < right and top < bottom
    ]
)


class _Measured(Task):
    """A task whose answer is a list of percentages, from the left or from the top."""

    names_points = True
    many: int
    form: str

    def read(self, text, view, agent):
        """Return the numbers in their normal form."""
        numbers = answer_parsing.parse_integers(text, self.many)
        if not numbers or max(numbers) > 100:
            raise InvalidMove(f"{clip_repr(text)} is not a reply such as {self.form}")
        return ", ".join(map(str, numbers))


class Pointing(_Measured):
    """A task whose answer is a point."""

    many, form = 2, "40, 65"
    moves = PLACES
    pays = "a point 3 percent of the picture from the right one or nearer earns 1, 15 or more none"

    def grade(self, answer, said):
        (ax, ay), (bx, by) = _numbers(answer), _numbers(said)
        away = math.isqrt(10_000 * ((ax - bx) ** 2 + (ay - by) ** 2))
        return min(100, max(0, (FAR - away) * 100 // (FAR - NEAR))) / 100


class Boxing(_Measured):
    """A task whose answer is a box: left, top, right and bottom."""

    many, form = 4, "10, 20, 55, 70"
    moves = BOXES
    pays = (
        "a box earns what it shares with the right one, divided by what both cover together, and "
        "nothing below a half"
    )

    def grade(self, answer, said):
        a, b = _numbers(answer), _numbers(said)
        wide = max(0, min(a[2], b[2]) - max(a[0], b[0]))
        overlap = wide * max(0, min(a[3], b[3]) - max(a[1], b[1]))
        union = _size(a) + _size(b) - overlap
        return overlap * 100 // union / 100 if 2 * overlap >= union else 0.0


def _numbers(text):
    return tuple(map(int, text.split(", ")))


def _size(box):
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])
