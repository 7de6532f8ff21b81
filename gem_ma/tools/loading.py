"""Loading of tools by spec string: "python", "search:PATH", "mcp:URL", "FILE.py:NAME"."""

from __future__ import annotations

from inspect import isfunction, ismethod, isroutine
from typing import Any

from gem_ma.packs import PackTable, SpecEntry
from gem_ma.tools.tool import Tool
from gem_ma.validation import entry_points
from gem_ma.validation.arguments import check_type
from gem_ma.validation.spec_strings import SpecFactory, SpecParser

_FUNCTION_TOOL = "gem_ma.tools.function:function_tool"


def load_tools(spec: Any) -> list[Tool]:
    """Return the list of tools that a spec string names.

    Forms of spec strings:

    - "python", with options such as "python:seconds=2&session=true".
    - "search:PATH" for a saved index or a file or folder of texts, "search:URL" for a retriever,
      with options such as "search:docs?top_k=5".
    - "mcp:URL" for all tools of a server.
    - "FILE.py:NAME" or "module:NAME" for an object in a file, which is run: a tool, a class of
      tools (options are its arguments), a function or a list of tools.

    Args:
        spec: a spec string, a tool or list of tools, which is returned as it is, or a function,
            which becomes a tool as by `function_tool`.
    """
    if isinstance(spec, str):
        spec = TOOL_SPECS.make(spec)
    if isinstance(spec, list | tuple):
        return list(spec)
    if isfunction(spec) or ismethod(spec):
        spec = entry_points.load_entry_point(_FUNCTION_TOOL)(spec)
    check_type(spec, Tool, "spec", "a tool, a function or a spec string")
    return [spec]


def _open_search_source(text: str) -> list[Any]:
    return [
        text
        if "://" in text
        else entry_points.load_entry_point("gem_ma.tools.search:SearchIndex").open(text)
    ]


def _find_tool_factory(found: Any) -> SpecFactory | None:
    """Return a factory of tools for a value that a spec string names, or None."""
    if isinstance(found, type):
        return found if callable(getattr(found, "call", None)) else None
    several = isinstance(found, list | tuple) and found
    if isinstance(found, Tool) or (several and all(isinstance(one, Tool) for one in found)):
        return lambda: found
    return (
        (lambda: entry_points.load_entry_point(_FUNCTION_TOOL)(found)) if isroutine(found) else None
    )


TOOL_SPECS = SpecParser(
    "tool",
    "a tool, a class of tools, a function or a list of tools",
    PackTable(
        "tools",
        {
            "python": SpecEntry("gem_ma.tools.python:PythonTool"),
            "search": SpecEntry("gem_ma.tools.search:SearchTool", "PATH|URL", _open_search_source),
            "mcp": SpecEntry("gem_ma.tools.mcp:MCPTool.from_url", "URL"),
        },
        SpecEntry,
    ),
    _find_tool_factory,
)
