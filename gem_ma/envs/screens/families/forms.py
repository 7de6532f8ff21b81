"""Tasks with forms: log in, book a flight, check out, set preferences, search."""

from __future__ import annotations

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
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui


class Login(Form[Names]):
    """Tasks to enter a name and a password; at higher difficulties also a code, and check boxes."""

    like = "login-user, login-user-popup"
    button = "Log in"

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        name = one_of(rng, words.NAMES).lower() + str(int(rng.integers(10, 99)))
        secret = "".join(pick(rng, "abcdefghkmnpqrstuvwxyz23456789", 4 + difficulty // 2))
        targets: dict[str, str | int] = {"name": name, "password": secret}
        goal = f'Log in as "{name}" with the password "{secret}"'
        if difficulty > 2:
            targets["code"] = f"{int(rng.integers(1000, 10000))}"
            goal += f' and the code "{targets["code"]}"'
        boxes = ("Stay logged in", "Send me news", "I am new here")[: difficulty // 3]
        if boxes:
            some = pick(rng, boxes, max(1, len(boxes) - 1))
            targets |= dict.fromkeys(some, True)
            goal += f", with {joined(some)} checked"
        if difficulty > 8:
            targets["where"] = 1
            goal += ", at work"
        return Filled(targets, boxes, f"{goal}.", had={"where": 0})

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        sheet.put("title", "title", "Welcome back")
        sheet.named("field", "name", "User name", "")
        sheet.named("password", "password", "Password", "")
        if "code" in model.wants:
            sheet.named("field", "code", "Code", "", w=80)
        if "where" in model.wants:
            sheet.named("select", "where", "Place", 0, ("At home", "At work", "Elsewhere"))
        for name in model.parts:
            sheet.put("check", name, name, False)
        sheet.put("button", "submit", self.button, tone="primary")
        sheet.put("link", "forgot", "Forgot your password?", beside=True)


class Booking(Family["Booking.Model"]):
    """Tasks to search for a flight, and book one of the results."""

    like = "book-flight, book-flight-nodelay"
    wide = 344

    class Model(NamedTuple):
        wants: tuple[tuple[str, str | int], ...]
        best: str  # "cheapest", "shortest" or "earliest"
        flights: tuple[tuple[str, int, int, int], ...]  # airline, departure, minutes, price
        found: bool = False
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        origin, destination = pick(rng, words.CITIES, 2)
        targets: list[tuple[str, str | int]] = [("from", origin), ("to", destination)]
        if difficulty > 1:
            targets.append(("day", int(rng.integers(1, 8))))
        if difficulty > 3:
            targets.append(("seats", int(rng.integers(1, 5))))
        if difficulty > 5:
            targets.append(("Business class", True))
        if difficulty > 7:
            targets.append(("Return flight", True))
        many = 2 + difficulty // 2
        airlines = pick(
            rng,
            ("Albatross", "Blue Jay", "Condor", "Dove", "Egret", "Finch", "Gull", "Heron"),
            many,
        )
        times = pick(rng, range(20, 90), many)
        flights = tuple(
            (name, at * 15, 60 + 7 * minutes, 50 + 9 * price)
            for name, at, minutes, price in zip(
                airlines, times, pick(rng, range(40), many), pick(rng, range(60), many), strict=True
            )
        )
        return self.Model(
            tuple(targets), one_of(rng, ("cheapest", "shortest", "earliest")), flights
        )

    def goal(self, model: Model) -> str:
        targets = dict(model.wants)
        more = ""
        if "day" in targets:
            more += f" on day {int(targets['day']) + 1}"
        if "seats" in targets:
            more += f" for {int(targets['seats']) + 1}"
        more += "".join(
            f", {name.lower()}" for name in ("Business class", "Return flight") if name in targets
        )
        return f"Book the {model.best} flight from {targets['from']} to {targets['to']}{more}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        if model.found:
            self._found(sheet, model)
            return
        sheet.named("field", "from", "From", "")
        sheet.named("field", "to", "To", "")
        sheet.named("select", "day", "Day", 0, tuple(f"Day {n}" for n in range(1, 9)), w=120)
        sheet.named("select", "seats", "Travellers", 0, ("1", "2", "3", "4", "5"), w=80)
        sheet.put("check", "Business class", "Business class", False)
        sheet.put("check", "Return flight", "Return flight", False)
        sheet.put("button", "search", "Search flights", tone="primary")

    def _found(self, sheet: Sheet, model: Model) -> None:
        with sheet.fill("scroll"):
            for name, at, minutes, price in model.flights:
                box = sheet.put("box", f"box-{name}", w=sheet.w, h=48)
                x, y, line = box.x + 10, box.y + 5, sheet.line
                wide = sheet.grown(152)
                sheet.at("label", f"{name}-name", x, y, wide, line, text=name, tone="bold")
                times = f"{at // 60:02}:{at % 60:02}, {minutes // 60} h {minutes % 60:02} min"
                sheet.at("label", f"{name}-time", x, y + line + 2, wide, line, text=times)
                x, y = x + sheet.grown(158), box.y + (box.h - line) // 2
                sheet.at("label", f"{name}-price", x, y, sheet.grown(50), line, text=f"${price}")
                wide = sheet.grown(76)
                x = box.x + box.w - wide - 10
                sheet.at("button", f"book-{name}", x, y - 4, wide, line + 8, text="Book")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "enter" or (event.kind == "click" and event.id == "search"):
            targets = dict(model.wants)
            defaults = {
                "from": "",
                "to": "",
                "day": 0,
                "seats": 0,
                "Business class": False,
                "Return flight": False,
            }
            if all(
                ui.values.get(id, value) == targets.get(id, value) for id, value in defaults.items()
            ):
                return model._replace(found=True)
            return model._replace(done=False)
        if event.kind == "click" and event.id.startswith("book-"):
            return model._replace(done=event.id == f"book-{self._best(model)}")
        return model

    def _best(self, model: Model) -> str:
        column = {"earliest": 1, "shortest": 2, "cheapest": 3}[model.best]
        return str(min(model.flights, key=lambda flight: flight[column])[0])

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        if model.found:
            return "click", f"book-{self._best(model)}"
        for id, value in model.wants:
            if ui.values.get(id, 0 if id in ("day", "seats") else None) != value:
                return "set", id, value
        return "click", "search"


class Checkout(Form[Names]):
    """Tasks to enter an address, a way of delivery and a way of payment."""

    like = "buy-ticket, order-food, enter-text"
    application = "shop"
    button = "Place order"

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[Names]:
        name = f"{one_of(rng, words.NAMES)} {one_of(rng, words.LAST)}"
        targets: dict[str, str | int] = {"name": name}
        clauses = [f"to {name}"]
        if difficulty > 0:
            targets["city"] = one_of(rng, words.CITIES)
            clauses.append(f"in {targets['city']}")
        if difficulty > 1:
            targets["street"] = (
                f"{int(rng.integers(1, 99))} {one_of(rng, words.WORDS).title()} Street"
            )
            clauses[-1] = f"in {targets['street']}, {targets['city']}"
        if difficulty > 3:
            way = one_of(rng, ("Express", "Pick up"))
            targets[way] = True
            clauses.append(f"by {way.lower()}")
        if difficulty > 5:
            targets["pay"] = pay = int(rng.integers(1, 4))
            clauses.append(f"paid by {('card', 'PayPal', 'invoice', 'gift card')[pay]}")
        if difficulty > 7:
            targets["Wrap as a gift"] = True
            clauses.append("wrapped as a gift")
        if difficulty > 9:
            targets["note"] = one_of(rng, words.WORDS)
            clauses.append(f'with the note "{targets["note"]}"')
        defaults = {"Standard": False, "pay": 0}
        return Filled(
            targets,
            ("Standard", "Express", "Pick up"),
            f"Order it {', '.join(clauses)}.",
            had=defaults,
        )

    def draw(self, sheet: Sheet, model: Filled[Names], ui: Ui) -> None:
        for id, name in (("name", "Name"), ("street", "Street"), ("city", "City")):
            sheet.named("field", id, name, "")
        sheet.label("Delivery", tone="bold")
        for name in model.parts:
            sheet.put("radio", name, name, False, group="way", beside=name != model.parts[0])
        sheet.named("select", "pay", "Pay by", 0, ("Card", "PayPal", "Invoice", "Gift card"), w=140)
        sheet.put("check", "Wrap as a gift", "Wrap as a gift", False)
        sheet.named("field", "note", "Note", "")
        sheet.put("button", "submit", self.button, tone="primary")


class Settings(Family["Settings.Model"]):
    """Tasks to set switches, some of which are usable only while others are on."""

    like = "click-checkboxes-soft"
    application = "settings"
    pool = words.THINGS

    class Model(NamedTuple):
        groups: tuple[tuple[str, tuple[str, ...]], ...]
        wants: tuple[str, ...]
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = pick(rng, words.THINGS, 12)
        many = 2 + (difficulty > 3)
        groups = tuple((names[4 * n], tuple(names[4 * n + 1 : 4 * n + 4])) for n in range(many))
        orders = [pick(rng, rest, 3) for _, rest in groups]
        targets = [orders[n % many][n // many % 3] for n in range(1 + difficulty // 2)]
        return self.Model(groups, tuple(targets))

    def goal(self, model: Model) -> str:
        return f"Turn on {joined(model.wants)}, with what each needs, and save."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for main, rest in model.groups:
            sheet.put("check", main, main, False)
            left = sheet.x
            sheet.x = left + 24
            for name in rest:
                sheet.put("check", name, name, False, disabled=not ui.values.get(main))
            sheet.x = left
        sheet.put("button", "save", "Save", tone="primary")

    def _needed(self, model: Model) -> set[str]:
        mains = {main for main, rest in model.groups if set(rest) & set(model.wants)}
        return {*model.wants, *mains}

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id == "save":
            on = {id for id, value in ui.values.items() if value is True}
            return model._replace(done=on == self._needed(model))
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        required_names = self._needed(model)
        for main, rest in model.groups:
            for name in (main, *rest):
                if name in required_names and not ui.values.get(name):
                    return "set", name, True
        return "click", "save"

    def find_needs(self, model: Model) -> tuple[str, ...]:
        return model.wants


class Searching(Family["Searching.Model"]):
    """Tasks to search, and open one of the results on several pages."""

    like = "search-engine"
    wide = 340
    opens = 200

    class Model(NamedTuple):
        todo: tuple[tuple[str, int], ...]  # search text, its right result
        results: tuple[tuple[str, ...], ...]  # of each search
        at: int = 0
        searched: bool = False
        page: int = 0
        done: bool | None = None

    EACH = 3

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        tasks, results = [], []
        for _ in range(1 + difficulty // 3):
            query = " ".join(pick(rng, words.WORDS, 1 + difficulty // 4))
            names = pick(rng, words.WORDS, 24), pick(rng, words.CITIES, 24)
            results.append(tuple(f"{a.title()} {b}" for a, b in zip(*names, strict=True)))
            tasks.append((query, min(23, difficulty * 2 + int(rng.integers(3)))))
        return self.Model(tuple(tasks), tuple(results))

    def goal(self, model: Model) -> str:
        parts = [f'search for "{query}" and open result {place + 1}' for query, place in model.todo]
        return f"{parts[0].capitalize()}{''.join(f', then {part}' for part in parts[1:])}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        sheet.put("field", "query", "Search", "")
        sheet.put("button", "search", "Search", tone="primary", beside=True)
        if not model.searched:
            return
        first = model.page * self.EACH
        for number in range(first, first + self.EACH):
            name = model.results[model.at][number]
            sheet.put("link", f"result{number}", name)
            sheet.label(f"www.{name.split()[0].lower()}.example", tone="quiet")
        for page in range(8):
            sheet.put("tab", f"page{page}", str(page + 1), page == model.page, beside=page > 0)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        query, place = model.todo[model.at]
        if event.kind == "enter" or (event.kind == "click" and event.id == "search"):
            right = str(ui.values.get("query", "")).strip().lower() == query
            return model._replace(searched=True) if right else model._replace(done=False)
        if event.kind == "click" and event.id.startswith("page"):
            return model._replace(page=int(event.id[4:]))
        if event.kind == "click" and event.id.startswith("result"):
            if event.id != f"result{place}":
                return model._replace(done=False)
            if model.at == len(model.todo) - 1:
                return model._replace(done=True)
            return model._replace(at=model.at + 1, searched=False, page=0)
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        query, place = model.todo[model.at]
        if not model.searched:
            if ui.values.get("query", "") != query:
                return "set", "query", query
            return "click", "search"
        page = place // self.EACH
        return ("click", f"result{place}") if page == model.page else ("click", f"page{page}")
