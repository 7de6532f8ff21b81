"""The base of families of tasks on a phone: the phone around the app of the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.families.family import Family, Step
from gem_ma.envs.screens.phones import home
from gem_ma.envs.screens.phones.apps import APPS
from gem_ma.envs.screens.phones.gestures import touch
from gem_ma.envs.screens.phones.home import PhoneNotification
from gem_ma.envs.screens.phones.page import (
    EDIT_MENU,
    NAVIGATION,
    PLAIN_STYLE,
    SCROLL,
    STATUS,
    PhonePage,
    PhoneStyle,
    choose_style,
    measure_keyboard,
)
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui, find
from gem_ma.scene.screen import TEXT_KINDS, Widget
from gem_ma.scene.touch_keyboard import LETTERS, SYMBOLS

DataT = TypeVar("DataT")
POPUP = "?"  # the beginning of names of pages that lie over the one before: dialogs and sheets
FIRST = "main"  # the page of an app that opens first


class PhoneTask(NamedTuple, Generic[DataT]):
    """A task on a phone, and the state of the phone.

    Attributes:
        data: what the apps of the task hold.
        wanted: what they hold when the task is done.
        told: the goal.
        expected: the answer to give; "": the task asks for none.
        app: the open app; "": the launcher.
        pages: the open pages of each app that has been opened, the front one last.
        shelf: the page of the launcher.
        shade: whether the notifications are pulled down.
        notes: the notifications; None: one that is gone.
        chosen: what the app of the task remembers until it leaves its page.
        copied: the text to put on the clipboard.
        answer: what was answered; `finished`: whether the task was said to be done.
    """

    data: DataT
    wanted: DataT
    told: str
    style: PhoneStyle = PLAIN_STYLE
    expected: str = ""
    app: str = ""
    pages: Mapping[str, tuple[str, ...]] = {}
    shelf: int = 0
    shade: bool = False
    notes: tuple[PhoneNotification | None, ...] = ()
    chosen: tuple[Any, ...] = ()
    copied: str = ""
    answer: str = ""
    finished: bool = False

    @property
    def front(self) -> str:
        """The name of the front page of the open app; "" in the launcher."""
        return self.pages[self.app][-1] if self.app else ""

    def open(self, app: str) -> PhoneTask[DataT]:
        """Return the phone with an app in front, on the page where it was left."""
        pages = self.pages if app in self.pages else {**self.pages, app: (FIRST,)}
        return self._replace(app=app, pages=pages, shade=False)

    def push(self, *names: str) -> PhoneTask[DataT]:
        """Return the phone with further pages of the open app."""
        return self._replace(pages={**self.pages, self.app: (*self.pages[self.app], *names)})

    def pop(self, count: int = 1) -> PhoneTask[DataT]:
        """Return the phone without the front page, or without several; the first one stays."""
        pages = self.pages[self.app]
        rest = pages[: max(1, len(pages) - count)]
        return self._replace(pages={**self.pages, self.app: rest}, chosen=())

    def swap(self, name: str) -> PhoneTask[DataT]:
        """Return the phone with another front page of the open app."""
        return self._replace(pages={**self.pages, self.app: (*self.pages[self.app][:-1], name)})

    def hold(self, **changes: object) -> PhoneTask[DataT]:
        """Return the phone with other data."""
        data: Any = self.data
        return self._replace(data=data._replace(**changes))


class PhoneFamily(Family[PhoneTask[DataT]]):
    """A kind of task on a phone.

    A task is done when its agent says so, and the data are then the wanted ones, or the answer is
    the expected one.

    Attributes:
        apps: the apps that the task is about.
    """

    apps: ClassVar[tuple[str, ...]] = ()
    application = ""
    has_desktop = False
    follows = True  # the keyboard is shown while a text has the focus

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[DataT]:
        """Sample a task, in the plain style."""
        raise NotImplementedError

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[DataT], ui: Ui) -> None:
        """Put a page of the open app."""
        raise NotImplementedError

    def update_app(self, task: PhoneTask[DataT], event: Event, ui: Ui) -> PhoneTask[DataT]:
        """Return the task after an event in the open app."""
        return task

    def plan_app(self, task: PhoneTask[DataT], ui: Ui) -> Step:
        """Return the next step of a perfect user in an app of the task."""
        raise NotImplementedError

    def open_note(self, task: PhoneTask[DataT], note: PhoneNotification) -> PhoneTask[DataT]:
        """Return the task after a tap on a notification, with its app in front."""
        return task

    def find_app(self, task: PhoneTask[DataT]) -> str:
        """Return the app that a perfect user needs next."""
        return self.apps[0]

    def start(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[DataT]:
        style = choose_style(rng)
        return self.make(rng, difficulty)._replace(style=style)

    def goal(self, model: PhoneTask[DataT]) -> str:
        return model.told

    def act(self, page: tuple[Widget, ...], ui: Ui, action: ScreenAction) -> tuple[Ui, list[Event]]:
        return touch(page, ui, action)

    def draw(self, sheet: Sheet, model: PhoneTask[DataT], ui: Ui) -> None:
        high = sheet.screen[1]
        low = high - NAVIGATION
        page = PhonePage(sheet, model.style, ui, "", low)
        # What is drawn is an update of the last picture that had the same first widget.
        page.put("pane", "ground", 0, 0, page.wide, high, value=model.told,
                 tone="screen" if model.app else "wall", group=model.style.accent)  # fmt: skip
        if not model.app:
            home.draw_launcher(page, model.shelf)
        else:
            self._draw_pages(page, model, ui)
            home.draw_navigation(page)
        if model.shade:
            shown = [(n, note) for n, note in enumerate(model.notes) if note is not None]
            home.draw_shade(page, tuple(shown))

    def _draw_pages(self, page: PhonePage, task: PhoneTask[DataT], ui: Ui) -> None:
        names = task.pages[task.app]
        first = max(n for n, name in enumerate(names) if not name.startswith(POPUP))
        home.draw_status(page)
        is_typing = bool(ui.focus)
        low = page.low - measure_keyboard(page.wide) * is_typing
        for name in names[first:]:
            page.name, page.low, page.y = f"{task.app}.{name}", low, STATUS
            if task.app in self.apps:
                self.draw_app(page, name, task, ui)
            else:
                _draw_other_app(page, task.app)
        field = find(page.widgets, ui.focus) if is_typing else None
        if field is not None and field.kind in TEXT_KINDS:
            if ui.open == f"{EDIT_MENU}{field.id}":
                page.put_edit_menu(field)
            home.draw_keyboard(page, SYMBOLS if field.id in page.numbers else LETTERS)

    def update(self, model: PhoneTask[DataT], event: Event, ui: Ui) -> PhoneTask[DataT]:
        kind, id = event.kind, event.id
        if kind == "done":
            return model._replace(finished=True)
        if kind == "answer":
            return model._replace(finished=True, answer=str(event.value))
        if kind == "home" or id == "nav:home":
            return model._replace(app="", shade=False)
        if kind == "back" or id == "nav:back" or (id == "back" and kind == "click"):
            return self._go_back(model)
        if kind == "pull":
            return model._replace(shade=True)
        if kind == "open":
            return model.open(str(event.value))
        if model.shade:
            return self._update_shade(model, event)
        if not model.app:
            return _update_launcher(model, event)
        if kind == "dismiss":
            return model.pop() if model.front.startswith(POPUP) else model
        return self.update_app(model, event, ui) if model.app in self.apps else model

    def _go_back(self, task: PhoneTask[DataT]) -> PhoneTask[DataT]:
        if task.shade:
            return task._replace(shade=False)
        if not task.app:
            return task
        return task.pop() if len(task.pages[task.app]) > 1 else task._replace(app="")

    def _update_shade(self, task: PhoneTask[DataT], event: Event) -> PhoneTask[DataT]:
        if event.kind == "dismiss" or (event.kind, event.value) == ("swipe", "up"):
            return task._replace(shade=False)
        if not event.id.startswith("note:"):
            return task
        number = int(event.id.removeprefix("note:"))
        note = task.notes[number]
        assert note is not None
        rest = (*task.notes[:number], None, *task.notes[number + 1 :])
        if event.kind == "swipe":
            return task._replace(notes=rest)
        if event.is_click:
            return self.open_note(task._replace(notes=rest).open(note.app), note)
        return task

    def patch(self, before: PhoneTask[DataT], model: PhoneTask[DataT], ui: Ui) -> Ui:
        if model.copied != before.copied:
            ui = ui._replace(clipboard=model.copied)
        if (before.app, before.pages, before.shade) == (model.app, model.pages, model.shade):
            return ui
        open_names = {f"{app}.{name}" for app, names in model.pages.items() for name in names}
        values = {
            id: value
            for id, value in ui.values.items()
            if id.startswith(SCROLL) or id.partition("/")[0] in open_names
        }
        return ui._replace(values=values, focus="", open="")

    def score(self, model: PhoneTask[DataT], ui: Ui) -> float | None:
        return float(self.is_right(model)) if model.finished else None

    def is_right(self, task: PhoneTask[DataT]) -> bool:
        """Return whether the data and the answer are those that the task asks for."""
        return task.data == task.wanted and self.is_answered(task)

    def is_answered(self, task: PhoneTask[DataT]) -> bool:
        return _simplify(task.answer) == _simplify(task.expected)

    def plan(self, model: PhoneTask[DataT], ui: Ui) -> Step:
        if not model.expected and self.is_right(model):
            return "done", ""
        if model.shade:
            return "back", ""
        app = self.find_app(model)
        if model.app == app:
            return self.plan_app(model, ui)
        return go_to_app(model, app)


def go_to_app(task: PhoneTask[Any], app: str) -> Step:
    """Return the step from anywhere towards an open app."""
    if task.app:
        return "home", ""
    pages = home.list_launcher_pages(task.style)
    number = next((n for n, names in enumerate(pages) if app in names), task.shelf)
    if number == task.shelf:
        return "click", f"app:{app}"
    return "flick", "", "left" if number > task.shelf else "right"


def find_differences(data: Sequence[object], wanted: Sequence[object]) -> Iterator[int]:
    """Yield the indices of the entries that differ from those that are wanted."""
    for number, (one, other) in enumerate(zip(data, wanted, strict=True)):
        if one != other:
            yield number


def open_entry(task: PhoneTask[Any], name: str, row: str) -> Step | None:
    """Return the step towards a page that a row of the first page opens, or None if it is open."""
    if task.front == name:
        return None
    return ("click", row) if task.front == FIRST else ("back", "")


def set_field(task: PhoneTask[Any], ui: Ui, id: str, text: str, before: str = "") -> Step | None:
    """Return the step that gives a field of the front page a text, or None if it has it."""
    name = f"{task.app}.{task.front}/{id}"
    return None if ui.values.get(name, before) == text else ("set", name, text)


def read_field(task: PhoneTask[Any], ui: Ui, id: str, before: str = "") -> str:
    """Return what a field of the front page holds."""
    return str(ui.values.get(f"{task.app}.{task.front}/{id}", before)).strip()


def split_id(id: str) -> tuple[str, int]:
    """Return the name and the number of the id of one of many widgets, such as "row#3"."""
    name, _, number = id.rpartition("#")
    return (name, int(number)) if name and number.isdecimal() else (id, -1)


def _simplify(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace(",", " ").split()).strip(".")


def _update_launcher(task: PhoneTask[DataT], event: Event) -> PhoneTask[DataT]:
    if event.kind == "swipe" and event.value in ("left", "right"):
        last = len(home.list_launcher_pages(task.style)) - 1
        by = 1 if event.value == "left" else -1
        return task._replace(shelf=max(0, min(last, task.shelf + by)))
    if event.is_click and event.id.startswith("app:"):
        return task.open(event.id.removeprefix("app:"))
    return task


def _draw_other_app(page: PhonePage, name: str) -> None:
    """Put an app that no task needs."""
    app = APPS[name]
    page.bar(name, ("find", "search", "Search"), back=False)
    with page.card():
        for number, (title, subtitle) in enumerate(app.lines):
            page.row(f"line#{number}", title, subtitle, app.icon, app.tone)
