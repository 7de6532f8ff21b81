"""Tools that a seat may call without using up its turn, and what every tool offers.

One file for each kind of tool, and `wrapper`, which gives them to the seats of any environment.
They may import environments and what lies below these; a tool's file alone imports its library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from gem_ma.guards.later import later

if TYPE_CHECKING:
    from gem_ma.tools.function import function_tool
    from gem_ma.tools.mcp import MCPTool
    from gem_ma.tools.python import PythonTool
    from gem_ma.tools.search import Index, SearchTool
    from gem_ma.tools.wrapper import ToolEnv, with_tools

Past: TypeAlias = Sequence[tuple[Mapping[str, Any], str]]


class ToolError(Exception):
    """A call that could not be made; the message is shown to the seat that made it."""


@runtime_checkable
class Tool(Protocol):
    """Something to call. Stateless: one object can serve any number of episodes at once.

    Two more attributes where they apply: `blocking = True` says that a call takes long enough to be
    made in a worker thread, and `fenced = "python"` that a fenced block of this language in a reply
    is a call, whose first argument is what stands in it.
    """

    name: str
    schema: Mapping[str, Any]  # in OpenAI's form: {"type": "function", "function": {...}}

    def call(self, arguments: Mapping[str, Any], past: Past) -> str:
        """Return what the seat reads, or raise ToolError.

        `past` holds the seat's earlier calls of this tool in this episode with their results, for
        tools whose calls build upon one another.
        """


__getattr__ = later(
    __name__,
    {
        "Index": "search",
        "MCPTool": "mcp",
        "PythonTool": "python",
        "SearchTool": "search",
        "ToolEnv": "wrapper",
        "function_tool": "function",
        "with_tools": "wrapper",
    },
)

__all__ = [
    "Index",
    "MCPTool",
    "Past",
    "PythonTool",
    "SearchTool",
    "Tool",
    "ToolEnv",
    "ToolError",
    "function_tool",
    "with_tools",
]
