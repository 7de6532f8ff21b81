"""JSON: what an object of it is for a type checker, and what comes back of one."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JSONObject: TypeAlias = dict[str, Any]
JSONMapping: TypeAlias = Mapping[str, Any]
"""A JSON object that is only read."""


def replace_tuples(values: JSONMapping) -> JSONObject:
    """Return an object with lists for its tuples, which is how JSON brings them back."""
    return {name: _replace_tuples(value) for name, value in values.items()}


def _replace_tuples(value: object) -> object:
    if isinstance(value, Mapping):
        return replace_tuples(value)
    return [_replace_tuples(one) for one in value] if isinstance(value, list | tuple) else value
