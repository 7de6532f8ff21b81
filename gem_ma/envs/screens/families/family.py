"""The base of families of tasks: the model, its widgets, its reaction to events, its score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.acting import act
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui, WidgetValue
from gem_ma.scene.screen import Widget

# The next step of a plan: a verb, a widget id, and a value. Verbs: click, double, right, hover, set
# (a value), mark (a word), drag (onto a widget or by a distance), key, type.
Step = tuple[str, str] | tuple[str, str, WidgetValue]
Names = tuple[str, ...]
ModelT = TypeVar("ModelT")
PartsT = TypeVar("PartsT")
ItemT = TypeVar("ItemT")


class Family(Generic[ModelT]):
    """A kind of task, from easy (difficulty 0) to hard (difficulty 10); a model is one task.

    Attributes:
        like: the names of similar pages of MiniWoB++.
        follows: whether the page depends on the widget under the pointer, or on the widget with
            the keyboard focus.
        application: the kind of program of which the page is a part; a key of APPLICATIONS.
        has_desktop: whether the page stands on a desktop.
        wide: the width in pixels that the page needs, at the default size of letters.
        opens: the height in pixels that the page needs below what it shows at first.
        pool: names from which those of `find_needs` are drawn.
    """

    like: str = ""
    follows = False
    application = "website"
    has_desktop = True
    wide = 280
    opens = 0
    pool: Names = ()

    def start(self, rng: np.random.Generator, difficulty: int) -> ModelT:
        """Sample a model: a frozen value that contains the whole task."""
        raise NotImplementedError

    def goal(self, model: ModelT) -> str:
        """Return the goal of the task in words."""
        raise NotImplementedError

    def draw(self, sheet: Sheet, model: ModelT, ui: Ui) -> None:
        """Put the widgets of the task on a sheet."""
        raise NotImplementedError

    def act(self, page: tuple[Widget, ...], ui: Ui, action: ScreenAction) -> tuple[Ui, list[Event]]:
        """Return the state of the widgets after an action, and the events for the task."""
        return act(page, ui, action)

    def update(self, model: ModelT, event: Event, ui: Ui) -> ModelT:
        """Return the model after an event."""
        return model

    def patch(self, before: ModelT, model: ModelT, ui: Ui) -> Ui:
        """Return the state of the widgets after the app's own changes to them."""
        return ui

    def score(self, model: ModelT, ui: Ui) -> float | None:
        """Return the score of a finished task, and None before its end."""
        raise NotImplementedError

    def plan(self, model: ModelT, ui: Ui) -> Step:
        """Return the next step of a perfect user."""
        raise NotImplementedError

    def find_needs(self, model: ModelT) -> Sequence[str]:
        """Return names of things on the page without which the goal cannot be reached."""
        raise NotImplementedError

    def make_infeasible(self, model: ModelT, rng: np.random.Generator) -> ModelT:
        """Return a model on whose page the goal of `model` cannot be reached.

        One of the things that the goal needs has another name there. So the page is that of another
        task of the family, and nothing but the goal and the page together shows that it is so.
        """
        return rename(model, one_of(rng, self.find_needs(model)), self.pool, rng)


class Filled(NamedTuple, Generic[PartsT]):
    """A form to fill in and submit."""

    wants: Mapping[str, WidgetValue]  # the right values by widget id
    parts: PartsT  # the content that it is drawn from
    told: str  # the goal
    done: bool | None = None
    had: Mapping[str, WidgetValue] = {}


class Form(Family[Filled[PartsT]]):
    """Tasks to fill in a form and submit it, with all values right.

    Widgets outside the goal count too: an additional check mark is wrong.
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

    def find_needs(self, model: Filled[PartsT]) -> Sequence[str]:
        return tuple(model.wants)


class Row(NamedTuple, Generic[PartsT]):
    """Things to click, one after the other."""

    todo: tuple[str, ...]  # widget ids, in order
    parts: PartsT  # the content that it is drawn from
    told: str = ""
    at: int = 0
    done: bool | None = None
    shown: int = 0  # the visible part, such as the open tab


class Steps(Family[Row[PartsT]]):
    """Tasks to click things in order; a wrong click ends the task."""

    verb = "click"

    def goal(self, model: Row[PartsT]) -> str:
        return model.told

    def counts(self, model: Row[PartsT], id: str) -> bool:
        """Return whether a click on a widget is an answer; other clicks only look around."""
        raise NotImplementedError

    def go(self, model: Row[PartsT], event: Event, ui: Ui) -> Row[PartsT]:
        """Return the model after an event that is not an answer."""
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

    def find_needs(self, model: Row[PartsT]) -> Sequence[str]:
        return model.todo


def in_order(kind: str, names: Sequence[str]) -> str:
    """Return a goal to click things in order."""
    quoted_names = [f'"{name}"' for name in names]
    if len(quoted_names) == 1:
        return f"Click on the {kind} {quoted_names[0]}."
    return f"Click on the {kind}s {joined(quoted_names)}, in this order."


def pick(rng: np.random.Generator, options: Sequence[ItemT], many: int) -> list[ItemT]:
    """Return `many` different options in random order."""
    return [options[place] for place in rng.permutation(len(options))[:many].tolist()]


def one_of(rng: np.random.Generator, options: Sequence[ItemT]) -> ItemT:
    """Return one of the options at random."""
    return options[int(rng.integers(len(options)))]


def joined(words: Iterable[object]) -> str:
    """Join words as a list in a sentence."""
    *first, last = map(str, words)
    return f"{', '.join(first)} and {last}" if first else last


def make_sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end."""
    return f"{text[0].upper()}{text[1:]}."


def rename(model: ModelT, name: str, pool: Sequence[str], rng: np.random.Generator) -> ModelT:
    """Return a model in which a name is another one of a pool, which the model does not contain."""
    texts: list[str] = []
    _change_texts(model, texts.append)
    content = "\n".join(texts)
    unused = [one for one in pool if not re.search(_pattern(one), content, re.IGNORECASE)]
    old, new = re.compile(_pattern(name)), one_of(rng, unused)
    renamed: ModelT = _change_texts(model, lambda text: old.sub(new, text))
    return renamed


def _pattern(name: str) -> str:
    return rf"\b{re.escape(name)}\b"


def _change_texts(value: Any, change: Callable[[str], object]) -> Any:
    """Return a value with all texts in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key): _change_texts(one, change) for key, one in value.items()}
    if isinstance(value, frozenset):
        return frozenset(_change_texts(one, change) for one in value)
    if isinstance(value, tuple):
        parts = [_change_texts(one, change) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
