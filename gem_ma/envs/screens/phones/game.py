"""Phones: one agent with a finger on the screen of a phone, and one task."""

from __future__ import annotations

from types import MappingProxyType

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screens.families import PHONES, PHONES_INFEASIBLE
from gem_ma.envs.screens.game import (
    REFUSAL,
    Screens,
    State,
    begin,
    check,
    done,
    family,
    find_middles,
    list_words,
    page,
)
from gem_ma.envs.screens.keyboard import scroll_into_view
from gem_ma.envs.screens.phones.dialects import OWN_GESTURES, PHONE_DIALECTS, PhoneActionReader
from gem_ma.envs.screens.phones.steps import make_gesture
from gem_ma.envs.screens.tree import refs
from gem_ma.envs.screens.ui import find, usable
from gem_ma.scene.screen import CLICKABLE_KINDS, TEXT_KINDS, Screen
from gem_ma.validation.json_types import JSONMapping

IMAGE_SIZE = (448, 896)
SHORT, TALL = (448, 640), (800, 1280)  # the least and the most pixels of a screen, each way
PRESSED_LONG = ("photo", "bubble")  # kinds on which random agents press long


class PhoneState(State):
    """The state of a task on a phone."""

    __slots__ = ()

    def legal(self, agent):
        """Return taps on all visible widgets, and some other actions, for random agents."""
        page = usable(self.page)
        names = refs(self.page)
        seen = [one for one in page if one.kind in CLICKABLE_KINDS and one.seen]
        actions = [f"tap({names[one.id]})" for one in seen if not one.disabled]
        actions += [f"long_press({names[one.id]})" for one in seen if one.kind in PRESSED_LONG]
        for one in page:
            if one.kind == "scroll":
                actions += [f'scroll({names[one.id]}, "{way}")' for way in ("down", "up")]
        if any(one.id == self.ui.focus and one.kind in TEXT_KINDS for one in page):
            actions += [f'type("{word}")' for word in list_words(self)]
        actions += ['scroll("right")', 'scroll("left")', "back()", "home()", "done()"]
        return (*actions, REFUSAL) if self.can_refuse else tuple(actions)

    def hint(self, agent):
        """Return the next action of a perfect user, in pixels."""
        if self.asked is not None:
            return REFUSAL
        try:
            plan = family(self.family).plan(self.model, self.ui)
            return make_gesture(self.page, self.ui, plan)
        except (LookupError, StopIteration):  # what the plan needs is gone
            return "back()"


class Phones(Screens):
    """A task on a phone, at a difficulty from 0 to 10.

    Args:
        coordinates: "pixels", "thousand" (0 to 1,000 across and down), "percent" (0 to
            100) or "share" (0 to 1).
        refs: whether pictures show numbered marks by which widgets can be tapped.
        limit: the largest number of actions; None: 30 + 10 * difficulty.
        dialect: how the rules describe actions: "android-world" as AndroidWorld does; None: by
            gem_ma's own form. Replies in both forms are read.
        infeasible: the probability that a task cannot be done. Then the right answer is to say so.
    """

    env_defaults: JSONMapping = MappingProxyType({"image_size": IMAGE_SIZE})
    families = PHONES
    infeasible_families = PHONES_INFEASIBLE
    dialects = PHONE_DIALECTS
    own_dialect = OWN_GESTURES

    def __init__(
        self,
        family,
        difficulty=2,
        coordinates="pixels",
        refs=False,
        limit=None,
        dialect=None,
        infeasible=0.0,
    ):
        super().__init__(family, difficulty, coordinates, refs, limit=limit, dialect=dialect,
                         infeasible=infeasible)  # fmt: skip
        self.coordinates = Coordinates(coordinates, *IMAGE_SIZE, screen=IMAGE_SIZE)

    def choose_screen(self, width, height):
        high = min(max(height, TALL[0]), TALL[1])
        return min(max(min(width, high // 2), SHORT[0]), SHORT[1]), high

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check(difficulty)
        limit = self.limit or 30 + 10 * difficulty
        screen = self.coordinates.screen
        state = PhoneState(*begin(self.family, rng, difficulty, "flat", screen, limit, strip="",
                                  infeasible=self.infeasible))  # fmt: skip
        return state._replace(page=page(state))

    def read(self, text, view, agent):
        def list_middles():
            return find_middles(view.page)

        reader = PhoneActionReader(
            self.coordinates, list_middles, view.can_refuse, self.dialect.expected
        )
        return reader.read(text)

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:
            return state._replace(left=state.left - 1)
        after = done(state, move)
        one = find(after.page, after.ui.focus) if after.ui.focus else None
        if one is None or not one.inside:
            return after
        ui = scroll_into_view(after.page, after.ui, one)  # above the keyboard
        if ui == after.ui:
            return after
        after = after._replace(ui=ui)
        return after._replace(page=page(after))

    def picture(self, view, agent):
        ui, (wide, high) = view.ui, view.layout.screen
        return Screen(view.page, wide, high, ui.focus, ui.caret, ui.anchor, refs=self.refs,
                      look="phone")  # fmt: skip
