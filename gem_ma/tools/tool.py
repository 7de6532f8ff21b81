"""The protocol of a tool that a seat may call without using up its turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from gem_ma.validation.json_types import JSONMapping

ToolCallHistory: TypeAlias = Sequence[tuple[JSONMapping | str, str]]
"""Earlier calls of a tool: pairs of arguments, or a description of their error, and a result."""


class ToolError(Exception):
    """A tool call failed; the message is shown to the seat that made it."""


@runtime_checkable
class Tool(Protocol):
    """A tool. Tools are stateless: one object can serve any number of episodes at once.

    There are two optional attributes. `blocking = True` means that calls are slow and run in a
    worker thread. `fence_language = "python"` means that a fenced block of this language in a reply
    is a call whose first argument is the contents of the block.
    """

    name: str
    schema: JSONMapping  # in OpenAI's form: {"type": "function", "function": {...}}

    def call(self, arguments: JSONMapping, past: ToolCallHistory) -> str:
        """Return the text that the seat reads; a `ToolOutput` of `chat.messages` adds pictures.

        Args:
            arguments: the arguments of the call, by name.
            past: the seat's earlier calls of this tool in this episode, with their results. Tools
                whose calls depend on earlier calls use these.

        Raises:
            ToolError: the call is wrong or has failed.
        """
