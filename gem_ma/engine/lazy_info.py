"""LazyInfo: an info whose legal moves are listed when somebody reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class LazyInfo(dict[str, Any]):
    """A dict of which some entries are made when it is first read.

    Most callers of `step` never look, and a list and a mask of all legal moves take longer to make
    than many games take to advance. What it began with is there at once, for readers in C that
    look into a dict without asking it.

    Attributes:
        source: A function that returns the rest of its entries, and what it is called with, which
            never changes; None: they are there.
    """

    __slots__ = ("source",)

    source: tuple[Callable[..., Mapping[str, Any]], *tuple[Any, ...]] | None

    def _fill(self) -> None:
        source = self.source
        if source is not None:
            self.source = None
            for key, value in source[0](*source[1:]).items():
                dict.setdefault(self, key, value)

    def __missing__(self, key: str) -> Any:
        if self.source is None:
            raise KeyError(key)
        self._fill()
        return self[key]

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


def _read_all_of(name: str) -> Callable[..., Any]:
    method = getattr(dict, name)

    def read(self: LazyInfo, *args: Any, **kwargs: Any) -> Any:
        self._fill()
        return method(self, *args, **kwargs)

    read.__name__, read.__doc__ = name, method.__doc__
    return read


for _name in (
    *("__contains__", "__delitem__", "__eq__", "__ior__", "__iter__", "__len__", "__ne__"),
    *("__or__", "__repr__", "__reversed__", "__ror__", "clear", "copy", "get", "items", "keys"),
    *("pop", "popitem", "setdefault", "values"),
):
    setattr(LazyInfo, _name, _read_all_of(_name))
