"""Lazy attributes of a package, whose files are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_getattr(package: str, files: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package; `files` maps each name to the file that defines it."""

    def find_attribute(name: str) -> Any:
        if name not in files:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{files[name]}"), name)
        setattr(sys.modules[package], name, value)  # later lookups do not call this function
        return value

    return find_attribute
