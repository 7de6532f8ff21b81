"""Tools made of functions: the schema comes from the signature and the docstring."""

from __future__ import annotations

import enum
import functools
import inspect
import json
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, Union, overload

from gem_ma.chat.event_loops import run_async
from gem_ma.chat.messages import Picture, ToolOutput
from gem_ma.tools.tool import ToolCallHistory, ToolError
from gem_ma.validation.json_types import JSONMapping, JSONObject

_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_INTEGER = re.compile(r"[+-]?[0-9]{1,300}")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SECTION_HEADING = re.compile(r"(Args|Arguments|Parameters|Returns|Yields|Raises|Examples?):\s*")
_ARGUMENT_LINE = re.compile(r"(\s*)(\w+)(?:\s*\([^)]*\))?:\s(.+)")


class FunctionTool:
    """A tool made of a function; calling the object calls the function."""

    schema: JSONMapping

    def __init__(self, function: Callable[..., Any], name: str | None, blocking: bool):
        self.function = function
        self.name = name or function.__name__
        self.blocking = blocking
        self._name_argument = name
        functools.update_wrapper(self, function)

        signature = inspect.signature(function)
        hints = typing.get_type_hints(function)
        description, notes = _parse_docstring(inspect.getdoc(function) or "", signature.parameters)
        properties: dict[str, JSONObject] = {}
        self._types: dict[str, Any] = {}
        self._required: list[str] = []
        for parameter in signature.parameters.values():
            argument = parameter.name
            if parameter.kind not in (
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                inspect.Parameter.KEYWORD_ONLY,
            ):
                raise TypeError(
                    f"{self.name}: {parameter} cannot be passed by name, as a tool's arguments "
                    "are; use parameters without *, ** and /"
                )
            type_ = self._types[argument] = hints.get(argument, Any)
            properties[argument] = _make_schema(type_, f"{self.name}: argument {argument!r}")
            if argument in notes:
                properties[argument]["description"] = notes[argument]
            if parameter.default is parameter.empty:
                self._required.append(argument)
            else:
                default = parameter.default
                if isinstance(default, enum.Enum):
                    default = _list_member_names(type(default))[default]
                properties[argument]["default"] = default
        parameters = {
            "type": "object",
            "properties": properties,
            "required": self._required,
            "additionalProperties": False,
        }
        self.schema = {
            "type": "function",
            "function": {
                "name": self.name,
                "description": description,
                "parameters": parameters,
            },
        }
        try:
            json.dumps(self.schema)
        except TypeError as error:
            raise TypeError(f"{self.name}: defaults must be JSON values: {error}") from None
        if not description:
            raise TypeError(
                f"{self.name} has no docstring that says what it does, which a model reads to know "
                'when to call it: begin it with a sentence such as """Return the sum."""'
            )

    def call(self, arguments: JSONMapping, past: ToolCallHistory = ()) -> str:
        """Call the function, and return its result as text.

        A str is returned unchanged, a Picture as its alt text together with the picture, and any
        other result as JSON.
        """
        checked_arguments = self._check_arguments(arguments)
        try:
            result = self.function(**checked_arguments)
            if inspect.isawaitable(result):
                result = run_async(functools.partial(_await_result, result))
        except ValueError as error:
            raise ToolError(str(error) or type(error).__name__) from error
        if isinstance(result, Picture):
            return ToolOutput(result.alt or f"[picture: {result.width}x{result.height}]", [result])
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)

    def _check_arguments(self, arguments: JSONMapping) -> dict[str, Any]:
        if not isinstance(arguments, Mapping):
            raise ToolError(f"arguments: got {_format_value(arguments)}; expected an object")
        problems = []
        if unknown := [name for name in arguments if name not in self._types]:
            names = ", ".join(self._types) or "none"
            problems.append(f"unknown argument {', '.join(map(repr, unknown))}; known: {names}")
        for name in self._required:
            if name not in arguments:
                expected_type = _describe_type(self._types[name])
                problems.append(f"argument {name!r} is missing; expected {expected_type}")
        converted = {}
        for name, value in arguments.items():
            if name in self._types:
                try:
                    converted[name] = _convert_value(value, self._types[name])
                except _TypeMismatch:
                    expected_type = _describe_type(self._types[name])
                    problems.append(
                        f"argument {name!r}: got {_format_value(value)}; expected {expected_type}"
                    )
        if problems:
            raise ToolError("\n".join(problems))
        return converted

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __reduce__(self) -> str | tuple[object, ...]:
        # If a decorator replaced the function by this object, pickle the object by its name.
        path: str = self.function.__qualname__
        value: Any = sys.modules.get(self.function.__module__)
        for part in path.split("."):
            value = getattr(value, part, None)
        if value is self:
            return path
        return FunctionTool, (self.function, self._name_argument, self.blocking)


@overload
def function_tool(
    f: Callable[..., Any], *, name: str | None = None, blocking: bool = False
) -> FunctionTool: ...


@overload
def function_tool(
    f: None = None, *, name: str | None = None, blocking: bool = False
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def function_tool(
    f: Callable[..., Any] | None = None, *, name: str | None = None, blocking: bool = False
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool of a function; also usable as a decorator, with or without arguments.

    Supported types are str, int, float, bool, list, dict, Literal, Enum, Optional and unions of
    these. The tool's description is the docstring up to the description of the arguments. Arguments
    are described under "Args:" or in lines of the form "name: text". A ToolError or ValueError of
    the function is shown to the seat.

    Args:
        f: the function; None: return a decorator.
        name: the tool's name; None: the function's name.
        blocking: whether calls are slow and should run in a worker thread.

    Raises:
        TypeError: The function has no docstring that describes it, or an argument's type has no
            schema.

    Examples:
        >>> from gem_ma.tools import function_tool
        >>> @function_tool
        ... def add(a: int, b: int) -> int:
        ...     "Return the sum of two numbers."
        ...     return a + b
        >>> add.name, add.call({"a": 1, "b": 4})
        ('add', '5')
    """
    if f is None:
        return lambda function: FunctionTool(function, name, blocking)
    return FunctionTool(f, name, blocking)


async def _await_result(result: Any) -> Any:
    return await result


def _parse_docstring(doc: str, names: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return the description of the function and of each argument in a docstring."""
    description: list[str] = []
    notes: dict[str, str] = {}
    current, indent, in_description, in_arguments = "", 0, True, True
    for line in doc.splitlines():
        if section := _SECTION_HEADING.fullmatch(line):
            current, in_description = "", False
            in_arguments = section[1] in ("Args", "Arguments", "Parameters")
        elif in_arguments and (match := _ARGUMENT_LINE.fullmatch(line)) and match[2] in names:
            current, indent, in_description = match[2], len(match[1]), False
            notes[current] = match[3].strip()
        elif current and line.strip() and len(line) - len(line.lstrip()) > indent:
            notes[current] += " " + line.strip()
        elif in_description:
            description.append(line)
        else:
            current = ""
    return "\n".join(description).strip(), notes


class _TypeMismatch(Exception):
    """A value does not have the expected type."""


def _split_type(type_: Any) -> tuple[Any, tuple[Any, ...]]:
    origin = typing.get_origin(type_)
    if origin in (Union, types.UnionType):
        origin = Union
    return origin or type_, typing.get_args(type_)


def _list_member_names(enumeration: type[enum.Enum]) -> dict[enum.Enum, str | int]:
    """Return each member's JSON value: its value if all are text or integers, else its name."""
    values = [member.value for member in enumeration]
    if all(type(value) in (str, int) for value in values):
        return {member: member.value for member in enumeration}
    return {member: member.name for member in enumeration}


def _make_schema(type_: Any, where: str) -> JSONObject:
    origin, args = _split_type(type_)
    if origin is Any:
        return {}
    if origin in (type(None), None):
        return {"type": "null"}
    if origin in _JSON_TYPES:
        return {"type": _JSON_TYPES[origin]}
    if origin in (list, Sequence):
        return {"type": "array"} | ({"items": _make_schema(args[0], where)} if args else {})
    if origin in (dict, Mapping):
        if args and args[0] is not str:
            raise TypeError(f"{where}: {type_} must have keys of type str, as objects in JSON have")
        more = {"additionalProperties": _make_schema(args[1], where)} if args else {}
        return {"type": "object"} | more
    if origin is Literal:
        return {"enum": list(args)}
    if origin is Union:
        return {"anyOf": [_make_schema(part, where) for part in args]}
    if isinstance(origin, type) and issubclass(origin, enum.Enum):
        return {"enum": list(_list_member_names(origin).values())}
    raise TypeError(
        f"{where}: {type_!r} has no schema; expected str, int, float, bool, list, dict, Literal, "
        "Enum, Optional, or a union of these"
    )


def _convert_value(value: Any, type_: Any) -> Any:
    """Return a value converted to a type, or raise _TypeMismatch."""
    origin, args = _split_type(type_)
    if origin is Any:
        return value
    if origin is Union:
        return _convert_union(value, args)
    if origin in (list, Sequence) and isinstance(value, list):
        return [_convert_value(item, args[0]) for item in value] if args else value
    if origin in (dict, Mapping) and isinstance(value, dict):
        return (
            {key: _convert_value(item, args[1]) for key, item in value.items()} if args else value
        )
    if origin is Literal:
        return _match_option({option: option for option in args}, value)
    if isinstance(origin, type) and issubclass(origin, enum.Enum):
        return _match_option(
            {name: member for member, name in _list_member_names(origin).items()}, value
        )
    if origin in (str, bool) and type(value) is origin:
        return value
    if origin in (type(None), None) and value is None:
        return None
    if origin in (int, float):
        return _convert_number(value, origin)
    raise _TypeMismatch


def _convert_union(value: Any, options: Sequence[Any]) -> Any:
    """Return the value unchanged if a type of the union accepts it, else the first conversion."""
    candidates = []
    for option in options:
        try:
            candidates.append(_convert_value(value, option))
        except _TypeMismatch:
            continue
    for candidate in candidates:
        if type(candidate) is type(value) and candidate == value:
            return candidate
    if not candidates:
        raise _TypeMismatch
    return candidates[0]


def _match_option(options: Mapping[Any, Any], value: Any) -> Any:
    for name, option in options.items():
        if type(name) is type(value) and name == value:  # True is not 1
            return option
    raise _TypeMismatch


def _convert_number(value: Any, kind: type[int] | type[float]) -> int | float:
    """Return a JSON number, or text that contains only a number, as an int or a float."""
    if isinstance(value, str):
        text = value.strip()
        if kind is int and _INTEGER.fullmatch(text):
            return int(text)
        if kind is float and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
            return float(text)
    elif isinstance(value, int) and not isinstance(value, bool):
        try:
            return kind(value)
        except OverflowError:
            raise _TypeMismatch from None
    elif isinstance(value, float) and math.isfinite(value):
        if kind is float:
            return value
        if value.is_integer():
            return int(value)
    raise _TypeMismatch


def _describe_type(type_: Any) -> str:
    """Return a description of a type for error messages."""
    origin, args = _split_type(type_)
    if origin is Union:
        return " or ".join(_describe_type(part) for part in args)
    schema = _make_schema(type_, "")
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(option) for option in schema["enum"])
    if origin in (list, Sequence) and args:
        return f"an array, each item {_describe_type(args[0])}"
    if origin in (dict, Mapping) and args:
        return f"an object, each value {_describe_type(args[1])}"
    words = {
        "string": "a string",
        "integer": "an integer",
        "number": "a number",
        "boolean": "true or false",
        "array": "an array",
        "object": "an object",
        "null": "null",
    }
    return words.get(schema.get("type", ""), "anything")


def _format_value(value: object) -> str:
    """Return a value as JSON of at most 80 characters for error messages."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 80 else text[:77] + "..."
