"""Guided: a helper who knows the task and can only point, and a beginner who clicks."""

from typing import NamedTuple

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.assisted import chosen
from gem_ma.envs.screens.game import (
    HOW,
    State,
    begin,
    check,
    done,
    drawn,
    family,
    page,
    reader,
)
from gem_ma.envs.screens.screen_game import ScreenGame
from gem_ma.envs.screens.tree import described, refs
from gem_ma.game import InvalidMove, Message
from gem_ma.scene.screen import find_widget

AGENTS = ("helper", "beginner")
FAMILIES = (  # families that clicks alone can solve
    "buttons", "links", "tabs", "checkboxes", "radios", "lists", "dropdowns", "dialogs", "spinners",
    "dates", "colors", "menus", "settings", "clicking", "sorting", "comparing", "calculator",
    "mines", "pairs", "noughts",
)  # fmt: skip


class Pointed(NamedTuple):
    inner: State  # the beginner sees it without the task
    goal: str
    at: tuple[int, int] | None = None  # where the helper points
    turn: int = 0

    def to_act(self):
        return () if self.inner.score is not None or not self.inner.left else (AGENTS[self.turn],)

    def returns(self):
        return dict.fromkeys(AGENTS, self.inner.score or 0.0)

    def seen_by(self, agent):
        if agent == "helper":
            return self
        return self._replace(inner=self.inner._replace(family="", model=None), goal="")

    def legal(self, agent):
        """Return the legal points of the helper, or the legal clicks of the beginner."""
        actions = [one for one in self.inner.legal(agent) if one.startswith("click")]
        if agent == "helper":
            return tuple([one.replace("click", "point") for one in actions]) or ("point(0, 0)",)
        return (*actions, "wait()")

    def hint(self, agent):
        """Return the helper's best point, or the beginner's click on that point."""
        if agent == "helper":
            return self.inner.hint(agent).replace("click", "point")
        return "wait()" if self.at is None else f"click({self.at[0]}, {self.at[1]})"

    @property
    def truncated(self):
        return self.inner.score is None and not self.inner.left


class Guided(ScreenGame[Pointed]):
    """A task of one of several families that clicks can solve: one seat points, the other clicks.

    Args:
        family: names from FAMILIES, joined by "+"; each episode takes one of them.
        coordinates: as for `Screens`.
        refs: as for `Screens`.
        look: as for `Screens`.
        limit: the largest number of actions of the beginner; None: 20 + 8 * difficulty.
    """

    agents = AGENTS
    oracle = True
    reset_options = ("difficulty",)

    def __init__(
        self,
        family="buttons+links+tabs+checkboxes+radios+lists+dialogs+dates+menus+settings+clicking",
        difficulty=2,
        coordinates="pixels",
        refs=False,
        look="flat",
        limit=None,
    ):
        self.families = chosen(family, FAMILIES)
        check(difficulty, look)
        self.difficulty, self.coordinates, self.refs, self.look = (
            difficulty,
            Coordinates(coordinates),
            refs,
            look,
        )
        self.limit = limit

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check(difficulty)
        name = self.families[int(rng.integers(len(self.families)))]
        limit = self.limit or 20 + 8 * difficulty
        inner = begin(name, rng, difficulty, self.look, self.coordinates.screen, limit, "")
        return Pointed(inner._replace(page=page(inner)), family(name).goal(inner.model))

    def read(self, text, view, agent):
        action_reader = reader(view.inner.page, self.coordinates)
        if agent == "beginner":
            return action_reader.read(text)
        reply = text.strip()
        if reply.startswith("point"):
            reply = reply.replace("point", "hover", 1)
        move = action_reader.read(
            reply.replace('"point"', '"hover"', 1) if reply[:1] == "{" else reply
        )
        if move.kind != "hover":
            raise InvalidMove("you can only point: point(x, y), or point(e3) at what has this ref")
        return move

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        if agent == "helper":
            return state._replace(at=move.at if move is not None else None, turn=1)
        inner = done(state.inner, move if move is not None else ScreenAction("wait"))
        return state._replace(inner=inner, turn=0)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        if agent == "helper":
            return (
                "Somebody who does not know what is to be done sits at a computer. You see the "
                "screen too and can only point: point(x, y), or point(e3) at the widget with this "
                f"ref. Coordinates are {self.coordinates.describe()}, from the top left. After "
                "each time the other does one action. The task done earns both of you 1."
            )
        how = HOW.format(self.coordinates.describe())
        return (
            f"{how} Before each of your actions a helper, who knows "
            "what is to be done, points at something. The task done earns both of you 1."
        )

    def brief(self, view, agent):
        return f"Task: {view.goal}" if view.goal else ""

    def describe(self, view, agent):
        description = described(view.inner.page, view.inner.ui, self.coordinates)
        return f"{description}\n{_pointed(view, self.coordinates)}"

    def tell(self, before, moves, after):
        if after.inner.score is None:
            return []
        return [Message(None, "game", "Done." if after.inner.score else "Wrong.")]

    def picture(self, view, agent):
        inner = view.inner
        return drawn(inner.page, inner.ui, self.refs, self.look, view.at, inner.layout.screen)

    def report(self, state):
        return {"done": bool(state.inner.score), "family": state.inner.family}


def _pointed(view, coordinates):
    """Return in words where the helper points."""
    if view.at is None:
        return "Nobody points at anything."
    one = find_widget(view.inner.page, *view.at)
    ref = "" if one is None else refs(view.inner.page).get(one.id, "")
    x, y = view.at
    point = coordinates.format_point(x, y)
    return f"The helper points at {point}{f', [{ref}]' if ref else ''}."
