"""Calls of tools: how arguments are checked, records are found, and answers are written."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from gem_ma.engine.action_parsing import replace_surrogates
from gem_ma.envs.tau.calling import ToolError
from gem_ma.envs.tau.store import Desk, Record
from gem_ma.game import clip_repr

MAX_ARGUMENT = 1000  # characters of a text
QUOTE_MARK = "| "
_MAX_NUMBER = 1_000_000
_MAX_FOUND = 40  # records in the answer of a search


class AnswerPart(NamedTuple):
    """Lines that a tool writes, and a text below them that somebody else has written."""

    lines: str
    text: str = ""


WorldTool: TypeAlias = Callable[..., str | list[AnswerPart]]
"""A function of a Desk and of named arguments, each a str or an int."""


def call_tool(
    tools: Mapping[str, WorldTool], desk: Desk, name: object, arguments: object, quoted: bool
) -> str:
    """Return a tool's answer; that to a wrong call begins with "Error: ".

    Args:
        quoted: Whether a mark begins each line that somebody else has written.
    """
    try:
        if not isinstance(name, str) or name not in tools:
            raise ToolError(f"no tool {clip_repr(str(name))}; there are {', '.join(tools)}")
        tool = tools[name]
        answer = tool(desk, **_check_arguments(name, tool, arguments))
    except ToolError as error:
        return f"Error: {error}"
    if isinstance(answer, str):
        return answer
    return "\n\n".join(_format_part(part, quoted) for part in answer)


def quote_text(text: str) -> str:
    """Return a text with a mark before each of its lines, which no text can leave."""
    return "\n".join(f"{QUOTE_MARK}{line}" for line in text.splitlines())


def drop_quotes(text: str) -> str:
    """Return an answer without the lines that are quoted."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(QUOTE_MARK))


def _format_part(part: AnswerPart, quoted: bool) -> str:
    if not part.text:
        return part.lines
    return f"{part.lines}\n{quote_text(part.text) if quoted else part.text}"


def _check_arguments(name: str, tool: WorldTool, arguments: object) -> dict[str, str | int]:
    kinds = _list_parameters(tool)
    if not isinstance(arguments, Mapping) or set(arguments) != set(kinds):
        got = ", ".join(map(str, arguments)) if isinstance(arguments, Mapping) else "no object"
        raise ToolError(
            f"{name} takes {', '.join(kinds) or 'no arguments'}; got {clip_repr(got or 'nothing')}"
        )
    return {key: _check_value(key, arguments[key], kinds[key]) for key in kinds}


def _check_value(key: str, value: object, kind: type) -> str | int:
    if kind is str:
        if not isinstance(value, str) or not value.strip() or len(value) > MAX_ARGUMENT:
            raise ToolError(f"{key} is a text of 1 to {MAX_ARGUMENT} characters")
        return replace_surrogates(value).strip()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 < value <= _MAX_NUMBER:
        raise ToolError(f"{key} is a whole number from 1 to {_MAX_NUMBER}")
    return value


@functools.cache
def _list_parameters(tool: WorldTool) -> Mapping[str, type]:
    hints = typing.get_type_hints(tool)
    return {key: hint for key, hint in hints.items() if key not in ("desk", "return")}


def get_record(desk: Desk, table: str, id: str) -> Record:
    """Return a record for reading, or raise ToolError."""
    record = desk.get(table, id)
    if record is None or record.get("deleted"):
        raise ToolError(f"no {clip_repr(id)} among the {table}")
    return record


def edit_record(desk: Desk, table: str, id: str) -> Record:
    """Return a record for changing it, or raise ToolError."""
    get_record(desk, table, id)
    return desk.edit(table, id)


def add_record(desk: Desk, table: str, record: Record, letter: str = "") -> None:
    """Store a new record under the next number."""
    desk.put(table, f"{letter}{sum(1 for _ in desk.rows(table)) + 1}", record)


def find_records(desk: Desk, table: str, words: str, *fields: str) -> Iterator[tuple[str, Record]]:
    """Yield the records in whose fields all words occur; case does not matter."""
    wanted = words.casefold().split()
    for id, record in desk.rows(table):
        text = " ".join(str(record[field]) for field in fields).casefold()
        if not record.get("deleted") and all(word in text for word in wanted):
            yield id, record


def list_lines(lines: Iterator[str]) -> str:
    """Return the answer of a search, which has a line for each record."""
    found = list(lines)
    more = [f"and {len(found) - _MAX_FOUND} more"] if len(found) > _MAX_FOUND else []
    return "\n".join([*found[:_MAX_FOUND], *more]) or "nothing found"


def find_contact(desk: Desk, name: str) -> str:
    """Look up the addresses of people by a part of their name.

    Args:
        name: a name or a part of it
    """
    found = find_records(desk, "contacts", name, "name")
    return list_lines(f"{record['name']}: {record['address']}" for _, record in found)
