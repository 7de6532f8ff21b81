"""Shapes of records, which convert records in files and the arguments of models.

Error messages are those of the original, whose records are pydantic models.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from gem_ma.validation.json_types import JSONObject

Reader = Callable[[object], Any]  # returns the stored form of a value, or raises Wrong
Place = tuple[str | int, ...]
_PAGE = "https://errors.pydantic.dev/2.14/v/"
_WHOLE = re.compile(r"([+-]?\d+(_\d+)*)(\.0+)?", re.ASCII)
_LARGEST = 2.0**63  # limit of floats that become whole numbers
_NONE = object()


class Fault(NamedTuple):
    place: Place
    words: str
    kind: str
    value: object


class Wrong(ValueError):
    """A value does not fit a reader."""

    def __init__(self, *faults: Fault):
        super().__init__(faults)
        self.faults = faults

    def within(self, *place: str | int) -> Wrong:
        return Wrong(*(one._replace(place=(*place, *one.place)) for one in self.faults))

    def __str__(self) -> str:
        return "\n".join(fault.words for fault in self.faults)


class Invalid(ValueError):
    """A record does not fit its shape; the message is the original's."""


def wrong(words: str, kind: str, value: object) -> Wrong:
    return Wrong(Fault((), words, kind, value))


def text(value: object) -> str:
    if not isinstance(value, str):
        raise wrong("Input should be a valid string", "string_type", value)
    return value


def whole(value: object) -> int:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise wrong("Input should be a finite number", "finite_number", value)
        if not value.is_integer():
            words = "Input should be a valid integer, got a number with a fractional part"
            raise wrong(words, "int_from_float", value)
        if abs(value) < _LARGEST:
            return int(value)
    elif isinstance(value, str):
        match = _WHOLE.fullmatch(value.strip())
        if match is None:
            words = "Input should be a valid integer, unable to parse string as an integer"
            raise wrong(words, "int_parsing", value)
        with contextlib.suppress(ValueError):  # raised for thousands of digits
            return int(match[1])
    else:
        raise wrong("Input should be a valid integer", "int_type", value)
    words = "Unable to parse input string as an integer, exceeded maximum size"
    raise wrong(words, "int_parsing_size", value)


def number(value: object) -> float:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            if value.strip().isascii():
                return float(value)
        words = "Input should be a valid number, unable to parse string as a number"
        raise wrong(words, "float_parsing", value)
    if isinstance(value, bool | int | float):
        with contextlib.suppress(OverflowError):
            return float(value)
    raise wrong("Input should be a valid number", "float_type", value)


_TRUE = ("1", "on", "t", "true", "y", "yes")
_FALSE = ("0", "off", "f", "false", "n", "no")


def flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    if isinstance(value, int | float | str):
        words = "Input should be a valid boolean, unable to interpret input"
        raise wrong(words, "bool_parsing", value)
    raise wrong("Input should be a valid boolean", "bool_type", value)


def anything(value: object) -> object:
    return value


def date(value: object) -> str:
    """Read a date, and store it as text."""
    if isinstance(value, datetime.datetime):
        value = value.date()
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return str(datetime.date.fromisoformat(value))
    raise wrong("Input should be a valid date", "date_type", value)


def moment(value: object) -> str:
    """Read a date with a time, and store it as text."""
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return str(datetime.datetime.fromisoformat(value))
    raise wrong("Input should be a valid datetime", "datetime_type", value)


def choice(*values: str, kind: str = "literal_error") -> Reader:
    """Read one of some words; `kind` is "enum" where the original has an enumeration."""
    names = [repr(value) for value in values]
    words = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in values:
            raise wrong(f"Input should be {words}", kind, value)
        return value

    return read


def optional(reader: Reader) -> Reader:
    return lambda value: None if value is None else reader(value)


def listed(reader: Reader) -> Reader:
    """Read a list."""

    def read(value: object) -> list[object]:
        if not isinstance(value, list | tuple):
            raise wrong("Input should be a valid list", "list_type", value)
        return _all(reader, enumerate(value))

    return read


def mapped(reader: Reader) -> Reader:
    """Read an object whose keys are names."""

    def read(value: object) -> JSONObject:
        if not isinstance(value, Mapping):
            raise wrong("Input should be a valid dictionary", "dict_type", value)
        keys = list(value)
        return dict(zip(keys, _all(reader, value.items()), strict=True))

    return read


def either(*readers: Reader) -> Reader:
    """Read a value with the first reader that accepts it."""

    def read(value: object) -> object:
        faults: list[Fault] = []
        for reader in readers:
            try:
                return reader(value)
            except Wrong as error:
                faults += error.faults
        raise Wrong(*faults)

    return read


def _all(reader: Reader, items: Iterable[tuple[str | int, object]]) -> list[object]:
    values: list[object] = []
    faults: list[Fault] = []
    for key, value in items:
        try:
            values.append(reader(value))
        except Wrong as error:
            faults += error.within(key).faults
    if faults:
        raise Wrong(*faults)
    return values


class Default(NamedTuple):
    """A field that may be left out."""

    reader: Reader
    value: object = None


class Shape:
    """The fields of a record, in order; a call reads a record.

    Args:
        closed: whether an unknown field is an error. By default, unknown fields are dropped.
    """

    def __init__(self, name: str, /, closed: bool = False, **fields: Reader | Default):
        self.name = name
        self.closed = closed
        self.fields = fields

    def __call__(self, value: object) -> JSONObject:
        if not isinstance(value, Mapping):
            words = f"Input should be a valid dictionary or instance of {self.name}"
            raise wrong(words, "model_type", value)
        record: JSONObject = {}
        faults: list[Fault] = []
        for name, field in self.fields.items():
            reader, default = field if isinstance(field, Default) else (field, _NONE)
            if name not in value:
                if default is _NONE:
                    faults.append(Fault((name,), "Field required", "missing", value))
                else:
                    record[name] = default() if callable(default) else default
                continue
            try:
                record[name] = reader(value[name])
            except Wrong as error:
                faults += error.within(name).faults
        if self.closed:
            extra = [name for name in value if name not in self.fields]
            words = "Extra inputs are not permitted"
            faults += [Fault((name,), words, "extra_forbidden", value[name]) for name in extra]
        if faults:
            raise Wrong(*faults)
        return record

    def make(self, /, **values: object) -> JSONObject:
        """Return a record of these values, or raise Invalid with the original's message."""
        try:
            return self(values)
        except Wrong as error:
            faults = error.faults
        lines = [f"{len(faults)} validation error{'s'[: len(faults) > 1]} for {self.name}"]
        for place, words, kind, value in faults:
            lines.append(".".join(map(str, place)))
            value_text = _short(repr(value))
            lines.append(
                f"  {words} [type={kind}, input_value={value_text}, "
                f"input_type={type(value).__name__}]"
            )
            lines.append(f"    For further information visit {_PAGE}{kind}")
        raise Invalid("\n".join(lines)) from None


def _short(words: str) -> str:
    return words if len(words) <= 50 else f"{words[:25]}...{words[-24:]}"
