"""The bases of tasks whose answers are points or boxes of their picture."""

import functools
import math

from gem_ma.envs.coordinates import Coordinates, PointingGame
from gem_ma.envs.visual.grounding import replies
from gem_ma.envs.visual.question import State, Task
from gem_ma.game import InvalidMove

UNIT = 1000  # Places in pictures are in thousandths of them.
NEAR, FAR = 0.03, 0.09  # shares of the picture: up to NEAR a point earns 1, from FAR on nothing
_STEPS = 6  # points of a row of the grid of sample replies


class Grounded(PointingGame[State], Task):
    """A task whose answer is a list of points or boxes, or one of these.

    Attributes:
        many: whether a reply may have several.
        form: the reply, in the rules.
    """

    has_own_seeds = True
    many = False
    form: str
    moves: tuple[str, ...]

    def __init__(
        self, level: str | int | None = "normal", tries: int = 1, coordinates: str = "pixels"
    ):
        """Take a level and a number of tries as all tasks do, and the unit of coordinates."""
        super().__init__(level, tries)
        self.set_coordinates(self.make_coordinates(coordinates))

    def make_coordinates(self, unit: str) -> Coordinates:
        """Return the coordinates of pictures of the size that `Env` has by default."""
        return Coordinates(unit, 252, 252, (UNIT, UNIT), "picture")

    def set_coordinates(self, coordinates: Coordinates) -> None:
        super().set_coordinates(coordinates)
        self.moves = self.list_samples()

    def list_samples(self) -> tuple[str, ...]:
        """Return sample replies, in the unit of replies."""
        raise NotImplementedError

    def parse(self, text: str) -> list[tuple[float, ...]]:
        """Return the points or boxes of a reply."""
        raise NotImplementedError

    def locate(self, group: tuple[float, ...]) -> tuple[float, ...]:
        """Return a point or a box on the screen of the coordinates."""
        raise NotImplementedError

    def read(self, text, view, agent):
        """Return the points or boxes in their normal form."""
        groups = self.parse(text)
        if len(groups) > 1 and not self.many:
            raise InvalidMove(f"{len(groups)} answers; reply with one")
        for group in groups:
            self.locate(group)  # raises if it is not on the picture
        return format_groups(groups)

    def find_places(self, text: str) -> list[tuple[float, ...]]:
        """Return the points or boxes of a reply in its normal form, on the screen."""
        return [self.locate(group) for group in self.parse(text)]

    def rules(self, agent):
        unit = f"in {self.coordinates.describe()}, from the left and from the top"
        example = self.moves[len(self.moves) // 2]
        return super().rules(agent).replace("FORM", f"{self.form}, {unit}, such as {example}")


class PointGrounded(Grounded):
    """A task whose answer is a point, or several."""

    form = "a point (x, y)"

    def list_samples(self):
        return _list_points(self.coordinates)

    def parse(self, text):
        return replies.parse_points(text)

    def locate(self, group):
        return self.coordinates.read_place(*group, middle=True)


class PointInBox(PointGrounded):
    """A task whose right points are those in a box; the answer is the box, as text."""

    pays = "a point in it earns 1, any other nothing"

    def grade(self, answer, said):
        (box,), (point,) = find_boxes(answer, self.coordinates), self.find_places(said)
        return float(holds(box, point))


class PointNear(PointGrounded):
    """A task whose reply is paid by its distance from the right point."""

    pays = (
        f"a point {NEAR:.0%} of the picture from the right one or nearer earns 1, {FAR:.0%} or "
        "more nothing, and less the farther between"
    )

    def grade(self, answer, said):
        (right,), (point,) = self.find_places(answer), self.find_places(said)
        away = math.dist(right, point) / UNIT
        return min(100, max(0, int(100 * (FAR - away) / (FAR - NEAR)))) / 100


class BoxGrounded(Grounded):
    """A task whose answer is a box, or several."""

    form = "a box [left, top, right, bottom]"
    pays = (
        "a box earns what it shares with the right one, divided by what both cover together, and "
        "nothing for a half or less"
    )

    def list_samples(self):
        return _list_boxes(self.coordinates)

    def parse(self, text):
        return replies.parse_boxes(text)

    def locate(self, group):
        box = place_box(group, self.coordinates)
        if box[0] >= box[2] or box[1] >= box[3]:
            raise InvalidMove(f"the box {format_groups([group])} is empty")
        return box

    def grade(self, answer, said):
        rights, boxes = self.find_places(answer), self.find_places(said)
        # No box shares more than half with two right ones, since these do not overlap.
        best = [max(compute_overlap(box, right) for box in boxes) for right in rights]
        shared = sum(overlap for overlap in best if overlap > 0.5)
        return int(200 * shared / (len(rights) + len(boxes)) + 1e-6) / 100


def holds(box, point):
    """Return whether a point lies in a box."""
    left, top, right, bottom = box
    return left <= point[0] < right and top <= point[1] < bottom


def compute_overlap(box, other):
    """Return the area that two boxes share, divided by the area that they cover together."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    shared = wide * high
    areas = [(right - left) * (bottom - top) for left, top, right, bottom in (box, other)]
    return shared / (sum(areas) - shared)


def count_hits(boxes, points):
    """Return how many boxes, of which none overlap, have a point in them."""
    return sum(any(holds(box, point) for point in points) for box in boxes)


def find_boxes(answer, coordinates):
    """Return the boxes of an answer, on the screen of the coordinates."""
    return [place_box(box, coordinates) for box in replies.parse_boxes(answer)]


def place_box(box, coordinates):
    """Return a box of a reply on the screen of the coordinates."""
    return (*coordinates.read_place(*box[:2]), *coordinates.read_place(*box[2:]))


def format_groups(groups):
    """Return points and boxes in their normal form."""
    ends = {2: "()", 4: "[]"}
    return "; ".join(
        [
            f"{ends[len(one)][0]}{', '.join(f'{number:g}' for number in one)}{ends[len(one)][1]}"
            for one in groups
        ]
    )


@functools.lru_cache(maxsize=64)
def _list_points(coordinates):
    wide, high = coordinates.screen
    steps = [(2 * n + 1) / (2 * _STEPS) for n in range(_STEPS)]
    return tuple(
        [coordinates.format_point(int(x * wide), int(y * high)) for y in steps for x in steps]
    )


@functools.lru_cache(maxsize=64)
def _list_boxes(coordinates):
    wide, high = coordinates.screen
    edges = [n / (_STEPS - 1) for n in range(_STEPS)]
    return tuple(
        [
            coordinates.format_box(left * wide, top * high, right * wide, bottom * high)
            for left in edges
            for top in edges
            for right in edges
            for bottom in edges
            if left < right and top < bottom
        ]
    )
