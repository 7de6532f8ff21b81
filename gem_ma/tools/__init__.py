"""Tools that a seat may call without using up its turn, and what every tool offers.

One file for each kind of tool, and `wrapper`, which gives them to the seats of any environment.
They may import environments and what lies below these; a tool's file alone imports its library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import isfunction, ismethod, isroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from gem_ma.guards.given import need
from gem_ma.guards.later import later
from gem_ma.guards.packs import Known, PackTable
from gem_ma.guards.specs import Maker, Specs

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
        """Return what the seat reads, or raise ToolError; `messages.Shown` has pictures with it.

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


def load(spec: Any) -> list[Tool]:
    """Return the tools that a spec string names, mostly one; a tool stays itself.

    A function becomes a tool, as `function_tool` makes it.

    "python", "python:seconds=2&session=true"; "search:PATH", of a saved index or of texts, or
    "search:URL", of a retriever, with options such as "search:docs?top_k=5"; "mcp:URL", all of a
    server's. "FILE.py:NAME" or "module:NAME" is what is called NAME there: a tool, a class of
    tools, whose arguments are the options, a function, or a list of tools. The file is run.
    """
    if isinstance(spec, str):
        spec = SPECS.make(spec)
    if isinstance(spec, list | tuple):
        return list(spec)
    if isfunction(spec) or ismethod(spec):
        spec = __getattr__("function_tool")(spec)
    need(spec, Tool, "spec", "a tool, a function or a spec string")
    return [spec]


def _searched(text: str) -> list[Any]:
    return [text if "://" in text else __getattr__("Index").open(text)]


def _own(found: Any) -> Maker | None:
    """Return what makes tools of a value in somebody's code, or None."""
    if isinstance(found, type):
        return found if callable(getattr(found, "call", None)) else None
    several = isinstance(found, list | tuple) and found
    if isinstance(found, Tool) or (several and all(isinstance(one, Tool) for one in found)):
        return lambda: found
    return (lambda: __getattr__("function_tool")(found)) if isroutine(found) else None


SPECS = Specs(
    "tool",
    "a tool, a class of tools, a function or a list of tools",
    PackTable(
        "tools",
        {
            "python": Known(lambda: __getattr__("PythonTool")),
            "search": Known(lambda: __getattr__("SearchTool"), "PATH|URL", _searched),
            "mcp": Known(lambda: __getattr__("MCPTool").from_url, "URL"),
        },
        Known,
    ),
    _own,
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
    "load",
    "with_tools",
]
