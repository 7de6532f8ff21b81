"""What a family of tasks is: a model, how it is drawn, what events do to it, when it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui, WidgetValue

# What is to be done next: a verb, the widget, and what with it. Verbs: click, double, right, hover,
# set (a widget to a value), mark (a word), drag (onto a widget, or by so many pixels), key, type.
Step = tuple[str, str] | tuple[str, str, WidgetValue]
Names = tuple[str, ...]
ModelT = TypeVar("ModelT")
PartsT = TypeVar("PartsT")
ItemT = TypeVar("ItemT")


class Family(Generic[ModelT]):
    """Tasks of one kind, from easy (difficulty 0) to hard (difficulty 10); a model is one of them.

    Attributes:
        like: the names of MiniWoB++'s pages that ask for the same.
        follows: whether what is shown depends on what the pointer is over, or on the keyboard's
            widget.
    """

    like: str = ""
    follows = False

    def start(self, rng: np.random.Generator, difficulty: int) -> ModelT:
        """Return a model: a frozen value with all that the task is made of."""
        raise NotImplementedError

    def goal(self, model: ModelT) -> str:
        """Return what is to be done, in words."""
        raise NotImplementedError

    def draw(self, sheet: Sheet, model: ModelT, ui: Ui) -> None:
        """Put the widgets on a sheet."""
        raise NotImplementedError

    def update(self, model: ModelT, event: Event, ui: Ui) -> ModelT:
        """Return the model after an event."""
        return model

    def patch(self, before: ModelT, model: ModelT, ui: Ui) -> Ui:
        """Return what is shown, where an app changes what a person has done to its widgets."""
        return ui

    def score(self, model: ModelT, ui: Ui) -> float | None:
        """Return what was earned when it is over, and None before."""
        raise NotImplementedError

    def plan(self, model: ModelT, ui: Ui) -> Step:
        """Return what somebody who knows the way does next."""
        raise NotImplementedError


class Filled(NamedTuple, Generic[PartsT]):
    """A form that is to be filled in, and submitted."""

    wants: Mapping[str, WidgetValue]  # what the widgets are to hold
    parts: PartsT  # what it is drawn from
    told: str  # the goal
    done: bool | None = None
    had: Mapping[str, WidgetValue] = {}


class Form(Family[Filled[PartsT]]):
    """Tasks that are right when all widgets hold what they should, and "submit" is clicked.

    What was to be left alone counts too: a check mark too many is wrong.
    """

    button = "Submit"

    def goal(self, model: Filled[PartsT]) -> str:
        return model.told

    def holds(self, model: Filled[PartsT], ui: Ui, id: str) -> object:
        return ui.values.get(id, model.had.get(id))

    def update(self, model: Filled[PartsT], event: Event, ui: Ui) -> Filled[PartsT]:
        is_submitted = (event.kind == "click" and event.id == "submit") or event.kind == "enter"
        if not is_submitted:
            return model
        right = all(self.holds(model, ui, id) == value for id, value in model.wants.items())
        changed_ids = {
            id for id in ui.values if id not in model.wants and not id.startswith("scroll")
        }
        right &= all(not ui.values[id] or ui.values[id] == model.had.get(id) for id in changed_ids)
        return model._replace(done=right)

    def score(self, model: Filled[PartsT], ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Filled[PartsT], ui: Ui) -> Step:
        for id, value in model.wants.items():
            if self.holds(model, ui, id) != value:
                return "set", id, value
        return "click", "submit"


class Row(NamedTuple, Generic[PartsT]):
    """Things that are to be clicked, one after the other."""

    todo: tuple[str, ...]  # ids, in order
    parts: PartsT  # what it is drawn from
    told: str = ""
    at: int = 0
    done: bool | None = None
    shown: int = 0  # where somebody has gone to


class Steps(Family[Row[PartsT]]):
    """Tasks that are right when some things are clicked in order, and nothing wrong before."""

    verb = "click"

    def goal(self, model: Row[PartsT]) -> str:
        return model.told

    def counts(self, model: Row[PartsT], id: str) -> bool:
        """Return whether a click on this is an answer, and not only a way to look."""
        raise NotImplementedError

    def go(self, model: Row[PartsT], event: Event, ui: Ui) -> Row[PartsT]:
        """Return the model after an event that is no answer."""
        return model

    def update(self, model: Row[PartsT], event: Event, ui: Ui) -> Row[PartsT]:
        if event.kind != self.verb or not self.counts(model, event.id):
            return self.go(model, event, ui)
        if event.id != model.todo[model.at]:
            return model._replace(done=False)
        at = model.at + 1
        return model._replace(at=at, done=True if at == len(model.todo) else None)

    def score(self, model: Row[PartsT], ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Row[PartsT], ui: Ui) -> Step:
        return self.verb, model.todo[model.at]


def in_order(kind: str, names: Sequence[str]) -> str:
    """Return a goal: what is to be clicked on, in which order."""
    quoted_names = [f'"{name}"' for name in names]
    if len(quoted_names) == 1:
        return f"Click on the {kind} {quoted_names[0]}."
    return f"Click on the {kind}s {joined(quoted_names)}, in this order."


def pick(rng: np.random.Generator, options: Sequence[ItemT], many: int) -> list[ItemT]:
    """Return so many different ones of some options, in random order."""
    return [options[place] for place in rng.permutation(len(options))[:many].tolist()]


def one_of(rng: np.random.Generator, options: Sequence[ItemT]) -> ItemT:
    """Return one of some options."""
    return options[int(rng.integers(len(options)))]


def joined(words: Iterable[object]) -> str:
    """Return words as a list in a sentence."""
    *first, last = map(str, words)
    return f"{', '.join(first)} and {last}" if first else last
