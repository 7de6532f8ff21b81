"""Packs: what packages add to gem_ma, found by the entry-point group `gem_ma.packs`.

A pack is a folder with a module `pack`, whose PACK says by name what there is, and where. The core
imports no pack: it loads PACK, and what that names is imported when somebody asks for it.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PACK_GROUP = "gem_ma.packs"
OWN_DISTRIBUTION = "gem-ma"  # the distribution whose packs are loaded when gem_ma is imported


class SpecEntry(NamedTuple):
    """What a name stands for, as the beginning of a spec string."""

    maker: Any  # "module:NAME" of what makes it, a class or a function; or what finds that
    first: str = ""  # how its first argument is called that stands behind the colon, if it has one
    split: Callable[[str], list[Any]] = lambda text: [text]  # that into arguments
    spec: bool = False  # the first argument is a spec string itself
    mark: str = "?"  # what stands between the first argument and the options
    like: re.Pattern[str] | None = None  # of first arguments that are known where they stand alone


@dataclass(frozen=True, kw_only=True)
class Pack:
    """What a package adds to gem_ma.

    Attributes:
        name: That of its entry point.
        uses: The names of packs that it imports from; without them it is not loaded.
        environments: A function that calls `gem_ma.register` for each id.
        agents: Spec strings: a name, and "module:CLASS" or a `Known`.
        tools: The same for tools.
        suites: The folder of its suites, beside its module: NAME.toml each.
        commands: Modules whose `add_commands(commands)` adds to those of gem-ma.
        downloads: What `gem-ma data NAME` fetches: a name, and a module with `fetch(source, into,
            say)`, `folder()` and VARIABLE. An environment needs a file of it as "data:NAME/FILE".
        experts: Who shows what can be earned: a pattern of ids, and who plays, as for `--agents`.
        exports: Names that `gem_ma` has with it, and "module:NAME".
        docs: Its pages, from the top of its repository.
    """

    name: str
    uses: tuple[str, ...] = ()
    environments: Callable[[], None] | None = None
    agents: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, Any] = field(default_factory=dict)
    suites: str = ""
    commands: tuple[str, ...] = ()
    downloads: Mapping[str, str] = field(default_factory=dict)
    experts: Mapping[str, str] = field(default_factory=dict)
    exports: Mapping[str, str] = field(default_factory=dict)
    docs: tuple[str, ...] = ()


class LoadedPack(NamedTuple):
    """A pack, and the package that its module stands in."""

    pack: Pack
    package: str


class MissingPack(NamedTuple):
    """A pack that is declared and not loaded; `absent`: it, or one that it uses, was taken out."""

    name: str
    why: str
    absent: bool


_loaded: dict[str, LoadedPack] = {}
_missing: dict[str, MissingPack] = {}
_complete = False  # those of other distributions were looked for


def load_own_packs() -> None:
    """Load the packs of our own distribution; their folders may have been taken out."""
    from importlib import metadata  # takes 6 ms

    try:
        points = metadata.distribution(OWN_DISTRIBUTION).entry_points
    except metadata.PackageNotFoundError:
        _missing[OWN_DISTRIBUTION] = MissingPack(
            OWN_DISTRIBUTION, "gem-ma is not installed: pip install -e .", True
        )
        return
    _load_points(points.select(group=PACK_GROUP))


def list_packs() -> list[LoadedPack]:
    """Return the packs that are installed; those of others are loaded at the first call."""
    global _complete  # noqa: PLW0603 - once for each process
    if not _complete:
        _complete = True
        from importlib import metadata

        _load_points(metadata.entry_points(group=PACK_GROUP))
        for one in _missing.values():
            if not one.absent:
                warnings.warn(f"the pack {one.name} could not be loaded: {one.why}", stacklevel=3)
    return list(_loaded.values())


def list_missing_packs() -> list[MissingPack]:
    """Return the packs that are declared and could not be loaded."""
    list_packs()
    return list(_missing.values())


def describe_missing() -> str:
    """Say which packs are missing, as the end of an error's sentence, or nothing."""
    missing = [f"{one.name} ({one.why})" for one in list_missing_packs()]
    return f"; these packs are not here: {', '.join(missing)}" if missing else ""


def _load_points(points: Iterable[EntryPoint]) -> None:
    waiting: dict[str, LoadedPack] = {}
    for point in sorted(points, key=lambda one: one.name):
        if point.name in _loaded or point.name in _missing:
            continue
        try:
            pack = importlib.import_module(point.module).PACK
            if pack.name != point.name:
                raise ValueError(
                    f"PACK is called {pack.name!r}, and its entry point {point.name!r}"
                )
        except Exception as error:  # noqa: BLE001 - the fault of one pack must not stop the others
            absent = _is_absent(error, point.module)
            why = f"{point.module} is not there" if absent else f"{point.module}: {error!r}"
            _missing[point.name] = MissingPack(point.name, why, absent)
        else:
            waiting[point.name] = LoadedPack(pack, point.module.rpartition(".")[0])
    while ready := [one for one in waiting.values() if _loaded.keys() >= set(one.pack.uses)]:
        for one in ready:
            _register_environments(waiting.pop(one.pack.name))
    for name, one in waiting.items():
        lacking = ", ".join(sorted(set(one.pack.uses) - _loaded.keys()))
        _missing[name] = MissingPack(name, f"it uses {lacking}", True)


def _register_environments(one: LoadedPack) -> None:
    """Give a pack's environments their ids, after those of the packs that it uses."""
    try:
        _check_names(one.pack)
        if one.pack.environments is not None:
            one.pack.environments()
    except Exception as error:  # noqa: BLE001
        why = f"{one.package}: {error!r}"
        _missing[one.pack.name] = MissingPack(one.pack.name, why, False)
    else:
        _loaded[one.pack.name] = one


def _check_names(pack: Pack) -> None:
    """Raise ValueError if another pack has a name already that this one adds."""
    for part in ("agents", "tools", "downloads", "exports"):
        for other in _loaded.values():
            if taken := getattr(pack, part).keys() & getattr(other.pack, part).keys():
                raise ValueError(f"{part} {sorted(taken)} are those of {other.pack.name}")


def _is_absent(error: Exception, module: str) -> bool:
    """Return whether a module itself, or a package above it, is what was not found."""
    return isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")


class PackTable(Mapping[str, Any]):
    """A table of the core, and behind its entries those that packs add to it.

    Args:
        part: the attribute of Pack.
        make: makes an entry of the "module:NAME" that a pack says.
    """

    def __init__(self, part: str, own: Mapping[str, Any], make: Callable[[str], Any] = str):
        self.part = part
        self.own = own
        self.make = make

    def __getitem__(self, name: str) -> Any:
        return self.own[name] if name in self.own else self._collect_entries()[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.own, **self._collect_entries()})

    def __len__(self) -> int:
        return len({**self.own, **self._collect_entries()})

    def _collect_entries(self) -> dict[str, Any]:
        return {
            name: self.make(entry) if isinstance(entry, str) else entry
            for one in list_packs()
            for name, entry in getattr(one.pack, self.part).items()
        }


DOWNLOADS = PackTable("downloads", {})
