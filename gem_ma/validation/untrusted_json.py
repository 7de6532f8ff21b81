"""Parsing of JSON from untrusted sources: models, programs, endpoints and files of others."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

MAX_JSON_SIZE = 2**20  # characters of a text
MAX_JSON_DEPTH = 50  # levels of lists and objects
MAX_JSON_DIGITS = 300  # of an integer; so it can also become a float


def parse_json(
    text: str | bytes,
    *,
    size: int | None = MAX_JSON_SIZE,
    depth: int = MAX_JSON_DEPTH,
    digits: int = MAX_JSON_DIGITS,
) -> Any:
    """Parse JSON, or raise ValueError and no other exception.

    Numbers are finite, texts can be encoded (a lone surrogate becomes "?"), and sizes are limited.
    `size=None` is for a text whose size was limited before.
    """

    def parse_integer(literal: str) -> int:
        # one more for a sign; converting a long number may take minutes
        if len(literal) > digits + 1:
            raise ValueError(f"a number of {len(literal)} digits; at most {digits} are read")
        return int(literal)

    if isinstance(text, bytes | bytearray):
        text = text.decode("utf-8")
    if not isinstance(text, str):
        raise ValueError(f"expected JSON as text, got {type(text).__name__}")
    if size is not None and len(text) > size:
        raise ValueError(f"{len(text)} characters of JSON; at most {size} are read")
    try:
        value = json.loads(text, parse_int=parse_integer, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP.format(depth)) from None
    return check_json(value, depth=depth, digits=digits)


def check_json(value: Any, *, depth: int = MAX_JSON_DEPTH, digits: int = MAX_JSON_DIGITS) -> Any:
    """Return a copy of a parsed JSON value, or raise ValueError if it exceeds the same limits."""
    return _check_value(value, depth, depth, 10**digits)


_TOO_DEEP = "nested too deeply; at most {} lists and objects within one another are read"


def _check_value(value: Any, left: int, depth: int, bound: int) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -bound < value < bound:
            raise ValueError("a whole number that is too large")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number of JSON")
        return value
    if not isinstance(value, Mapping | list | tuple):
        raise ValueError(f"a {type(value).__name__} is nothing that JSON has")
    if not left:
        raise ValueError(_TOO_DEEP.format(depth))
    if isinstance(value, Mapping):
        return {
            _check_key(key): _check_value(one, left - 1, depth, bound) for key, one in value.items()
        }
    return [_check_value(one, left - 1, depth, bound) for one in value]


def _check_key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"a key of JSON is a text, and not a {type(key).__name__}")
    return key if key.isascii() else key.encode("utf-8", "replace").decode()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
