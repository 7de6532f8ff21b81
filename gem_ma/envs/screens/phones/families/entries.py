"""Tasks to make entries with forms: contacts, events, expenses, requests in a browser."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.phones.home import MONTHS
from gem_ma.envs.screens.phones.page import PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    read_field,
    set_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui

FormEntry = tuple[str, ...]  # a value of each part of a form
DOT = " \N{MIDDLE DOT} "  # between two values


class FormPart(NamedTuple):
    """A part of a form: a field, or chips of which one is chosen."""

    id: str
    name: str
    choices: tuple[str, ...] = ()
    is_number: bool = False


class FormEntries(NamedTuple):
    entries: tuple[FormEntry, ...]


class EntryForm(PhoneFamily[FormEntries]):
    """Tasks to make entries in an app that lists them.

    Attributes:
        title: the name of the list; `new` that of the form.
        parts: of the form.
        icon: of an entry in the list.
    """

    title: ClassVar[str]
    new: ClassVar[str]
    parts: ClassVar[tuple[FormPart, ...]]
    icon: ClassVar[str] = ""

    def sample(self, rng: np.random.Generator) -> FormEntry:
        """Sample an entry."""
        raise NotImplementedError

    def describe(self, entry: FormEntry, difficulty: int) -> str:
        """Return an entry in words, as part of a goal."""
        raise NotImplementedError

    def list_words(self, entry: FormEntry) -> tuple[str, str, str]:
        """Return what stands in the list of an entry: its title, its subtitle, and at the right."""
        raise NotImplementedError

    def order(self, entry: FormEntry) -> tuple[object, ...]:
        """Return by what entries stand in order in the list."""
        return entry

    def reduce(self, entry: FormEntry, difficulty: int) -> FormEntry:
        """Return the entry that a task of a difficulty asks for, in which less may be said."""
        return entry

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[FormEntries]:
        count = 1 + difficulty // 3
        entries = [self.sample(rng) for _ in range(2 + difficulty // 2 + count)]
        known, new = entries[:-count], entries[-count:]
        wanted = [self.reduce(entry, difficulty) for entry in new]
        told = joined(self.describe(entry, difficulty) for entry in wanted)
        known = sorted(known)
        return PhoneTask(
            FormEntries(tuple(known)), FormEntries(tuple(sorted([*known, *wanted]))),
            make_sentence(told),
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[FormEntries], ui: Ui) -> None:
        if name == FIRST:
            self.draw_entries(page, task)
            return
        page.bar(self.new)
        with page.scroll():
            page.y += 8
            for number, part in enumerate(self.parts):
                if part.choices:
                    page.section(part.name, page.x + 4)
                    page.chips(f"chip{number}", part.choices, self._find_choice(task, number))
                else:
                    page.field(part.id, part.name, is_number=part.is_number)
            page.y += 4
            page.button("save", "Save")

    def draw_entries(self, page: PhonePage, task: PhoneTask[FormEntries]) -> None:
        page.bar(self.title, ("find", "search", "Search"), ("more", "more", "More"), back=False)
        with page.scroll():
            self.draw_rows(page, task)
            page.y += 60
        page.put_floating("add", "add", "Add")

    def draw_rows(self, page: PhonePage, task: PhoneTask[FormEntries], tone: str = "") -> None:
        """Put a row for each entry, with icons in one tone or by the length of its title."""
        with page.card():
            entries = enumerate(task.data.entries)
            for number, entry in sorted(entries, key=lambda one: self.order(one[1])):
                title, subtitle, right = self.list_words(entry)
                page.row(f"entry#{number}", title, subtitle, self.icon or title[0],
                         tone or f"seat{len(title) % 7}", right)  # fmt: skip

    def _find_choice(self, task: PhoneTask[FormEntries], number: int) -> str:
        chosen = dict(task.chosen)
        return chosen.get(number, "")

    def update_app(
        self, task: PhoneTask[FormEntries], event: Event, ui: Ui
    ) -> PhoneTask[FormEntries]:
        if not event.is_click:
            return task
        name, number = split_id(event.id)
        if name == "add":
            return task.push("new")._replace(chosen=())
        if name.startswith("chip"):
            place = int(name[4:])
            chosen = {**dict(task.chosen), place: self.parts[place].choices[number]}
            return task._replace(chosen=tuple(sorted(chosen.items())))
        if name != "save":
            return task
        entry = tuple(
            self._find_choice(task, n) if part.choices else read_field(task, ui, part.id)
            for n, part in enumerate(self.parts)
        )
        if not entry[0]:
            return task
        return task.hold(entries=tuple(sorted([*task.data.entries, entry]))).pop()

    def plan_app(self, task: PhoneTask[FormEntries], ui: Ui) -> Step:
        if task.front == FIRST:
            return "click", "add"
        entry = next(one for one in task.wanted.entries if one not in task.data.entries)
        for number, (part, value) in enumerate(zip(self.parts, entry, strict=True)):
            if not part.choices:
                step = set_field(task, ui, part.id, value) if value else None
                if step:
                    return step
            elif self._find_choice(task, number) != value:
                return "click", f"chip{number}#{part.choices.index(value)}"
        return "click", "save"


class PhoneContacts(EntryForm):
    """Tasks to add contacts."""

    apps = ("Contacts",)
    title, new = "Contacts", "New contact"
    parts = (
        FormPart("first", "First name"),
        FormPart("last", "Last name"),
        FormPart("phone", "Phone", is_number=True),
        FormPart("mail", "Email"),
        FormPart("label", "Label", ("Family", "Friend", "Work")),
    )

    def sample(self, rng: np.random.Generator) -> FormEntry:
        first, last = one_of(rng, words.NAMES), one_of(rng, words.LAST)
        host = one_of(rng, ("post", "mail", "letters"))
        return (
            first, last, f"555-{int(rng.integers(1000, 9999))}",
            f"{first}.{last}@{host}.net".lower(), one_of(rng, self.parts[4].choices),
        )  # fmt: skip

    def reduce(self, entry: FormEntry, difficulty: int) -> FormEntry:
        first, last, phone, mail, label = entry
        return first, last, phone, mail if difficulty > 1 else "", label if difficulty > 4 else ""

    def describe(self, entry: FormEntry, difficulty: int) -> str:
        first, last, phone, mail, label = entry
        details = [f"the number {phone}"]
        details += [f"the email {mail}"] if mail else []
        details += [f'the label "{label}"'] if label else []
        return f"add the contact {first} {last} with {joined(details)}"

    def list_words(self, entry: FormEntry) -> tuple[str, str, str]:
        return f"{entry[0]} {entry[1]}", entry[2], entry[4]


class PhoneEvents(EntryForm):
    """Tasks to put events into a calendar."""

    apps = ("Calendar",)
    title, new, icon = "Calendar", "New event", "calendar"
    parts = (
        FormPart("title", "Title"),
        FormPart("day", "Day"),
        FormPart("time", "Time"),
        FormPart("place", "Place"),
        FormPart("remind", "Reminder", ("10 minutes", "1 hour", "1 day")),
    )
    KINDS = ("Lunch", "Meeting", "Call", "Walk", "Dinner", "Training", "Visit", "Concert")

    def sample(self, rng: np.random.Generator) -> FormEntry:
        day = f"{one_of(rng, MONTHS)[:3]} {int(rng.integers(1, 29))}"
        time = f"{int(rng.integers(8, 21))}:{one_of(rng, ('00', '15', '30', '45'))}"
        title = f"{one_of(rng, self.KINDS)} with {one_of(rng, words.NAMES)}"
        return title, day, time, one_of(rng, words.CITIES), one_of(rng, self.parts[4].choices)

    def reduce(self, entry: FormEntry, difficulty: int) -> FormEntry:
        title, day, time, place, remind = entry
        return (
            title, day, time, place if difficulty > 1 else "",
            remind if difficulty > 4 else "",
        )  # fmt: skip

    def describe(self, entry: FormEntry, difficulty: int) -> str:
        title, day, time, place, remind = entry
        told = f'add the event "{title}" on "{day}" at "{time}"'
        told += f' in "{place}"' if place else ""
        return told + (f' with the reminder "{remind}"' if remind else "")

    def list_words(self, entry: FormEntry) -> tuple[str, str, str]:
        return entry[0], DOT.join(filter(None, entry[2:4])), entry[1]

    def order(self, entry: FormEntry) -> tuple[object, ...]:
        month, _, day = entry[1].partition(" ")
        known = [one for one in range(12) if MONTHS[one][:3] == month]
        hour, _, minute = entry[2].partition(":")
        numbers = [int(one[:4]) if one.isdecimal() else 0 for one in (day, hour, minute)]
        return (*known, *numbers, entry) if known else (12, 0, 0, 0, entry)


class PhoneExpenses(EntryForm):
    """Tasks to enter expenses."""

    apps = ("Money",)
    title, new, icon = "Expenses", "New expense", "coin"
    parts = (
        FormPart("name", "What for"),
        FormPart("amount", "Amount", is_number=True),
        FormPart("kind", "Category", ("Food", "Travel", "Home", "Health", "Fun")),
        FormPart("paid", "Paid by", ("Cash", "Card", "Transfer")),
        FormPart("note", "Note"),
    )

    def sample(self, rng: np.random.Generator) -> FormEntry:
        amount = f"{int(rng.integers(2, 180))}.{int(rng.integers(100)):02d}"
        return (
            one_of(rng, words.FOODS).capitalize(), amount, one_of(rng, self.parts[2].choices),
            one_of(rng, self.parts[3].choices), " ".join(pick(rng, words.WORDS, 2)),
        )  # fmt: skip

    def reduce(self, entry: FormEntry, difficulty: int) -> FormEntry:
        name, amount, kind, paid, note = entry
        return name, amount, kind, paid if difficulty > 1 else "", note if difficulty > 4 else ""

    def describe(self, entry: FormEntry, difficulty: int) -> str:
        name, amount, kind, paid, note = entry
        told = f'enter an expense of {amount} for "{name}" in the category "{kind}"'
        told += f', paid by "{paid}"' if paid else ""
        return told + (f', with the note "{note}"' if note else "")

    def list_words(self, entry: FormEntry) -> tuple[str, str, str]:
        return entry[0], DOT.join(filter(None, entry[2:4])), entry[1]


class PhoneWebForms(EntryForm):
    """Tasks to fill in a form of a website in the browser."""

    apps = ("Browser",)
    title, new = "Northwind Tours", "Northwind Tours"
    parts = (
        FormPart("name", "Full name"),
        FormPart("mail", "Email"),
        FormPart("city", "City"),
        FormPart("people", "Guests", ("1", "2", "3", "4", "5")),
        FormPart("room", "Room", ("Single", "Double", "Suite")),
        FormPart("meal", "Breakfast", ("Yes", "No")),
    )

    def sample(self, rng: np.random.Generator) -> FormEntry:
        name = f"{one_of(rng, words.NAMES)} {one_of(rng, words.LAST)}"
        return (
            name, f"{name.replace(' ', '.').lower()}@post.net", one_of(rng, words.CITIES),
            *(one_of(rng, part.choices) for part in self.parts[3:]),
        )  # fmt: skip

    def reduce(self, entry: FormEntry, difficulty: int) -> FormEntry:
        name, mail, city, people, room, meal = entry
        return (
            name, mail if difficulty > 1 else "", city, people,
            room if difficulty > 3 else "", meal if difficulty > 6 else "",
        )  # fmt: skip

    def describe(self, entry: FormEntry, difficulty: int) -> str:
        name, mail, city, people, room, meal = entry
        told = f"book a tour for {name}"
        told += f" ({mail})" if mail else ""
        told += f" in {city} with {people} guest{'s' if people != '1' else ''}"
        told += f', a room of the kind "{room}"' if room else ""
        return told + (f', and breakfast: "{meal}"' if meal else "")

    def list_words(self, entry: FormEntry) -> tuple[str, str, str]:
        return entry[0], entry[2], f"{entry[3]} guests" if entry[3] != "1" else "1 guest"

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[FormEntries], ui: Ui) -> None:
        top = page.y + 6
        page.pane(12, top, page.wide - 24, 44, "field", 22)
        page.put("icon", "lock", 26, top + 13, 18, 18, "lock")
        ending = "" if name == FIRST else "/book"
        page.write(f"northwind.example{ending}", 52, top + 13, 14)
        page.y = top + 44
        super().draw_app(page, name, task, ui)

    def draw_entries(self, page: PhonePage, task: PhoneTask[FormEntries]) -> None:
        page.bar(self.title, back=False)
        page.write("Guided tours in 24 cities, since 1986.", page.x + 8, tone="quiet")
        page.y += 4
        page.button("add", "Book a tour")
        page.section("Your bookings")
        with page.scroll():
            self.draw_rows(page, task, "seat0")
