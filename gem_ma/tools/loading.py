"""Tools by their spec strings: "python", "search:PATH", "mcp:URL", "FILE.py:NAME"."""

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
    """Return the tools that a spec string names, mostly one; a tool stays itself.

    A function becomes a tool, as `function_tool` makes it.

    "python", "python:seconds=2&session=true"; "search:PATH", of a saved index or of texts, or
    "search:URL", of a retriever, with options such as "search:docs?top_k=5"; "mcp:URL", all of a
    server's. "FILE.py:NAME" or "module:NAME" is what is called NAME there: a tool, a class of
    tools, whose arguments are the options, a function, or a list of tools. The file is run.
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
    """Return what makes tools of a value in somebody's code, or None."""
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
