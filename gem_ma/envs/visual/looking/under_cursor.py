"""Under the cursor: move the cursor onto figures, each of which shows its number only then."""

from typing import NamedTuple

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.looking.parts import Looking
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import Question, numbers, pick

WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
LOOKS = tuple([f"{way} {far}" for way in WAYS for far in range(1, 100)])
KINDS = tuple([one for one in FIGURES.values() if one not in ("plus", "cross", "arrow")])
CURSOR = 4  # half length of its arms, in percent
LOW, HIGH = 5, 95  # limits of the cursor, in percent


class Seen(NamedTuple):
    """The figures with their places, their width, the cursor, and the number below it, if any."""

    things: tuple[tuple[str, tuple[int, int]], ...]
    wide: int
    at: tuple[int, int]
    number: int | None


class Desk(NamedTuple):
    """The figures with their places, their width, and the number of each."""

    things: tuple[tuple[str, tuple[int, int]], ...]
    wide: int
    numbers: tuple[int, ...]

    def seen(self, at):
        x, y = at
        for (_, (a, b)), number in zip(self.things, self.numbers, strict=True):
            if 4 * ((x - a) ** 2 + (y - b) ** 2) <= self.wide**2:
                return Seen(self.things, self.wide, at, number)
        return Seen(self.things, self.wide, at, None)


class UnderCursor(Looking):
    levels = interpolate_levels(
        {0: (2, 1, 18), 2: (4, 1, 15), 5: (8, 2, 12), 8: (14, 4, 9), 10: (20, 7, 7)}
    )  # figures, figures of the kind asked for, their width
    names_points = True
    looks = LOOKS
    moves = (*numbers(99), *LOOKS)
    about = (
        "It shows figures, in words where their middles are, in percent from the left and from the "
        "top, and a cursor, a cross. Each figure has a number from 1 to 99, which is written below "
        "the picture while the cursor is on that figure. Reply with a way and how many percent to "
        "move the cursor, such as right 20 or up 3; it goes from 5 to 95 at most. Or reply with a "
        "number alone, which is your answer."
    )

    def draw(self, rng, many, asked, wide):
        """Sample places, figures and distinct numbers."""
        kind = pick(rng, KINDS)
        others = [one for one in KINDS if one != kind]
        places = canvas.apart(rng, many, wide + 5, 10, 90)
        kinds = [kind if i < asked else pick(rng, others) for i in range(many)]
        numerals = tuple([1 + i for i in rng.permutation(99)[:many].tolist()])
        order = rng.permutation(many).tolist()
        things = tuple([(kinds[i], places[i]) for i in order])
        desk = Desk(things, wide, tuple([numerals[i] for i in order]))
        text = f"Which number has the {kind} figure?"
        if asked > 1:
            text = f"Which is the largest number of the {asked} {kind} figures?"
        return Question(text, str(max(numerals[:asked])), desk, self.moves)

    def begin(self, rng, shown):
        """Sample a cursor position that is on no figure."""
        while True:
            at = tuple(rng.integers(LOW, HIGH + 1, size=2).tolist())
            if shown.seen(at).number is None:
                return at

    def look(self, at, asked, shown):
        way, far = asked.split()
        return tuple(
            [
                min(HIGH, max(LOW, a + int(far) * step))
                for a, step in zip(at, WAYS[way], strict=True)
            ]
        )

    def words(self, shown):
        figures = "; ".join([f"{kind} {x}, {y}" for kind, (x, y) in shown.things])
        x, y = shown.at
        return (
            f"Figures, each {shown.wide} percent of the picture wide: {figures}.\n"
            f"The cursor is at {x}, {y}. {_number(shown)}"
        )

    def scene(self, shown):
        wide = shown.wide / 100
        items = [(kind, "blue", x / 100, y / 100, wide, 0.0) for kind, (x, y) in shown.things]
        x, y = shown.at
        arms = [((x - CURSOR, y), (x + CURSOR, y)), ((x, y - CURSOR), (x, y + CURSOR))]
        cross = [("red", *canvas.share(a), *canvas.share(b), canvas.THICK) for a, b in arms]
        return canvas.drawn(items=tuple(items), lines=tuple(cross), status=(_number(shown),))


def _number(shown):
    return (
        "It is on no figure." if shown.number is None else f"Its figure has number {shown.number}."
    )
