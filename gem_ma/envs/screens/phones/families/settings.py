"""Tasks with the settings of a phone: switches, sliders, a network and its password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.phones.page import PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    find_differences,
    open_entry,
    read_field,
    set_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui

# The pages of the settings: an icon, its tone, and the switches on each.
SECTIONS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "Network": ("wifi", "seat0", ("Wi-Fi", "Mobile data", "Roaming", "Hotspot", "Data saver")),
    "Devices": ("bluetooth", "seat5", ("Bluetooth", "Nearby share", "Casting", "Printing")),
    "Display": ("sun", "seat1", ("Dark theme", "Night light", "Adaptive light", "Screen saver",
                                 "Auto-rotate")),
    "Sound": ("volume", "seat3", ("Vibration", "Key tones", "Touch sounds", "Do not disturb")),
    "Notices": ("bell", "seat6", ("Badges", "Lock screen notices", "Bubbles", "Flash notices")),
    "Privacy": ("shield", "seat2", ("Location", "Microphone access", "Camera access",
                                    "Usage reports")),
    "Security": ("lock", "seat4", ("Fingerprint", "Find my phone", "App scan", "Smart lock")),
    "Power": ("flash", "seat7", ("Battery saver", "Fast charging", "Battery percent")),
}  # fmt: skip


def _put_section(page: PhonePage, id: str, name: str) -> None:
    """Put the row that leads to a page of the settings."""
    icon, tone, switches = SECTIONS[name]
    page.row(id, name, ", ".join(switches[:2]), icon, tone)


class PhoneToggles(PhoneFamily["PhoneToggles.Data"]):
    """Tasks to turn on and off switches on the pages of the settings."""

    apps = ("Settings",)

    class Data(NamedTuple):
        sections: tuple[str, ...]  # in the order of this phone
        on: frozenset[str]

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        sections = tuple(pick(rng, tuple(SECTIONS), 5 + difficulty // 3))
        names = [name for section in sections for name in SECTIONS[section][2]]
        on = frozenset(name for name in names if rng.random() < 0.5)
        chosen = pick(rng, names, 1 + difficulty // 2)
        clauses = [f'turn {"off" if name in on else "on"} "{name}"' for name in chosen]
        data = self.Data(sections, on)
        return PhoneTask(data, data._replace(on=on ^ set(chosen)),
                         make_sentence(f"{joined(clauses)} in the settings"))  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name != FIRST:
            page.bar(name)
            with page.card():
                for number, switch in enumerate(SECTIONS[name][2]):
                    page.switch(f"switch#{number}", switch, switch in task.data.on)
            return
        page.bar("Settings", ("find", "search", "Search"), back=False)
        with page.scroll(), page.card():
            for section in task.data.sections:
                _put_section(page, f"open:{section}", section)

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        if name == "switch" and event.kind == "change":
            return task.hold(on=task.data.on ^ {SECTIONS[task.front][2][number]})
        if event.id.startswith("open:") and event.is_click:
            return task.push(event.id.removeprefix("open:"))
        return task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        differing = task.data.on ^ task.wanted.on
        section = next(one for one in task.data.sections if differing & {*SECTIONS[one][2]})
        switch = next(n for n, one in enumerate(SECTIONS[section][2]) if one in differing)
        return open_entry(task, section, f"open:{section}") or ("click", f"switch#{switch}")


class PhoneSliders(PhoneFamily["PhoneSliders.Data"]):
    """Tasks to set brightness and volumes."""

    apps = ("Settings",)
    KINDS = (("Brightness", "sun"), ("Media volume", "music"), ("Call volume", "phone"),
             ("Ring volume", "bell"), ("Alarm volume", "alarm"), ("Text size", "note"))  # fmt: skip

    class Data(NamedTuple):
        shown: tuple[int, ...]  # indices of KINDS, in the order of this phone
        levels: tuple[int, ...]  # percent, of each of KINDS

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        shown = tuple(pick(rng, range(len(self.KINDS)), 3 + difficulty // 3))
        levels = [5 * int(rng.integers(2, 20)) for _ in self.KINDS]
        wanted, clauses = list(levels), []
        step = 25 if difficulty < 3 else 10 if difficulty < 7 else 5
        for kind in pick(rng, shown, min(1 + difficulty // 2, len(shown))):
            options = [n for n in range(0, 101, step) if abs(n - levels[kind]) >= 20]
            wanted[kind] = one_of(rng, options)
            clauses.append(f"the {self.KINDS[kind][0].lower()} to {wanted[kind]}%")
        return PhoneTask(
            self.Data(shown, tuple(levels)), self.Data(shown, tuple(wanted)),
            f"In the settings, set {joined(clauses)}.",
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == FIRST:
            page.bar("Settings", ("find", "search", "Search"), back=False)
            with page.card():
                some = ", ".join(self.KINDS[kind][0] for kind in task.data.shown[:2])
                page.row("open", "Display and sound", some.capitalize(), "sun", "seat1")
                for other in ("Network", "Privacy", "Power"):
                    _put_section(page, f"other:{other}", other)
            return
        page.bar("Display and sound")
        with page.card():
            page.y += 8
            for kind in task.data.shown:
                title, icon = self.KINDS[kind]
                page.slider(f"level#{kind}", title, icon, task.data.levels[kind])

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, kind = split_id(event.id)
        if name == "level" and event.kind == "change" and isinstance(event.value, int):
            levels = task.data.levels
            return task.hold(levels=(*levels[:kind], event.value, *levels[kind + 1 :]))
        return task.push("sound") if event.id == "open" and event.kind == "click" else task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        if task.front == FIRST:
            return "click", "open"
        kind = next(find_differences(task.data.levels, task.wanted.levels))
        return "set", f"level#{kind}", task.wanted.levels[kind]


class PhoneNetworks(PhoneFamily["PhoneNetworks.Data"]):
    """Tasks to join networks with their passwords, and to forget others."""

    apps = ("Settings",)

    class Data(NamedTuple):
        names: tuple[str, ...]
        joined: str  # the network in use
        saved: tuple[tuple[str, str], ...]  # name and password, by name

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        titles = pick(rng, words.TITLES, 5 + difficulty)
        names = tuple(f"{one}-{int(rng.integers(10, 99))}" for one in titles)
        if difficulty > 4:  # two networks that are told apart only by their numbers
            names = (*names[:-1], f"{names[0].partition('-')[0]}-{int(rng.integers(100, 999))}")
        shown = tuple(pick(rng, names, len(names)))
        saved_count = 1 + difficulty // 3
        known = names[1:-1][:saved_count]
        saved = tuple(sorted((one, "") for one in known))
        password = "".join(pick(rng, words.WORDS, 2)) + str(int(rng.integers(10, 99)))
        forgotten = known[: difficulty // 3]
        clauses = [f'forget the network "{one}"' for one in forgotten]
        clauses.append(f'join the network "{names[0]}" with the password "{password}"')
        kept = [one for one in saved if one[0] not in forgotten]
        return PhoneTask(
            self.Data(shown, known[-1] if known[-1] not in forgotten else "", saved),
            self.Data(shown, names[0], tuple(sorted([*kept, (names[0], password)]))),
            make_sentence(joined(clauses)),
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == "?join":
            with page.dialog(task.chosen[0]):
                page.field("password", "Password", kind="password")
                page.choices(("cancel", "Cancel", "quiet"), ("connect", "Connect", None))
        elif name == "?saved":
            with page.dialog(task.chosen[0], sheet=True):
                page.button("use", "Connect")
                page.button("forget", "Forget this network", "soft")
        elif name == "wifi":
            self._draw_networks(page, task)
        else:
            page.bar("Settings", ("find", "search", "Search"), back=False)
            with page.card():
                page.row("open", "Wi-Fi", task.data.joined or "Not connected", "wifi", "seat0")
                for other in ("Devices", "Display", "Sound"):
                    _put_section(page, f"other:{other}", other)

    def _draw_networks(self, page: PhonePage, task: PhoneTask[Data]) -> None:
        page.bar("Wi-Fi")
        saved = dict(task.data.saved)
        with page.scroll():
            if task.data.joined:
                page.section("Connected")
                with page.card():
                    page.row(f"net:{task.data.joined}", task.data.joined, "Connected", "wifi",
                             page.style.accent)  # fmt: skip
            page.section("Networks near you")
            with page.card():
                for one in task.data.names:
                    if one != task.data.joined:
                        page.row(f"net:{one}", one, "Saved" if one in saved else "Secured", "wifi")

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        id, data = event.id, task.data
        if event.kind == "enter" and task.front == "?join":
            id = "connect"
        elif not event.is_click:
            return task
        if id == "open":
            return task.push("wifi")
        if id.startswith("net:"):
            name = id.removeprefix("net:")
            page = "?saved" if name in dict(data.saved) else "?join"
            return task.push(page)._replace(chosen=(name,))
        if id == "cancel":
            return task.pop()
        if id == "use":
            return task.hold(joined=task.chosen[0]).pop()
        if id == "forget":
            saved = tuple(one for one in data.saved if one[0] != task.chosen[0])
            is_used = data.joined == task.chosen[0]
            return task.hold(saved=saved, joined="" if is_used else data.joined).pop()
        password = read_field(task, ui, "password")
        if id != "connect" or not password:
            return task
        entry = task.chosen[0], password
        return task.hold(saved=tuple(sorted([*data.saved, entry])), joined=entry[0]).pop()

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        data, name = task.data, task.wanted.joined
        if task.front == FIRST:
            return "click", "open"
        if task.front == "?saved":
            return "click", "forget"
        if task.front == "?join":
            password = dict(task.wanted.saved)[name]
            return set_field(task, ui, "password", password) or ("click", "connect")
        wrong = [one for one in data.saved if one not in task.wanted.saved]
        return "click", f"net:{wrong[0][0] if wrong else name}"
