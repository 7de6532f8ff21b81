"""What a family of tasks is: a model, how it is drawn, what events do to it, when it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui

# What is to be done next: a verb, the widget, and what with it. Verbs: click, double, right, hover,
# set (a widget to a value), mark (a word), drag (onto a widget, or by so many pixels), key, type.
Step = tuple[Any, ...]


class Family:
    """Tasks of one kind, from easy (difficulty 0) to hard (difficulty 10); a model is one of them.

    like: the names of MiniWoB++'s pages that ask for the same.
    follows: whether what is shown depends on what the pointer is over, or on the keyboard's widget.
    """

    like: str = ""
    follows = False

    def start(self, rng: Any, difficulty: int) -> Any:
        """Return a model: a frozen value with all that the task is made of."""
        raise NotImplementedError

    def goal(self, model: Any) -> str:
        """Return what is to be done, in words."""
        raise NotImplementedError

    def draw(self, sheet: Sheet, model: Any, ui: Ui) -> None:
        """Put the widgets on a sheet."""
        raise NotImplementedError

    def update(self, model: Any, event: Event, ui: Ui) -> Any:
        """Return the model after an event."""
        return model

    def patch(self, before: Any, model: Any, ui: Ui) -> Ui:
        """Return what is shown, where an app changes what a person has done to its widgets."""
        return ui

    def score(self, model: Any, ui: Ui) -> float | None:
        """Return what was earned when it is over, and None before."""
        raise NotImplementedError

    def plan(self, model: Any, ui: Ui) -> Step | None:
        """Return what somebody who knows the way does next."""
        raise NotImplementedError


class Filled(NamedTuple):
    """A form that is to be filled in, and submitted."""

    wants: Mapping[str, Any]  # what the widgets are to hold
    parts: tuple[Any, ...]  # what it is drawn from
    told: str  # the goal
    done: bool | None = None
    had: Mapping[str, Any] = {}


class Form(Family):
    """Tasks that are right when all widgets hold what they should, and "submit" is clicked.

    What was to be left alone counts too: a check mark too many is wrong.
    """

    button = "Submit"

    def goal(self, model: Filled) -> str:
        return model.told

    def holds(self, model: Filled, ui: Ui, id: str) -> Any:
        return ui.values.get(id, model.had.get(id))

    def update(self, model: Filled, event: Event, ui: Ui) -> Filled:
        ended = (event.kind == "click" and event.id == "submit") or event.kind == "enter"
        if not ended:
            return model
        right = all(self.holds(model, ui, id) == value for id, value in model.wants.items())
        touched = {id for id in ui.values if id not in model.wants and not id.startswith("scroll")}
        right &= all(not ui.values[id] or ui.values[id] == model.had.get(id) for id in touched)
        return model._replace(done=right)

    def score(self, model: Filled, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Filled, ui: Ui) -> Step | None:
        for id, value in model.wants.items():
            if self.holds(model, ui, id) != value:
                return "set", id, value
        return "click", "submit"


class Row(NamedTuple):
    """Things that are to be clicked, one after the other."""

    todo: tuple[str, ...]  # ids, in order
    parts: Any  # what it is drawn from
    told: str = ""
    at: int = 0
    done: bool | None = None
    shown: Any = 0  # where somebody has gone to


class Steps(Family):
    """Tasks that are right when some things are clicked in order, and nothing wrong before."""

    verb = "click"

    def goal(self, model: Row) -> str:
        return model.told

    def counts(self, model: Row, id: str) -> bool:
        """Return whether a click on this is an answer, and not only a way to look."""
        raise NotImplementedError

    def go(self, model: Row, event: Event, ui: Ui) -> Row:
        """Return the model after an event that is no answer."""
        return model

    def update(self, model: Row, event: Event, ui: Ui) -> Row:
        if event.kind != self.verb or not self.counts(model, event.id):
            return self.go(model, event, ui)
        if event.id != model.todo[model.at]:
            return model._replace(done=False)
        at = model.at + 1
        return model._replace(at=at, done=True if at == len(model.todo) else None)

    def score(self, model: Row, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Row, ui: Ui) -> Step | None:
        return self.verb, model.todo[model.at]


def in_order(kind: str, names: Any) -> str:
    """Return a goal: what is to be clicked on, in which order."""
    quoted = [f'"{name}"' for name in names]
    if len(quoted) == 1:
        return f"Click on the {kind} {quoted[0]}."
    return f"Click on the {kind}s {joined(quoted)}, in this order."


def pick(rng: Any, options: Any, many: int) -> list[Any]:
    """Return so many different ones of some options, in random order."""
    return [options[place] for place in rng.permutation(len(options))[:many].tolist()]


def one_of(rng: Any, options: Any) -> Any:
    """Return one of some options."""
    return options[int(rng.integers(len(options)))]


def joined(words: Any) -> str:
    """Return words as a list in a sentence."""
    *first, last = map(str, words)
    return f"{', '.join(first)} and {last}" if first else last
