"""Tasks about things beside or above the page: windows, pop-ups, a colour picker, shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import (
    Family,
    Row,
    Step,
    Steps,
    joined,
    make_sentence,
    one_of,
    pick,
)
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui

ShortcutParts = tuple[tuple[str, str], ...]  # command, keys
WIDE, HIGH, BAR = 200, 112, 40  # size of a window, and height of the bar below all windows
RIGHT, DOWN = 170, 120  # largest position of a window


def _holds(box: tuple[int, int], wide: int, high: int, at: tuple[int, int]) -> bool:
    """Return whether a point is in a window."""
    return 0 <= at[0] - box[0] < wide and 0 <= at[1] - box[1] < high


def _layers(
    order: Sequence[int], boxes: Sequence[tuple[int, int]], wide: int, high: int
) -> list[int]:
    """Return windows from back to front; windows without visible overlap are in order of number."""

    def behind(low: int, number: int) -> bool:
        """Return whether the first window is visibly behind the other."""
        (ax, ay), (bx, by) = boxes[low], boxes[number]
        if abs(ax - bx) >= wide or abs(ay - by) >= high:
            return False
        corners = [(x, y) for x in (max(ax, bx), min(ax, bx) + wide - 1)
                   for y in (max(ay, by), min(ay, by) + high - 1)]  # fmt: skip
        above = order[order.index(number) + 1 :]
        return not any(
            all(_holds(boxes[other], wide, high, corner) for corner in corners) for other in above
        )

    remaining, layers = list(order), []
    while remaining:
        free = [
            n for i, n in enumerate(remaining) if not any(behind(low, n) for low in remaining[:i])
        ]
        layers.append(min(free))
        remaining.remove(layers[-1])
    return layers


class Windows(Family["Windows.Model"]):
    """Tasks to use windows that overlap, come to the front, and move by their titles."""

    application = ""
    pool = words.TITLES

    class Model(NamedTuple):
        names: tuple[str, ...]
        buttons: tuple[tuple[str, ...], ...]  # of each window
        todo: tuple[tuple[int, str], ...]  # window; one of its buttons, or one of EDGES
        places: tuple[tuple[int, int], ...]  # relative to the goal's strip
        order: tuple[int, ...]  # the last one is in front
        at: int = 0
        done: bool | None = None

    BUTTONS = ("Open", "Save", "Print", "Share", "Find")
    EDGES = ("left", "top")

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many = 2 + difficulty // 4
        names = tuple(word.title() for word in pick(rng, words.WORDS, many))
        buttons = tuple(tuple(pick(rng, self.BUTTONS, 2)) for _ in names)
        places = tuple((int(rng.integers(20, RIGHT)), int(rng.integers(10, DOWN))) for _ in names)
        tasks: list[tuple[int, str]] = []
        for number in range(1 + difficulty // 2):
            others = [n for n in range(many) if not tasks or n != tasks[-1][0]]
            window = 0 if not number else one_of(rng, others)
            options = self.EDGES if difficulty > 1 and number % 2 else buttons[window]
            tasks.append((window, one_of(rng, options)))
        return self.Model(names, buttons, tuple(tasks), places, tuple(range(many)))

    def goal(self, model: Model) -> str:
        clauses = [
            f'move "{model.names[window]}" to the {target} edge'
            if target in self.EDGES
            else f'click on {target} in "{model.names[window]}"'
            for window, target in model.todo
        ]
        goal = ", then ".join(clauses)
        return make_sentence(goal)

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        wide, high, line = sheet.grown(WIDE), sheet.grown(HIGH), sheet.line
        (left, top, *_), (across, down) = sheet.area, sheet.screen
        boxes = [(left + x, top + y) for x, y in model.places]
        order = _layers(model.order, boxes, wide, high)
        for place, number in enumerate(order):
            x, y = boxes[number]
            above = [boxes[other] for other in order[place + 1 :]]
            sheet.at("box", f"window{number}", x, y, wide, high, tone="window")
            name = model.names[number]
            sheet.at("handle", f"title{number}", x, y, wide, line + 16, text=name, tone="bar")
            left = x + 12
            for text in model.buttons[number]:
                room, top = sheet.grown(80), y + line + 32
                middle = left + room // 2, top + (line + 8) // 2
                if not any(_holds(box, wide, high, middle) for box in above):
                    id = f"press{number}-{text}"
                    sheet.at("button", id, left, top, room, line + 8, text=text)
                left += room + 10
        each = across // len(model.names)
        for number, name in enumerate(model.names):
            on = model.order[-1] == number
            sheet.at("tab", f"task{number}", each * number, down - BAR + 4, each, BAR - 4,
                     text=name, value=on)  # fmt: skip

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        id, _, button = event.id.partition("-")
        kind = id.rstrip("0123456789")
        if kind not in ("window", "title", "press", "task"):
            return model
        number = int(id[len(kind) :])
        order = (*[one for one in model.order if one != number], number)
        model = model._replace(order=order)
        if event.kind == "drop" and kind == "title":
            x, y = (at + by for at, by in zip(model.places[number], event.moved, strict=True))
            place = max(0, min(x, RIGHT)), max(0, min(y, DOWN))
            places = (*model.places[:number], place, *model.places[number + 1 :])
            model = model._replace(places=places)
            task = model.todo[model.at]
            edges = {"left": x, "top": y}
            at_edge = number == task[0] and edges.get(task[1], 1) <= 0
            return self._did(model, task) if at_edge else model
        if event.kind == "click" and kind == "press":
            return self._did(model, (number, button))
        return model

    def _did(self, model: Model, did: tuple[int, str]) -> Model:
        if did != model.todo[model.at]:
            return model._replace(done=False)
        at = model.at + 1
        return model._replace(at=at, done=True if at == len(model.todo) else None)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        number, target = model.todo[model.at]
        if model.order[-1] != number:
            return "click", f"task{number}"
        x, y = model.places[number]
        if target in self.EDGES:
            return "drag", f"title{number}", (-x, 0) if target == "left" else (0, -y)
        return "click", f"press{number}-{target}"

    def find_needs(self, model: Model) -> list[str]:
        return [model.names[window] for window, _ in model.todo]


class Popups(Family["Popups.Model"]):
    """Tasks to fill in fields while windows open that must be closed."""

    like = "login-user-popup"
    pool = words.TITLES

    class Model(NamedTuple):
        names: tuple[str, ...]
        wants: tuple[str, ...]
        due: tuple[tuple[int, str, str], ...]  # number of actions, question, answer that declines
        acted: int = 0
        open: int = -1
        done: bool | None = None

    ASKED = (
        "Do you want our news?", "May we show you around?", "Do you like this page?",
        "Save your password?", "Allow notifications?", "Try the new version?",
    )  # fmt: skip
    NO = ("No, thanks", "Not now", "Close", "Skip")

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many = 1 + difficulty // 3
        names = tuple(word.title() for word in pick(rng, words.WORDS, many))
        targets = tuple(pick(rng, words.WORDS, many))
        after = sorted(pick(rng, range(1, 3 * many + 1), 1 + difficulty // 2)[: 3 * many])
        questions = pick(rng, self.ASKED, len(after))
        popups = tuple(
            (n, text, one_of(rng, self.NO)) for n, text in zip(after, questions, strict=False)
        )
        return self.Model(names, targets, popups)

    def goal(self, model: Model) -> str:
        pairs = zip(model.wants, model.names, strict=True)
        description = joined([f'"{word}" into {name}' for word, name in pairs])
        return f"Type {description}, and click Submit. Say no to all that you are asked besides."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, name in enumerate(model.names):
            sheet.named("field", f"field{number}", name, "")
        sheet.put("button", "submit", "Submit", tone="primary")
        if model.open >= 0:
            _, question, no = model.due[model.open]
            across, down = sheet.style.window
            at = (across + 0.3 * model.open) % 1, (down + 0.4 * model.open) % 1
            sheet.window(260, 118, "Message", at)
            sheet.label(question)
            sheet.put("button", "yes", "Yes, please", tone="primary")
            sheet.put("button", "no", no, beside=True)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.is_click and model.open >= 0:
            if event.id == "yes":
                return model._replace(done=False)
            return model._replace(open=-1) if event.id == "no" else model
        if event.kind == "enter" or (event.kind == "click" and event.id == "submit"):
            texts = [ui.values.get(f"field{n}", "") for n in range(len(model.wants))]
            return model._replace(done=texts == list(model.wants))
        if event.kind not in ("click", "change") or not event.id.startswith("field"):
            return model
        action_count = model.acted + 1
        popups = [n for n, (after, *_) in enumerate(model.due) if after == action_count]
        return model._replace(acted=action_count, open=popups[0] if popups else -1)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        if model.open >= 0:
            return "click", "no"
        for number, word in enumerate(model.wants):
            if ui.values.get(f"field{number}", "") != word:
                return "set", f"field{number}", word
        return "click", "submit"

    def find_needs(self, model: Model) -> tuple[str, ...]:
        return model.names


class Shortcuts(Steps[ShortcutParts]):
    """Tasks to give commands by their keys."""

    like = "text-editor"
    application = "editor"
    verb = "key"
    pool = COMMANDS = (
        "Bold", "Italic", "Underline", "Save", "Print", "Share", "Undo", "Redo", "Find", "Replace",
        "New page", "Close", "Zoom in", "Zoom out",
    )  # fmt: skip

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[ShortcutParts]:
        names = pick(rng, self.COMMANDS, 3 + difficulty)
        modifiers = ("ctrl+", "ctrl+shift+")[: 1 + difficulty // 4]
        letters = [f"{keys}{letter}" for keys in modifiers for letter in "bdefghijklmnopqrstuwyz"]
        parts = tuple(zip(names, pick(rng, letters, len(names)), strict=True))
        shortcuts = [one_of(rng, parts) for _ in range(1 + difficulty // 2)]
        description = joined([f'"{name}"' for name, _ in shortcuts])
        order = ", one after the other" if shortcuts[1:] else ""
        return Row(
            tuple(keys for _, keys in shortcuts), parts, f"Use the keys for {description}{order}."
        )

    def counts(self, model: Row[ShortcutParts], id: str) -> bool:
        return True

    def update(self, model: Row[ShortcutParts], event: Event, ui: Ui) -> Row[ShortcutParts]:
        keys = str(event.value).lower()
        shortcuts = [one for _, one in model.parts]
        return super().update(model, event._replace(id=keys), ui) if keys in shortcuts else model

    def draw(self, sheet: Sheet, model: Row[ShortcutParts], ui: Ui) -> None:
        sheet.label(f"Commands given: {model.at} of {len(model.todo)}", tone="quiet")
        for name, keys in model.parts:
            sheet.put("label", f"name-{name}", name, w=150)
            sheet.put("label", f"keys-{name}", keys.title(), beside=True)

    def find_needs(self, model: Row[ShortcutParts]) -> list[str]:
        return [name for name, keys in model.parts if keys in model.todo]


class Picking(Family["Picking.Model"]):
    """Tasks to mix colours in a picker: a strip of hues, and a square of shades."""

    like = "use-colorwheel, use-colorwheel-2"
    application = "drawing"
    wide = 360

    class Model(NamedTuple):
        wants: tuple[tuple[int, int, int], ...]  # hue, saturation, brightness
        near: int  # tolerance of each number
        at: int = 0
        done: bool | None = None

    HAD = (50, 50)

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        targets = tuple(
            (10 * int(rng.integers(1, 36)), 5 * int(rng.integers(21)), 5 * int(rng.integers(2, 21)))
            for _ in range(1 + difficulty // 2)
        )
        return self.Model(targets, 12 - difficulty)

    def goal(self, model: Model) -> str:
        colors = [f"hue {h}, saturation {s}, brightness {b}" for h, s, b in model.wants]
        steps = "; then ".join(f"{one}, and click Add" for one in colors)
        return f"Mix {steps}. Each number may be {model.near} off."

    def _has(self, ui: Ui) -> tuple[int, int, int]:
        return ui.values.get("hue", 0), *ui.values.get("shade", self.HAD)

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        hue, saturation, brightness = self._has(ui)
        shade, top = (saturation, brightness), sheet.y
        left, right = sheet.x, sheet.x + 236
        sheet.at("shade", "shade", left, top, 220, 160, value=shade, options=("shade", hue))
        sheet.at("shade", "hue", left, top + 170, 220, 22, value=hue, options=("hue",))
        sheet.at("shade", "mixed", right, top, 60, 60, value=shade, options=("mixed", hue))
        sheet.move(right, top + 68)
        for name, number in (("Hue", hue), ("Saturation", saturation), ("Brightness", brightness)):
            sheet.put("label", name, f"{name}: {number}", w=180 * 14 // sheet.type)
        sheet.put("button", "add", f"Add ({model.at} of {len(model.wants)})", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click" or event.id != "add":
            return model
        if not self._near(model, ui):
            return model._replace(done=False)
        at = model.at + 1
        return model._replace(at=at, done=True if at == len(model.wants) else None)

    def _near(self, model: Model, ui: Ui) -> bool:
        pairs = zip(self._has(ui), model.wants[model.at], strict=True)
        return all(abs(current - target) <= model.near for current, target in pairs)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        (hue, saturation, brightness), near = model.wants[model.at], model.near
        shade = saturation, brightness
        current_hue, *other = self._has(ui)
        if abs(current_hue - hue) > near:
            return "set", "hue", hue
        if max(abs(one - two) for one, two in zip(shade, other, strict=True)) > near:
            return "set", "shade", shade
        return "click", "add"
