"""Tasks with one kind of widget that has a value: boxes, lists, fields, sliders, colours."""

from __future__ import annotations

import calendar
from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import (
    Family,
    Filled,
    Form,
    Names,
    Step,
    joined,
    one_of,
    pick,
)
from gem_ma.envs.screens.sheet import TYPE, Sheet
from gem_ma.envs.screens.ui import Event, Ui

Choices = tuple[Names, ...]  # of each group or list
SliderParts = tuple[int, int]  # number of sliders, highest value


class Checkboxes(Form[Names]):
    """Tasks to check some of several boxes."""

    like = "click-checkboxes, click-checkboxes-large, click-checkboxes-transfer"
    application = "settings"
    pool = words.THINGS

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        names = pick(rng, words.THINGS, min(2 + difficulty, 11))
        many = 1 + min(difficulty, 9) * 2 // 3
        some = sorted(pick(rng, names, min(many, len(names))), key=names.index)
        targets = dict.fromkeys(some, True)
        return Filled(targets, tuple(names), f"Select {joined(some)}, and click Submit.")

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        for name in model.parts:
            sheet.put("check", name, name, False)
        sheet.put("button", "submit", self.button, tone="primary")


class Radios(Form[Choices]):
    """Tasks to choose one radio button of each group."""

    like = "click-option"
    pool = words.WORDS

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Choices]:
        groups = 1 + difficulty // 4
        names = pick(rng, words.WORDS, 30)
        each = 2 + min(difficulty, 6) // 2
        parts = tuple(tuple(names[n * each : (n + 1) * each]) for n in range(groups))
        choices = [one_of(rng, part) for part in parts]
        return Filled(
            dict.fromkeys(choices, True), parts, f"Choose {joined(choices)}, and click Submit."
        )

    def draw(self, sheet: Sheet, model: Filled[Choices], ui: Ui) -> None:
        for number, part in enumerate(model.parts):
            if len(model.parts) > 1:
                sheet.label(f"Group {number + 1}", tone="bold")
            for name in part:
                sheet.put("radio", name, name, False, group=str(number), beside=name != part[0])
        sheet.put("button", "submit", self.button, tone="primary")


class Dropdowns(Form[Choices]):
    """Tasks to choose an option of each drop-down list."""

    like = "choose-list"

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Choices]:
        many = 1 + difficulty // 3
        options = tuple(
            tuple(sorted(pick(rng, words.CITIES, 3 + difficulty // 2))) for _ in range(many)
        )
        targets = {f"list{n}": int(rng.integers(1, len(one))) for n, one in enumerate(options)}
        description = joined(
            [f"{options[n][targets[f'list{n}']]} in list {n + 1}" for n in range(many)]
        )
        defaults = dict.fromkeys(targets, 0)
        return Filled(targets, options, f"Choose {description}, and click Submit.", had=defaults)

    def draw(self, sheet: Sheet, model: Filled[Choices], ui: Ui) -> None:
        for number, options in enumerate(model.parts):
            sheet.named("select", f"list{number}", f"List {number + 1}", 0, options)
        sheet.put("button", "submit", self.button, tone="primary")


class Lists(Form[Choices]):
    """Tasks to select an entry of each list."""

    like = "choose-list"
    pool = words.CITIES

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Choices]:
        many = 1 + difficulty // 3
        each = 3 + difficulty // 2 if many < 3 else 5
        options = tuple(tuple(pick(rng, words.CITIES, each)) for _ in range(many))
        targets = {f"list{n}": int(rng.integers(each)) for n in range(many)}
        description = joined(
            [f"{options[n][targets[f'list{n}']]} in list {n + 1}" for n in range(many)]
        )
        return Filled(
            targets,
            options,
            f"Select {description}, and click Submit.",
            had=dict.fromkeys(targets, -1),
        )

    def draw(self, sheet: Sheet, model: Filled[Choices], ui: Ui) -> None:
        top, high = sheet.y, (sheet.line + 6) * len(model.parts[0]) + sheet.line + 16
        left, columns = sheet.x, max(1, min(2, sheet.w // 200))
        each = min(212, sheet.w // columns)
        across, apart = sheet.style.spread
        most = min(sheet.grown(200), each - 4)
        least = min(most, sheet.grown(140))
        wide = least + round(across * (most - least))
        each = wide + 4 + round(apart * (each - 4 - wide))
        for number, options in enumerate(model.parts):
            row, column = divmod(number, columns)
            sheet.move(left + each * column, top + row * high, wide)
            sheet.label(f"List {number + 1}", tone="bold")
            sheet.put("list", f"list{number}", "", -1, options, w=200)
        sheet.move(left, top + -(-len(model.parts) // columns) * high + 4)
        sheet.put("button", "submit", self.button, tone="primary")

    def find_needs(self, model: Filled[Choices]) -> list[str]:
        return [model.parts[int(id[4:])][int(str(n))] for id, n in model.wants.items()]


class Typing(Form[Names]):
    """Tasks to type words into the right fields."""

    like = "enter-text, enter-text-2, enter-text-dynamic, focus-text, focus-text-2"
    pool = words.TITLES

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        fields = 1 + difficulty // 3
        names = tuple(word.title() for word in pick(rng, words.WORDS, fields))
        indices = pick(rng, range(fields), 1 + difficulty // 5)
        texts = [" ".join(pick(rng, words.WORDS, 1 + difficulty // 4)) for _ in indices]
        if difficulty > 6:
            texts = [text.title() for text in texts]
        targets = {f"field{n}": text for n, text in zip(indices, texts, strict=True)}
        description = joined(
            [f'"{text}" into {names[n]}' for n, text in zip(indices, texts, strict=True)]
        )
        return Filled(targets, names, f"Type {description}, and click Submit.")

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        for number, name in enumerate(model.parts):
            sheet.named("field", f"field{number}", name, "")
        sheet.put("button", "submit", self.button, tone="primary")

    def find_needs(self, model: Filled[Names]) -> list[str]:
        return [model.parts[int(id[5:])] for id in model.wants]


class Password(Form[Names]):
    """Tasks to type a password, twice at higher difficulties."""

    like = "enter-password"
    application = "settings"

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        letters = "abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789"
        secret = "".join(pick(rng, letters, 4 + difficulty))
        names = (("Password",), ("Password", "Again"), ("Old", "New", "Again"))[
            (difficulty + 1) // 4
        ]
        targets = dict.fromkeys(names, secret)
        description = (
            f'Enter the password "{secret}" into {"both fields" if names[1:] else "the field"}'
        )
        if names[2:]:
            targets["Old"] = "".join(pick(rng, letters, 6))
            description = f'Change the password from "{targets["Old"]}" to "{secret}"'
        return Filled(targets, names, f"{description}, and click Submit.")

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        for name in model.parts:
            sheet.named("password", name, name, "")
        sheet.put("button", "submit", self.button, tone="primary")


class Sliders(Form[SliderParts]):
    """Tasks to move sliders to values."""

    like = "use-slider, use-slider-2"
    application = "settings"
    wide = 380

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[SliderParts]:
        many = 1 + difficulty // 3
        most = (10, 20, 50, 100)[min(difficulty // 3, 3)]
        start = most // 2
        targets = {}
        for number in range(many):
            value = int(rng.integers(most))
            targets[f"slider{number}"] = value + (value >= start)
        description = joined(
            [f"{value} on slider {n + 1}" for n, value in enumerate(targets.values())]
        )
        defaults = dict.fromkeys(targets, start)
        return Filled(
            targets, (many, most), f"Select {description}, and click Submit.", had=defaults
        )

    def draw(self, sheet: Sheet, model: Filled[SliderParts], ui: Ui) -> None:
        many, most = model.parts
        wide = sheet.w * TYPE // sheet.type - 160
        for number in range(many):
            id = f"slider{number}"
            sheet.named("slider", id, f"Slider {number + 1}", most // 2, (0, most, 1), w=wide)
            sheet.put("label", f"{id}-value", str(ui.values.get(id, most // 2)), beside=True, w=36)
        sheet.put("button", "submit", self.button, tone="primary")


class Spinners(Family["Spinners.Model"]):
    """Tasks to set numbers with a button for one more and a button for one less."""

    like = "use-spinner"
    application = "settings"

    class Model(NamedTuple):
        wants: tuple[int, ...]
        numbers: tuple[int, ...]
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many, most = 1 + difficulty // 4, 2 + difficulty // 2
        targets = tuple(
            int(rng.integers(1, most + 1)) * (1 - 2 * int(rng.integers(2))) for _ in range(many)
        )
        return self.Model(targets, (0,) * many)

    def goal(self, model: Model) -> str:
        description = joined(
            [f"{target} in spinner {n + 1}" for n, target in enumerate(model.wants)]
        )
        return f"Set {description}, and click Submit."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, value in enumerate(model.numbers):
            sheet.named("cell", f"number{number}", f"Spinner {number + 1}", None, w=60)
            sheet.widgets[-1] = sheet.widgets[-1]._replace(text=str(value))
            sheet.put("button", f"less{number}", "-", w=26, beside=True)
            sheet.put("button", f"more{number}", "+", w=26, beside=True)
        sheet.put("button", "submit", "Submit", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if not event.is_click:
            return model
        if event.id == "submit":
            return model._replace(done=model.numbers == model.wants)
        by = {"less": -1, "more": 1}.get(event.id[:4])
        if by is None:
            return model
        numbers = list(model.numbers)
        numbers[int(event.id[4:])] += by * (2 if event.kind == "double" else 1)
        return model._replace(numbers=tuple(numbers))

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for number, (target, current) in enumerate(zip(model.wants, model.numbers, strict=True)):
            if target != current:
                return "click", f"{'more' if target > current else 'less'}{number}"
        return "click", "submit"


class Dates(Family["Dates.Model"]):
    """Tasks to choose dates in a calendar that opens."""

    like = "choose-date, choose-date-easy, choose-date-medium, choose-date-nodelay"
    wide = 300
    opens = 240

    class Model(NamedTuple):
        want: tuple[int, int]  # months since January 2025, day
        month: int
        day: int = 0
        opened: bool = False
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        month = 12 + int(rng.integers(12))
        away = int(rng.integers(difficulty // 2, difficulty + 1)) if difficulty > 1 else 0
        visible_month = month + away * (1 if rng.random() < 0.5 else -1)
        return self.Model((month, int(rng.integers(1, 29))), visible_month)

    def goal(self, model: Model) -> str:
        month, day = model.want
        return f"Choose {words.MONTHS[month % 12]} {day}, 2026 as the date, and click Submit."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        name, year = words.MONTHS[model.month % 12], 2025 + model.month // 12
        label = f"{name} {model.day}, {year}" if model.day else "Choose a date"
        sheet.named("button", "open", "Date", w=170)
        sheet.widgets[-1] = sheet.widgets[-1]._replace(text=label)
        sheet.put("button", "submit", "Submit", tone="primary")
        if not model.opened:
            return
        y, line = sheet.y, sheet.line
        wide, high = sheet.grown(32), line + 12
        x = sheet.x + max(0, min(96, sheet.w - 7 * wide - 16))
        sheet.at("menu", "calendar", x, y, 7 * wide + 16, 6 * high + line + 32)
        sheet.at("button", "back", x + 8, y + 8, wide - 2, line + 6, text="←")
        left = x + 8 + 2 * wide - 8
        sheet.at("label", "month", left, y + 11, sheet.grown(124), line, text=f"{name} {year}")
        sheet.at("button", "on", x + 10 + 6 * wide, y + 8, wide - 2, line + 6, text="→")
        first, days = calendar.monthrange(year, model.month % 12 + 1)
        for day in range(1, days + 1):
            row, column = divmod(first + day - 1, 7)
            left, top = x + 8 + wide * column, y + line + 20 + high * row
            on = day == model.day
            sheet.at("cell", f"day{day}", left, top, wide, high, text=str(day), value=on)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click":
            return model
        if event.id == "open":
            return model._replace(opened=not model.opened)
        if event.id in ("back", "on"):
            month = model.month + (1 if event.id == "on" else -1)
            return model._replace(month=max(0, min(month, 35)), day=0)
        if event.id.startswith("day"):
            return model._replace(day=int(event.id[3:]), opened=False)
        if event.id == "submit":
            return model._replace(done=(model.month, model.day) == model.want)
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        month, day = model.want
        if (model.month, model.day) == model.want and not model.opened:
            return "click", "submit"
        if not model.opened:
            return "click", "open"
        if model.month != month:
            return "click", "on" if month > model.month else "back"
        return "click", f"day{day}"


class Colors(Family["Colors.Model"]):
    """Tasks to choose colours of a palette for named things."""

    like = "click-color"
    application = "drawing"
    opens = 120

    class Model(NamedTuple):
        wants: tuple[tuple[str, str], ...]  # thing, colour
        palette: tuple[str, ...]
        has: tuple[str, ...]
        opened: int = -1
        done: bool | None = None

    PALETTE = (
        "red",
        "orange",
        "yellow",
        "green",
        "blue",
        "purple",
        "brown",
        "black",
        "gray",
        "white",
    )

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many = 1 + difficulty // 3
        names = pick(rng, ("wall", "door", "roof", "fence", "floor", "window"), many)
        palette = tuple(pick(rng, self.PALETTE[:9], 4 + difficulty // 2))
        targets = tuple((name, one_of(rng, palette)) for name in names)
        return self.Model(targets, palette, ("white",) * many)

    def goal(self, model: Model) -> str:
        description = joined([f"the {name} {color}" for name, color in model.wants])
        return f"Make {description}, and click Submit."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, ((name, _), color) in enumerate(zip(model.wants, model.has, strict=True)):
            sheet.named("cell", f"color{number}", name.title(), None, w=80, tone=color)
        sheet.put("button", "submit", "Submit", tone="primary")
        if model.opened >= 0:
            sheet.skip(4)
            sheet.label(f"Colour of the {model.wants[model.opened][0]}")
            for place, color in enumerate(model.palette):
                sheet.put("cell", f"pick-{color}", "", w=40, h=34, beside=place > 0, tone=color)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click":
            return model
        if event.id.startswith("color"):
            return model._replace(opened=int(event.id[5:]))
        if event.id.startswith("pick-"):
            colors = list(model.has)
            colors[model.opened] = event.id[5:]
            return model._replace(has=tuple(colors), opened=-1)
        if event.id == "submit":
            return model._replace(
                done=all(w == h for (_, w), h in zip(model.wants, model.has, strict=True))
            )
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for number, ((_, target), current) in enumerate(zip(model.wants, model.has, strict=True)):
            if target != current:
                return (
                    ("click", f"pick-{target}")
                    if model.opened == number
                    else ("click", f"color{number}")
                )
        return "click", "submit"


class Completing(Form[Names]):
    """Tasks to type into fields that suggest completions, and choose one of them."""

    like = "use-autocomplete, use-autocomplete-nodelay"
    follows = True
    opens = 70

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        many = 1 + difficulty // 3
        cities = pick(rng, words.CITIES, many)
        targets = {f"city{n}": city for n, city in enumerate(cities)}
        goal = f"Enter {joined(cities)}, out of what is offered, and click Submit."
        return Filled(targets, (), goal)

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        for number in range(len(model.wants)):
            sheet.named("field", f"city{number}", f"City {number + 1}", "")
        sheet.put("button", "submit", self.button, tone="primary")
        field = next(
            (one for one in sheet.widgets if one.id == ui.focus and one.kind == "field"), None
        )
        prefix = ui.values.get(ui.focus, "") if field else ""
        cities = [
            city for city in words.CITIES if prefix and city.lower().startswith(prefix.lower())
        ]
        if field is None or not cities or prefix in cities:
            return
        x, y = field.x, field.y + field.h
        high = sheet.line + 6
        sheet.at("menu", "offered", x - 1, y - 1, field.w + 2, high * len(cities[:4]) + 2)
        for place, city in enumerate(cities[:4]):
            sheet.at("item", f"offer-{city}", x, y + high * place, field.w, high, text=city)

    def update(self, model: Filled[Names], event: Event, ui: Ui) -> Filled[Names]:
        if event.kind == "click" and event.id.startswith("offer-"):
            parts = (*model.parts, event.id[6:])
            return model._replace(parts=parts)
        if event.kind == "click" and event.id == "submit":
            right = all(
                ui.values.get(id) == city and city in model.parts
                for id, city in model.wants.items()
            )
            return model._replace(done=right)
        return model

    def patch(self, before: Filled[Names], model: Filled[Names], ui: Ui) -> Ui:
        if len(model.parts) == len(before.parts):
            return ui
        for number in range(len(model.wants)):
            prefix = str(ui.values.get(f"city{number}", ""))
            if prefix and model.parts[-1].lower().startswith(prefix.lower()):
                city = model.parts[-1]
                return ui.put(f"city{number}", city)._replace(caret=len(city), anchor=len(city))
        return ui

    def plan(self, model: Filled[Names], ui: Ui) -> Step:
        for id, target in model.wants.items():
            text, city = ui.values.get(id, ""), str(target)
            if text == city and city in model.parts:
                continue
            if text == city[:3] and ui.focus == id:
                return "click", f"offer-{city}"
            return "set", id, city[:3]
        return "click", "submit"


class Scrolling(Form[Names]):
    """Tasks to check boxes far down a page that scrolls."""

    like = "scroll-text, scroll-text-2, click-scroll-list, click-checkboxes-large"
    application = "files"
    pool = words.TITLES

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        firsts, lasts = (pick(rng, words.WORDS, 10 + difficulty) for _ in range(2))
        names = [f"{a.title()} {b}" for a, b in zip(firsts, lasts, strict=True)]
        some = sorted(pick(rng, names, 1 + difficulty // 3), key=names.index)
        return Filled(
            dict.fromkeys(some, True), tuple(names), f"Select {joined(some)}, and click Submit."
        )

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        with sheet.scroll("scroll", 200):
            for name in model.parts:
                sheet.put("check", name, name, False)
        sheet.put("button", "submit", self.button, tone="primary")

    def find_needs(self, model: Filled[Names]) -> list[str]:
        return [name.split()[0] for name in model.wants]
