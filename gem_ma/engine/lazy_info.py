"""LazyInfo: an info that lists the legal moves when it is first read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class LazyInfo(dict[str, Any]):
    """A dict that computes some of its entries when it is first read.

    Most callers of `step` never read the legal moves, and listing them takes longer than a step of
    many games. The initial entries are stored at once, since C code reads dicts without calling
    their methods.

    Attributes:
        source: A function that returns the other entries, and its arguments, which must not change;
            None: the entries are complete.
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
