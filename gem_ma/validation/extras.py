"""Errors for missing optional dependencies, which name the extra to install."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def require_extra(name: str, what: str = "") -> Iterator[None]:
    """Turn an ImportError in the block into one that names the extra to install.

    Args:
        what: The feature that needs the extra, for the error; "": "this feature".
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or str(error)).partition(".")[0]
        raise ImportError(
            f"{what or 'this feature'} needs {missing}: pip install 'gem-ma[{name}]'",
            name=error.name,
        ) from error


class LazyModule:
    """A module of an extra, imported when one of its attributes is first used.

    Args:
        module: The module's name. The other arguments are those of `require_extra`.
    """

    def __init__(self, module: str, extra: str, what: str = ""):
        self._module = module, extra, what

    def __getattr__(self, name: str) -> Any:
        module, brings, what = self._module
        with require_extra(brings, what):
            value = getattr(importlib.import_module(module), name)
        setattr(self, name, value)
        return value
