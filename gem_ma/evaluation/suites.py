"""Suites: the environments, starts and seats that an evaluation plays."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from gem_ma.engine.config import EnvOptions
from gem_ma.envs import registry
from gem_ma.game import ResetOptions
from gem_ma.packs import list_packs
from gem_ma.validation.json_types import JSONMapping, JSONObject


class BadSuite(ValueError):
    """A suite, or an argument that changes it, is invalid."""


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """One environment of a suite.

    Attributes:
        tasks: Number of different starts.
        trials: Number of episodes per start.
        seats: Line-ups of the evaluated agent: "each" seat alone, "all" seats at once, or a list.
            Each item of the list is a line-up: a seat, or a list of seats that the agent takes at
            once.
        opponents: Agents in the other seats: a spec, or a table from seat to spec.
        success: The lowest return that counts as a success.
        options: Options of `reset`. With several, each start takes the next.
        numbered: An option that is set to the number of the start, from 0 on. It plays all tasks of
            a data set in order.
        tools: Specs of tools that seats may call: a list for all seats, or a table from seat to
            list.
        sampling: A table from seat to options of its agent, such as temperature = 0. They apply if
            the agent takes them and its spec does not set them.
    """

    id: str
    name: str = ""
    arguments: EnvOptions = field(default_factory=dict)
    tasks: int = 10
    trials: int = 1
    seats: Any = "each"
    opponents: Any = "random"
    success: float = 1.0
    options: Sequence[ResetOptions] = ()
    numbered: str = ""
    context: str = ""
    tools: Any = ""
    sampling: Mapping[str, JSONMapping] = field(default_factory=dict)

    def list_lineups(self, seats: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the line-ups: the seats that the evaluated agent takes in each of them."""
        if self.seats == "all":
            return [tuple(seats)]
        seat_groups = seats if self.seats == "each" else self.seats
        lineups = [(one,) if isinstance(one, str) else tuple(one) for one in seat_groups]
        for seat in (seat for lineup in lineups for seat in lineup):
            if seat not in seats:
                raise BadSuite(f"{self.name}: no seat {seat!r}; the seats are {', '.join(seats)}")
        return lineups

    def find_opponent(self, seat: str) -> str:
        """Return the spec of the agent in a seat that is not evaluated."""
        if isinstance(self.opponents, str):
            return self.opponents
        return str(self.opponents.get(seat, "random"))

    def list_reset_options(self) -> list[ResetOptions]:
        """Return the options of `reset` for the starts."""
        if not self.numbered:
            return [dict(one) for one in self.options] or [{}]
        listed = [dict(one) for one in self.options] or [{}]
        return [
            {**listed[number % len(listed)], self.numbered: number} for number in range(self.tasks)
        ]


@dataclass(frozen=True, slots=True)
class Suite:
    """A list of environments to play, and the seed that decides all episodes."""

    name: str
    entries: tuple[SuiteEntry, ...]
    seed: int = 0
    description: str = ""

    def to_dict(self) -> JSONObject:
        """Return the suite as JSON values."""
        out = asdict(self)
        out["entries"] = [
            {name: _tuples_to_lists(value) for name, value in entry.items()}
            for entry in out["entries"]
        ]
        return out


def list_suites() -> list[str]:
    """Return the names of the suites of this package and of all packs."""
    return sorted(_find_files())


def _find_files() -> dict[str, Traversable]:
    folders = [resources.files("gem_ma.evaluation") / "suites"]
    folders += [
        resources.files(one.package) / one.pack.suites for one in list_packs() if one.pack.suites
    ]
    return {
        file.name.removesuffix(".toml"): file
        for folder in folders
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }


def load_suite(name: str) -> Suite:
    """Return a suite by its name, or from a TOML file."""
    path = Path(name)
    if name.endswith(".toml"):
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise BadSuite(f"suite {name}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise BadSuite(f"suite {name}: {error}") from None
    elif name in list_suites():
        text = _find_files()[name].read_text(encoding="utf-8")
    else:
        raise BadSuite(
            f"no suite {name!r}; there are {', '.join(list_suites())}, or name a file that ends in "
            f".toml"
        )
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSuite(f"suite {name} is not TOML: {error}") from None
    return parse_suite(data, path.stem)


def parse_suite(data: JSONMapping, name: str) -> Suite:
    """Return the suite in a table with description, seed, defaults, and a list `entry`.

    An entry with a list of ids stands for one entry per id. An entry with `vary`, a table from
    argument to a list of values, stands for one entry per combination of values. The names of these
    entries include the values.
    """
    known = ("description", "seed", "defaults", "entry")
    _check_keys(data, known, f"suite {name}")
    defaults = data.get("defaults", {})
    _check_keys(defaults, [*_ENTRY_FIELDS[1:], "vary"], f"suite {name}, defaults")
    entries = []
    for number, entry in enumerate(data.get("entry", ()), 1):
        where = f"suite {name}, entry {number}"
        _check_keys(entry, [*_ENTRY_FIELDS, "vary"], where)
        ids = entry.get("id") or ()
        ids = [ids] if isinstance(ids, str) else ids
        if not ids:
            raise BadSuite(
                f'{where}: no id; expected id = "game:TicTacToe-v0", for example, or a list of ids'
            )
        for id in ids:
            entries += _expand_vary({**defaults, **entry, "id": id}, where)
    if not entries:
        raise BadSuite(f"suite {name} has no [[entry]]; expected one or more, each with an id")
    seed = data.get("seed", 0)
    if not isinstance(seed, int):
        raise BadSuite(f"suite {name}: seed is {seed!r}; expected a whole number")
    return Suite(name, _name_entries(entries, name), seed, str(data.get("description", "")))


def make_suite(
    ids: Sequence[str],
    arguments: EnvOptions | None = None,
    opponents: str = "random",
    tools: str | Sequence[str] | JSONMapping = "",
) -> Suite:
    """Return a suite of environments in their registered form; an unknown id is an error.

    Args:
        arguments: Arguments of `gem_ma.make` for all environments.
        opponents: Spec of the agent in seats that are not evaluated.
        tools: Specs of tools that seats may call.
    """
    fields: JSONObject = {"arguments": dict(arguments)} if arguments else {}
    fields |= {"opponents": opponents, "tools": tools}
    for id in ids:
        registry.spec(id)
    return Suite(
        "ids", _name_entries([_parse_entry({"id": id, **fields}, id) for id in ids], "of ids")
    )


def select_tasks(
    suite: Suite, ids: Sequence[str] = (), start: int | None = None, end: int | None = None
) -> Suite:
    """Return a suite that plays some tasks only: by their ids, or from `start` to before `end`.

    It is for environments with the option "task" of `reset`. An id of digits is the position of a
    task.
    """
    if ids and (start is not None or end is not None):
        raise BadSuite(
            f"start= and end= choose tasks as well as task_ids={','.join(ids)}; pass either "
            "task_ids= or start= and end="
        )
    entries = []
    for entry in suite.entries:
        places = range(start or 0, entry.tasks if end is None else end)
        if not ids and not places:
            raise BadSuite(
                f"{entry.name}: no tasks from {places.start} to {places.stop}; expected an end "
                "above the start"
            )
        named = [int(one) if one.isdecimal() else one for one in ids]
        options = tuple([{"task": one} for one in named or places])
        entries.append(replace(entry, options=options, numbered="", tasks=len(options)))
    return replace(suite, entries=tuple(entries))


_ENTRY_FIELDS = [one.name for one in fields(SuiteEntry)]


def _expand_vary(given: JSONMapping, where: str) -> list[SuiteEntry]:
    """Return an entry for each combination of varied values; without `vary`, the entry itself."""
    vary = given.get("vary", {})
    if not (_is_table(vary) and all(isinstance(one, list) and one for one in vary.values())):
        raise BadSuite(f"{where}: vary is {vary!r}; expected a table from argument to list")
    one = _parse_entry({key: value for key, value in given.items() if key != "vary"}, where)
    out = []
    for values in itertools.product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        parts = (f"{name}={value}" for name, value in chosen.items() if value != "")
        name = " ".join([one.name or one.id, *parts])
        out.append(replace(one, name=name, arguments={**one.arguments, **chosen}))
    return out if vary else [one]


def _parse_entry(given: JSONMapping, where: str) -> SuiteEntry:
    options = given.get("options", ())
    given = {**given, "options": [options] if isinstance(options, Mapping) else options}
    for key, value in given.items():
        expected, fits = _FIELD_CHECKS[key]
        if not fits(value):
            raise BadSuite(f"{where}: {key} is {value!r}; expected {expected}")
    return SuiteEntry(**{**given, "options": tuple(given["options"])})


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_specs(value: object) -> bool:
    return _is_text(value) or (isinstance(value, list | tuple) and all(map(_is_text, value)))


def _is_lineups(value: object) -> bool:
    """Return whether a value is "each", "all", or a list of seats and of lists of seats."""
    if isinstance(value, str):
        return value in ("each", "all")
    return (
        isinstance(value, list)
        and bool(value)
        and all(_is_text(one) or (one and all(map(_is_text, one))) for one in value)
    )


_FIELD_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("id", "name", "numbered", "context"), ("a text", _is_text)),
    **dict.fromkeys(("tasks", "trials"), ("a whole number, 1 or more", _is_count)),
    "success": ("a number", _is_number),
    "arguments": ("a table", _is_table),
    "options": (
        "a table or a list of tables",
        lambda value: isinstance(value, list | tuple) and all(map(_is_table, value)),
    ),
    "opponents": (
        "a spec string, or a table from seat to spec",
        lambda value: _is_text(value) or _is_table(value),
    ),
    "tools": (
        "spec strings: a text, a list, or a table from seat to these",
        lambda value: all(map(_is_specs, value.values() if _is_table(value) else [value])),
    ),
    "sampling": (
        "a table from seat to options, such as { assistant = { temperature = 0 } }",
        lambda value: _is_table(value) and all(map(_is_table, value.values())),
    ),
    "seats": ('"each", "all", or a list of names and of lists of names', _is_lineups),
}


def _check_keys(given: object, known: Sequence[str], where: str) -> None:
    if not isinstance(given, Mapping):
        raise BadSuite(f"{where}: expected a table, got {given!r}")
    for key in given:
        if key not in known:
            raise BadSuite(f"{where}: unknown key {key!r}; the keys are {', '.join(known)}")


def _name_entries(entries: Sequence[SuiteEntry], suite: str) -> tuple[SuiteEntry, ...]:
    out: list[SuiteEntry] = []
    for entry in entries:
        values = {key: getattr(entry, key) for key in _ENTRY_FIELDS}
        out.append(SuiteEntry(**{**values, "name": entry.name or entry.id}))
    seen: set[str] = set()
    for entry in out:
        if entry.name in seen:
            raise BadSuite(f"suite {suite} has {entry.name} twice; give one of them another name")
        seen.add(entry.name)
    return tuple(out)


def _tuples_to_lists(value: Any) -> Any:
    """Return a value with lists in place of tuples, as JSON returns it."""
    if isinstance(value, Mapping):
        return {key: _tuples_to_lists(one) for key, one in value.items()}
    return [_tuples_to_lists(one) for one in value] if isinstance(value, list | tuple) else value
