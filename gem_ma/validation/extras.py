"""What is not installed: an error that names the extra which brings it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def require_extra(name: str, what: str = "") -> Iterator[None]:
    """Import what an extra of this package brings, or raise ImportError with the remedy.

    Args:
        what: needs it, if it is not the module that is missing which says most.
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or str(error)).partition(".")[0]
        raise ImportError(
            f"{what or 'this'} needs {missing}: pip install 'gem-ma[{name}]'", name=error.name
        ) from error


class LazyModule:
    """A module that an extra brings, imported when something of it is first asked for.

    Args:
        module: its name; `extra` and what needs it are as for `extra`.
    """

    def __init__(self, module: str, extra: str, what: str = ""):
        self._module = module, extra, what

    def __getattr__(self, name: str) -> Any:
        module, brings, what = self._module
        with require_extra(brings, what):
            value = getattr(importlib.import_module(module), name)
        setattr(self, name, value)
        return value
