"""Tasks with what guards a phone: its lock, and the permissions of apps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families.family import Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.phones import home
from gem_ma.envs.screens.phones.apps import APPS, DOCKED
from gem_ma.envs.screens.phones.page import NAVIGATION, STATUS, PhonePage
from gem_ma.envs.screens.phones.phone_family import PhoneFamily, PhoneTask, go_to_app
from gem_ma.envs.screens.sheet import Sheet, WidgetStyle
from gem_ma.envs.screens.ui import Event, Ui


class PhoneUnlocking(PhoneFamily["PhoneUnlocking.Data"]):
    """Tasks to unlock the phone with a PIN, whose keys may be in any order, and to open an app."""

    class Data(NamedTuple):
        pin: str
        keys: str  # the digits in the order of the keys
        locked: bool = True

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        pin = "".join(str(int(n)) for n in rng.integers(0, 10, 4 + (difficulty + 1) // 2))
        keys = "1234567890"
        if difficulty > 2:
            keys = "".join(pick(rng, keys, 10))
        app = one_of(rng, [name for name in APPS if name not in DOCKED])
        data = self.Data(pin, keys)
        return PhoneTask(
            data, data._replace(locked=False),
            f"Unlock the phone with the PIN {pin}, and open the app {app}.", copied=app,
        )  # fmt: skip

    def find_app(self, task: PhoneTask[Data]) -> str:
        return task.copied

    def is_right(self, task: PhoneTask[Data]) -> bool:
        return not task.data.locked and task.app == task.copied

    def draw(self, sheet: Sheet, model: PhoneTask[Data], ui: Ui) -> None:
        if not model.data.locked:
            super().draw(sheet, model, ui)
            return
        high, style = sheet.screen[1], model.style
        page = PhonePage(sheet, style, ui, "lock", high - NAVIGATION)
        more: WidgetStyle = {"tone": "wall", "group": style.accent, "type": 24}
        page.put("pane", "wall", 0, 0, page.wide, high, **more)
        home.draw_status(page, "wall")
        side = 68 + 4 * int(style.shares[5] * 3)
        pitch = side + 12 + int(style.shares[7] * 10)
        top = high - NAVIGATION - 4 * pitch - 24 - int(style.shares[8] * 30)
        home.write_on_wall(page, style.time, page.wide // 2, STATUS + 46, 48)
        home.write_on_wall(page, "Enter your PIN", page.wide // 2, top - 92, 18)
        typed = "\u2022 " * len(model.chosen)
        home.write_on_wall(page, typed, page.wide // 2, top - 58, 24)
        keys = (*model.data.keys[:9], "<", model.data.keys[9], "OK")
        for number, key in enumerate(keys):
            x = page.wide // 2 + (number % 3 - 1) * (pitch + 8) - side // 2
            options = ("backspace",) if key == "<" else ("check",) if key == "OK" else ()
            name = {"<": "Delete", "OK": "OK"}.get(key, key)
            page.put("button", f"key:{key}", x, top + pitch * (number // 3), side, side, name,
                     options=options, **more)  # fmt: skip
        home.draw_navigation(page, "wall")

    def update(self, model: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        if not model.data.locked or event.kind in ("done", "answer"):
            return super().update(model, event, ui)
        if not event.is_click or not event.id.startswith("key:"):
            return model
        key, typed = event.id.removeprefix("key:"), model.chosen
        if key == "<":
            return model._replace(chosen=typed[:-1])
        if key != "OK":
            return model._replace(chosen=(*typed, key)[:12])
        if "".join(typed) == model.data.pin:
            return model.hold(locked=False)._replace(chosen=())
        return model._replace(chosen=())

    def plan(self, model: PhoneTask[Data], ui: Ui) -> Step:
        if not model.data.locked:
            return ("done", "") if self.is_right(model) else go_to_app(model, model.copied)
        pin, typed = model.data.pin, "".join(model.chosen)
        if typed == pin:
            return "click", "key:OK"
        return "click", f"key:{pin[len(typed)] if pin.startswith(typed) else '<'}"


class PhonePermissions(PhoneFamily["PhonePermissions.Data"]):
    """Tasks to open apps and to answer what they ask to be allowed."""

    apps = ("Voice", "Travel", "Health", "Maps", "Weather", "Notes")
    NEEDS = (("record audio", "mic"), ("know this device's location", "location"),
             ("take pictures", "camera"), ("send you notifications", "bell"),
             ("read your contacts", "person"), ("read your calendar", "calendar"))  # fmt: skip
    CHOICES = ("While using the app", "Only this time", "Do not allow")
    WORDS = ("while the app is in use", "only this time", "never")
    KINDS = ("the microphone", "the location", "the camera", "notifications", "contacts",
             "the calendar")  # fmt: skip

    class Data(NamedTuple):
        asked: tuple[tuple[str, int], ...]  # app and index of NEEDS, in order
        given: tuple[tuple[str, int, int], ...] = ()  # app, need, choice; sorted

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        apps = pick(rng, self.apps, 1 + difficulty // 4)
        asked, given, clauses = [], [], []
        for app in apps:
            parts = []
            for need in pick(rng, range(len(self.NEEDS)), 1 + (difficulty + 1) // 4):
                choice = int(rng.integers(3))
                asked.append((app, need))
                given.append((app, need, choice))
                parts.append(f"{self.KINDS[need]} {self.WORDS[choice]}")
            clauses.append(f"open {app} and allow it {joined(parts)}")
        told = ", then ".join(clauses)
        data = self.Data(tuple(asked))
        return PhoneTask(data, data._replace(given=tuple(sorted(given))),
                         make_sentence(told))  # fmt: skip

    def _list_open(self, task: PhoneTask[Data]) -> list[tuple[str, int]]:
        answered = {one[:2] for one in task.data.given}
        return [one for one in task.data.asked if one not in answered]

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        app = APPS[task.app]
        page.bar(task.app, ("find", "search", "Search"), back=False)
        with page.card():
            for number, (title, subtitle) in enumerate(app.lines):
                page.row(f"line#{number}", title, subtitle, app.icon, app.tone)
        needs = [need for one, need in self._list_open(task) if one == task.app]
        if not needs:
            return
        what, icon = self.NEEDS[needs[0]]
        with page.dialog(""):
            page.put("icon", "sign", page.x + page.w // 2 - 14, page.y, 28, 28, icon,
                     tone=page.style.accent)  # fmt: skip
            page.y += 40
            page.write(f"Allow {task.app} to", size=18, middle=True)
            page.write(f"{what}?", size=18, tone="bold", middle=True)
            page.y += 10
            for number, choice in enumerate(self.CHOICES):
                page.button(f"choice#{number}", choice, "soft", h=48)

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        needs = [one for one in self._list_open(task) if one[0] == task.app]
        if not (needs and event.is_click and event.id.startswith("choice#")):
            return task
        entry = (*needs[0], int(event.id.removeprefix("choice#")))
        return task.hold(given=tuple(sorted([*task.data.given, entry])))

    def find_app(self, task: PhoneTask[Data]) -> str:
        return self._list_open(task)[0][0]

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        wanted = {one[:2]: one[2] for one in task.wanted.given}
        return "click", f"choice#{wanted[self._list_open(task)[0]]}"
