"""Tool: something that a seat may call without using up its turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from gem_ma.validation.json_types import JSONMapping

ToolCallHistory: TypeAlias = Sequence[tuple[JSONMapping | str, str]]
"""Calls of a tool, each its arguments, or what is wrong with them, and its result."""


class ToolError(Exception):
    """A call that could not be made; the message is shown to the seat that made it."""


@runtime_checkable
class Tool(Protocol):
    """Something to call. Stateless: one object can serve any number of episodes at once.

    Two more attributes where they apply: `blocking = True` says that a call takes long enough to be
    made in a worker thread, and `fence_language = "python"` that a fenced block of this language
    in a reply is a call, whose first argument is what stands in it.
    """

    name: str
    schema: JSONMapping  # in OpenAI's form: {"type": "function", "function": {...}}

    def call(self, arguments: JSONMapping, past: ToolCallHistory) -> str:
        """Return what the seat reads, or raise ToolError; `messages.Shown` has pictures with it.

        `past` holds the seat's earlier calls of this tool in this episode with their results, for
        tools whose calls build upon one another.
        """
