"""Tasks with two windows on a desktop that exchange things: files, and what forms ask for."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.acting import act
from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Step, joined, one_of, pick
from gem_ma.envs.screens.sheet import Area, Sheet
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene.screen import Widget, find_widget

ModelT = TypeVar("ModelT", bound=Any)
WIDE, BAR = 232, 40  # the width of a window, and the height of the bar below all windows
WINDOW, TITLE, TASK = "window", "title", "task"  # ids of these widgets, with a number


class TwoWindows(Family[ModelT]):
    """Tasks with two windows, one of which is in front: a click on a window brings it there.

    A model has `front`, the number of the window in front, and `shares`, four numbers from 0 to 1
    that say where the windows are.
    """

    application = ""
    heights: ClassVar[tuple[int, int]]  # of the windows below their titles

    def name_windows(self, model: ModelT) -> tuple[str, str]:
        """Return the titles of both windows."""
        raise NotImplementedError

    def draw_window(self, sheet: Sheet, model: ModelT, ui: Ui, number: int, area: Area) -> None:
        """Put what is in a window, below its title; `area` is free, with a margin around it."""
        raise NotImplementedError

    def is_left(self, model: ModelT, number: int) -> bool:
        """Return whether a window is the left one."""
        return (model.shares[0] < 0.5) == (number == 0)

    def draw(self, sheet: Sheet, model: ModelT, ui: Ui) -> None:
        names, (across, down) = self.name_windows(model), sheet.screen
        boxes = [self._place(sheet, model, number) for number in range(2)]
        front = boxes[model.front]
        for number in (1 - model.front, model.front):
            x, y, w, h = boxes[number]
            first = len(sheet.widgets)
            sheet.at("handle", f"{TITLE}{number}", x, y, w, sheet.line + 16, text=names[number],
                     tone="bar")  # fmt: skip
            top = y + sheet.line + 26
            self.draw_window(sheet, model, ui, number, Area(x + 10, top, w - 20, y + h - top - 10))
            if number != model.front:  # what lies behind the other window cannot be used
                sheet.widgets[first:] = [
                    one for one in sheet.widgets[first:] if not _is_behind(one, front)
                ]
            sheet.widgets.insert(first, Widget(f"{WINDOW}{number}", "box", x, y, w, h,
                                               tone="window", type=sheet.type))  # fmt: skip
        for number, name in enumerate(names):
            sheet.at("tab", f"{TASK}{number}", across // 2 * number, down - BAR + 4, across // 2,
                     BAR - 4, text=name, value=model.front == number)  # fmt: skip

    def _place(self, sheet: Sheet, model: ModelT, number: int) -> Area:
        """Return where a window is: the left one at the left side, as far as there is room."""
        left, top, wide, high = sheet.area
        w, h = sheet.grown(WIDE), sheet.line + 26 + sheet.grown(self.heights[number])
        spare = max(12, wide // 2 - w)
        along = round(model.shares[1 + number] * spare)
        x = left + along if self.is_left(model, number) else left + wide - w - along
        room = high - BAR - h
        y = top + round((model.shares[3] if number else 1 - model.shares[3]) * max(0, room))
        return Area(x, y, w, h)

    def act(self, page: tuple[Widget, ...], ui: Ui, action: ScreenAction) -> tuple[Ui, list[Event]]:
        ui, events = act(page, ui, action)
        if action.kind not in ("click", "double", "triple", "right"):
            return ui, events
        windows = tuple([one for one in page if one.id.startswith((WINDOW, TASK))])
        under = find_widget(windows, *action.at)
        return ui, events if under is None else [Event("raise", value=int(under.id[-1])), *events]

    def update(self, model: ModelT, event: Event, ui: Ui) -> ModelT:
        if event.kind != "raise":
            return model
        raised: ModelT = model._replace(front=event.value)
        return raised

    def score(self, model: ModelT, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)


def _is_behind(one: Widget, window: Area) -> bool:
    """Return whether the middle of a widget lies behind a window."""
    x, y = one.x + one.w // 2 - window.x, one.y + one.h // 2 - window.y
    return 0 <= x < window.w and 0 <= y < window.h and not one.id.startswith(TITLE)


class Attaching(TwoWindows["Attaching.Model"]):
    """Tasks to drag files from one window to a mail in another, and to send it."""

    pool = tuple(f"{word}.{ending}" for word in words.WORDS for ending in ("pdf", "txt"))
    heights = (162, 180)
    MOST = 3  # files of a mail

    class Model(NamedTuple):
        folder: str
        person: str
        files: tuple[str, ...]
        wants: tuple[str, ...]
        subject: str  # "": none
        shares: tuple[float, ...]
        front: int
        attached: tuple[str, ...] = ()
        done: bool | None = None

    FOLDERS = ("Documents", "Downloads", "Projects", "Papers")

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = pick(rng, words.WORDS, 4 + difficulty // 2)
        files = [f"{name}.{one_of(rng, ('pdf', 'txt'))}" for name in names]
        targets = pick(rng, files, 1 + difficulty // 4)
        for number in range(min(difficulty // 5, len(targets))):  # the same name, another ending
            other = {"pdf": "txt", "txt": "pdf"}[targets[number][-3:]]
            files[files.index(next(one for one in files if one not in targets))] = (
                f"{targets[number][:-3]}{other}"
            )
        subject = one_of(rng, words.TITLES) if difficulty > 1 else ""
        attached = [name for name in files if name not in targets][: difficulty // 6]
        shares = tuple(rng.random(4).tolist())
        return self.Model(one_of(rng, self.FOLDERS), one_of(rng, words.NAMES), tuple(files),
                          tuple(targets), subject, shares, int(rng.integers(2)),
                          tuple(attached))  # fmt: skip

    def goal(self, model: Model) -> str:
        files = joined([f'"{name}"' for name in model.wants])
        subject = f', write the subject "{model.subject}"' if model.subject else ""
        return f"Attach only {files} to the mail to {model.person}{subject}, and send it."

    def name_windows(self, model: Model) -> tuple[str, str]:
        return model.folder, f"Mail to {model.person}"

    def draw_window(self, sheet: Sheet, model: Model, ui: Ui, number: int, area: Area) -> None:
        x, y, w, _ = area
        row, high = sheet.line + 12, sheet.line + 8
        if number == 0:
            each = w // 2
            for place, name in enumerate(model.files):
                sheet.at("handle", f"file-{name}", x + each * (place % 2), y + row * (place // 2),
                         each - 6, high, text=name)  # fmt: skip
            return
        wide = w * 42 // 100  # of the side that is away from the other window
        near, far = (x + wide + 8, x) if self.is_left(model, 1) else (x, x + w - wide)
        sheet.at("label", "subject-name", x, y + 4, sheet.grown(56), sheet.line, text="Subject")
        left = x + sheet.grown(60)
        sheet.at("field", "subject", left, y, x + w - left, high, value="")
        y += row + 4
        sheet.at("cell", "drop", far, y, wide, 3 * row - 4, text="Drop here")
        for place, name in enumerate(model.attached):
            sheet.at("button", f"remove-{name}", near, y + row * place, w - wide - 8, high,
                     text=f"\xd7 {name}", tone="quiet")  # fmt: skip
        y += 3 * row + 4
        sheet.at("button", "send", far, y, wide, high, text="Send", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        model = super().update(model, event, ui)
        verb, _, name = event.id.partition("-")
        if event.kind == "drop" and verb == "file":
            is_mail = str(event.value).startswith(("drop", "send", "remove-", "subject"))
            is_mail |= event.value in (f"{WINDOW}1", f"{TITLE}1")
            if is_mail and name not in model.attached and len(model.attached) < self.MOST:
                return model._replace(attached=(*model.attached, name))
        if event.is_click and verb == "remove":
            return model._replace(attached=tuple([n for n in model.attached if n != name]))
        if event.kind == "click" and event.id == "send":
            right = ui.values.get("subject", "") == model.subject
            return model._replace(done=right and set(model.attached) == set(model.wants))
        return model

    def plan(self, model: Model, ui: Ui) -> Step:
        missing = [name for name in model.wants if name not in model.attached]
        wrong = [name for name in model.attached if name not in model.wants]
        if missing and not wrong:
            if model.front:
                return "click", f"{TASK}0"
            return "drag", f"file-{missing[0]}", "drop"
        if not model.front:
            return "click", f"{TASK}1"
        if wrong:
            return "click", f"remove-{wrong[0]}"
        if ui.values.get("subject", "") != model.subject:
            return "set", "subject", model.subject
        return "click", "send"

    def find_needs(self, model: Model) -> tuple[str, ...]:
        return model.wants


class Transferring(TwoWindows["Transferring.Model"]):
    """Tasks to look people up in one window, and to enter what is there into a form in another."""

    pool = words.NAMES
    heights = (188, 182)

    class Model(NamedTuple):
        people: tuple[tuple[str, ...], ...]  # name, and what is known
        todo: tuple[int, ...]  # people to enter
        columns: tuple[int, ...]  # of what is known
        titles: tuple[str, str]
        shares: tuple[float, ...]
        front: int
        shown: int = -1  # the person whose card is open
        entered: tuple[int, ...] = ()
        done: bool | None = None

    KNOWN = ("Name", "Phone", "City", "Code")
    TITLES = (("Contacts", "Order"), ("People", "Booking"), ("Members", "Badge"),
              ("Guests", "Parking"))  # fmt: skip
    STEPS = ((1, 1), (1, 1), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2), (2, 2), (3, 2), (3, 2),
             (3, 3))  # fmt: skip

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many, known = self.STEPS[difficulty]
        names = pick(rng, words.NAMES, 3 + difficulty // 3)
        people = tuple(
            (name, f"555-{rng.integers(1000, 10000)}", one_of(rng, words.CITIES),
             "".join(pick(rng, "ABCDEFGHJKLMNPRSTUVWXYZ23456789", 5)))
            for name in names
        )  # fmt: skip
        todo, columns = pick(rng, range(len(names)), many), pick(rng, (1, 2, 3), known)
        shares = tuple(rng.random(4).tolist())
        return self.Model(people, tuple(sorted(todo)), tuple(sorted(columns)),
                          one_of(rng, self.TITLES), shares, int(rng.integers(2)))  # fmt: skip

    def goal(self, model: Model) -> str:
        names = joined([model.people[number][0] for number in model.todo])
        known = joined([self.KNOWN[column].lower() for column in (0, *model.columns)])
        each, times = (" of each", " each time") if model.todo[1:] else ("", "")
        source, form = model.titles
        return (
            f'Enter {names} into "{form}": the {known}{each}, as "{source}" says, '
            f"and click Save{times}."
        )

    def name_windows(self, model: Model) -> tuple[str, str]:
        return model.titles

    def draw_window(self, sheet: Sheet, model: Model, ui: Ui, number: int, area: Area) -> None:
        x, y, w, _ = area
        row, high = sheet.line + 12, sheet.line + 8
        if number == 0:
            wide = w * 44 // 100
            for place, person in enumerate(model.people):
                sheet.at("cell", f"person{place}", x, y + row * place, wide, high, text=person[0],
                         value=place == model.shown or None)  # fmt: skip
            if model.shown < 0:
                sheet.at("label", "hint", x + wide + 12, y + 4, w - wide - 12, sheet.line,
                         text="Click a name.", tone="quiet")  # fmt: skip
            else:
                for column, text in enumerate(model.people[model.shown]):
                    top = y + (2 * sheet.line + 8) * column
                    left, right = x + wide + 12, w - wide - 12
                    sheet.at("label", f"known{column}", left, top, right, sheet.line,
                             text=self.KNOWN[column], tone="quiet")  # fmt: skip
                    sheet.at("label", f"value{column}", left, top + sheet.line, right, sheet.line,
                             text=text)  # fmt: skip
            return
        for column in (0, *model.columns):
            wide = sheet.grown(56)
            sheet.at("label", f"form{column}-name", x, y + 4, wide, sheet.line,
                     text=self.KNOWN[column])  # fmt: skip
            sheet.at("field", f"form{column}", x + wide, y, w - wide, high, value="")
            y += row
        sheet.at("button", "save", x + w - sheet.grown(70), y + 4, sheet.grown(70), high,
                 text="Save", tone="primary")  # fmt: skip
        sheet.at("label", "entered", x, y + 8, w - sheet.grown(80), sheet.line,
                 text=f"{len(model.entered)} saved", tone="quiet")  # fmt: skip

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        model = super().update(model, event, ui)
        if event.is_click and event.id.startswith("person"):
            return model._replace(shown=int(event.id.removeprefix("person")))
        is_saved = (event.kind == "click" and event.id == "save") or event.kind == "enter"
        if not is_saved:
            return model
        columns = (0, *model.columns)
        typed = [ui.values.get(f"form{column}", "") for column in columns]
        left = [number for number in model.todo if number not in model.entered]
        saved = next(
            (n for n in left if [model.people[n][column] for column in columns] == typed), None
        )
        if saved is None:
            return model._replace(done=False)
        entered = (*model.entered, saved)
        return model._replace(entered=entered, done=True if len(left) == 1 else None)

    def patch(self, before: Model, model: Model, ui: Ui) -> Ui:
        if model.entered == before.entered:
            return ui
        values = {id: value for id, value in ui.values.items() if not id.startswith("form")}
        return ui._replace(values=values, focus="", caret=0, anchor=0, left={})

    def plan(self, model: Model, ui: Ui) -> Step:
        number = next(n for n in model.todo if n not in model.entered)
        person = model.people[number]
        if model.shown != number:
            return "click", f"{TASK}0" if model.front else f"person{number}"
        if not model.front:
            return "click", f"{TASK}1"
        for column in (0, *model.columns):
            if ui.values.get(f"form{column}", "") != person[column]:
                return "set", f"form{column}", person[column]
        return "click", "save"

    def find_needs(self, model: Model) -> list[str]:
        return [model.people[number][0] for number in model.todo]
