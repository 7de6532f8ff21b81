"""Tool schemas for models, made from the signatures and docstrings of methods."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

from gem_ma.validation.json_types import JSONObject

_PLAIN: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
}


@functools.cache
def schema(name: str, method: Callable[..., object]) -> JSONObject:
    """Return the schema of a tool in the format of chat APIs."""
    hints = typing.get_type_hints(method)
    words, notes = docstring(method)
    properties, required = {}, []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        property_schema = _type(hints.get(parameter.name, Any))
        if parameter.name in notes:
            property_schema["description"] = notes[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        else:
            property_schema["default"] = parameter.default
        properties[parameter.name] = property_schema
    parameters = {"type": "object", "properties": properties, "required": required}
    function = {"name": name, "description": words, "parameters": parameters}
    return {"type": "function", "function": function}


def docstring(method: Callable[..., object]) -> tuple[str, dict[str, str]]:
    """Return the description of a tool, and the descriptions of its parameters.

    A parameter is described by a line `name: words`, below "Args:" or without that heading.
    Following lines with more indentation continue the description.
    """
    names = list(inspect.signature(method).parameters)[1:]
    notes: dict[str, str] = {}
    words = []
    last, indent = "", 0
    for line in (inspect.getdoc(method) or "").splitlines():
        name, colon, rest = line.strip().partition(": ")
        further = len(line) - len(line.lstrip())
        if colon and name in names and (not last or further <= indent):
            notes[name], last, indent = rest, name, further
        elif last and further > indent:
            notes[last] += f" {line.strip()}"
        elif not last and line != "Args:":
            words.append(line)
    return "\n".join(words).strip(), notes


def _type(hint: object) -> JSONObject:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        alternatives = [_type(one) for one in inner if one is not type(None)]
        if len(alternatives) < len(inner):
            alternatives.append({"type": "null"})
        return {"anyOf": alternatives}
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is list or hint is list:
        return {"type": "array", "items": _type(inner[0])} if inner else {"type": "array"}
    if origin in (dict, Mapping):
        return {"type": "object"}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}
