"""Names for environments: registering imports nothing, making imports one game."""

from __future__ import annotations

import difflib
import fnmatch
import functools
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from gem_ma.guards.given import need

if TYPE_CHECKING:
    from gem_ma.apis.env import Env
    from gem_ma.apis.parallel import ParallelView
    from gem_ma.apis.seat import SeatView

PLUGINS = "gem_ma.envs"  # the entry-point group of packages that register their own
_ENV_ARGUMENTS = [
    "observe",
    "actions",
    "format",
    "invalid",
    "max_invalid",
    "penalty",
    "max_turns",
    "render_mode",
    "image_size",
    "image_unit",
    "theme",
    "text_length",
]


class UnknownEnv(LookupError):
    """No environment has this id."""


class BadArgument(TypeError):
    """An environment cannot be made with these arguments."""


class UnknownArgument(BadArgument):
    """Neither the game nor Env takes this argument."""


class MissingArgument(BadArgument):
    """The game cannot be made without this argument."""


class Untrusted(RuntimeError):
    """The Spec of a record names code or arguments that are not registered here."""


class MissingNeed(RuntimeError):
    """Something that an environment needs is not there; the message names the remedy."""


@dataclass(frozen=True, slots=True)
class Spec:
    """An id, the game it stands for as "module:class", and its arguments (and those of Env).

    needs: what it takes beside this package; `Spec.missing` says what of it is not there.
        An extra's name ("textarena", or "games:chess" for one module of it), "python>=3.12",
        "key:NAME" (an environment variable), "corpus:NAME" (of NLTK),
        "hub" (the Hugging Face Hub), "network", or "broken: why".
    """

    id: str
    entry_point: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = field(default=(), compare=False)
    recorded: bool = field(default=False, compare=False, repr=False)  # comes from a file

    def missing(self) -> list[str]:
        """Return what it needs and is not there, each with its remedy; networks are not tried."""
        return [remedy for need in self.needs if (remedy := _remedy(need))]

    def make(self, *, trust: bool = False, **kwargs: Any) -> Env[Any]:
        """Make the environment; `kwargs` override those of the spec.

        trust: make what a record names, though it is not registered here: it runs code.
        """
        from gem_ma.apis.env import Env
        from gem_ma.game import Game

        if self.recorded and not trust and (reason := distrust(self)):
            raise Untrusted(f"{reason}; trust=True does so")
        missing = self.missing()
        if missing:
            raise MissingNeed(f"{self.id} cannot be made here: {'; '.join(missing)}")

        module, _, name = self.entry_point.partition(":")
        found: Any = importlib.import_module(module)
        game_class = functools.reduce(getattr, name.split("."), found)
        if not (isinstance(game_class, type) and issubclass(game_class, Game)):
            # The spec of a recorded episode may say anything.
            raise TypeError(f"{self.id}: {self.entry_point} is no Game")
        parameters = list(inspect.signature(game_class.__init__).parameters.values())[1:]
        takes = [one.name for one in parameters]
        for_game, for_env = {}, {}
        for key, value in {**self.kwargs, **kwargs}.items():
            if key in takes:  # a game's own argument comes first: max_turns may be one of its rules
                for_game[key] = value
            elif key in _ENV_ARGUMENTS:
                for_env[key] = value
            else:
                raise UnknownArgument(
                    f"{self.id} got an unexpected keyword argument {key!r}; "
                    f"{_instead_of_argument(key, takes)}"
                )
        for one in parameters:
            if one.default is one.empty and one.name not in for_game:
                raise MissingArgument(f"{self.id} needs {one.name}=...")
        game = game_class(**for_game)
        return Env(game, id=self.id, **{**game.env_defaults, **for_env})


_specs: dict[str, Spec] = {}
_families: dict[str, str] = {}  # prefix of ids -> the module that knows them
_plugins_loaded = False


def register(id: str, entry_point: str, *, needs: Iterable[str] = (), **kwargs: Any) -> None:
    """Give an id to a game, here and in Gymnasium's and PettingZoo's registries.

    `entry_point` is "module:class"; `kwargs` go to the game and to Env, and must be JSON values.
    `needs` is said of a Spec.
    """
    need(id, str, "id")
    if id in _specs:
        raise ValueError(f"{id!r} is registered already, for {_specs[id].entry_point}")
    if ":" not in entry_point:
        raise ValueError(f"entry_point={entry_point!r}: expected 'module:class'")
    _specs[id] = Spec(id, entry_point, kwargs, tuple(needs))
    name = foreign(id)
    gymnasium.register(name, "gem_ma.apis.registry:_make_gym", kwargs={"env_id": id})
    if hasattr(pettingzoo, "register"):  # since 1.27
        pettingzoo.register("aec", name, "gem_ma.apis.registry:_make_aec", kwargs={"env_id": id})
        pettingzoo.register(
            "parallel", name, "gem_ma.apis.registry:_make_parallel", kwargs={"env_id": id}
        )


def foreign(id: str) -> str:
    """Return the name of an id in the other registries."""
    return "gem_ma/" + id.replace(":", ".")  # Gymnasium keeps the colon for modules


def register_family(prefix: str, module: str) -> None:
    """Leave all ids that begin with "prefix:" to a module, imported when one is asked for.

    It defines `specs()`, which returns the Specs that are listed and imports nothing for it, and
    `find(id)`, which returns the Spec of any other id, or None.
    """
    if prefix in _families:
        raise ValueError(f"{prefix!r} is registered already, for {_families[prefix]}")
    _families[prefix] = module


def spec(id: str) -> Spec:
    """Return the Spec of an id."""
    need(id, str, "id")
    found = _specs.get(id) or _in_family(id)
    if found is None:
        _load_plugins()
        found = _specs.get(id) or _in_family(id)
    if found is None:
        prefix = id.partition(":")[0]
        known = _family(prefix) if prefix in _families else _specs
        raise UnknownEnv(f"no environment {id!r}; {_instead(id, known, 'list_envs() says more:')}")
    return found


def listed(id: str) -> Spec | None:
    """Return the Spec of an id that is registered; nothing is imported that the id names."""
    found = _specs.get(id) or _in_list(id)
    if found is None:
        _load_plugins()
        found = _specs.get(id) or _in_list(id)
    return found


def _in_list(id: str) -> Spec | None:
    prefix, colon, _ = id.partition(":")
    if not colon or prefix not in _families:
        return None
    known = getattr(importlib.import_module(_families[prefix]), "known", None)
    return _family(prefix).get(id) or (known(id) if known else None)


def distrust(spec: Spec) -> str:
    """Say what to make a Spec out of a file would run or use that nobody registered, if anything.

    Its game, and whatever could name a file, a server or another game, are to be as registered.
    Numbers may differ, and so may what Env itself takes.
    """
    known = listed(spec.id)
    if known is None or known.entry_point != spec.entry_point:
        one = f"{spec.id[:200]!r}"
        what = f"no environment {one} is" if known is None else f"{one} is another environment"
        names = spec.entry_point, spec.id.partition(":")[2]
        files = list(dict.fromkeys(filter(None, map(_file, names)))) or [spec.entry_point[:200]]
        return f"{what} registered here, and making this one would run {' and '.join(files)}"
    for name, value in spec.kwargs.items():
        if name not in _ENV_ARGUMENTS and value != known.kwargs.get(name) and not numbers(value):
            argument = f"{str(name)[:60]}={repr(value)[:200]}"
            return f"{spec.id} is not registered with {argument}, and making it would use that"
    return ""


def numbers(value: Any, most: int = 64) -> bool:
    """Return whether a value is a number, nothing, or a short list of such."""
    if isinstance(value, list | tuple):
        return len(value) <= most and all(numbers(one, 0) for one in value)
    return value is None or isinstance(value, int | float)


def _file(name: str) -> str:
    """Return the file that importing "module:name" would run, and import nothing to find it."""
    found: Any = None
    parts = name.rpartition(":")[0].split(".")
    for count in range(1, len(parts) + 1 if parts[0] else 0):
        path = found.submodule_search_locations if found else None
        found = importlib.machinery.PathFinder.find_spec(".".join(parts[:count]), path)
        if found is None:
            return ""
    return str(found.origin or "") if found else ""


def _in_family(id: str) -> Spec | None:
    prefix, colon, _ = id.partition(":")
    if not colon or prefix not in _families:
        return None
    found = _family(prefix).get(id)
    if found is None:
        found = importlib.import_module(_families[prefix]).find(id)
    return found


@functools.cache
def _family(prefix: str) -> dict[str, Spec]:
    """Return the listed members of a family."""
    module = importlib.import_module(_families[prefix])
    return {spec.id: spec for spec in module.specs()}


def make(id: str, **kwargs: Any) -> Env[Any]:
    """Make an environment: a PettingZoo AECEnv, from which the other views come."""
    return spec(id).make(**kwargs)


def make_parallel(id: str, **kwargs: Any) -> ParallelView:
    """Make an environment behind PettingZoo's parallel API."""
    return make(id, **kwargs).parallel()


def make_gym(id: str, *, agent: str | None = None, others: Any = None, **kwargs: Any) -> SeatView:
    """Make one seat of an environment behind Gymnasium's API."""
    return make(id, **kwargs).gym(agent=agent, others=others)


def list_envs(pattern: str = "*") -> list[str]:
    """Return the ids that match a pattern, or contain it where it has no wildcard."""
    _load_plugins()
    need(pattern, str, "pattern")
    if not any(c in pattern for c in "*?["):
        pattern = f"*{pattern}*"
    ids = list(_specs)
    for prefix in _families:
        if ":" not in pattern or fnmatch.fnmatchcase(prefix, pattern.partition(":")[0]):
            ids += _family(prefix)
    return sorted(fnmatch.filter(ids, pattern))


def print_envs(pattern: str = "*") -> None:
    """Print the ids that match a pattern, one on each line."""
    sys.stdout.write("".join(f"{id}\n" for id in list_envs(pattern)))


def _load_plugins() -> None:
    """Let every installed package register what it has under our entry-point group."""
    global _plugins_loaded  # noqa: PLW0603 - once for each process
    if _plugins_loaded:
        return
    _plugins_loaded = True
    from importlib import metadata  # slow to import, and needed only here

    for plugin in metadata.entry_points(group=PLUGINS):
        try:
            plugin.load()()
        except Exception as error:  # noqa: BLE001 - another package's fault must not stop ours
            warnings.warn(
                f"{plugin.value} could not register its environments: {error!r}", stacklevel=2
            )


def _remedy(need: str) -> str:
    """Return what to do about a need that is not met, or nothing if it is or cannot be told."""
    kind, _, name = need.partition(":")
    if kind == "key":
        return "" if os.environ.get(name) else f"set the environment variable {name}"
    if kind == "corpus":
        return "" if _has_corpus(name) else f"python -m nltk.downloader {name}"
    if kind == "broken":
        return name.strip()
    if kind.startswith("python>="):
        version = tuple(map(int, kind.removeprefix("python>=").split(".")))
        return "" if sys.version_info >= version else f"it needs {kind}"
    if kind in ("hub", "network"):
        return ""
    modules = (name,) if name else _EXTRAS.get(kind, (kind,))
    return "" if all(map(_is_installed, modules)) else f"pip install 'gem-ma[{kind}]'"


# The modules that show whether an extra is installed, where its name is not that of its module.
_EXTRAS: dict[str, tuple[str, ...]] = {
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
    """Return whether NLTK finds a corpus; without NLTK nobody could read it."""
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


def _instead(name: str, known: Iterable[str], otherwise: str) -> str:
    known = list(known)
    close = difflib.get_close_matches(name, known, n=2, cutoff=0.75)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"{otherwise} {', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"


def _instead_of_argument(key: str, takes: list[str]) -> str:
    seat = ["agent", "others"]
    if key in seat:
        return "it belongs to make_gym() and Env.gym()"
    return _instead(key, [*takes, *_ENV_ARGUMENTS, *seat], "it takes")


# What the other registries call; the functions' names are part of their specs.


def _make_gym(env_id: str, **kwargs: Any) -> SeatView:
    return make_gym(env_id, **kwargs)


# Gymnasium looks here for the modes from which it makes others, such as "rgb_array_list".
_make_gym.metadata = {"render_modes": ["ansi", "rgb_array", "human"]}  # type: ignore[attr-defined]


def _make_aec(env_id: str, max_cycles: int | None = None, **kwargs: Any) -> Env[Any]:
    return make(env_id, **_limit(max_cycles), **kwargs)


def _make_parallel(env_id: str, max_cycles: int | None = None, **kwargs: Any) -> ParallelView:
    return make_parallel(env_id, **_limit(max_cycles), **kwargs)


def _limit(max_cycles: int | None) -> dict[str, int]:
    """Translate PettingZoo's word for a turn limit."""
    return {} if max_cycles is None else {"max_turns": max_cycles}
