"""Scattered figures, some of the kind that is asked for, and their boxes."""

from gem_ma.envs.visual.grounding.grounded import UNIT, Grounded
from gem_ma.envs.visual.question import LETTERS, Question, pick, some
from gem_ma.envs.visual.shapes import things
from gem_ma.envs.visual.shapes.things import COLORS, FIGURES, SIZES, Thing

# How far a figure reaches in the square of its size: left, top, right and bottom, in shares of it.
REACHES = {
    "disc": (0.0, 0.0, 1.0, 1.0),
    "square": (0.06, 0.06, 0.94, 0.94),
    "triangle": (0.01, 0.043, 0.99, 0.9),
    "star": (0.025, 0.003, 0.975, 0.902),
    "heart": (0.01, 0.06, 0.99, 0.973),
    "arrow": (0.1, 0.028, 0.9, 0.975),
    "ring": (0.0, 0.0, 1.0, 1.0),
}


class ScatteredKind(Grounded):
    """A task that shows scattered figures and asks for all of one kind.

    Attributes:
        asks: the question, with KIND for the kind.
    """

    many = True
    asks: str
    scene = staticmethod(things.scene)

    def draw(self, rng, many, asked, across):
        layout, kind, boxes = sample_kind(rng, many, asked, across)
        answer = "; ".join([self.coordinates.format_box(*box) for box in boxes])
        return Question(self.asks.replace("KIND", kind), answer, layout, self.moves)

    def words(self, shown):
        return describe(shown, self.coordinates)


def sample_kind(rng, many, asked, across):
    """Sample `many` figures, about `asked` of one kind; return them, the kind, and its boxes.

    Half of the others share the figure or the colour of the kind.
    """
    asked = int(rng.integers(max(1, 2 * asked // 3), asked + asked // 3 + 1))
    figure, *others = some(rng, FIGURES, 4)
    color, *colors = some(rng, range(len(COLORS)), len(COLORS))
    shapes = [Thing(figure, color, pick(rng, SIZES)) for _ in range(asked)]
    while len(shapes) < many:
        kind = ((figure, pick(rng, colors)), (pick(rng, others), color))[int(rng.integers(2))]
        if len(shapes) % 2:
            kind = pick(rng, others), pick(rng, colors)
        shapes.append(Thing(*kind, pick(rng, SIZES)))
    layout = things.scatter(rng, shapes, across)
    boxes = [
        find_box(thing, across)
        for thing in layout[1]
        if (thing.figure, thing.color) == (figure, color)
    ]
    return layout, f"{figure} of colour {LETTERS[color]}", boxes


def find_box(thing, across):
    """Return the box of a figure, in thousandths of the picture."""
    size = UNIT * things.extent(thing.size, across)
    left, top = (at * UNIT / 100 - size / 2 for at in (thing.x, thing.y))
    west, north, east, south = (size * reach for reach in REACHES[thing.figure])
    return left + west, top + north, left + east, top + south


def describe(layout, coordinates):
    """Return figures and their boxes in words, in the unit of replies."""
    across, placed_things = layout
    lines = [
        f"{one.size} {one.figure}, colour {LETTERS[one.color]}, in "
        f"{coordinates.format_box(*find_box(one, across))}"
        for one in placed_things
    ]
    head = f"Shapes and their boxes, in {coordinates.describe()}: left, top, right and bottom."
    return "\n".join([head, *lines])
