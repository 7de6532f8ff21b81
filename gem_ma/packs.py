"""Packs: additions to gem_ma, found through the entry-point group `gem_ma.packs`.

A pack is a folder with a module `pack`. Its PACK lists the names that it adds and their modules.
The core loads only PACK; each named module is imported when it is first used.
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
OWN_DISTRIBUTION = "gem-ma"  # its packs are loaded when gem_ma is imported


class SpecEntry(NamedTuple):
    """How to make an object from a spec string that begins with a certain name.

    Attributes:
        maker: "module:NAME" of a class or function, or a function that returns one.
        first: The name of the argument after the colon, for messages; "" if there is none.
        split: Splits this argument into positional arguments.
        spec: This argument is itself a spec string.
        mark: Separates this argument from the options.
        like: Arguments to recognise if the name before the colon is missing.
    """

    maker: Any
    first: str = ""
    split: Callable[[str], list[Any]] = lambda text: [text]
    spec: bool = False
    mark: str = "?"
    like: re.Pattern[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Pack:
    """The additions of one package to gem_ma.

    Attributes:
        name: The name of its entry point.
        uses: Names of the packs that it imports from. It is not loaded without them.
        environments: A function that calls `gem_ma.register` for each id.
        agents: From the first word of a spec string to "module:CLASS". If text follows the colon
            that is no option, as in "hf:PATH", to a `gem_ma.packs.SpecEntry`, as
            `gem_ma.agents.loading` has them.
        tools: The spec strings of tools, in the form of `agents`.
        suites: The folder of its suites (NAME.toml), relative to its package.
        commands: Modules whose `add_commands(commands)` adds commands to gem-ma.
        downloads: From the NAME of `gem-ma data NAME` to a module with `fetch(source, into, say)`,
            `folder()` and VARIABLE. An environment refers to one of the files as "data:NAME/FILE".
        experts: From a pattern of ids to agents that show the attainable return, written as for
            `--agents`.
        exports: From a name that `gem_ma` then has to its "module:NAME".
        docs: Paths of its pages of documentation, from the top of its repository.
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
    """A pack and the package that contains its module."""

    pack: Pack
    package: str


class MissingPack(NamedTuple):
    """A declared pack that is not loaded; `absent`: it or a pack that it uses was removed."""

    name: str
    why: str
    absent: bool


_loaded: dict[str, LoadedPack] = {}
_missing: dict[str, MissingPack] = {}
_complete = False  # whether the packs of other distributions have been searched for


def load_own_packs() -> None:
    """Load the packs of gem-ma's own distribution, except those whose folders were removed."""
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
    """Return the loaded packs; the first call loads those of other distributions."""
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
    """Return the declared packs that could not be loaded."""
    list_packs()
    return list(_missing.values())


def describe_missing() -> str:
    """Return the end of an error message that names the missing packs, or "" if none is."""
    missing = [f"{one.name} ({one.why})" for one in list_missing_packs()]
    return f"; these packs could not be loaded: {', '.join(missing)}" if missing else ""


def _load_points(points: Iterable[EntryPoint]) -> None:
    waiting: dict[str, LoadedPack] = {}
    for point in sorted(points, key=lambda one: one.name):
        if point.name in _loaded or point.name in _missing:
            continue
        try:
            pack = importlib.import_module(point.module).PACK
            if pack.name != point.name:
                raise ValueError(
                    f"PACK has the name {pack.name!r}, and its entry point {point.name!r}; give "
                    "both the same name"
                )
        except Exception as error:  # noqa: BLE001 - the fault of one pack must not stop the others
            absent = _is_absent(error, point.module)
            why = f"no module {point.module}" if absent else f"{point.module}: {error!r}"
            _missing[point.name] = MissingPack(point.name, why, absent)
        else:
            waiting[point.name] = LoadedPack(pack, point.module.rpartition(".")[0])
    while ready := [one for one in waiting.values() if _loaded.keys() >= set(one.pack.uses)]:
        for one in ready:
            _register_environments(waiting.pop(one.pack.name))
    for name, one in waiting.items():
        lacking = ", ".join(sorted(set(one.pack.uses) - _loaded.keys()))
        _missing[name] = MissingPack(name, f"needs the pack {lacking}", True)


def _register_environments(one: LoadedPack) -> None:
    """Register the environments of a pack whose used packs are registered already."""
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
    """Raise ValueError if another pack already adds one of this pack's names."""
    for part in ("agents", "tools", "downloads", "exports"):
        for other in _loaded.values():
            if taken := getattr(pack, part).keys() & getattr(other.pack, part).keys():
                raise ValueError(
                    f"{part} {sorted(taken)} belong to the pack {other.pack.name}; use other names"
                )


def _is_absent(error: Exception, module: str) -> bool:
    """Return whether an import failed because the module or a package above it is missing."""
    return isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")


class PackTable(Mapping[str, Any]):
    """A mapping with the entries of the core, followed by the entries of all packs.

    Args:
        part: The attribute of Pack that holds the entries of a pack.
        own: The entries of the core, which take precedence.
        make: Makes an entry from the "module:NAME" of a pack.
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
