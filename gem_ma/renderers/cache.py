"""A process-wide cache of rendered pictures with a limit in bytes."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable
from typing import Any, ParamSpec, TypeVar

import numpy as np

MAX_CACHE_BYTES = 32 << 20  # limit of the whole cache in bytes
_ENTRY_BYTES = 256  # overhead of a key and its entry in bytes

P = ParamSpec("P")
T = TypeVar("T")


class RenderCache:
    """A cache limited in bytes that evicts the oldest entries not read recently."""

    def __init__(self, most: int = MAX_CACHE_BYTES) -> None:
        self.max_bytes = most
        self.used_bytes = 0
        self._values: dict[Hashable, Any] = {}
        self._lock = threading.Lock()
        self._used_keys: set[Hashable] = set()  # read since stored or last spared
        self.get = self._values.get
        self.mark_used = self._used_keys.add

    def put(self, key: Hashable, value: T) -> T:
        """Store a value that has `nbytes` or a length, and return it; arrays become read-only."""
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        with self._lock:
            if key in self._values:
                self.used_bytes -= _count_bytes(self._values.pop(key))
            self._values[key] = value
            self.used_bytes += _count_bytes(value)
            while self.used_bytes > self.max_bytes:
                oldest = next(iter(self._values))
                old_value = self._values.pop(oldest)
                if oldest in self._used_keys:
                    self._used_keys.discard(oldest)
                    self._values[oldest] = old_value
                else:
                    self.used_bytes -= _count_bytes(old_value)
        return value

    def pop(self, key: Hashable) -> Any:
        """Remove and return a value, which the caller may then change; None if there is none."""
        with self._lock:
            value = self._values.pop(key, None)
            if value is not None:
                self.used_bytes -= _count_bytes(value)
        return value

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._values.clear()
            self._used_keys.clear()
            self.used_bytes = 0


RENDER_CACHE = RenderCache()


def memoize(make: Callable[P, T]) -> Callable[P, T]:
    """Cache the results of a function by its positional arguments; keyword arguments are no key."""

    @functools.wraps(make)
    def find_or_make(*args: P.args, **named: P.kwargs) -> T:
        key = make, args
        value: T | None = RENDER_CACHE.get(key)
        if value is None:
            value = RENDER_CACHE.put(key, make(*args, **named))
        else:
            RENDER_CACHE.mark_used(key)
        return value

    return find_or_make


def _count_bytes(value: Any) -> int:
    size = getattr(value, "nbytes", None)
    return _ENTRY_BYTES + (len(value) if size is None else size)
