"""Entry points in user code: "FILE.py:NAME", imported from the file's or package's folder."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


class ShadowedModuleError(ImportError):
    """Raised if a file cannot be imported because another module has its name."""


def split_file_entry(what: str) -> tuple[str, str]:
    """Return the file and the name of "FILE.py:NAME"; both are "" for another text."""
    if what.endswith(".py"):
        return what, ""
    file, _, name = what.rpartition(":")
    return (file, name) if file.endswith(".py") else ("", "")


def import_file(path: Path) -> ModuleType:
    """Import a file from its folder, or from the folder of its package.

    The file is run, as `python FILE.py` does. Its folder is added to the import path, so that other
    processes can import it too.
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


def add_current_folder() -> None:
    """Let modules of the current folder be imported, as `python -m` does, after all others."""
    paths = sys.path  # noqa: TID251 - what the function is for
    if str(Path.cwd()) not in paths:
        paths.append(str(Path.cwd()))


def find_import_folder(path: Path) -> tuple[Path, str]:
    """Return the folder from which a file can be imported, and its module name there."""
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(names)


def import_module_entry(what: str) -> tuple[ModuleType, str] | None:
    """Return the imported module and the name of "module:NAME", or None if it is missing."""
    path, _, name = what.partition(":")
    if not name.isidentifier() or not all(part.isidentifier() for part in path.split(".")):
        return None
    if importlib.util.find_spec(path.partition(".")[0]) is None:
        return None
    try:
        return importlib.import_module(path), name
    except ModuleNotFoundError as error:
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise  # the module exists, but something that it imports does not
        return None


def load_entry_point(entry_point: str) -> Any:
    """Return the object of an entry point, "module:NAME" or "FILE.py:NAME"; this runs code."""
    file, _ = split_file_entry(entry_point)
    path, _, name = entry_point.rpartition(":")
    target = import_file(Path(file)) if file else importlib.import_module(path)
    return functools.reduce(getattr, name.split("."), target)
