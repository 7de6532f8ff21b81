"""Values that environments deliver: compared as bytes, and changed in place."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np

from gem_ma.apis.aec import AECEnv

_PLAIN = frozenset((str, int, float, bool, type(None), np.bool_, np.int64))


def read_seat_text(env: AECEnv, agent: str) -> str:
    """Return all the text that a seat can read at present."""
    return f"{format_value(env.observe(agent))} {format_value(env.info(agent))}"


def fingerprint(value: object) -> bytes:
    """Return bytes that are equal for equal values, regardless of the objects that they share."""
    return format_value(value).encode("utf-8", "surrogatepass")


def format_value(value: Any) -> str:
    """Return a value as text, with a digest of each array."""
    kind = type(value)  # a fast path to the same result, for most values
    if kind in _PLAIN or (kind in (list, tuple) and value and _PLAIN.issuperset(map(type, value))):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {hashlib.sha256(value.tobytes()).hexdigest()})"
    if isinstance(value, dict):
        return (
            "{" + ",".join([f"{format_value(k)}:{format_value(v)}" for k, v in value.items()]) + "}"
        )
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}(" + ",".join(map(format_value, value)) + ")"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__ + format_value(
            [getattr(value, f.name) for f in dataclasses.fields(value)]
        )
    return repr(value)


def spoil_value(value: object) -> None:
    """Change every part of a delivered value that can be changed."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = 0
    elif isinstance(value, dict):
        for inner in value.values():
            spoil_value(inner)
        value.clear()
    elif isinstance(value, list):
        for inner in value:
            spoil_value(inner)
        value.clear()
    elif isinstance(value, tuple):
        for inner in value:
            spoil_value(inner)
