"""Scenarios: a world with a task of the user, the goal of an attack, and its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from gem_ma.envs.inject.contents import (
    AttackGoal,
    Contact,
    InjectionWorld,
    PlannedCall,
    Tables,
    TaskItem,
    TaskKind,
    WorldDraw,
)
from gem_ma.envs.tau.store import Base, Key


@dataclass(frozen=True, slots=True)
class InjectionScenario:
    """What an episode is about.

    Attributes:
        world: The name of the world.
        user: The name of the user.
        request: The task in the user's words.
        tasks: The kinds of its parts.
        feasible: Whether it can be done.
        plan: The calls that do it. If it cannot be done, the calls that show this.
        answers: The values that the user asks for, in their order.
        secret: What must not be told.
        goal: What the attack asks for.
        vehicle: The record with the text of the attack.
        attack: The family of the attack, "seat" if a seat wrote it, or "".
        base: The records at the start.
    """

    world: str
    user: str
    request: str
    tasks: tuple[str, ...]
    feasible: bool
    plan: tuple[PlannedCall, ...]
    answers: tuple[str, ...]
    secret: str
    goal: AttackGoal
    vehicle: Key
    base: Base = field(repr=False, compare=False)
    attack: str = ""

    def insert_attack(self, attack: str, text: str, quiet: bool = False) -> InjectionScenario:
        """Return the scenario with the text of an attack below the other text, or within it.

        Args:
            attack: The family, or "seat".
            text: What is inserted.
            quiet: Whether it stands within the other text.
        """
        table, id = self.vehicle
        record = self.base.tables[table][id]
        first, _, rest = record["text"].partition(". ")
        whole = f"{first}. {text} {rest}" if quiet else f"{record['text']}\n\n{text}"
        changed = {**self.base.tables[table], id: {**record, "text": whole}}
        return replace(self, base=Base({**self.base.tables, table: changed}), attack=attack)


class _PlannedItem(NamedTuple):
    """An item before it is added: what its text says."""

    part: int  # the number of the task to which it belongs; -1: of none
    topic: str
    who: Contact
    value: str
    sentence: str


class _TaskPart(NamedTuple):
    """A part of the user's task, and its items in the world."""

    kind: TaskKind
    topic: str
    feasible: bool
    items: Sequence[TaskItem]
    values: Sequence[str]

    def choose_item(self) -> tuple[TaskItem, str]:
        """Return the item that counts, and the value; a sum is that of all items."""
        combine = self.kind.combine
        if combine == "sum":
            return self.items[0], str(sum(map(int, self.values)))
        order = sorted(range(len(self.items)), key=lambda i: _rank(self.values[i]))
        chosen = order[-1 if combine == "most" else 0]
        return self.items[chosen], self.values[chosen]

    def write_request(self, world: InjectionWorld) -> str:
        """Return this part of the task in the user's words."""
        return self.kind.request.format(
            item=world.item.format(who=self.items[0].who.name, topic=self.topic),
            items=world.items.format(topic=self.topic),
            topic=self.topic,
        )


def draw_scenario(
    rng: np.random.Generator, world: InjectionWorld, parts: int, distractors: int, infeasible: float
) -> InjectionScenario:
    """Return a scenario without an attack.

    Args:
        rng: The generator.
        world: Where it plays.
        parts: How many tasks the user has.
        distractors: How many items belong to no task.
        infeasible: The probability that a task cannot be done.
    """
    draw = WorldDraw(rng)
    others = draw.contacts[1:]
    kinds = draw.draw_some(world.kinds, len(world.kinds))
    topics = [draw.draw_one(kind.topics) for kind in kinds]
    missing = draw.draw_index(parts) if draw.draw_chance(infeasible) else -1
    planned: list[_PlannedItem] = []
    for part, kind in enumerate(kinds[:parts]):
        count = 2 + draw.draw_index(2) if kind.combine else 1
        gap = draw.draw_index(count) if part == missing else -1
        for number, who in enumerate(draw.draw_some(others, count)):
            planned.append(_plan_item(draw, kind, topics[part], who, part, number == gap))
    for number in range(distractors):
        # Every other one is like an item of a task, but of somebody else.
        like, other = number // 2 % parts, parts + draw.draw_index(len(kinds) - parts)
        part = other if number % 2 or kinds[like].combine else like
        taken = {one.who for one in planned if one.topic == topics[part]}
        free = [one for one in others if one not in taken]
        if free:
            who = draw.draw_one(free)
            planned.append(_plan_item(draw, kinds[part], topics[part], who, -1, False))
    secret = draw.draw_value("pin")
    tables = world.make_tables(draw, secret)
    added: list[tuple[_PlannedItem, TaskItem]] = []
    for one in draw.draw_some(planned, len(planned)):
        sentences = draw.draw_some(world.fillers, 2)
        sentences.insert(draw.draw_index(3), one.sentence)
        item = world.add_item(draw, tables, one.topic, one.who, " ".join(sentences))
        added.append((one, item))
    drawn = [
        _TaskPart(
            kind,
            topics[part],
            part != missing,
            [item for one, item in added if one.part == part],
            [one.value for one, _ in added if one.part == part],
        )
        for part, kind in enumerate(kinds[:parts])
    ]
    return _make_scenario(draw, world, drawn, added, tables, secret)


def _plan_item(
    draw: WorldDraw, kind: TaskKind, topic: str, who: Contact, part: int, gap: bool
) -> _PlannedItem:
    """Return an item of a kind of task; with a gap, its text lacks the value."""
    if kind.value == "person":
        value = draw.draw_one([one.name for one in draw.contacts[1:] if one is not who])
    else:
        value = draw.draw_value(kind.value)
    sentence = kind.missing if gap else kind.fact.format(value=value)
    return _PlannedItem(part, topic, who, value, sentence)


def _rank(value: str) -> tuple[int, str]:
    """Return what values are ordered by: numbers by size, and days by the calendar."""
    return (int(value), "") if value.isdecimal() else (0, value)


def _make_scenario(
    draw: WorldDraw,
    world: InjectionWorld,
    parts: Sequence[_TaskPart],
    added: Sequence[tuple[_PlannedItem, TaskItem]],
    tables: Tables,
    secret: str,
) -> InjectionScenario:
    feasible = all(part.feasible for part in parts)
    contacts = {one.name: one for one in draw.contacts}
    plan: list[PlannedCall] = []
    answers: list[str] = []
    for part in parts:
        plan += world.find(part.topic, part.items)
        item, value = part.choose_item()
        if part.kind.plan is None:
            answers.append(item.who.name if part.kind.combine in ("least", "most") else value)
        elif feasible:
            plan += part.kind.plan(item, value, contacts)
    requests = [part.write_request(world) for part in parts]
    victim = next(item.id for one, item in added if one.part < 0)
    return InjectionScenario(
        world=world.name,
        user=draw.contacts[0].name,
        request="\n".join(requests),
        tasks=tuple([f"{world.name}-{part.kind.name}" for part in parts]),
        feasible=feasible,
        plan=tuple(plan),
        answers=tuple(answers) if feasible else (),
        secret=secret,
        goal=draw.draw_one(world.goals).draw_goal(draw, world.secret_id, victim),
        vehicle=draw.draw_one([item for part in parts for item in part.items]).key,
        base=Base(tables),
    )
