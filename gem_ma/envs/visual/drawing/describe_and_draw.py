"""Describe and draw: one seat describes a figure in words, the other draws it as SVG."""

import itertools
import re
from typing import NamedTuple

from gem_ma.envs import difficulty_levels
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.envs.visual.drawing import figures, raster, svg
from gem_ma.envs.visual.drawing.svg import Element
from gem_ma.envs.visual.question import select_levels
from gem_ma.game import Game, InvalidMove, Maybe, Message

DESCRIBER, DRAWER = AGENTS = ("describer", "drawer")
NUMBERS = 4  # written in digits, in a description
BASE, EACH = 80, 70  # characters of a description, and for each element
_NUMBER = re.compile(r"\d+")
_MARKUP = frozenset("<>{}[]=\\")
SIZES, KINDS, PLACES = ("small", "large"), ("rectangle", "circle"), ("top", "middle", "bottom")
SENTENCES = tuple(
    [
        f"A {size} {kind} of colour {color} at the {place}."
        for color, size, kind, place in itertools.product(svg.COLORS, SIZES, KINDS, PLACES)
    ]
)


class State(NamedTuple):
    figure: Maybe[tuple[Element, ...]]  # None: hidden
    limit: int  # characters of a description
    turn: int = 0
    earned: float = 0.0

    def to_act(self):
        return (AGENTS[self.turn],) if self.turn < len(AGENTS) else ()

    def returns(self):
        return dict.fromkeys(AGENTS, self.earned)

    def seen_by(self, agent):
        return self if agent == DESCRIBER else self._replace(figure=None)

    def legal(self, agent):
        """Return sample descriptions or drawings; `read` takes many more."""
        return SENTENCES if agent == DESCRIBER else figures.SAMPLES

    @property
    def best(self):
        """The best replies that are known: any description, and the figure itself."""
        return SENTENCES[0], svg.format_svg(self.figure)


class DescribeAndDraw(Game[State]):
    """A figure that one seat describes and the other draws, both paid by the overlap."""

    agents = AGENTS
    names_points = True
    oracle = True
    legal_is_partial = True
    unlisted_moves = "a description is any text, and a drawing any SVG"

    def __init__(self, level: str | int | None = "normal"):
        self.levels = select_levels(figures.LEVELS, level)

    def start(self, rng, options):
        seed_by_name(rng, type(self).__name__)
        level = difficulty_levels.sample_level(rng, self.levels)
        figure = figures.sample_figure(rng, *level)
        return State(figure, BASE + EACH * len(figure))

    def read(self, text, view, agent):
        if agent == DRAWER:
            return svg.format_svg(svg.parse_svg(text))
        if len(text) > view.limit:
            raise InvalidMove(f"{len(text)} characters; a description has at most {view.limit}")
        if marks := sorted(_MARKUP.intersection(text)):
            raise InvalidMove(f"a description is in words, without {' '.join(marks)}")
        many = len(_NUMBER.findall(text))
        if many > NUMBERS:
            raise InvalidMove(f"{many} numbers; a description has at most {NUMBERS} in digits")
        if not text.strip():
            raise InvalidMove("an empty description")
        return text

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        after = state._replace(turn=state.turn + 1)
        if state.turn == 0 or move is None:
            return after
        right, painted = (raster.paint(one) for one in (state.figure, svg.parse_svg(move)))
        return after._replace(earned=raster.grade(right, painted))

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if before.turn:
            return [Message(None, "game", f"The drawing earns {after.earned:.2f}.")]
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        return [Message((DRAWER,), seat, move)]

    def rules(self, agent):
        if agent == DESCRIBER:
            part = (
                "Reply with a description of the figure in words, within the number of characters "
                f"that you are told. It may have at most {NUMBERS} numbers in digits, and none of "
                f"the characters {' '.join(sorted(_MARKUP))}, so no SVG"
            )
        else:
            part = f"Reply with an SVG of the figure. {figures.FORM}"
        return (
            f"You are the {agent} of two players. The describer sees a figure of shapes in up to "
            f"{len(svg.COLORS)} colours, which both call by the letters of a key, and describes it "
            f"once. The drawer sees only the key and the description, and draws the figure once. "
            f"{part}. Both earn {figures.PAYS}."
        )

    def brief(self, view, agent):
        if agent == DESCRIBER:
            return f"Your description has at most {view.limit} characters."
        return ""

    def describe(self, view, agent):
        if view.figure is None:
            return "You see only the key and an empty frame."
        return figures.describe(view.figure)

    def picture(self, view, agent):
        return figures.make_scene(view.figure or ())

    def report(self, state):
        return {"answer": svg.format_svg(state.figure)}
