"""Games in files: "FILE.py", "FILE.py:NAME" and "module:NAME" wherever an id may stand."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from gem_ma.envs.registry import Spec, UnknownEnv
from gem_ma.game import Game


class NoGame(UnknownEnv):
    """A file has no game of this name, or is not there."""


def parts(what: str) -> tuple[str, str]:
    """Return a file and a name in it, or "" for both where something else is named."""
    if what.endswith(".py"):
        return what, ""
    file, _, name = what.rpartition(":")
    return (file, name) if file.endswith(".py") else ("", "")


def find(what: str) -> Spec | None:
    """Return the Spec of a game in a file or in a module that can be imported, or None.

    The file is run, as `python FILE.py` would, and its folder can be imported from: else no other
    process could play the game.
    """
    file, name = parts(what)
    if file:
        path = Path(file).resolve()
        if not path.is_file():
            raise NoGame(f"{file}: no such file")
        name = name_in(imported(path), file, name)
        return Spec(f"{path.name}:{name}", f"{path}:{name}")
    module, _, name = what.partition(":")
    if not name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        return None
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        return None
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError:
        return None
    is_game = isinstance(found, type) and issubclass(found, Game)
    return Spec(what, what) if is_game else None


def imported(path: Path) -> Any:
    """Import a file, from where it or its package lies."""
    folder, name = module_of(path)
    paths = sys.path  # noqa: TID251 - as `python FILE.py` does
    if str(folder) not in paths:
        paths.insert(0, str(folder))
    module = importlib.import_module(name)
    if Path(module.__file__ or "").resolve() != path:
        raise NoGame(f"{path}: there is another module named {name!r}; rename the file")
    return module


def module_of(path: Path) -> tuple[Path, str]:
    """Return the folder from which a file can be imported, and its name there."""
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(names)


def name_in(module: Any, file: str, name: str) -> str:
    """Return the name of a game in a module: of the one that it has, or the one asked for."""
    games = games_in(module)
    if name in games:
        return name
    if name:
        there = f"; there is {', '.join(games)}" if games else ""
        raise NoGame(f"{file} has no game {name!r}{there}")
    if len(games) != 1:
        found = f"several games; say which: {', '.join(f'{file}:{one}' for one in games)}"
        raise NoGame(f"{file} has {found if games else 'no subclass of gem_ma.Game'}")
    return next(iter(games))


def games_in(module: Any) -> dict[str, type[Game[Any]]]:
    """Return the games that a module itself defines."""
    return {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Game)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
    }


def load(entry_point: str) -> Any:
    """Return what an entry point names, "module:NAME" or "FILE.py:NAME"; it runs code."""
    file, _ = parts(entry_point)
    module, _, name = entry_point.rpartition(":")
    found = imported(Path(file)) if file else importlib.import_module(module)
    return functools.reduce(getattr, name.split("."), found)
