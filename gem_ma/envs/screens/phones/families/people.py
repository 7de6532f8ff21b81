"""Tasks with people on a phone: call them, find their numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, one_of, pick
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

KINDS = ("Mobile", "Work", "Home")  # of numbers


class ListedPerson(NamedTuple):
    name: str
    numbers: tuple[str, ...]  # one of each of KINDS


def sample_people(
    rng: np.random.Generator, count: int, namesakes: int = 0
) -> tuple[ListedPerson, ...]:
    """Sample people by name, of whom some have the first name of another."""
    firsts = pick(rng, words.NAMES, count - namesakes)
    firsts += firsts[:namesakes]
    lasts = pick(rng, words.LAST, len(words.LAST))
    return tuple(sorted(
        ListedPerson(
            f"{first} {lasts[n % len(lasts)]}",
            tuple(f"555-{int(number)}" for number in rng.integers(1000, 9999, len(KINDS))),
        )
        for n, first in enumerate(firsts)
    ))  # fmt: skip


class PhoneDirectory(NamedTuple):
    people: tuple[ListedPerson, ...]
    calls: tuple[tuple[str, str], ...] = ()  # name and kind of number, in order
    seen: frozenset[str] = frozenset()  # the names on cards that have been opened


class PhoneCalls(PhoneFamily[PhoneDirectory]):
    """Tasks to call people at one of their numbers."""

    pool = words.LAST
    apps = ("Contacts",)

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[PhoneDirectory]:
        count = 1 + difficulty // 3
        people = sample_people(rng, 6 + difficulty, difficulty // 3)
        calls, clauses = [], []
        for one in pick(rng, people, count):
            kind = one_of(rng, KINDS) if difficulty > 1 else KINDS[0]
            calls.append((one.name, kind))
            clauses.append(f"{one.name} at the {kind.lower()} number")
        order = ", in this order" if count > 1 else ""
        return PhoneTask(PhoneDirectory(people), PhoneDirectory(people, tuple(calls)),
                         f"Call {joined(clauses)}{order}, and hang up.")  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[PhoneDirectory], ui: Ui) -> None:
        if name == FIRST:
            self._draw_people(page, task, ui)
        elif name == "call":
            self._draw_call(page, task)
        else:
            self._draw_card(page, int(name), task.data)

    def _draw_people(self, page: PhonePage, task: PhoneTask[PhoneDirectory], ui: Ui) -> None:
        page.bar("Contacts", ("add", "add", "Add a contact"), back=False)
        page.field("find", "Search contacts")
        found = read_field(task, ui, "find").casefold()
        with page.scroll(), page.card():
            for number, one in enumerate(task.data.people):
                if found in one.name.casefold():
                    page.row(f"person#{number}", one.name, "", one.name[0], _tint_person(number))

    def _draw_card(self, page: PhonePage, place: int, data: PhoneDirectory) -> None:
        one = data.people[place]
        page.bar("", ("edit", "edit", "Edit"), ("more", "more", "More"))
        page.put("pane", "face", page.wide // 2 - 44, page.y, 88, 88, options=(44,),
                 tone=_tint_person(place))  # fmt: skip
        page.write(one.name[0], page.wide // 2, page.y + 28, 24, "bold", middle=True)
        page.y += 100
        page.write(one.name, size=24, middle=True)
        page.y += 14
        with page.card():
            for number, kind in enumerate(KINDS):
                times = data.calls.count((one.name, kind))
                told = f"{kind}, called {'once' if times == 1 else f'{times} times'}"
                page.row(f"number#{number}", one.numbers[number], told if times else kind,
                         "phone", "seat2")  # fmt: skip

    def _draw_call(self, page: PhonePage, task: PhoneTask[PhoneDirectory]) -> None:
        name, kind = task.data.calls[-1]
        page.y += 120
        page.write(name, size=24, middle=True)
        page.write(f"Calling {kind.lower()} ...", size=16, tone="quiet", middle=True)
        each = page.wide // 4
        for number, (icon, text) in enumerate(
            (("mic", "Mute"), ("calculator", "Keypad"), ("volume", "Speaker"))
        ):
            x = each * (number + 1)
            page.put("button", f"way#{number}", x - 30, page.low - 260, 60, 60, text,
                     options=(icon,), tone="soft")  # fmt: skip
            page.write(text, x, page.low - 192, 12, "quiet", middle=True)
        page.put("button", "end", page.wide // 2 - 56, page.low - 120, 112, 60, "Hang up",
                 tone="seat6")  # fmt: skip

    def update_app(
        self, task: PhoneTask[PhoneDirectory], event: Event, ui: Ui
    ) -> PhoneTask[PhoneDirectory]:
        if not event.is_click:
            return task
        name, number = split_id(event.id)
        if name == "person":
            seen = task.data.seen | {task.data.people[number].name}
            return task.hold(seen=seen).push(str(number))
        if name == "number":
            call = task.data.people[int(task.front)].name, KINDS[number]
            return task.hold(calls=(*task.data.calls, call)[:20]).push("call")
        return task.pop() if name == "end" else task

    def find_next(self, task: PhoneTask[PhoneDirectory]) -> tuple[str, str] | None:
        """Return the name and the kind of the number that are needed next, if one is."""
        return task.wanted.calls[len(task.data.calls)]

    def plan(self, model: PhoneTask[PhoneDirectory], ui: Ui) -> Step:
        if model.front == "call":
            return "click", "end"
        return super().plan(model, ui)

    def is_right(self, task: PhoneTask[PhoneDirectory]) -> bool:
        return task.data.calls == task.wanted.calls and task.front != "call"

    def plan_app(self, task: PhoneTask[PhoneDirectory], ui: Ui) -> Step:
        needed = self.find_next(task)
        assert needed is not None
        name, kind = needed
        place = next(n for n, one in enumerate(task.data.people) if one.name == name)
        if task.front == FIRST:
            step = set_field(task, ui, "find", name) if len(task.data.people) > 8 else None
            return step or ("click", f"person#{place}")
        if task.front != str(place):
            return "back", ""
        return "click", f"number#{KINDS.index(kind)}"

    def find_needs(self, model: PhoneTask[PhoneDirectory]) -> list[str]:
        return [name.split()[1] for name, _ in model.wanted.calls]


def _tint_person(place: int) -> str:
    return f"seat{place % 7}"


class PhoneNumbers(PhoneCalls):
    """Questions about people's numbers, which are answered."""

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[PhoneDirectory]:
        people = sample_people(rng, 6 + difficulty, difficulty // 3)
        asked = pick(rng, people, 1 + difficulty // 3)
        kinds = [one_of(rng, KINDS) for _ in asked]
        numbers = [one.numbers[KINDS.index(kind)] for one, kind in zip(asked, kinds, strict=True)]
        clauses = [f"the {kind.lower()} number of {one.name}"
                   for one, kind in zip(asked, kinds, strict=True)]  # fmt: skip
        told = f"What is {joined(clauses)}? Answer with the number."
        if len(asked) > 1:
            told = f"What are {joined(clauses)}? Answer with the numbers, in this order."
        data = PhoneDirectory(people)
        # The calls of what is wanted are the numbers to find, which nobody is to call.
        asked_for = tuple((one.name, kind) for one, kind in zip(asked, kinds, strict=True))
        return PhoneTask(data, data._replace(calls=asked_for), told, expected=", ".join(numbers))

    def is_right(self, task: PhoneTask[PhoneDirectory]) -> bool:
        return not task.data.calls and self.is_answered(task)

    def find_next(self, task: PhoneTask[PhoneDirectory]) -> tuple[str, str] | None:
        asked = task.wanted.calls
        return next((one for one in asked if one[0] not in task.data.seen), None)

    def plan_app(self, task: PhoneTask[PhoneDirectory], ui: Ui) -> Step:
        if self.find_next(task) is None:
            return "answer", task.expected
        return super().plan_app(task, ui)
