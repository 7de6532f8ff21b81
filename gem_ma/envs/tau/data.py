"""The files of TAU-bench: their folder, their checksums and their contents."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gem_ma.envs.tau.retail import TOOLS
from gem_ma.envs.tau.store import Base
from gem_ma.validation.files import find_user_cache
from gem_ma.validation.json_types import JSONMapping

VARIABLE = "TAU_BENCH_DATA"
TABLES = {
    "retail": ("orders", "products", "users"),
    "airline": ("flights", "reservations", "users"),
}
SPLITS = {"retail": ("train", "dev", "test"), "airline": ("test",)}


class DataMissing(FileNotFoundError):
    """A file of a benchmark is missing, or is not as it should be."""


@dataclass(frozen=True, slots=True)
class Task:
    index: int
    user_id: str
    instruction: str
    actions: tuple[tuple[str, JSONMapping], ...] = ()
    outputs: tuple[str, ...] = ()
    unjudged: bool = False  # a judge decides a part of its reward, which is left out


@dataclass(frozen=True)
class Domain:
    """A domain to play: database, policy, tool schemas and tasks."""

    name: str
    base: Base
    policy: str
    rules: tuple[str, ...]
    schemas: tuple[JSONMapping, ...]
    tasks: tuple[Task, ...] = ()
    user_schemas: tuple[JSONMapping, ...] = ()  # of the user's tools


def folder() -> Path:
    """Return the data folder: the value of TAU_BENCH_DATA, or a folder in the user's cache."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    return find_user_cache() / "tau_bench"


def load(name: str, split: str, unjudged: bool = False) -> Domain:
    """Return a domain with the tasks of a split; each process reads the files once.

    For retail, `split` may also be the path of tau2-bench's tasks.json; see `tau2_tasks`.
    """
    split = str(split)
    if name not in TABLES:
        raise ValueError(f"no domain {name!r}; there are {', '.join(TABLES)}")
    if split not in SPLITS[name] and not (name == "retail" and split.endswith(".json")):
        file = ", or a tasks.json of tau2-bench" if name == "retail" else ""
        raise ValueError(f"{name} has no split {split!r}; it has {', '.join(SPLITS[name])}{file}")
    return _load(str(folder()), name, split, unjudged)


@functools.lru_cache(maxsize=8)
def _load(top: str, name: str, split: str, unjudged: bool) -> Domain:
    files = Path(top) / name
    base = _base(top, name)
    if split in SPLITS[name]:
        tasks = tuple(map(_task, _read(files, f"tasks_{split}.json")))
    else:
        tasks = tau2_tasks(split, base, unjudged)
    return Domain(
        name,
        base,
        read(files, "policy.md").decode(),
        tuple(_read(files, "rules.json")),
        tuple(_read(files, "tools.json")),
        tasks,
    )


def _task(one: JSONMapping) -> Task:
    actions = tuple((action["name"], action["kwargs"]) for action in one["actions"])
    return Task(one["index"], one["user_id"], one["instruction"], actions, tuple(one["outputs"]))


@functools.lru_cache(maxsize=4)
def _base(top: str, name: str) -> Base:
    return Base({table: _read(Path(top) / name, f"{table}.json") for table in TABLES[name]})


def read(files: Path, name: str) -> bytes:
    """Return a file of a domain's folder, checked against the manifest if there is one."""
    path = files / name
    try:
        content = path.read_bytes()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise DataMissing(
            f"{path} {'is not there' if missing else f'cannot be read ({error.strerror})'}; "
            f"`gem-ma data tau-bench` fetches it, or set {VARIABLE} to a folder that holds "
            "retail/ and airline/"
        ) from None
    expected = _checksums(files).get(name)
    checksum = hashlib.sha256(content).hexdigest()
    if expected is not None and checksum != expected:
        raise DataMissing(
            f"{path} is damaged: its sha256 is {checksum}, and should be {expected}; "
            "`gem-ma data tau-bench` fetches it again"
        )
    return content


def _read(files: Path, name: str) -> Any:
    return parse(read(files, name), files / name)


def parse(content: bytes, path: object) -> Any:
    """Return the content of a JSON file."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataMissing(
            f"{path} is damaged: not valid JSON ({error}); `gem-ma data tau-bench` fetches it again"
        ) from None


def _checksums(files: Path) -> dict[str, str]:
    path = files / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
        return {name: one["sha256"] for name, one in manifest["files"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DataMissing(
            f"{path} is damaged: it holds no checksums; `gem-ma data tau-bench` fetches it again"
        ) from None


_TEXTS = ("reason_for_call", "known_info", "unknown_info", "task_instructions")
_READING = ("get_", "find_", "list_")  # prefixes of tools that change nothing
_BASIS = ("DB", "COMMUNICATE")  # reward basis of tasks that name none
_PARTS = {  # parts of the reward and their criteria; a part without criteria is always met
    "NL_ASSERTION": "nl_assertions",
    "ENV_ASSERTION": "env_assertions",
    "ACTION": "actions",
}


def tau2_tasks(
    path: str | os.PathLike[str], base: Base, unjudged: bool = False
) -> tuple[Task, ...]:
    """Return the tasks of retail in tau2-bench's tasks.json, for TAU-bench's database.

    The score counts the database and, if COMMUNICATE is in the reward basis, required statements.

    Args:
        unjudged: accept tasks that a judge decides in part, and leave that part out. By default,
            such tasks raise DataMissing.
    """
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise DataMissing(
            f"{path} cannot be read ({error.strerror}); expected "
            "data/tau2/domains/retail/tasks.json of a clone of tau2-bench"
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataMissing(
            f"{path} is not valid JSON: {error}; expected a tasks.json of tau2-bench"
        ) from None
    if not isinstance(data, list):
        raise DataMissing(f"{path}: expected a list of tasks, got a {type(data).__name__}")
    tasks = tuple(_tau2_task(one, index, path, base) for index, one in enumerate(data))
    judged = [str(data[task.index].get("id", task.index)) for task in tasks if task.unjudged]
    if judged and not unjudged:
        raise DataMissing(
            f"{path}: {len(judged)} of {len(tasks)} tasks need a judge, and tau:retail has none "
            f"({', '.join(judged)}); remove these tasks from the file, or pass unjudged=True to "
            "score them without that part"
        )
    return tasks


def _tau2_task(one: Any, index: int, path: object, base: Base) -> Task:
    where = f"{path}, task {one.get('id', index) if isinstance(one, dict) else index}"
    try:
        instructions = one["user_scenario"]["instructions"]
        criteria = one["evaluation_criteria"] or {}
        gold = [
            (str(action["name"]), dict(action["arguments"]))
            for action in criteria.get("actions") or ()
            if action.get("requestor", "assistant") == "assistant"
        ]
        basis = criteria.get("reward_basis", _BASIS)
        parts = [part for part in basis if part not in _PARTS or criteria.get(_PARTS[part])]
        outputs = tuple(criteria.get("communicate_info") or ()) if "COMMUNICATE" in parts else ()
        if not isinstance(instructions, str):
            texts = [instructions[name] or "" for name in _TEXTS if name in instructions]
            instructions = "\n".join(text for text in texts if text.strip(" .\n"))
        prepared = any((one.get("initial_state") or {}).values())
        user = _customer(gold, base)
    except KeyError as error:
        raise DataMissing(f"{where}: {error} is missing; expected a task of tau2-bench") from None
    except (AttributeError, TypeError):
        raise DataMissing(f"{where}: expected a task of tau2-bench, got {one!r:.80}") from None
    if not instructions:
        raise DataMissing(f"{where}: the scenario is empty; expected {', '.join(_TEXTS)}")
    if prepared:
        raise DataMissing(
            f"{where}: tasks with an initial_state cannot be played; remove this task from the file"
        )
    strange = [name for name, _ in gold if name not in TOOLS and not name.startswith(_READING)]
    if strange:
        raise DataMissing(f"{where}: retail has no tool {strange[0]!r}; it has {', '.join(TOOLS)}")
    other = sorted(set(parts) - {*_BASIS, "NL_ASSERTION"})
    if other or "DB" not in parts:
        raise DataMissing(
            f"{where}: reward_basis must have DB and may have COMMUNICATE and NL_ASSERTION, got "
            f"{', '.join(basis)}"
        )
    actions = tuple((name, arguments) for name, arguments in gold if name in TOOLS)
    return Task(index, user, instructions, actions, outputs, "NL_ASSERTION" in parts)


def _customer(actions: Iterable[tuple[str, JSONMapping]], base: Base) -> str:
    """Return the id of the user that the gold actions concern, or "" if they name none."""
    for _, arguments in actions:
        order = base.tables["orders"].get(arguments.get("order_id", ""), {})
        user = arguments.get("user_id") or order.get("user_id")
        if user:
            return str(user)
    return ""
