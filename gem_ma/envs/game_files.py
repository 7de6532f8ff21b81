"""Games from files: "FILE.py", "FILE.py:NAME" and "module:NAME" in place of an id."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

from gem_ma.envs.registry import Spec, UnknownEnv
from gem_ma.game import Game
from gem_ma.validation import entry_points


class GameNotFound(UnknownEnv):
    """The file does not exist, or does not define a game of this name."""


def find_file_spec(what: str) -> Spec | None:
    """Return the Spec of a game in a file or an importable module; None if there is none."""
    file, name = entry_points.split_file_entry(what)
    if file:
        path = Path(file).resolve()
        if not path.is_file():
            raise GameNotFound(f"{file}: no such file")
        name = find_game_name(import_game_file(path), file, name)
        return Spec(f"{path.name}:{name}", f"{path}:{name}")
    location = entry_points.import_module_entry(what)
    candidate = None if location is None else getattr(*location, None)
    is_game = isinstance(candidate, type) and issubclass(candidate, Game)
    return Spec(what, what) if is_game else None


def import_game_file(path: Path) -> ModuleType:
    """Import a file; raise GameNotFound if another module has the same name."""
    try:
        return entry_points.import_file(path)
    except entry_points.ShadowedModuleError as error:
        raise GameNotFound(str(error)) from None


def find_game_name(module: ModuleType, file: str, name: str) -> str:
    """Return the name of the requested game in a module, or of its only game if `name` is empty."""
    games = list_games(module)
    if name in games:
        return name
    if name:
        listing = f"; there is {', '.join(games)}" if games else ""
        raise GameNotFound(f"{file} has no game {name!r}{listing}")
    if len(games) != 1:
        hint = f"several games; say which: {', '.join(f'{file}:{game}' for game in games)}"
        raise GameNotFound(f"{file} has {hint if games else 'no subclass of gem_ma.Game'}")
    return next(iter(games))


def list_games(module: ModuleType) -> dict[str, type[Game]]:
    """Return the games that a module defines itself, without those that it imports."""
    return {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Game)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
    }
