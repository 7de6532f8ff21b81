"""What was drawn once and may be asked for again: so many bytes in a process, and no more."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

MOST = 32 << 20  # bytes of all that is kept together
_ABOUT = 256  # bytes that a key and its place take

P = ParamSpec("P")
T = TypeVar("T")


class Kept:
    """Values by their keys, of so many bytes: for new ones the oldest go that nobody asked for."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.held = 0  # bytes
        self._found: dict[Any, Any] = {}
        self._lock = threading.Lock()
        self._asked: set[Any] = set()  # since it was put there, or since its turn to go
        self.get = self._found.get
        self.stay = self._asked.add

    def put(self, key: Any, value: Any) -> Any:
        """Keep a value, which has `nbytes` or a length, and return it."""
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        with self._lock:
            if key in self._found:
                self.held -= _size(self._found.pop(key))
            self._found[key] = value
            self.held += _size(value)
            while self.held > self.most:
                oldest = next(iter(self._found))
                kept = self._found.pop(oldest)
                if oldest in self._asked:
                    self._asked.discard(oldest)
                    self._found[oldest] = kept
                else:
                    self.held -= _size(kept)
        return value

    def take(self, key: Any) -> Any:
        """Hand over what is kept, which may be changed then, or None."""
        with self._lock:
            value = self._found.pop(key, None)
            if value is not None:
                self.held -= _size(value)
        return value

    def clear(self) -> None:
        """Let all go."""
        with self._lock:
            self._found.clear()
            self._asked.clear()
            self.held = 0


KEPT = Kept()


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """Keep what a function returns for its arguments, which are given by place."""

    @functools.wraps(make)
    def found(*args: P.args, **named: P.kwargs) -> T:
        key = make, args
        value: T | None = KEPT.get(key)
        if value is None:
            value = KEPT.put(key, make(*args, **named))
        else:
            KEPT.stay(key)
        return value

    return found


def _size(value: Any) -> int:
    size = getattr(value, "nbytes", None)
    return _ABOUT + (len(value) if size is None else size)
