"""Values that environments deliver: as bytes that can be compared, and spoiled."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np

from gem_ma.apis.aec import BaseEnv

_PLAIN = frozenset((str, int, float, bool, type(None), np.bool_, np.int64))


def words(env: BaseEnv, agent: str) -> str:
    """Return all the text that a seat can read now."""
    return f"{plain(env.observe(agent))} {plain(env.info(agent))}"


def fingerprint(value: Any) -> bytes:
    """Return bytes that are equal for equal values, whatever they share inside."""
    return plain(value).encode("utf-8", "surrogatepass")


def plain(value: Any) -> str:
    """Return a value as text, arrays by their digests."""
    kind = type(value)  # first what the rest would come to in the end, and most of what there is
    if kind in _PLAIN or (kind in (list, tuple) and value and _PLAIN.issuperset(map(type, value))):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {hashlib.sha256(value.tobytes()).hexdigest()})"
    if isinstance(value, dict):
        return "{" + ",".join([f"{plain(k)}:{plain(v)}" for k, v in value.items()]) + "}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}(" + ",".join(map(plain, value)) + ")"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__ + plain(
            [getattr(value, f.name) for f in dataclasses.fields(value)]
        )
    return repr(value)


def spoil(value: Any) -> None:
    """Change whatever can be changed inside what an environment delivered."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = 0
    elif isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value.clear()
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.clear()
    elif isinstance(value, tuple):
        for inner in value:
            spoil(inner)
