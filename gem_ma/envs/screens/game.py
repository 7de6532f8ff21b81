"""Screens: one agent at a screen, with a pointer and a keyboard, and one task."""

import functools
import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.difficulty_levels import MAX_DIFFICULTY, select_level
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.envs.screen_actions import (
    EXPECTED_ACTIONS,
    PIXELS_PER_NOTCH,
    ActionReader,
    ScreenAction,
)
from gem_ma.envs.screens import families
from gem_ma.envs.screens.dialects import DIALECTS, OWN_DIALECT
from gem_ma.envs.screens.families import INFEASIBLE, REGISTER
from gem_ma.envs.screens.families.family import Family
from gem_ma.envs.screens.screen_game import ScreenGame
from gem_ma.envs.screens.sheet import TYPE, Sheet, make_strip
from gem_ma.envs.screens.shells.layout import Layout, choose_layout
from gem_ma.envs.screens.shells.shell import SHELL, draw_shell
from gem_ma.envs.screens.steps import action
from gem_ma.envs.screens.tree import described, refs
from gem_ma.envs.screens.ui import NOTHING, SIZE, Event, Ui, find, shown, usable
from gem_ma.game import Message
from gem_ma.scene.screen import CLICKABLE_KINDS, TEXT_KINDS, Screen, Widget
from gem_ma.validation.arguments import check_probability

AGENT = "player"
LOOKS = {"flat": TYPE, "old": TYPE, "large": 18}  # letter size of each look
HOW = OWN_DIALECT.how
REFUSAL = "infeasible()"  # the action that says that a task cannot be done


@functools.cache
def family(name: str) -> Family[Any]:
    """Return the family of tasks with this id."""
    is_phone = name in families.PHONES
    module, _, of = (families.PHONES if is_phone else families.REGISTER)[name].partition(":")
    folder = "phones.families" if is_phone else "families"
    return getattr(importlib.import_module(f"gem_ma.envs.screens.{folder}.{module}"), of)()


class State(NamedTuple):
    family: str
    model: object
    layout: Layout
    page: tuple[Widget, ...] = ()
    ui: Ui = Ui()
    left: int = 1  # remaining actions
    score: float | None = None
    strip: str | None = None  # text at the top in place of the goal
    type: int = TYPE  # letter size
    asked: str | None = None  # the goal of a task that cannot be done, in place of the model's
    can_refuse: bool = False  # whether an action may say that the task cannot be done

    @property
    def goal(self) -> str:
        """The goal of the task in words."""
        return family(self.family).goal(self.model) if self.asked is None else self.asked

    def to_act(self):
        return () if self.score is not None or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: self.score or 0.0}

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        """Return clicks on all visible widgets, and some keys; random agents draw from these."""
        page = usable(self.page)
        widgets = [
            one for one in page if one.kind in CLICKABLE_KINDS and one.seen and not one.disabled
        ]
        references = refs(self.page)
        actions = [f"click({references[one.id]})" for one in widgets]
        actions += [f'type("{word}")' for word in list_words(self)] if _typing(self) else []
        scrolls = [one for one in page if one.kind == "scroll"]
        actions += [
            f"scroll({references[one.id]}, {by * PIXELS_PER_NOTCH * 3})"
            for one in scrolls
            for by in (1, -1)
        ]
        refusal = (REFUSAL,) if self.can_refuse else ()
        return (*actions, 'key("Tab")', 'key("Enter")', *refusal)

    def hint(self, agent):
        """Return the next action of a perfect user, in pixels."""
        if self.asked is not None:
            return REFUSAL
        try:
            return action(self.page, self.ui, family(self.family).plan(self.model, self.ui))
        except LookupError:  # a widget of the plan is gone
            return "wait()"

    @property
    def truncated(self):
        return self.score is None and not self.left


def _typing(state):
    return any(one.id == state.ui.focus and one.kind in TEXT_KINDS for one in state.page)


def list_words(state):
    """Return words of the task, which random agents type."""
    if state.model is None:  # hidden
        return []
    return sorted({word.strip('".,:') for word in state.goal.split()})


class Screens(ScreenGame[State]):
    """A task of a family, at a difficulty from 0 to 10.

    Args:
        coordinates: "pixels", "thousand" (0 to 1,000 across and down), "percent" (0 to
            100) or "share" (0 to 1).
        refs: whether pictures show numbered marks by which widgets can be clicked.
        look: "flat", "old", or "large" with larger letters.
        limit: the largest number of actions; None: 20 + 8 * difficulty.
        dialect: how the rules describe actions: "anthropic", "openai" and "qwen" by their tool,
            "ui-tars" by its grammar; None: by gem_ma's own. Replies in all dialects are read.
        infeasible: the probability that a task cannot be done. Then the right answer is to say so.
    """

    agents = (AGENT,)
    oracle = True
    families = REGISTER
    infeasible_families: Sequence[str] = INFEASIBLE
    dialects = DIALECTS
    own_dialect = OWN_DIALECT
    reset_options = ("difficulty",)

    def __init__(
        self,
        family,
        difficulty=2,
        coordinates="pixels",
        refs=False,
        look="flat",
        limit=None,
        dialect=None,
        infeasible=0.0,
    ):
        if family not in self.families:
            raise ValueError(f"family={family!r}: expected one of {', '.join(self.families)}")
        check(difficulty, look)
        if dialect is not None and dialect not in self.dialects:
            raise ValueError(
                f"dialect={dialect!r}: expected one of {tuple(self.dialects)}, or None"
            )
        check_probability(infeasible, "infeasible")
        if infeasible and family not in self.infeasible_families:
            raise ValueError(
                f"infeasible={infeasible}: all tasks of {family!r} can be done; expected 0, or one "
                f"of the families {', '.join(self.infeasible_families)}"
            )
        self.dialect = self.own_dialect if dialect is None else self.dialects[dialect]
        if dialect is not None:  # the dialect says how to send an action
            self.env_defaults = {**self.env_defaults, "format": "bare"}
        self.family, self.difficulty = family, difficulty
        self.coordinates = Coordinates(coordinates)
        self.refs, self.look, self.limit = refs, look, limit
        self.infeasible = infeasible

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check(difficulty)
        limit = self.limit or 20 + 8 * difficulty
        screen = self.coordinates.screen
        state = begin(
            self.family, rng, difficulty, self.look, screen, limit, infeasible=self.infeasible
        )
        return state._replace(page=page(state))

    def read(self, text, view, agent):
        return reader(view.page, self.coordinates, view.can_refuse, self.dialect.expected).read(
            text
        )

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:
            return state._replace(left=state.left - 1)
        return done(state, move)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        how = self.dialect.how.format(self.coordinates.describe())
        if self.infeasible:
            return (
                f"{how} {self.dialect.infeasible} The task done earns 1, and so does saying that "
                "it cannot be done if that is so; anything else earns nothing."
            )
        return f"{how} The task done earns 1, anything else nothing."

    def tools(self, agent):
        tool = self.dialect.infeasible_tool if self.infeasible else self.dialect.tool
        return () if tool is None else (tool,)

    def brief(self, view, agent):
        return f"Task: {view.goal}"

    def describe(self, view, agent):
        return described(view.page, view.ui, self.coordinates)

    def tell(self, before, moves, after):
        return (
            [Message(None, "game", "Done." if after.score else "Wrong.")]
            if after.score is not None
            else []
        )

    def picture(self, view, agent):
        return drawn(view.page, view.ui, self.refs, self.look, screen=view.layout.screen)

    def report(self, state):
        report = {"done": bool(state.score)}
        return {**report, "infeasible": state.asked is not None} if self.infeasible else report


def check(difficulty, look="flat"):
    """Raise an error unless these arguments are valid."""
    select_level(range(MAX_DIFFICULTY + 1), difficulty)
    if look not in LOOKS:
        raise ValueError(f"look={look!r}: expected one of {tuple(LOOKS)}")


def reader(page, coordinates, can_refuse=False, expected=EXPECTED_ACTIONS):
    """Return the reader of replies about a page, which says what it expects of others."""
    return ActionReader(coordinates.read_point, lambda: find_middles(page), can_refuse, expected)


def find_middles(page: Sequence[Widget]) -> dict[str, tuple[int, int]]:
    """Return the middle of each visible widget that has a ref."""
    names = refs(page)
    return {
        names[one.id]: (one.x + one.w // 2, one.y + one.h // 2)
        for one in page
        if one.id in names and one.seen
    }


def begin(
    name: str,
    rng: np.random.Generator,
    difficulty: int,
    look: str,
    screen: tuple[int, int],
    limit: int,
    strip: str | None = None,
    infeasible: float = 0.0,
) -> State:
    """Return the state at the beginning of a task, without its page.

    Args:
        strip: a text that takes as much room as any that stands at the top; None: the goal.
        infeasible: the probability that the page lacks something that the goal needs.
    """
    seed_by_name(rng, name)
    kind, type = family(name), LOOKS[look]
    model, asked = kind.start(rng, difficulty), None
    goal = kind.goal(model)
    if infeasible and rng.random() < infeasible:
        model, asked = kind.make_infeasible(model, rng), goal
    top = make_strip(goal if strip is None else strip, type, screen[0])

    def draw(sheet: Sheet) -> None:
        kind.draw(sheet, model, Ui())

    layout = choose_layout(rng, kind, draw, screen, 0 if top is None else top.h, type)
    return State(name, model, layout, left=limit, strip=strip, type=type, asked=asked,
                 can_refuse=bool(infeasible))  # fmt: skip


def laid(state: State) -> tuple[Widget, ...]:
    """Return the widgets of a task, with its goal or `strip` at the top."""
    kind, layout = family(state.family), state.layout
    text = state.goal if state.strip is None else state.strip
    strip = make_strip(text, state.type, layout.screen[0], layout.top)
    sheet = Sheet("", state.type, layout.area, layout.screen, layout.style)
    kind.draw(sheet, state.model, state.ui)
    shell = draw_shell(layout) if kind.has_desktop else ()
    return (*shell, *sheet.page()) if strip is None else (strip, *shell, *sheet.page())


def page(state: State) -> tuple[Widget, ...]:
    """Return the page of a task as it is shown."""
    return shown(laid(state), state.ui, state.layout.screen[1])


def drawn(page, ui, refs, look, pointed=None, screen=(SIZE, SIZE)):
    """Return a page as a picture."""
    return Screen(page, screen[0], screen[1], ui.focus, ui.caret, ui.anchor, ui.hover, ui.pointer,
                  refs, look=look, pointed=pointed)  # fmt: skip


def done(state: State, move: ScreenAction) -> State:
    """Return the state after an action."""
    if move.kind == "infeasible":
        return state._replace(left=state.left - 1, score=float(state.asked is not None))
    kind = family(state.family)
    before, model = state.ui, state.model
    ui, events = kind.act(state.page, before, move)
    for event in map(_hear, events) if events else (NOTHING,):
        if model is not state.model and not _hears(state, model, ui, event):
            break
        model = kind.update(model, event, ui)
    if model is not state.model:
        ui = kind.patch(state.model, model, ui)
    is_new = (
        model is not state.model
        or ui.values is not before.values
        or ui.open != before.open
        or (ui.open and ui.caret != before.caret)
        or (kind.follows and (ui.hover, ui.focus) != (before.hover, before.focus))
    )
    score = kind.score(model, ui)
    if score is not None and state.asked is not None:
        score = 0.0  # what was done is the task of this page, which nobody asked for
    after = state._replace(model=model, ui=ui, left=state.left - 1, score=score)
    return after._replace(page=page(after)) if is_new else after


def _hear(event: Event) -> Event:
    """Return an event as the task hears it, to which the shell around it is nothing."""
    return event._replace(id="") if event.id.startswith(SHELL) else event


def _hears(state: State, model: object, ui: Ui, event: Event) -> bool:
    """Return whether the widget of an event is still usable after earlier events of the action."""
    if family(state.family).score(model, ui) is not None:
        return False
    if not event.id:
        return True
    return find(usable(page(state._replace(model=model, ui=ui))), event.id) is not None
