"""Type checks of arguments, with errors that name the argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def check_type(value: object, kind: Any, name: str, hint: str = "") -> None:
    """Raise TypeError unless an argument is an instance of a type, or of one of several."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = hint or " or ".join(getattr(one, "__name__", str(one)) for one in kinds)
        got = repr(value)[:60]
        raise TypeError(f"{name}={got}: expected {expected}, got {type(value).__name__}")


def check_each(values: Iterable[T], kind: Any, name: str, hint: str = "") -> Iterator[T]:
    """Yield the values of an argument; raise TypeError at the first one of another type."""
    for value in values:
        if not isinstance(value, kind):
            check_type(value, kind, f"one of {name}", hint)
        yield value


def check_probability(value: object, name: str) -> None:
    """Raise ValueError unless an argument is a number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"{name}={value!r}: expected a number from 0 to 1")
