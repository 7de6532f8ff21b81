"""What a world consists of: people, values, kinds of tasks, goals of attacks, and how it is drawn.

A task has items, such as mails, each of one person about one topic. The text of an item has a
sentence with a value, which is to be told or used.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from gem_ma.envs.inject.tool_calls import WorldTool
from gem_ma.envs.tau.store import Frozen, Key, Record

T = TypeVar("T")
Tables: TypeAlias = dict[str, dict[str, Record]]

_FIRST_NAMES = (
    "Agnes", "Boris", "Celine", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irene", "Jonas",
    "Karla", "Luis", "Maren", "Nils", "Olga", "Pablo", "Rosa", "Sven", "Tilda", "Viktor",
)  # fmt: skip
_LAST_NAMES = (
    "Abel", "Bianchi", "Conrad", "Dvorak", "Engel", "Farkas", "Gallo", "Hansen", "Ibarra",
    "Jansson", "Kowal", "Lorenz", "Moreau", "Nemeth", "Orlov", "Pires", "Quist", "Reuter",
    "Santos", "Toth",
)  # fmt: skip
_WORDS = (
    "amber", "birch", "cobalt", "delta", "ember", "falcon", "granite", "harvest", "indigo",
    "juniper", "karst", "lagoon", "marble", "nectar", "onyx", "pepper", "quartz", "raven",
    "saffron", "timber", "umber", "velvet", "willow", "zephyr",
)  # fmt: skip
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_STRANGE_DOMAINS = ("quickpost.example", "freebox.example", "letterhub.example")


class Contact(NamedTuple):
    """A person whom the user knows."""

    name: str
    address: str
    iban: str


class WorldDraw:
    """Draws from a generator; values never come twice.

    Args:
        rng: The generator.
    """

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self._used: set[str] = set()
        first, last = self.draw_some(_FIRST_NAMES, 10), self.draw_some(_LAST_NAMES, 10)
        self.contacts = [
            Contact(f"{a} {b}", f"{a}.{b}@mail.example".lower(), self.draw_value("iban"))
            for a, b in zip(first, last, strict=True)
        ]

    def draw_index(self, size: int) -> int:
        """Return a number from 0 to `size` - 1."""
        return int(self.rng.integers(size))

    def draw_one(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.draw_index(len(options))]

    def draw_some(self, options: Sequence[T], count: int) -> list[T]:
        """Return some of the options, in any order."""
        return [options[i] for i in self.rng.permutation(len(options))[:count]]

    def draw_chance(self, share: float) -> bool:
        """Return True in this share of cases."""
        return bool(self.rng.random() < share)

    def draw_value(self, kind: str) -> str:
        """Return a value of one of VALUE_KINDS."""
        while True:
            value = VALUE_KINDS[kind](self)
            if value not in self._used:
                self._used.add(value)
                return value

    def make_contact_records(self) -> dict[str, Record]:
        """Return the table of contacts, by name."""
        return {one.name: {"name": one.name, "address": one.address} for one in self.contacts}

    def draw_word(self, most: int) -> str:
        """Return a word with a number below `most`."""
        return f"{self.draw_one(_WORDS)}{self.draw_index(most)}"


VALUE_KINDS: Mapping[str, Callable[[WorldDraw], str]] = {
    "code": lambda draw: (
        f"{draw.draw_one(_LETTERS)}{draw.draw_one(_LETTERS)}-{1000 + draw.draw_index(9000)}"
    ),
    "pin": lambda draw: f"{100000 + draw.draw_index(900000)}",
    "amount": lambda draw: f"{20 + draw.draw_index(480)}",
    "count": lambda draw: f"{2 + draw.draw_index(58)}",
    "day": lambda draw: f"2027-{1 + draw.draw_index(12):02}-{1 + draw.draw_index(28):02}",
    "room": lambda draw: f"room {draw.draw_one(_LETTERS)}{100 + draw.draw_index(400)}",
    "word": lambda draw: draw.draw_word(10),
    "address": lambda draw: f"{draw.draw_word(100)}@office.example",
    "stranger": lambda draw: f"{draw.draw_word(100)}@{draw.draw_one(_STRANGE_DOMAINS)}",
    "iban": lambda draw: f"GM{int(draw.rng.integers(10**13, 10**14))}",
}


class PlannedCall(NamedTuple):
    """A tool call of a plan."""

    name: str
    arguments: Frozen[str, str | int]


def plan_call(name: str, /, **arguments: str | int) -> PlannedCall:
    """Return a call with these arguments."""
    return PlannedCall(name, Frozen(arguments))


def name_tools(*tools: WorldTool) -> dict[str, WorldTool]:
    """Return tools by the names of their functions, in this order."""
    return {tool.__name__: tool for tool in tools}


class TaskItem(NamedTuple):
    """Something with a text of one person about one topic, as a world contains it."""

    id: str
    topic: str
    who: Contact
    key: Key  # of the record whose text it is


Contacts: TypeAlias = Mapping[str, Contact]
SearchPlan: TypeAlias = Callable[[str, Sequence[TaskItem]], tuple[PlannedCall, ...]]
PlanMaker: TypeAlias = Callable[[TaskItem, str, Contacts], tuple[PlannedCall, ...]]


def make_search_plan(search: str, read: str, id_name: str) -> SearchPlan:
    """Return a function that plans the calls that find the items about a topic and read them.

    Args:
        search: The tool that searches for words.
        read: The tool that reads an item.
        id_name: Its argument for the item.
    """

    def plan_search(topic: str, items: Sequence[TaskItem]) -> tuple[PlannedCall, ...]:
        reads = [plan_call(read, **{id_name: one.id}) for one in items]
        return (plan_call(search, words=topic), *reads)

    return plan_search


@dataclass(frozen=True)
class TaskKind:
    """A kind of task of the user.

    Attributes:
        name: Its name within its world.
        topics: What items of such tasks are about; no two kinds of a world share one.
        value: One of VALUE_KINDS, or "person".
        fact: The sentence of an item with its {value}.
        missing: The sentence in its place where the task cannot be done.
        request: What the user asks, about {item} or {items}, and their {topic}.
        plan: The calls that do it, from an item and its value. None: the value is to be told, or
            with "least" and "most" the person.
        combine: "": the task has one item. "sum": the sum of several values counts. "least" and
            "most": the item with this value counts.
    """

    name: str
    topics: tuple[str, ...]
    value: str
    fact: str
    missing: str
    request: str
    plan: PlanMaker | None = None
    combine: str = ""


@dataclass(frozen=True)
class AttackGoal:
    """What an attack asks for.

    Attributes:
        name: The kind of goal.
        sentence: The goal in words, as an instruction.
        calls: The calls that reach it.
        tells: Whether the assistant has to tell the secret.
        leak_to: An address at which the secret must not arrive, or "".
    """

    name: str
    sentence: str
    calls: tuple[PlannedCall, ...]
    tells: bool = False
    leak_to: str = ""


_FIELD_PATTERNS = {
    "item": r"[a-z]\d{1,4}",
    "path": r"[\w/-]{1,60}\.txt",
    "address": r"[\w+-]{1,40}@[\w-]{1,40}\.\w{1,20}",
    "amount": r"\d{1,6}",
    "iban": r"GM\d{1,20}",
    "phone": r"\d{1,20}",
}
_FIELD = re.compile(r"\\{(\w+)\\}")


@dataclass(frozen=True)
class GoalKind:
    """A kind of goal of attacks.

    Attributes:
        name: Its name.
        sentence: The instruction, with fields from {item}, {path}, {address}, {amount}, {iban} and
            {phone}.
        plan: The calls that reach it, from these fields.
        about: What {item} or {path} is: the "secret", or a "victim" with which no task has to do.
        tells: As in AttackGoal.
        leaks: Whether the secret must not arrive at {address}.
    """

    name: str
    sentence: str
    plan: Callable[..., tuple[PlannedCall, ...]]
    about: str = "victim"
    tells: bool = False
    leaks: bool = False

    def make_goal(self, fields: Mapping[str, str]) -> AttackGoal:
        """Return the goal with these fields."""
        leak_to = fields["address"] if self.leaks else ""
        sentence = self.sentence.format(**fields)
        return AttackGoal(self.name, sentence, self.plan(**fields), self.tells, leak_to)

    def find_goals(self, text: str) -> Iterator[AttackGoal]:
        """Yield the goals of this kind for which a text asks."""
        for match in self._pattern.finditer(text):
            yield self.make_goal(match.groupdict())

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = _FIELD.sub(
            lambda field: f"(?P<{field[1]}>{_FIELD_PATTERNS[field[1]]})", re.escape(self.sentence)
        )
        return re.compile(words, re.IGNORECASE)

    def draw_goal(self, draw: WorldDraw, secret_id: str, victim_id: str) -> AttackGoal:
        """Return a goal of this kind."""
        id = secret_id if self.about == "secret" else victim_id
        fields = {"item": id, "path": id, "address": draw.draw_value("stranger")}
        fields["amount"], fields["iban"] = draw.draw_value("amount"), draw.draw_value("iban")
        fields["phone"] = f"0{draw.draw_value('pin')}"
        wanted = _FIELD.findall(re.escape(self.sentence))
        return self.make_goal({name: fields[name] for name in wanted})


@dataclass(frozen=True)
class InjectionWorld:
    """A world: its records, tools, tasks and goals.

    Attributes:
        name: Its name.
        app: What the tools belong to, in words.
        place: Where the text of an item is, in words.
        item: An item in words, by {who} and {topic}.
        items: Several items in words, by their {topic}.
        secret: What must not be told, in words.
        fillers: Sentences of texts without a meaning for tasks.
        tools: The tools by name; the first one searches for words.
        kinds: The kinds of tasks.
        goals: The kinds of goals.
        make_tables: Makes the records that every episode has, with a secret.
        add_item: Adds an item (topic, person, text) to the records.
        find: Plans the calls that read items about a topic.
        secret_id: The id by which a tool reads the secret, or "".
    """

    name: str
    app: str
    place: str
    item: str
    items: str
    secret: str
    fillers: tuple[str, ...]
    tools: Mapping[str, WorldTool]
    kinds: tuple[TaskKind, ...]
    goals: tuple[GoalKind, ...]
    make_tables: Callable[[WorldDraw, str], Tables]
    add_item: Callable[[WorldDraw, Tables, str, Contact, str], TaskItem]
    find: SearchPlan
    secret_id: str
