"""Code in files of one's own: "FILE.py:NAME", imported from where the file or its package lies."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


class ShadowedModuleError(ImportError):
    """A file cannot be imported, because another module has its name."""


def split_file_entry(what: str) -> tuple[str, str]:
    """Return a file and a name in it, or "" for both where something else is named."""
    if what.endswith(".py"):
        return what, ""
    file, _, name = what.rpartition(":")
    return (file, name) if file.endswith(".py") else ("", "")


def import_file(path: Path) -> ModuleType:
    """Import a file, from where it or its package lies.

    It is run, as `python FILE.py` would, and its folder can be imported from: else no other process
    could use what is in it.
    """
    folder, name = find_import_folder(path)
    paths = sys.path  # noqa: TID251 - as `python FILE.py` does
    if str(folder) not in paths:
        paths.insert(0, str(folder))
    module = importlib.import_module(name)
    if Path(module.__file__ or "").resolve() != path:
        raise ShadowedModuleError(
            f"{path}: there is another module named {name!r}; rename the file"
        )
    return module


def find_import_folder(path: Path) -> tuple[Path, str]:
    """Return the folder from which a file can be imported, and its name there."""
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(names)


def import_module_entry(what: str) -> tuple[ModuleType, str] | None:
    """Return the module that "module:NAME" is in, imported, and the name; None: there is none."""
    path, _, name = what.partition(":")
    if not name.isidentifier() or not all(part.isidentifier() for part in path.split(".")):
        return None
    if importlib.util.find_spec(path.partition(".")[0]) is None:
        return None
    try:
        return importlib.import_module(path), name
    except ModuleNotFoundError as error:
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise  # it is there, and something that it imports is not
        return None


def load_entry_point(entry_point: str) -> Any:
    """Return what an entry point names, "module:NAME" or "FILE.py:NAME"; it runs code."""
    file, _ = split_file_entry(entry_point)
    path, _, name = entry_point.rpartition(":")
    target = import_file(Path(file)) if file else importlib.import_module(path)
    return functools.reduce(getattr, name.split("."), target)
