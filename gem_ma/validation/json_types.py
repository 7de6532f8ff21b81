"""Types of JSON objects, and the conversion of tuples to lists."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JSONObject: TypeAlias = dict[str, Any]
JSONMapping: TypeAlias = Mapping[str, Any]
"""A JSON object that is only read."""


def replace_tuples(values: JSONMapping) -> JSONObject:
    """Return an object with lists in place of tuples, as it is after a round trip through JSON."""
    return {name: _replace_tuples(value) for name, value in values.items()}


def _replace_tuples(value: object) -> object:
    if isinstance(value, Mapping):
        return replace_tuples(value)
    return [_replace_tuples(one) for one in value] if isinstance(value, list | tuple) else value
