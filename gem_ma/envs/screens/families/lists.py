"""Tasks with lists of things: mail, contacts, files, a calendar."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.sheet import TYPE, Sheet
from gem_ma.envs.screens.ui import Event, Ui


class Inbox(Family["Inbox.Model"]):
    """Tasks to star, delete, answer or forward mail."""

    like = (
        "email-inbox, email-inbox-all, email-inbox-delete, email-inbox-forward, email-inbox-reply, "
        "email-inbox-star-reply, email-inbox-important"
    )
    application = "mail"
    wide = 320
    pool = words.NAMES

    class Model(NamedTuple):
        mails: tuple[tuple[str, str, str], ...]  # from, subject, text
        todo: tuple[tuple[str, int, str], ...]  # action, index of the mail, words for it
        opened: int = -1
        writing: str = ""
        starred: frozenset[int] = frozenset()
        deleted: frozenset[int] = frozenset()
        sent: tuple[tuple[str, int, str], ...] = ()
        wrong: bool = False

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = pick(rng, words.NAMES, 5 + min(difficulty, 7))
        mails = tuple(
            (
                name,
                " ".join(pick(rng, words.WORDS, 2)).capitalize(),
                " ".join(pick(rng, words.WORDS, 8)),
            )
            for name in names
        )
        indices = pick(rng, range(len(mails)), 1 + difficulty // 3)
        tasks = []
        for mail in indices:
            action = one_of(
                rng,
                ("star", "delete") if difficulty < 2 else ("star", "delete", "reply", "forward"),
            )
            text = " ".join(pick(rng, words.WORDS, 2)) if action == "reply" else ""
            others = [name for name in words.NAMES if name != mails[mail][0]]
            text = one_of(rng, others) if action == "forward" else text
            tasks.append((action, mail, text))
        return self.Model(mails, tuple(tasks))

    def goal(self, model: Model) -> str:
        clauses = []
        for action, mail, text in model.todo:
            name = model.mails[mail][0]
            if action == "reply":
                clauses.append(f'answer the mail from {name} with "{text}"')
            elif action == "forward":
                clauses.append(f"forward the mail from {name} to {text}")
            else:
                clauses.append(f"{action} the mail from {name}")
        goal = joined(clauses)
        return make_sentence(goal)

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        if model.writing:
            self._write(sheet, model)
        elif model.opened >= 0:
            self._read(sheet, model)
        else:
            with sheet.fill("scroll"):
                for number, (name, subject, _) in enumerate(model.mails):
                    if number not in model.deleted:
                        self._row(sheet, model, number, name, subject)

    def _row(self, sheet: Sheet, model: Model, number: int, name: str, subject: str) -> None:
        star = "orange" if number in model.starred else "gray"
        sheet.put("handle", f"star{number}", "star", w=20, h=20, tone=star)
        sheet.put("link", f"mail{number}", name, beside=True, w=90)
        sheet.put("label", f"subject{number}", subject, beside=True, w=150)

    def _read(self, sheet: Sheet, model: Model) -> None:
        name, subject, text = model.mails[model.opened]
        sheet.put("button", "back", "Back")
        sheet.put("button", "reply", "Reply", beside=True)
        sheet.put("button", "forward", "Forward", beside=True)
        sheet.put("button", "delete", "Delete", beside=True, tone="danger")
        sheet.put("title", "subject", subject)
        sheet.label(f"From {name}", tone="quiet")
        sheet.label(text)

    def _write(self, sheet: Sheet, model: Model) -> None:
        if model.writing == "forward":
            sheet.named("field", "to", "To", "")
        else:
            sheet.label(f"To {model.mails[model.opened][0]}")
            sheet.put("area", "text", "", "", h=100)
        sheet.put("button", "send", "Send", tone="primary")
        sheet.put("button", "cancel", "Cancel", beside=True)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if not event.is_click:
            return model
        id = event.id
        if id.startswith("star") and id[4:].isdecimal():
            return self._checked(model._replace(starred=model.starred ^ {int(id[4:])}))
        if id.startswith("mail"):
            return model._replace(opened=int(id[4:]))
        if id in ("back", "cancel"):
            return model._replace(opened=model.opened if id == "cancel" else -1, writing="")
        if id == "delete":
            deleted_mails = model.deleted | {model.opened}
            return self._checked(model._replace(deleted=deleted_mails, opened=-1))
        if id in ("reply", "forward"):
            return model._replace(writing=id)
        if id == "send":
            text = str(ui.values.get("to" if model.writing == "forward" else "text", "")).strip()
            messages = (*model.sent, (model.writing, model.opened, text))
            return self._checked(model._replace(sent=messages, writing="", opened=-1))
        return model

    def patch(self, before: Model, model: Model, ui: Ui) -> Ui:
        if before.writing and not model.writing:
            return ui._replace(
                values={k: v for k, v in ui.values.items() if k not in ("to", "text")}
            )
        return ui

    def _checked(self, model: Model) -> Model:
        """Return the model with `wrong` set if an action is not part of the goal."""
        tasks = set(model.todo)
        actions = {("star", mail, "") for mail in model.starred}
        actions |= {("delete", mail, "") for mail in model.deleted} | set(model.sent)
        return model._replace(wrong=bool(actions - tasks))

    def _left(self, model: Model) -> list[tuple[str, int, str]]:
        actions = {("star", mail, "") for mail in model.starred}
        actions |= {("delete", mail, "") for mail in model.deleted} | set(model.sent)
        return [one for one in model.todo if one not in actions]

    def score(self, model: Model, ui: Ui) -> float | None:
        if model.wrong:
            return 0.0
        return None if self._left(model) else 1.0

    def plan(self, model: Model, ui: Ui) -> Step:
        action, mail, text = self._left(model)[0]
        if action == "star":
            return ("click", f"star{mail}") if model.opened < 0 else ("click", "back")
        if model.opened != mail:
            return ("click", f"mail{mail}") if model.opened < 0 else ("click", "back")
        if action == "delete":
            return "click", "delete"
        if not model.writing:
            return "click", action
        field = "to" if action == "forward" else "text"
        return ("click", "send") if ui.values.get(field) == text else ("set", field, text)

    def find_needs(self, model: Model) -> list[str]:
        return [model.mails[mail][0] for _, mail, _ in model.todo]


class Contacts(Family["Contacts.Model"]):
    """Tasks to find people, and copy or change their data."""

    like = "find-word, phone-book"
    application = "contacts"
    wide = 330
    pool = words.NAMES

    class Model(NamedTuple):
        people: tuple[tuple[str, str, str], ...]  # name, number, city
        todo: tuple[tuple[int, str], ...]  # index of the person, new number
        opened: int = -1
        numbers: tuple[str, ...] = ()
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many = 6 + difficulty
        people = tuple(
            (
                f"{name} {one_of(rng, words.LAST)}",
                f"555-{int(rng.integers(1000, 9999))}",
                one_of(rng, words.CITIES),
            )
            for name in pick(rng, words.NAMES, many)
        )
        some = pick(rng, range(many), 1 + difficulty // 3)
        changes = tuple((one, f"555-{int(rng.integers(1000, 9999))}") for one in some)
        return self.Model(people, changes, numbers=tuple(number for _, number, _ in people))

    def goal(self, model: Model) -> str:
        description = joined(
            [f"{model.people[person][0]}'s number to {number}" for person, number in model.todo]
        )
        return f"Change {description}, and close the contacts."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        if model.opened < 0:
            with sheet.fill("scroll", 42):
                for number, (name, _, city) in enumerate(model.people):
                    sheet.put("link", f"person{number}", name, w=180)
                    sheet.put("label", f"city{number}", city, beside=True, tone="quiet")
            sheet.put("button", "close", "Close contacts")
            return
        name, _, city = model.people[model.opened]
        sheet.put("title", "name", name)
        sheet.label(city, tone="quiet")
        sheet.named("field", f"number{model.opened}", "Number", model.numbers[model.opened])
        sheet.put("button", "save", "Save", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id.startswith("person"):
            return model._replace(opened=int(event.id[6:]))
        if event.kind == "enter" or (event.kind == "click" and event.id == "save"):
            if model.opened < 0:
                return model
            numbers = list(model.numbers)
            numbers[model.opened] = str(
                ui.values.get(f"number{model.opened}", numbers[model.opened])
            )
            return model._replace(numbers=tuple(numbers), opened=-1)
        if event.kind == "click" and event.id == "close":
            return model._replace(done=model.numbers == self._wanted(model))
        return model

    def _wanted(self, model: Model) -> tuple[str, ...]:
        new = dict(model.todo)
        return tuple(new.get(n, number) for n, (_, number, _) in enumerate(model.people))

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        remaining = [person for person, number in model.todo if model.numbers[person] != number]
        if model.opened >= 0:
            number = self._wanted(model)[model.opened]
            field = f"number{model.opened}"
            right = ui.values.get(field, model.numbers[model.opened]) == number
            return ("click", "save") if right else ("set", field, number)
        return ("click", f"person{remaining[0]}") if remaining else ("click", "close")

    def find_needs(self, model: Model) -> list[str]:
        return [model.people[person][0].split()[0] for person, _ in model.todo]


class Files(Family["Files.Model"]):
    """Tasks to move files into folders by dragging them."""

    like = "drag-items, drag-items-grid, drag-box"
    application = "files"
    wide = 360
    pool = words.WORDS

    class Model(NamedTuple):
        names: tuple[str, ...]
        folders: tuple[str, ...]
        wants: tuple[tuple[str, str], ...]
        moved: tuple[tuple[str, str], ...] = ()

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        ends = ("txt", "pdf", "png", "csv")
        names = tuple(
            f"{word}.{one_of(rng, ends)}" for word in pick(rng, words.WORDS, 4 + difficulty // 2)
        )
        folders = tuple(word.title() for word in pick(rng, words.WORDS, 2 + difficulty // 4))
        targets = tuple(
            (name, one_of(rng, folders)) for name in pick(rng, names, 1 + difficulty // 2)
        )
        return self.Model(names, folders, targets)

    def goal(self, model: Model) -> str:
        return f"Move {joined([f'{name} into {folder}' for name, folder in model.wants])}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        top = sheet.y
        locations = dict(model.moved)
        # Many files are lower, so that each can be dragged to a folder without scrolling.
        room = (sheet.low - top + sheet.style.gap) // len(model.names) - sheet.style.gap
        high = min(26, max(sheet.line + 2, room) * TYPE // sheet.type)
        for name in model.names:
            if name not in locations:
                sheet.put("handle", name, name, w=150, h=high)
        for number, folder in enumerate(model.folders):
            count = sum(location == folder for location in locations.values())
            y = top + number * 66
            left = sheet.x + sheet.w - 184
            sheet.at("cell", folder, left, y, 184, 56, text=f"{folder} ({count})")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "drop" and event.id in model.names and event.value in model.folders:
            return model._replace(moved=(*model.moved, (event.id, event.value)))
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        if set(model.moved) - set(model.wants):
            return 0.0
        return 1.0 if len(model.moved) == len(model.wants) else None

    def plan(self, model: Model, ui: Ui) -> Step:
        name, folder = next(one for one in model.wants if one not in model.moved)
        return "drag", name, folder

    def find_needs(self, model: Model) -> list[str]:
        return [name.partition(".")[0] for name, _ in model.wants]


class Calendar(Family["Calendar.Model"]):
    """Tasks to put meetings into a week."""

    like = "daily-calendar"
    application = "calendar"
    wide = 420

    class Model(NamedTuple):
        busy: tuple[tuple[int, int], ...]
        wants: tuple[tuple[str, int, int], ...]  # title, day, hour
        made: tuple[tuple[str, int, int], ...] = ()
        slot: tuple[int, int] | None = None
        done: bool | None = None

    DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
    # Shared by all calendars: their own names would take a fifth of the memory of each.
    HOURS = tuple((f"hour{hour}", f"{9 + hour}:00") for hour in range(9))
    SLOTS = tuple(tuple(f"slot{day}-{hour}" for hour in range(9)) for day in range(5))

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        slots = pick(
            rng, [(day, hour) for day in range(5) for hour in range(9)], 6 + 2 * difficulty
        )
        many = 1 + difficulty // 3
        titles = pick(rng, words.WORDS, many)
        meetings = tuple((title, *slot) for title, slot in zip(titles, slots[:many], strict=True))
        return self.Model(tuple(slots[many : many + 3 + difficulty]), meetings)

    def goal(self, model: Model) -> str:
        meetings = [
            f'"{title}" on {self.DAYS[day]} at {9 + hour}:00' for title, day, hour in model.wants
        ]
        return f"Add {joined(meetings)}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        across, down = sheet.style.spread
        # A day is 75 wide at least, for the longest title.
        hours = 44 + round((1 - across) * max(0, min(20, sheet.w - 44 - 5 * 75)))
        wide = (sheet.w - hours) // 5
        left, top = sheet.x + hours, sheet.y + sheet.line + 4 + round(6 * (1 - across))
        high = max(24, min(24 + round(10 * down), (sheet.low - top) // 9))
        for day, name in enumerate(self.DAYS):
            x = left + wide * day
            sheet.at("label", f"day{day}", x, sheet.y, 70, sheet.line, text=name)
        for hour, (id, label) in enumerate(self.HOURS):
            y = top + hour * high
            sheet.at("label", id, left - 44, y + (high - 18) // 2, 44, 18, text=label, type=14)
            for day in range(5):
                title = next((t for t, d, h in model.made if (d, h) == (day, hour)), "")
                title = title or ("busy" if (day, hour) in model.busy else "")
                tone = "gray" if title == "busy" else "blue" if title else ""
                x, id = left + wide * day, self.SLOTS[day][hour]
                sheet.at("cell", id, x, y, wide, high, text=title, tone=tone, type=14)
        if model.slot is not None:
            sheet.window(280, 130, "New meeting")
            sheet.put("field", "title", "Title", "", w=256)
            sheet.put("button", "save", "Save", tone="primary")
            sheet.put("button", "cancel", "Cancel", beside=True)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id.startswith("slot"):
            day, hour = map(int, event.id[4:].split("-"))
            slots = [(d, h) for _, d, h in model.made] + list(model.busy)
            return model if (day, hour) in slots else model._replace(slot=(day, hour))
        if event.kind == "click" and event.id == "cancel":
            return model._replace(slot=None)
        if model.slot and (event.kind == "enter" or (event.kind == "click" and event.id == "save")):
            meeting = (str(ui.values.get("title", "")).strip(), *model.slot)
            meetings = (*model.made, meeting)
            done = (
                False
                if meeting not in model.wants
                else True
                if len(meetings) == len(model.wants)
                else None
            )
            return model._replace(made=meetings, slot=None, done=done)
        return model

    def patch(self, before: Model, model: Model, ui: Ui) -> Ui:
        return ui.put("title", "") if model.slot != before.slot else ui

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        title, day, hour = next(one for one in model.wants if one not in model.made)
        if model.slot != (day, hour):
            return ("click", "cancel") if model.slot else ("click", self.SLOTS[day][hour])
        return ("click", "save") if ui.values.get("title") == title else ("set", "title", title)

    def make_infeasible(self, model: Model, rng: np.random.Generator) -> Model:
        """Return a model in which the time of a meeting is taken."""
        (title, *slot), taken = one_of(rng, model.wants), one_of(rng, model.busy)
        busy = tuple((slot[0], slot[1]) if one == taken else one for one in model.busy)
        wants = tuple((one[0], *taken) if one[0] == title else one for one in model.wants)
        return model._replace(busy=busy, wants=wants)
