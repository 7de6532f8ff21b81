"""What a model is told of a tool: made of the method's signature and docstring."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}


@functools.cache
def schema(name: str, method: Callable[..., Any]) -> dict[str, Any]:
    """Return a tool's schema as APIs for chats take it."""
    hints = typing.get_type_hints(method)
    words, notes = docstring(method)
    properties, required = {}, []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        found = _type(hints.get(parameter.name, Any))
        if parameter.name in notes:
            found["description"] = notes[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        else:
            found["default"] = parameter.default
        properties[parameter.name] = found
    parameters = {"type": "object", "properties": properties, "required": required}
    function = {"name": name, "description": words, "parameters": parameters}
    return {"type": "function", "function": function}


def docstring(method: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return what a tool does, and what its parameters are, as "Args:" says."""
    lines = (inspect.getdoc(method) or "").splitlines()
    names = list(inspect.signature(method).parameters)[1:]
    notes: dict[str, str] = {}
    words = []
    last = ""
    for line in lines:
        name, colon, rest = line.strip().partition(": ")
        if line == "Args:":
            continue
        if colon and name in names:
            notes[name], last = rest, name
        elif last and line.startswith(" "):
            notes[last] += f" {line.strip()}"
        elif not last:
            words.append(line)
    return "\n".join(words).strip(), notes


def _type(hint: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        found = [_type(one) for one in inner if one is not type(None)]
        if len(found) < len(inner):
            found.append({"type": "null"})
        return {"anyOf": found}
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is list or hint is list:
        return {"type": "array", "items": _type(inner[0])} if inner else {"type": "array"}
    if origin in (dict, Mapping):
        return {"type": "object"}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}
