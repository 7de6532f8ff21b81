"""Kits, in which the tools of a domain are written, and the world that tools work on."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from gem_ma.envs.tau.calling import sane
from gem_ma.envs.tau.store import Base, Changes, Desk, Record
from gem_ma.sandbox import SandboxUnavailable
from gem_ma.validation.json_types import JSONMapping

# Forms of a table: by id, in order, a single record, or by id under "data" next to "notes".
MAP, LIST, ONE, NOTED = "map", "list", "one", "noted"
SEATS = ("assistant", "user")
_Method = TypeVar("_Method", bound=Callable[..., object])


def tool(method: _Method) -> _Method:
    """Mark a method of a kit as a tool that changes nothing."""
    method.changes = False  # type: ignore[attr-defined]
    return method


def writing(method: _Method) -> _Method:
    """Mark a method of a kit as a tool that may change the world."""
    method.changes = True  # type: ignore[attr-defined]
    return method


def discoverable(method: _Method) -> _Method:
    """Mark a tool as callable but not listed; write this above `tool` or `writing`."""
    method.discoverable = True  # type: ignore[attr-defined]
    return method


class Part:
    """A group of tools, from which a kit is composed."""

    def __init__(self, world: World):
        self.world = world

    @property
    def desk(self) -> Desk:
        """The database in use."""
        return self.world.desk


class Kit(Part):
    """The actions of a seat: marked methods are tools, others prepare tasks and check assertions.

    Python's error messages contain the names of classes, methods and parameters. Subclasses and
    methods therefore have the original's names, and methods of parts get the name of the kit.
    """

    tools: ClassVar[Mapping[str, Callable[..., object]]] = {}
    listed: ClassVar[Mapping[str, Callable[..., object]]] = {}  # tools in the prompt of a seat

    def __init_subclass__(cls) -> None:
        methods: dict[str, Callable[..., object]] = {}
        known = {part for base in cls.__bases__ if issubclass(base, Kit) for part in base.__mro__}
        for part in reversed(cls.__mro__):
            if part not in known:
                methods |= {
                    name: one for name, one in vars(part).items() if hasattr(one, "changes")
                }
        for name, one in methods.items():
            one.__qualname__ = f"{cls.__name__}.{name}"
        bases = [base for base in reversed(cls.__bases__) if issubclass(base, Kit)]
        cls.tools = {name: one for base in bases for name, one in base.tools.items()} | methods
        cls.listed = {
            name: one for name, one in cls.tools.items() if not hasattr(one, "discoverable")
        }


class Values(dict[str, Any]):
    """An answer of a tool that is not a record; its values become texts."""


class Tables(Base):
    """The tables of both seats, loaded once; `same` and `hash_of` follow the original."""

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Record]],
        sides: Mapping[str, Mapping[str, str]],
        notes: Mapping[str, str] | None = None,
    ):
        super().__init__(tables)
        self.sides = sides  # per seat: tables and their forms
        self.notes = notes or {}  # notes of tables of form NOTED

    def same(self, one: Changes, other: Changes, side: str = "") -> bool:
        """Return whether two episodes left equal databases of one seat, or of all seats."""
        tables = self.sides[side] if side else {name for at in self.sides.values() for name in at}
        for key in {**one, **other}:
            if key[0] in tables and self.part(key, one) != self.part(key, other):
                return False
        return all(
            self._added(name, one) == self._added(name, other)
            for side in self.sides.values()
            for name, form in side.items()
            if form == LIST and name in tables
        )

    def _added(self, table: str, changes: Changes) -> list[str]:
        known = self.tables[table]
        return [id for name, id in changes if name == table and id not in known]

    def hash_of(self, side: str, changes: Changes) -> str:
        """Return the original's hash of the database of a seat."""
        parts = []
        for table, form in sorted(self.sides[side].items()):
            ids = [*self.tables[table], *self._added(table, changes)]
            rows = {id: self.part((table, id), changes) for id in ids}
            if form == ONE:
                inner = rows[""]
            elif form == LIST:
                inner = f"[{', '.join(rows[id] for id in ids if rows[id])}]"
            else:
                inner = ", ".join(f"{json.dumps(id)}: {rows[id]}" for id in sorted(ids) if rows[id])
                inner = f"{{{inner}}}"
                if form == NOTED:
                    notes = json.dumps(self.notes[table])
                    inner = f'{{"data": {inner}, "notes": {notes}}}'
            parts.append(f"{json.dumps(table)}: {inner}")
        return hashlib.sha256(f"{{{', '.join(parts)}}}".encode()).hexdigest()

    def written(self, record: Record) -> str:
        return json.dumps(record, sort_keys=True, default=str)


class DomainContent(Protocol):
    """The part of its domain that a world uses."""

    @property
    def base(self) -> Tables: ...
    @property
    def kits(self) -> Mapping[str, type[Kit]]: ...
    @property
    def taken(self) -> str: ...

    def sync(self, world: World) -> None:
        """Copy shared values from one seat's data to the other's."""


class World:
    """The databases of both seats in use, and the tools that work on them."""

    def __init__(self, domain: DomainContent, changes: Changes, solo: bool):
        self.domain = domain
        self.desk = domain.base.desk(changes)
        self.solo = solo
        self.kits: dict[str, Kit] = {seat: kit(self) for seat, kit in domain.kits.items()}
        self._taken = changes.get(("", "taken"))

    def call(self, seat: str, name: object, arguments: object) -> tuple[str, bool]:
        """Return the answer to a tool call, and whether the answer is an error.

        Changes that the tool made before it failed are kept, as in the original.
        """
        try:
            answer = self._do(seat, name, arguments)
            self.domain.sync(self)
            return said(answer), False
        except SandboxUnavailable:  # our mistake, and no answer
            raise
        except Exception as error:  # noqa: BLE001 - any type of argument may come
            return f"Error: {error}", True

    def replay(self, seat: str, name: str, arguments: JSONMapping) -> None:
        """Call the tool of a gold action without a sync; a failure is ignored."""
        with contextlib.suppress(Exception):
            self._do(seat, name, arguments)

    def _do(self, seat: str, name: object, arguments: object) -> object:
        if not isinstance(name, str):
            raise TypeError(f"the name of a tool is a text, and not a {type(name).__name__}")
        if not isinstance(arguments, Mapping):
            kind = type(arguments).__name__
            raise TypeError(f"the arguments of {name} are an object, and not a {kind}")
        if not sane(arguments):
            raise ValueError(f"the arguments of {name} are nested too deeply, or too large")
        kit = self._kit(seat, name)
        method = kit.tools.get(name)
        if method is None:
            raise ValueError(f"Tool '{name}' not found.")
        if self._taken == seat:
            raise AttributeError(self.domain.taken)
        return method(kit, **arguments)

    def _kit(self, seat: str, name: str) -> Kit:
        if self.solo and seat == "user":
            raise ValueError("User tool calls are not allowed in solo mode")
        if seat not in self.kits:
            raise ValueError("User tools not available")
        user = self.kits.get("user")
        if self.solo and user is not None and name in user.tools:
            return user
        return self.kits[seat]

    def act(self, seat: str, name: str, arguments: JSONMapping) -> object:
        """Call a method that a task names, as preparation or as assertion."""
        if self._taken == seat:
            raise AttributeError(self.domain.taken)
        return getattr(self.kits[seat], name)(**arguments)

    def take(self, seat: str) -> None:
        """Take a seat's database away, as the original does if a task has data."""
        self._taken = seat
        self.desk.put("", "taken", seat)  # type: ignore[arg-type]

    def changes(self) -> Changes:
        """Return all changes so far; the world must not be used afterwards."""
        return self.desk.changes()


def said(answer: object) -> str:
    """Return the text of a tool's answer for its caller."""
    if isinstance(answer, str):
        return answer
    return json.dumps(_processed(answer), default=str)


def _processed(answer: object) -> object:
    if answer is None or isinstance(answer, str):
        return answer
    if isinstance(answer, bool | int | float):
        return str(answer)
    if isinstance(answer, list | tuple):
        return [_processed(one) for one in answer]
    if isinstance(answer, Values):
        return {key: _processed(value) for key, value in answer.items()}
    return answer
