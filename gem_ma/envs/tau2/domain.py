"""The base of tau2-bench's domains: tools, databases, tasks and prompts."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gem_ma.envs.tau.data import DataMissing
from gem_ma.envs.tau.store import NOTHING, Changes, Record, copied
from gem_ma.envs.tau.talk import Call
from gem_ma.envs.tau2.kit import LIST, NOTED, ONE, Kit, Tables, World
from gem_ma.envs.tau2.shape import Reader, Wrong
from gem_ma.validation.files import find_user_cache
from gem_ma.validation.json_types import JSONMapping

VARIABLE = "TAU2_BENCH_DATA"
REMEDY = (
    f"`gem-ma data tau2-bench` fetches it, or set {VARIABLE} to a clone of tau2-bench, or to a "
    "folder that holds telecom/, retail/ and so on"
)
TASK_DOCUMENTS = "{{required_documents}}"  # the place in a policy of a task's own documents
BASIS = ("DB", "COMMUNICATE")  # reward basis of tasks that name none
TRANSFER = "transfer_to_human_agents"  # the assistant's tool that hands the user over
_SCENARIO = (  # parts of a user's scenario, with their headings
    ("reason_for_call", "Reason for call"),
    ("known_info", "Known info"),
    ("unknown_info", "Unknown info"),
    ("task_instructions", "Task instructions"),
)


@dataclass(frozen=True, slots=True)
class Action:
    """A tool call that a task expects, or that prepares the world of a task."""

    seat: str
    name: str
    arguments: JSONMapping
    compare: tuple[str, ...] | None = None  # compared arguments; None: those of the call

    def matches(self, name: str, arguments: JSONMapping) -> bool:
        """Return whether a call is this one, compared as in the original."""
        if name != self.name:
            return False
        keys = arguments.keys() if self.compare is None else self.compare
        mine = {key: value for key, value in self.arguments.items() if key in keys}
        return not keys or mine == {key: arguments[key] for key in keys if key in arguments}


@dataclass(frozen=True, slots=True)
class Assertion:
    seat: str
    name: str
    arguments: JSONMapping
    value: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """A message or a tool call from before the start of the episode."""

    seat: str
    text: str = ""
    call: Action | None = None


@dataclass(frozen=True, slots=True)
class Task:
    id: str
    scenario: str  # description for the user
    ticket: str = ""  # description for an assistant without a user
    criteria: bool = True  # whether the task has criteria
    actions: tuple[Action, ...] | None = ()  # None: not specified
    assertions: tuple[Assertion, ...] | None = ()
    communicate: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()  # statements that a judge decides
    basis: tuple[str, ...] = BASIS
    setup: tuple[Action, ...] = ()
    data: Mapping[str, JSONMapping] | None = None  # per seat, laid over its database
    history: tuple[Line, ...] = ()
    user_tools: tuple[str, ...] | None = None  # tools of the user; None: all
    documents: tuple[str, ...] = ()  # documents with the required knowledge
    transfer: bool = False  # whether the user is to be handed over, for the part TRANSFER

    @property
    def alone(self) -> bool:
        """Whether an assistant can play the task without a user."""
        return bool(self.ticket and self.actions) and not any(one.text for one in self.history)


class Domain:
    """The base class of domains. Each process reads the databases once."""

    name: ClassVar[str]
    folder: ClassVar[str] = ""  # folder in the data folder, if not `name`
    kits: ClassVar[Mapping[str, type[Kit]]]
    sides: ClassVar[Mapping[str, Mapping[str, str]]]  # per seat: tables and their forms
    shapes: ClassVar[Mapping[str, Reader]]  # shape of the records of each table
    keys: ClassVar[Mapping[str, str]] = {}  # id field of the records in tables of form LIST
    files: ClassVar[Mapping[str, str]] = {"assistant": "db.json"}
    solo: ClassVar[bool] = False  # whether an assistant can play without a user
    taken: ClassVar[str] = ""  # error of tools without a database, see `World.take`
    env_defaults: ClassVar[JSONMapping] = {}  # of environments, before the caller's options
    blocking: bool = False  # whether tools may take seconds

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Changes] = {}  # cached worlds of tasks, see `scoring`
        self._read: dict[str, str] = {}  # hash of each file that was read
        self.notes: dict[str, str] = {}  # notes of tables of form NOTED
        self.base = Tables(self._tables(), self.sides, self.notes)

    def database(self, seat: str) -> JSONMapping:
        """Return the database of a seat as its file contains it."""
        return parse(self.read(self.files[seat]), self.files[seat])

    def sync(self, world: World) -> None:
        """Copy shared values from one seat's world to the other's; called after every tool call."""

    def prepare(self, world: World, task: Task) -> None:
        """Put data of a task that tools need into a world; called before everything else."""

    def policy(self, solo: bool = False) -> str:
        return self.read("policy.md").decode()

    def select_documents(self, task: Task) -> tuple[str, ...] | None:
        """Return the documents in a prompt of the assistant, or None if the policy has no place.

        The place in the policy is TASK_DOCUMENTS.
        """
        return None

    def quote_documents(self, names: Iterable[str]) -> str:
        """Return the text of documents as the prompt has it."""
        raise NotImplementedError

    def raw_tasks(self) -> Iterable[JSONMapping]:
        """Return the tasks as their file contains them."""
        return parse(self.read("tasks.json"), "tasks.json")

    def raw_splits(self) -> Mapping[str, Iterable[str]]:
        return parse(self.read("split_tasks.json"), "split_tasks.json")

    def ids(self, split: str) -> tuple[str, ...] | None:
        """Return the ids of a split's tasks, or None if any number makes a task (see `task`)."""
        if split not in self.splits:
            known = ", ".join(self.splits)
            raise ValueError(f"{self.name} has no split {split!r}; it has {known}")
        return self.splits[split]

    def task(self, number: int) -> Task:
        """Return the task with this number, in domains that make tasks on demand."""
        raise NotImplementedError

    def picture_device(self, calls: Sequence[Call]) -> object:
        """Return the scene of a user's device, as its own calls have shown it, or None."""
        return None

    def path(self) -> Path:
        return folder() / (self.folder or self.name)

    def read(self, name: str) -> bytes:
        """Return a file of the domain's folder."""
        path = self.path() / name
        try:
            content = path.read_bytes()
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            why = "is not there" if missing else f"cannot be read ({error.strerror})"
            raise DataMissing(f"{path} {why}; {REMEDY}") from None
        self._read[name] = hashlib.sha256(content).hexdigest()
        return content

    @functools.cached_property
    def version(self) -> str:
        """A short hash of the files in use, or "" without files."""
        _ = self.tasks, self.policy()
        text = json.dumps(sorted(self._read.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:12] if self._read else ""

    def _tables(self) -> dict[str, dict[str, Record]]:
        tables: dict[str, dict[str, Record]] = {}
        for seat, side in self.sides.items():
            if seat not in self.files:
                continue
            database = self.database(seat)
            for table, form in side.items():
                shape = self.shapes[table]
                try:
                    rows = database.get(table, {} if form in (ONE, NOTED) else ())
                    if form == NOTED:
                        self.notes[table] = rows.get("notes", "")
                    tables[table] = {
                        id: shape(one) for id, one in _rows(rows, form, self.keys.get(table, ""))
                    }
                except (Wrong, AttributeError, KeyError, TypeError) as error:
                    raise DataMissing(
                        f"{self.path() / self.files[seat]}: the table {table} is malformed "
                        f"({error}); {REMEDY}"
                    ) from None
        return tables

    @functools.cached_property
    def tasks(self) -> dict[str, Task]:
        """All tasks, by id, in the order of the file."""
        tasks: dict[str, Task] = {}
        for one in self.raw_tasks():
            try:
                task = read_task(one)
            except (AttributeError, KeyError, TypeError) as error:
                raise DataMissing(
                    f"{self.name}: expected a task of tau2-bench, got {one!r:.80} "
                    f"({type(error).__name__}: {error}); {REMEDY}"
                ) from None
            tasks[task.id] = task
        return tasks

    @functools.cached_property
    def splits(self) -> dict[str, tuple[str, ...]]:
        """The ids of the tasks in each split, in the order of the file."""
        split_ids = {}
        for name, ids in self.raw_splits().items():
            id_set = set(ids)
            split_ids[name] = tuple(id for id in self.tasks if id in id_set)
        return split_ids

    def world(self, changes: Changes = NOTHING, solo: bool = False) -> World:
        return World(self, changes, solo)

    def give(self, world: World, seat: str, data: JSONMapping) -> None:
        """Merge a task's own data into the database of a seat."""
        for table, rows in data.items():
            form = self.sides[seat][table]
            for id, one in _rows(rows, form, self.keys.get(table, "")):
                before = world.desk.get(table, id)
                merged = one if before is None or form == LIST else _merged(copied(before), one)
                world.desk.put(table, id, self.shapes[table](merged))


def _rows(rows: Any, form: str, key: str) -> Iterable[tuple[str, Any]]:
    if form == ONE:
        return [("", rows)]
    if form == LIST:
        return [(one[key], one) for one in rows]
    if form == NOTED:
        rows = rows.get("data", {})
    return rows.items()


def _merged(old: object, new: object) -> object:
    if not isinstance(old, dict) or not isinstance(new, Mapping):
        return new
    for key, value in new.items():
        old[key] = _merged(old.get(key), value)
    return old


def folder() -> Path:
    """Return the data folder: from TAU2_BENCH_DATA, or in the user's cache."""
    named = os.environ.get(VARIABLE)
    if named:
        top = Path(named)
        for inner in ("data/tau2/domains", "tau2/domains", "domains", "data"):
            if (top / inner).is_dir():
                return top / inner
        return top
    return find_user_cache() / "tau2_bench"


def parse(content: bytes, name: str) -> Any:
    """Return the content of a JSON or TOML file."""
    try:
        if name.endswith(".toml"):
            return tomllib.loads(content.decode())
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataMissing(f"{name} is damaged ({error}); {REMEDY}") from None


def read_task(one: JSONMapping) -> Task:
    """Return a task from its form in the original's files."""
    criteria = one.get("evaluation_criteria")
    criteria_fields = criteria or {}
    state = one.get("initial_state") or {}
    data = state.get("initialization_data") or {}
    actions = criteria_fields.get("actions")
    assertions = criteria_fields.get("env_assertions")
    seat_data = {
        seat: data[name]
        for seat, name in (("assistant", "agent_data"), ("user", "user_data"))
        if data.get(name) is not None
    }
    tools = one.get("user_tools")
    return Task(
        id=str(one["id"]),
        scenario=scenario(one["user_scenario"]),
        ticket=one.get("ticket") or "",
        criteria=criteria is not None,
        actions=None if actions is None else tuple(map(_action, actions)),
        assertions=None if assertions is None else tuple(map(_assertion, assertions)),
        communicate=tuple(criteria_fields.get("communicate_info") or ()),
        judged=tuple(criteria_fields.get("nl_assertions") or ()),
        basis=tuple(criteria_fields.get("reward_basis") or BASIS),
        setup=tuple(map(_setup, state.get("initialization_actions") or ())),
        data=seat_data or None,
        history=tuple(_history(state.get("message_history") or ())),
        user_tools=None if tools is None else tuple(tools),
        documents=tuple(one.get("required_documents") or ()),
    )


def _action(one: JSONMapping) -> Action:
    compare = one.get("compare_args")
    return Action(
        one.get("requestor", "assistant"),
        one["name"],
        one["arguments"],
        None if compare is None else tuple(compare),
    )


def _setup(one: JSONMapping) -> Action:
    return Action(one["env_type"], one["func_name"], one["arguments"])


def _assertion(one: JSONMapping) -> Assertion:
    value = one.get("assert_value", True)
    return Assertion(one["env_type"], one["func_name"], one["arguments"], value)


def _history(messages: Iterable[JSONMapping]) -> Iterable[Line]:
    for one in messages:
        if one["role"] == "tool":
            continue
        if one.get("content"):
            yield Line(one["role"], one["content"])
        for call in one.get("tool_calls") or ():
            yield Line(one["role"], call=Action(one["role"], call["name"], call["arguments"]))


def scenario(one: JSONMapping) -> str:
    """Return the description of a task for the user, formatted as in the original."""
    lines = []
    if one.get("persona") is not None:
        lines += ["Persona:", _indented(one["persona"])]
    instructions = one["instructions"]
    if not isinstance(instructions, str):
        parts = [f"Domain: {instructions['domain']}"]
        for name, heading in _SCENARIO:
            if instructions.get(name) is not None:
                parts.append(f"{heading}:\n{_indented(instructions[name])}")
        instructions = "\n".join(parts)
    return "\n".join([*lines, "Instructions:", _indented(instructions)])


def _indented(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(f"\t{line}" if line.strip() else line for line in lines)
