"""Registry of environments: one Spec per id; it imports no game and makes no environment."""

from __future__ import annotations

import difflib
import fnmatch
import functools
import importlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
from gymnasium.envs.registration import EnvSpec

from gem_ma.envs.difficulty_levels import interpolate_levels as rows_of
from gem_ma.envs.difficulty_levels import select_level
from gem_ma.packs import DOWNLOADS, describe_missing, list_packs
from gem_ma.validation.arguments import check_each, check_type
from gem_ma.validation.json_types import JSONMapping, replace_tuples

FACTORY_MODULE = "gem_ma.apis.factory"  # imported by Gymnasium and PettingZoo


class UnknownEnv(LookupError):
    """No environment has this id."""


class BadArgument(TypeError):
    """An environment cannot be made with these arguments."""


class UnknownArgument(BadArgument):
    """Neither the game nor Env takes this argument.

    Attributes:
        argument: the id of the environment, the name of the argument, and its value.
        known: the names of the arguments that are accepted.
    """

    argument: tuple[str, str, object] = "", "", None
    known: tuple[str, ...] = ()


class MissingArgument(BadArgument):
    """A required argument of the game is missing."""


class UntrustedSpec(RuntimeError):
    """The Spec of a record names code or arguments that are not registered here."""


class MissingRequirement(RuntimeError):
    """A requirement of an environment is not met; the message says how to meet it."""


class DialRows(tuple[JSONMapping, ...]):
    """The rows of a dial with lists in place of tuples, which all levels of an id share."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """An id, its game as "module:class", and the arguments of the game and of Env.

    Attributes:
        needs: requirements in addition to this package; `Spec.list_missing` returns those not met.
            A requirement is the name of an extra ("textarena", or "games:chess" for one module of
            the extra), "python>=3.12", "key:NAME" (an environment variable), "corpus:NAME" (of
            NLTK), "data:NAME/FILE" (a file that `gem-ma data NAME` fetches), "hub" (the Hugging
            Face Hub), "network", "sandbox:LEVEL" (a level of isolation), "command:NAME" (a
            program of the system), or "broken: why".
        dial: the arguments at each difficulty from 0 to 10; () if there is no difficulty scale.
        recorded: whether the Spec comes from a file; old names of modules in it are updated.
    """

    id: str
    entry_point: str
    kwargs: JSONMapping = field(default_factory=dict)
    needs: tuple[str, ...] = field(default=(), compare=False)
    dial: tuple[JSONMapping, ...] = field(default=(), compare=False, repr=False)
    recorded: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.recorded:
            object.__setattr__(self, "entry_point", _update_entry_point(self.entry_point))
            return
        check_type(self.kwargs, Mapping, "kwargs")
        check_type(self.dial, tuple, "dial")
        # Tuples become lists, so that a Spec read from a record equals the registered one.
        object.__setattr__(self, "kwargs", replace_tuples(self.kwargs))
        if not isinstance(self.dial, DialRows):
            rows = map(replace_tuples, check_each(self.dial, Mapping, "dial"))
            object.__setattr__(self, "dial", DialRows(rows))

    @property
    def summary(self) -> str:
        """The first line of the module's docstring, or ""; the module is not imported."""
        return read_summary(self.entry_point.partition(":")[0])

    def list_missing(self) -> list[str]:
        """Return how to meet each requirement that is not met; the network is not checked."""
        return [remedy for need in self.needs if (remedy := find_remedy(need))]


# Game modules that used to be directly in gem_ma.envs or gem_ma.envs.visual, by their current
# folder. Older episode records still name the old modules.
_MOVED_GAMES = {
    "boards": "battleship breakthrough chess connect_four hex nim reversi tic_tac_toe",
    "cards": "blackjack kuhn_poker leduc_poker liars_dice",
    "guessing": "guess_the_number hangman mastermind wordle",
    "markets": "bargaining colonel_blotto prisoners_dilemma public_goods rock_paper_scissors",
    "parlour": "codewords guess_who map_task reference_game spot_the_difference twenty_questions "
    "werewolf",
    "puzzles": "fifteen_puzzle frozen_lake game_2048 maze minesweeper sokoban sudoku "
    "tower_of_hanoi",
    "words": "crosswords wiki_game word_search",
    "visual.charts": "bar_chart line_chart table",
    "visual.mazes": "grid_walk maze_exit maze_steps",
    "visual.measures": "angles clock lengths",
    "visual.patterns": "jigsaw mirror rotation",
    "visual.shapes": "compare_shapes count_shapes odd_one_out",
}


def _update_entry_point(entry_point: str) -> str:
    """Return the current entry point for one that may come from an old record."""
    module, colon, name = entry_point.partition(":")
    folder, _, file = module.rpartition(".")
    for new_folder, files in _MOVED_GAMES.items():
        parent = f"gem_ma.envs.{new_folder}".rpartition(".")[0]
        if folder == parent and file in files.split():
            return f"gem_ma.envs.{new_folder}.{file}{colon}{name}"
    return entry_point


_specs: dict[str, Spec] = {}
_rules_hosts: dict[str, str] = {}  # prefix of ids -> "library" or "server", which holds the rules
_families: dict[str, str] = {}  # prefix of ids -> the module that looks them up


def register(
    id: str,
    entry_point: str,
    *,
    needs: Iterable[str] = (),
    levels: Mapping[str, JSONMapping | int] | None = None,
    dial: Mapping[int, JSONMapping] | None = None,
    **kwargs: Any,
) -> None:
    """Register a game under an id, here and in the registries of Gymnasium and PettingZoo.

    Args:
        id: The new id, such as "game:Mine-v0".
        entry_point: The class of the game, as "module:class".
        needs: Requirements, in the form that `Spec.needs` describes.
        levels: Further ids "ID-LEVEL" for the same game: for each level, the additional arguments,
            or a difficulty from 0 to 10 of `dial`.
        dial: The arguments that `make(id, difficulty=...)` uses, at 0, at 10 and at any
            difficulties in between.
        **kwargs: Arguments of the game's `__init__` and of Env, which must be JSON values.

    Raises:
        ValueError: The id is already registered, or `entry_point` is not "module:class".

    Examples:
        >>> import gem_ma
        >>> gem_ma.register("mine:Race-v0", "race:Race", goal=50, levels={"short": {"goal": 20}})
        >>> gem_ma.list_envs("mine:Race*")
        ['mine:Race-v0', 'mine:Race-v0-short']
        >>> gem_ma.spec("mine:Race-v0-short").kwargs
        {'goal': 20}
    """
    check_type(id, str, "id")
    if ":" not in entry_point:
        raise ValueError(f"entry_point={entry_point!r}: expected 'module:class'")
    check_type(levels or {}, Mapping, "levels")
    check_type(dial or {}, Mapping, "dial")
    rows = DialRows(map(replace_tuples, rows_of(dial))) if dial else ()
    ids = {id: kwargs}
    for level, level_kwargs in (levels or {}).items():
        level_arguments: Any = (
            select_level(rows, level_kwargs)
            if rows and isinstance(level_kwargs, int)
            else level_kwargs
        )
        check_type(level_arguments, Mapping, f"levels[{level!r}]")
        ids[f"{id}-{level}"] = {**kwargs, **level_arguments}
    for env_id in ids:
        if env_id in _specs:
            raise ValueError(
                f"{env_id!r} is registered already, for {_specs[env_id].entry_point}; use "
                "another id"
            )
    for env_id, arguments in ids.items():
        _specs[env_id] = Spec(env_id, entry_point, arguments, tuple(needs), rows)
        _register_elsewhere(env_id)


def _register_elsewhere(id: str) -> None:
    name, kwargs = make_gymnasium_id(id), {"env_id": id}
    # `gymnasium.register` scans the whole registry at each call, which is slow for many ids.
    gymnasium.registry[name] = EnvSpec(name, f"{FACTORY_MODULE}:make_for_gymnasium", kwargs=kwargs)
    if hasattr(pettingzoo, "register"):  # since 1.27
        pettingzoo.register("aec", name, f"{FACTORY_MODULE}:make_for_pettingzoo", kwargs=kwargs)
        pettingzoo.register(
            "parallel", name, f"{FACTORY_MODULE}:make_parallel_for_pettingzoo", kwargs=kwargs
        )


def make_gymnasium_id(id: str) -> str:
    """Return the name of an id in the registries of Gymnasium and PettingZoo."""
    # Gymnasium uses the colon for modules, and the slash for the namespace.
    return "gem_ma/" + id.replace(":", ".").replace("/", ".")


def register_family(
    prefix: str, module: str, names: Iterable[str] = (), elsewhere: str = ""
) -> None:
    """Let a module look up all ids that begin with "prefix:"; it is imported on first use.

    The module defines `specs()`, which returns the listed Specs, and `find(id)`, which returns the
    Spec of any other id, or None. It may define `known(id)`, which does the same as `find` without
    importing anything that the id names. Each listing imports the module, so it must be light.

    Args:
        prefix: the part of the ids before the colon.
        module: the full name of the module.
        names: each NAME for which "prefix:NAME" is also registered with Gymnasium and PettingZoo.
        elsewhere: "library" or "server" if another package holds the rules; "" if gem_ma does.
    """
    if prefix in _families:
        raise ValueError(
            f"{prefix!r} is registered already, for {_families[prefix]}; use another prefix"
        )
    _families[prefix] = module
    _rules_hosts[prefix] = elsewhere
    for name in names:
        _register_elsewhere(f"{prefix}:{name}")


def find_module_id(module: str) -> str:
    """Return the first registered id whose game a module, or a file of this package, defines."""
    for id, env_spec in _specs.items():
        if env_spec.entry_point.startswith((f"{module}:", f"{module}.")):
            return id
    raise UnknownEnv(f"no registered id has its game in the module {module!r}")


def find_rules_host(id: str) -> str:
    """Return "library" or "server" if the rules of an id are there; "" if gem_ma has them."""
    return _rules_hosts.get(id.partition(":")[0], "")


def spec(id: str) -> Spec:
    """Return the Spec of an id, or of a name that only one id has, such as "ConnectFour".

    A game of your own also works: "FILE.py", "FILE.py:NAME" or "module:NAME", which is imported.
    """
    check_type(id, str, "id")
    env_spec = _specs.get(id) or _find_in_family(id)
    if env_spec is None:
        list_packs()
        env_spec = _specs.get(id) or _find_in_family(id)
    if env_spec is None:
        candidates = find_ids(id)
        if len(candidates) == 1:
            return spec(candidates[0])
        own_spec = _find_in_file(id)
        if own_spec is not None:
            return own_spec
        raise UnknownEnv(
            f"no environment {id!r}; {suggest_ids(id, candidates)}{describe_missing()}"
        )
    return env_spec


def _find_in_file(what: str) -> Spec | None:
    prefix = what.partition(":")[0]
    if prefix in _families or any(id.startswith(f"{prefix}:") for id in _specs):
        return None
    files = importlib.import_module("gem_ma.envs.game_files")  # it imports this module
    env_spec: Spec | None = files.find_file_spec(what)
    return env_spec


def find_ids(name: str) -> list[str]:
    """Return the ids that a name can mean; those of this package come before those of families.

    A name is an id without its prefix, its version or both. Case and punctuation do not matter.
    """
    prefix, colon, rest = name.partition(":")
    target = _normalize_name(rest if colon else name)
    for specs in (_specs, *([_collect_specs()] if not colon or prefix in _families else ())):
        matches = [
            id
            for id in specs
            if target in _list_spellings(id) and (not colon or id.startswith(f"{prefix.lower()}:"))
        ]
        if matches:
            return sorted(matches)
    return []


def _list_spellings(id: str) -> set[str]:
    rest = id.partition(":")[2]
    name = re.sub(r"-?v\d+", "", rest, count=1)
    return {_normalize_name(rest), _normalize_name(name)}


def _normalize_name(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _collect_specs() -> dict[str, Spec]:
    """Return all listed Specs by id."""
    specs = dict(_specs)
    for prefix in _families:
        specs |= _load_family(prefix)
    return specs


def suggest_ids(id: str, meant: Sequence[str]) -> str:
    """Return a hint that names at most five ids that were probably meant."""
    prefix, colon, rest = id.lower().rpartition(":")
    ids_by_lower = {env_id.lower(): env_id for env_id in _collect_specs()}
    same_family = {
        low: env_id for low, env_id in ids_by_lower.items() if low.startswith(f"{prefix}:")
    }
    candidates = same_family if colon and same_family else ids_by_lower
    close_ids = list(meant)
    if not close_ids:
        target = _normalize_name(rest)
        close_ids = [
            env_id
            for env_id in candidates.values()
            if len(target) > 2 and target in _normalize_name(env_id)
        ]
    if not close_ids:
        names = candidates
        if not prefix:  # if several ids have the same name, prefer ours
            ours_last = reversed(candidates.values())
            names = {name: env_id for env_id in ours_last for name in _list_spellings(env_id)}
        near = difflib.get_close_matches(id.lower() if prefix else target, names, n=3, cutoff=0.75)
        close_ids = list(dict.fromkeys(names[name] for name in near))
    if not close_ids and prefix:  # try the same name in other families
        return suggest_ids(rest, find_ids(rest))
    close_ids = [
        env_id
        for env_id in close_ids
        if not any(env_id.startswith(f"{other}-") for other in close_ids)
    ]
    if not close_ids:
        return "gem-ma list or list_envs() lists all ids"
    suggestions = " or ".join(map(repr, close_ids[:5])) + (
        " or another" if len(close_ids) > 5 else ""
    )
    return f"did you mean {suggestions}?"


def find_registered(id: str) -> Spec | None:
    """Return the Spec of a registered id, or None, without importing what the id names."""
    env_spec = _specs.get(id) or _find_in_lists(id)
    if env_spec is None:
        list_packs()
        env_spec = _specs.get(id) or _find_in_lists(id)
    return env_spec


def _find_in_lists(id: str) -> Spec | None:
    prefix, colon, _ = id.partition(":")
    if not colon or prefix not in _families:
        return None
    find_known = getattr(importlib.import_module(_families[prefix]), "known", None)
    return _load_family(prefix).get(id) or (find_known(id) if find_known else None)


def _find_in_family(id: str) -> Spec | None:
    prefix, colon, _ = id.partition(":")
    if not colon or prefix not in _families:
        return None
    env_spec = _load_family(prefix).get(id)
    if env_spec is None:
        env_spec = importlib.import_module(_families[prefix]).find(id)
    return env_spec


@functools.cache
def _load_family(prefix: str) -> dict[str, Spec]:
    """Return the listed Specs of a family by id."""
    module = importlib.import_module(_families[prefix])
    return {spec.id: spec for spec in module.specs()}


def list_envs(pattern: str = "*") -> list[str]:
    """Return the ids that match a pattern; case does not matter.

    A pattern without a wildcard matches any part of an id or of a Spec's `summary`.
    """
    list_packs()
    check_type(pattern, str, "pattern")
    query = pattern.lower()
    summary_ids: list[str] = []
    if not any(c in pattern for c in "*?["):
        summary_ids = [id for id, env_spec in _specs.items() if query in env_spec.summary.lower()]
        query = f"*{query}*"
    ids = list(_specs)
    for prefix in _families:
        if ":" not in query or fnmatch.fnmatchcase(prefix, query.partition(":")[0]):
            ids += _load_family(prefix)
    return sorted({*summary_ids, *(id for id in ids if fnmatch.fnmatchcase(id.lower(), query))})


def print_envs(pattern: str = "*") -> None:
    """Print the ids that match a pattern, one per line."""
    sys.stdout.write("".join(f"{id}\n" for id in list_envs(pattern)))


@functools.cache
def read_summary(module: str) -> str:
    """Return the first line of a module's docstring without importing the module."""
    top, *parts = module.split(".")
    module_spec = importlib.util.find_spec(top) if top else None
    if module_spec is None or module_spec.origin is None:
        return ""
    if not parts and not module_spec.submodule_search_locations:
        parts = [Path(module_spec.origin).stem]
    file = Path(module_spec.origin).parent.joinpath(*parts)
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    try:
        with file.open(encoding="utf-8") as source:
            line = source.readline()
    except OSError:
        return ""
    match = re.match(r'"""(.*?)(?:"""|$)', line)
    return match[1].strip() if match else ""


def read_family_summary(prefix: str) -> str:
    """Return the first line of the docstring of a family's module."""
    return read_summary(_families[prefix]) if prefix in _families else ""


def find_remedy(need: str) -> str:
    """Return how to meet a requirement; "" if it is met or cannot be checked."""
    kind, _, name = need.partition(":")
    if kind == "key":
        return "" if os.environ.get(name) else f"set the environment variable {name}"
    if kind == "corpus":
        return "" if _has_corpus(name) else f"python -m nltk.downloader {name}"
    if kind == "data":
        return _find_data_remedy(name)
    if kind == "broken":
        return name.strip()
    if kind.startswith("python>="):
        version = tuple(map(int, kind.removeprefix("python>=").split(".")))
        return "" if sys.version_info >= version else f"use {kind}"
    if kind in ("hub", "network"):
        return ""
    if kind == "sandbox":
        sandbox = importlib.import_module("gem_ma.sandbox.sandbox")  # takes 10 ms
        return str(sandbox.check_level(name))
    if kind == "command":
        return "" if shutil.which(name) else f"install the program {name}"
    modules = (name,) if name else _EXTRA_MODULES.get(kind, (kind,))
    return "" if all(map(_is_installed, modules)) else f"pip install 'gem-ma[{kind}]'"


def _find_data_remedy(what: str) -> str:
    name, _, file = what.partition("/")
    if name not in DOWNLOADS:
        return f"no installed pack downloads {name}"
    module = importlib.import_module(DOWNLOADS[name])
    if os.path.exists(module.folder() / file):
        return ""
    return f"gem-ma data {name}, or set {module.VARIABLE} to a folder with {file}"


# The modules of each extra whose name is not that of its module.
_EXTRA_MODULES: dict[str, tuple[str, ...]] = {
    "butterfly": ("pymunk", "pygame"),
    "games": ("chess", "wordfreq"),
    "math": ("math_verify",),
    "pettingzoo": ("chess", "rlcard", "pygame"),
    "reasoning-gym": ("reasoning_gym",),
    "toy-text": ("pygame",),
}


@functools.cache
def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _has_corpus(name: str) -> bool:
    """Return whether NLTK is installed and finds a corpus."""
    if not _is_installed("nltk"):
        return False
    import nltk

    for folder in ("corpora", "taggers"):
        try:
            nltk.data.find(f"{folder}/{name}")
        except LookupError:
            continue
        return True
    return False


def suggest_names(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint: the known names close to a wrong one, or else a list of the known names."""
    known = list(dict.fromkeys(known))
    parts = [one for one in known if len(one) > 3 and one in name]  # size in board_size
    if close_matches := difflib.get_close_matches(name, known, n=2, cutoff=0.75) or parts[:2]:
        return f"did you mean {' or '.join(map(repr, close_matches))}?"
    return f"{otherwise} {', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"
