"""The files of TAU-bench: where they lie, whether they are whole, and what is in them."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gem_ma.envs.tau.store import Base

VARIABLE = "TAU_BENCH_DATA"
TABLES = {
    "retail": ("orders", "products", "users"),
    "airline": ("flights", "reservations", "users"),
}
SPLITS = {"retail": ("train", "dev", "test"), "airline": ("test",)}


class DataMissing(FileNotFoundError):
    """A file of TAU-bench is not there, or not what it should be."""


@dataclass(frozen=True, slots=True)
class Task:
    index: int
    user_id: str
    instruction: str
    actions: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Domain:
    """Everything there is to play in: database, policy, schemas of the tools, tasks."""

    name: str
    base: Base
    policy: str
    rules: tuple[str, ...]
    schemas: tuple[Mapping[str, Any], ...]
    tasks: tuple[Task, ...] = ()
    user_schemas: tuple[Mapping[str, Any], ...] = ()  # of tools that the user has


def folder() -> Path:
    """Return where the data lie: where TAU_BENCH_DATA says, or in the user's cache."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "gem_ma" / "tau_bench"


def load(name: str, split: str) -> Domain:
    """Return a domain with the tasks of a split; files are read once for each process."""
    if name not in TABLES:
        raise ValueError(f"no domain {name!r}; there are {', '.join(TABLES)}")
    if split not in SPLITS[name]:
        raise ValueError(f"{name} has no split {split!r}; it has {', '.join(SPLITS[name])}")
    return _load(str(folder()), name, split)


@functools.lru_cache(maxsize=8)
def _load(top: str, name: str, split: str) -> Domain:
    files = Path(top) / name
    return Domain(
        name,
        _base(top, name),
        (files / "policy.md").read_text(),
        tuple(_read(files, "rules.json")),
        tuple(_read(files, "tools.json")),
        tuple(map(_task, _read(files, f"tasks_{split}.json"))),
    )


def _task(one: Mapping[str, Any]) -> Task:
    actions = tuple((action["name"], action["kwargs"]) for action in one["actions"])
    return Task(one["index"], one["user_id"], one["instruction"], actions, tuple(one["outputs"]))


@functools.lru_cache(maxsize=4)
def _base(top: str, name: str) -> Base:
    return Base({table: _read(Path(top) / name, f"{table}.json") for table in TABLES[name]})


def _read(files: Path, name: str) -> Any:
    path = files / name
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataMissing(
            f"{path} is not there; `gem-ma data tau-bench` fetches it, or set {VARIABLE} to a "
            "folder that holds retail/ and airline/"
        ) from None
    expected = _checksums(str(files)).get(name)
    found = hashlib.sha256(content).hexdigest()
    if expected is not None and found != expected:
        raise DataMissing(
            f"{path} is damaged: its sha256 is {found}, and should be {expected}; "
            "`gem-ma data tau-bench` fetches it again"
        )
    return json.loads(content)


@functools.lru_cache(maxsize=8)
def _checksums(files: str) -> dict[str, str]:
    try:
        manifest = json.loads((Path(files) / "manifest.json").read_bytes())
    except FileNotFoundError:
        return {}
    return {name: one["sha256"] for name, one in manifest["files"].items()}
