"""Tasks with the tools of a phone: timer, calculator, maps, and the store of apps."""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.phones.page import STATUS, PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    open_entry,
    read_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics

MINUS = "\N{MINUS SIGN}"


def put_keys(page: PhonePage, rows: tuple[str, ...], low: int, tall: int) -> None:
    """Put round keys in rows, the last one ending at a height.

    Each key is one letter, and twice as wide if a blank follows.
    """
    tone = page.style.accent
    columns = max(map(len, rows))
    each = (page.wide - 40) // columns
    for row, keys in enumerate(rows):
        y = low - tall * (len(rows) - row)
        for column, key in enumerate(keys):
            if key != " ":
                wide = each * (2 if keys[column + 1 : column + 2] == " " else 1) - 10
                page.put("button", f"key:{key}", 20 + each * column + 5, y + 4, wide, tall - 8,
                         {"<": "Delete", "-": MINUS}.get(key, key),
                         options=("backspace",) if key == "<" else (),
                         tone="soft" if key.isdigit() or key == "<" else tone,
                         type=24)  # fmt: skip


def write_right(page: PhonePage, text: str, y: int, size: int, tone: str = "") -> None:
    """Put a text that ends at the right of the page."""
    wide = round(text_metrics.measure_width(text, size, tone == "bold")) + 2
    page.write(text, max(8, page.wide - 24 - wide), y, size, tone)


class PhoneTimers(PhoneFamily["PhoneTimers.Data"]):
    """Tasks to start timers."""

    apps = ("Clock",)
    ROWS = ("123", "456", "789", " 0<")

    class Data(NamedTuple):
        running: tuple[int, ...] = ()  # seconds, in order of length

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        wanted: set[int] = set()
        clauses: list[str] = []
        while len(clauses) < 1 + difficulty // 4:
            hours = int(rng.integers(1, 10)) if difficulty > 5 else 0
            minutes = int(rng.integers(1, 60)) if difficulty > 1 else int(rng.integers(1, 10))
            seconds = int(rng.integers(1, 60)) if difficulty > 3 else 0
            total = hours * 3600 + minutes * 60 + seconds
            if total in wanted:
                continue
            wanted.add(total)
            parts = [f"{n} {name}{'s' if n != 1 else ''}" for n, name in
                     ((hours, "hour"), (minutes, "minute"), (seconds, "second")) if n]  # fmt: skip
            clauses.append(f"a timer of {joined(parts)}")
        return PhoneTask(self.Data(), self.Data(tuple(sorted(wanted))), f"Start {joined(clauses)}.")

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == FIRST:
            page.tabs((("alarm", "Alarm"), ("clock", "World"), ("timer", "Timer")), "Timer")
            page.bar("Timer", back=False)
            if not task.data.running:
                page.y += 150
                page.write("No timer is running.", size=16, tone="quiet", middle=True)
            with page.scroll(), page.card():
                for number, total in enumerate(task.data.running):
                    page.row(f"timer#{number}", _format_time(total), "Running", "timer",
                             page.style.accent, h=76)  # fmt: skip
            page.put_floating("add", "add", "New timer")
            return
        digits = "".join(task.chosen).rjust(6, "0")
        page.bar("New timer")
        page.y += 40
        shown = f"{digits[:2]}h {digits[2:4]}m {digits[4:]}s"
        page.write(shown, size=48, middle=True)
        put_keys(page, self.ROWS, page.low - 90, min(86, (page.low - page.y - 190) // 4))
        page.put("button", "start", page.wide // 2 - 66, page.low - 76, 132, 60, "Start",
                 tone=page.style.accent)  # fmt: skip

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        if not event.is_click:
            return task
        if event.id == "add":
            return task.push("new")._replace(chosen=())
        if event.id.startswith("key:"):
            key = event.id.removeprefix("key:")
            digits = task.chosen[:-1] if key == "<" else (*task.chosen, key)
            return task._replace(chosen=digits) if len(digits) <= 6 else task
        total = _count_seconds(task.chosen)
        if event.id != "start" or not total:
            return task
        running = tuple(sorted([*task.data.running, total]))
        return task.hold(running=running[:12]).pop()

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        if task.front == FIRST:
            return "click", "add"
        total = next(one for one in task.wanted.running if one not in task.data.running)
        hours, minutes, seconds = total // 3600, total // 60 % 60, total % 60
        digits = f"{hours:02d}{minutes:02d}{seconds:02d}".lstrip("0")
        typed = "".join(task.chosen)
        if typed == digits:
            return "click", "start"
        return "click", f"key:{digits[len(typed)]}" if digits.startswith(typed) else "key:<"


def _count_seconds(keys: tuple[str, ...]) -> int:
    digits = "".join(keys).rjust(6, "0")
    return int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:])


def _format_time(total: int) -> str:
    return f"{total // 3600}:{total // 60 % 60:02d}:{total % 60:02d}"


class PhoneCalculators(PhoneFamily["PhoneCalculators.Data"]):
    """Tasks to work out a sum on a calculator, and to keep the result."""

    apps = ("Calculator",)
    ROWS = ("789<", "456+", "123-", "C0= ")
    LONGEST = 24
    RESULT = ("",)  # before the digits of a result, after which a digit begins a new number

    class Data(NamedTuple):
        kept: tuple[int, ...] = ()

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        most = 100 if difficulty < 4 else 1000
        terms = [str(int(rng.integers(2, most)))]
        for _ in range(1 + difficulty // 3):
            terms += [one_of(rng, ("+", "-")), str(int(rng.integers(2, most)))]
        result = _add_up("".join(terms))
        assert result is not None
        wanted = self.Data((result,))
        told = f"Work out {' '.join(terms)} with the calculator, and keep the result."
        return PhoneTask(self.Data(), wanted, told)

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        page.bar("Calculator", back=False)
        shown = "".join(task.chosen)
        is_kept = shown in map(str, task.data.kept)
        shown = shown.replace("-", MINUS) or "0"
        kept = ", ".join(map(str, task.data.kept)).replace("-", MINUS) or "nothing"
        wide = page.w // 3
        page.write(f"Kept: {kept}", page.find_text_left(), page.y + 12, 14, "quiet")
        page.button("keep", "Remove" if is_kept else "Keep", "soft", page.x + page.w - wide, wide)
        tall = min(100, (page.low - page.y - 130) // 4)
        size = 48 if text_metrics.measure_width(shown, 48) < page.wide - 60 else 24
        write_right(page, shown, page.low - 4 * tall - 76, size)
        put_keys(page, self.ROWS, page.low - 6, tall)

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        if not event.is_click:
            return task
        shown = "".join(task.chosen)
        if event.id == "keep" and shown.lstrip("-").isdecimal():
            kept, number = task.data.kept, int(shown)
            rest = tuple(one for one in kept if one != number)
            return task.hold(kept=rest if number in kept else (*kept, number)[-6:])
        if not event.id.startswith("key:"):
            return task
        key = event.id.removeprefix("key:")
        if key == "C":
            return task._replace(chosen=())
        if key == "<":
            return task._replace(chosen=tuple(shown[:-1]))
        if key == "=":
            result = _add_up(shown)
            return task if result is None else task._replace(chosen=(*self.RESULT, *str(result)))
        if not key.isdecimal() and (not shown or not shown[-1].isdecimal()):
            return task
        begins = key.isdecimal() and task.chosen[:1] == self.RESULT
        return task._replace(chosen=(key,) if begins else tuple(shown + key)[: self.LONGEST])

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        shown, keys = "".join(task.chosen), _find_sum(task.told)
        wrong = [one for one in task.data.kept if one not in task.wanted.kept]
        if shown == str(wrong[0] if wrong else task.wanted.kept[0]):
            return "click", "keep"
        if wrong:
            keys = str(abs(wrong[0]))  # such as it was typed, or as the result of 0 - 5
            keys = keys if wrong[0] >= 0 else f"0-{keys}"
        if task.chosen[:1] == self.RESULT:
            return "click", "key:C"
        if shown == keys:
            return "click", "key:="
        return "click", f"key:{keys[len(shown)]}" if keys.startswith(shown) else "key:C"


def _find_sum(told: str) -> str:
    """Return the keys of the sum that a goal names."""
    return told.removeprefix("Work out ").partition(" with")[0].replace(" ", "")


def _add_up(shown: str) -> int | None:
    """Return the value of a sum, or None if it is none."""
    total, number, sign = 0, "", 1
    for place, key in enumerate(f"{shown}+"):
        if key.isdecimal():
            number += key
        elif not number:
            if place or key != "-":
                return None
            sign = -1
        else:
            total, number, sign = total + sign * int(number), "", 1 if key == "+" else -1
    return total


class PhoneRoutes(PhoneFamily["PhoneRoutes.Data"]):
    """Tasks to choose a route on a map: by its way of travel, and by time, distance or cost."""

    apps = ("Maps",)
    # A name, an icon, and from how many to how many minutes and kilometres a way is.
    MODES = (("Car", "car", (6, 70), (2, 40)), ("Bus", "bus", (12, 90), (2, 40)),
             ("Walk", "walk", (15, 120), (1, 10)), ("Bike", "bike", (8, 80), (2, 20)))  # fmt: skip
    PAID = 2  # of these cost something
    RULES = ("fastest", "shortest", "cheapest")
    PLACES = ("Museum", "Harbour", "Library", "Old Mill", "Stadium", "Botanic Garden", "Theatre",
              "Market Hall", "Observatory", "Town Hall", "Zoo", "Castle")  # fmt: skip
    ROADS = ("Mill Road", "North Bridge", "Station Street", "Ring Road", "Park Lane", "Quay")

    class Data(NamedTuple):
        places: tuple[str, ...]
        # Of each place and mode: routes of minutes, kilometres, cost and the road.
        routes: tuple[tuple[tuple[tuple[int, int, int, str], ...], ...], ...]
        driven: tuple[tuple[int, int, int], ...] = ()  # place, mode, route

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        places = tuple(pick(rng, self.PLACES, 5 + difficulty // 2))
        many = 2 + difficulty // 4
        routes = []
        for _ in places:
            modes = []
            for mode, (_, _, minute, length) in enumerate(self.MODES):
                minutes = pick(rng, range(*minute), many)
                lengths, costs = pick(rng, range(*length), many), pick(rng, range(1, 25), many)
                costs = costs if mode < self.PAID else [0] * many
                roads = pick(rng, self.ROADS, many)
                modes.append(tuple(zip(minutes, lengths, costs, roads, strict=True)))
            routes.append(tuple(modes))
        data = self.Data(places, tuple(routes))
        driven, clauses = [], []
        for place in pick(rng, range(len(places)), 1 + difficulty // 3):
            mode = int(rng.integers(4)) if difficulty > 1 else 0
            rules = self.RULES[: 3 if mode < self.PAID else 2]
            rule = int(rng.integers(len(rules))) if difficulty > 3 else 0
            options = data.routes[place][mode]
            best = options.index(min(options, key=operator.itemgetter(rule)))
            driven.append((place, mode, best))
            clauses.append(f"the {self.RULES[rule]} route by {self.MODES[mode][0].lower()} to "
                           f"{places[place]}")  # fmt: skip
        order = ", in this order" if len(driven) > 1 else ""
        told = f"Start {joined(clauses)}{order}.".replace("by walk", "on foot")
        return PhoneTask(data, data._replace(driven=tuple(driven)), told)

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == FIRST:
            self._draw_search(page, task, ui)
        elif name == "going":
            place, mode, route = task.data.driven[-1]
            minutes, length, _, road = task.data.routes[place][mode][route]
            page.put("map", "map", 0, STATUS, page.wide, page.low - STATUS, value=place,
                     options=(mode,))  # fmt: skip
            page.pane(14, STATUS + 14, page.wide - 28, 74, "seat2", 20)
            page.write(f"Follow {road}", 36, STATUS + 38, 18, "bold")
            page.pane(0, page.low - 92, page.wide, 92, "sheet", 24)
            page.write(f"{minutes} min", 28, page.low - 74, 24, "bold")
            page.write(f"{length} km to {task.data.places[place]}", 28, page.low - 38, 14, "quiet")
            page.put("button", "end", page.wide - 118, page.low - 72, 94, 48, "End",
                     tone="seat6")  # fmt: skip
        else:
            self._draw_routes(page, task, int(name))

    def _draw_search(self, page: PhonePage, task: PhoneTask[Data], ui: Ui) -> None:
        found = read_field(task, ui, "find").casefold()
        high = 0 if ui.focus else 260
        if high:
            page.put("map", "map", 0, STATUS, page.wide, high, value=0)
        page.y += 8
        page.field("find", "Search here", tone="raised")
        page.y += max(0, high - 60)
        with page.scroll(), page.card():
            for number, place in enumerate(task.data.places):
                if found in place.casefold():
                    away = min(way[1] for ways in task.data.routes[number] for way in ways)
                    page.row(f"place#{number}", place, f"{away} km away", "location", "seat6")

    def _draw_routes(self, page: PhonePage, task: PhoneTask[Data], place: int) -> None:
        mode = task.chosen[0] if task.chosen else 0
        page.bar(f"To {task.data.places[place]}")
        each = (page.w - 24) // 4
        for number, (name, icon, *_) in enumerate(self.MODES):
            page.put("tab", f"mode#{number}", page.x + (each + 8) * number, page.y, each, 64, name,
                     number == mode or None, (icon,), tone=page.style.accent)  # fmt: skip
        page.y += 74
        page.put("map", "map", 0, page.y, page.wide, 180, value=place, options=(mode,))
        page.y += 190
        with page.scroll(), page.card():
            for number, (minutes, length, cost, road) in enumerate(task.data.routes[place][mode]):
                page.row(f"route#{number}", f"{minutes} min", f"{length} km via {road}",
                         self.MODES[mode][1], page.style.accent,
                         f"${cost}.00" if cost else "")  # fmt: skip

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        if not event.is_click:
            return task
        name, number = split_id(event.id)
        if name == "place":
            return task.push(str(number))._replace(chosen=())
        if name == "mode":
            return task._replace(chosen=(number,))
        if name == "route":
            entry = int(task.front), task.chosen[0] if task.chosen else 0, number
            return task.hold(driven=(*task.data.driven, entry)[:20]).push("going")
        return task.pop(2) if name == "end" else task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        place, mode, route = task.wanted.driven[len(task.data.driven)]
        if task.front == "going":
            return "click", "end"
        is_chosen = (task.chosen[0] if task.chosen else 0) == mode
        way = f"route#{route}" if is_chosen else f"mode#{mode}"
        return open_entry(task, str(place), f"place#{place}") or ("click", way)


class PhoneStore(PhoneFamily["PhoneStore.Data"]):
    """Tasks to install, update and remove apps in the store."""

    pool = words.TITLES
    apps = ("Store",)
    KINDS = ("Game", "Tool", "News", "Music", "Travel", "Health")

    class Data(NamedTuple):
        names: tuple[str, ...]
        installed: frozenset[str]
        old: frozenset[str]  # with an update

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        heads = pick(rng, words.TITLES, 7 + difficulty)
        tails = pick(rng, ("Go", "Plus", "Kit", "Box", "Mate", "Now", "Lab"), 7)
        names = [f"{one} {tails[n % 7]}" for n, one in enumerate(heads)]
        if difficulty > 4:  # two apps that share a word
            names[-1] = f"{heads[0]} {tails[1]}"
        shown = tuple(pick(rng, names, len(names)))
        installed = frozenset(pick(rng, names, len(names) // 2))
        old = frozenset(one for one in sorted(installed) if rng.random() < 0.5)
        after, left, clauses = set(installed), set(old), []
        for name in pick(rng, names, 1 + (difficulty + 1) // 2):
            if name not in installed:
                after.add(name)
                clauses.append(f'install "{name}"')
            elif name in old and rng.random() < 0.7:
                left.discard(name)
                clauses.append(f'update "{name}"')
            else:
                after.discard(name)
                left.discard(name)
                clauses.append(f'remove "{name}"')
        return PhoneTask(
            self.Data(shown, installed, old), self.Data(shown, frozenset(after), frozenset(left)),
            make_sentence(joined(clauses)),
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        data = task.data
        if name == FIRST:
            page.tabs((("star", "For you"), ("shop", "Apps"), ("download", "Mine")), "Apps")
            page.bar("Store", ("find", "search", "Search"), back=False)
            with page.scroll(), page.card():
                for number, app in enumerate(data.names):
                    state = "" if app not in data.installed else "Installed"
                    state = "Update" if app in data.old else state
                    page.row(f"app#{number}", app, *self._describe(number, app), state)
            return
        if name == "?remove":
            with page.dialog("Remove the app?"):
                page.write(f"{data.names[int(task.pages['Store'][-2])]} and its data will be gone.")
                page.choices(("cancel", "Cancel", "quiet"), ("remove", "Remove", "seat6"))
            return
        app = data.names[int(name)]
        page.bar("", ("share", "send", "Share"), ("more", "more", "More"))
        page.row("about", app, *self._describe(int(name), app), h=76)
        page.y += 10
        half = (page.w - 12) // 2
        if app not in data.installed:
            page.button("install", "Install")
        else:
            page.button("ask", "Remove", "soft", page.x, half)
            page.button("update" if app in data.old else "start",
                        "Update" if app in data.old else "Open", None,
                        page.x + half + 12, half)  # fmt: skip
            page.y += 54
        page.section("About this app", page.x)
        stars, many = 4 - int(name) % 7 / 10, 12 + 5 * int(name) + len(app)
        page.write(f"{stars:.1f} of 5 stars, {many} thousand reviews. No advertisements.",
                   tone="quiet")  # fmt: skip

    def _describe(self, number: int, app: str) -> tuple[str, str, str]:
        """Return the kind of an app, its icon and its tone."""
        kind = len(app) % 6
        icon = ("star", "flash", "globe", "music", "plane", "heart")[kind]
        return self.KINDS[kind], icon, f"seat{(number + len(app)) % 8}"

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        if not event.is_click:
            return task
        name, number = split_id(event.id)
        data = task.data
        if name == "app":
            return task.push(str(number))
        if name == "ask":
            return task.push("?remove")
        if name == "cancel":
            return task.pop()
        if name == "remove":
            app = data.names[int(task.pages["Store"][-2])]
            return task.hold(installed=data.installed - {app}, old=data.old - {app}).pop()
        if name in ("install", "update"):
            app = data.names[int(task.front)]
            return task.hold(installed=data.installed | {app}, old=data.old - {app})
        return task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        data, wanted = task.data, task.wanted
        if task.front == "?remove":
            return "click", "remove"
        place, app = next(
            (n, one) for n, one in enumerate(data.names)
            if (one in data.installed) != (one in wanted.installed)
            or (one in data.old) != (one in wanted.old)
        )  # fmt: skip
        step = open_entry(task, str(place), f"app#{place}")
        if step is not None:
            return step
        if app not in wanted.installed:
            return "click", "ask"
        return "click", "update" if app in data.installed else "install"

    def find_needs(self, model: PhoneTask[Data]) -> list[str]:
        changed = (model.data.installed ^ model.wanted.installed) | (
            model.data.old ^ model.wanted.old
        )
        return [name.split()[0] for name in sorted(changed)]
