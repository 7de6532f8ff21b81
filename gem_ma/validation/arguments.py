"""Type checks of arguments, with errors that name the argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

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


def check_pixels(array: NDArray[np.uint8], name: str) -> None:
    """Raise an error unless an argument is an array of height x width x 3 bytes."""
    check_type(array, np.ndarray, name)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or not array.size:
        raise ValueError(
            "a picture must be a uint8 array of shape (height, width, 3) that is not empty, got "
            f"{array.dtype} {array.shape}"
        )
