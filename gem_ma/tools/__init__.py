"""Tools that a seat may call without using up its turn, and what every tool offers.

One file for each kind of tool, and `tool_env`, which gives them to the seats of any environment.
They may import environments and what lies below these; a tool's file alone imports its library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.tools.loading import TOOL_SPECS as TOOL_SPECS
from gem_ma.tools.loading import load_tools
from gem_ma.tools.tool import Tool, ToolCallHistory, ToolError
from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.tools.function import function_tool
    from gem_ma.tools.mcp import MCPTool
    from gem_ma.tools.python import PythonTool
    from gem_ma.tools.search import SearchIndex, SearchTool
    from gem_ma.tools.tool_env import ToolEnv, with_tools

__getattr__ = lazy_getattr(
    __name__,
    {
        "SearchIndex": "search",
        "MCPTool": "mcp",
        "PythonTool": "python",
        "SearchTool": "search",
        "ToolEnv": "tool_env",
        "function_tool": "function",
        "with_tools": "tool_env",
    },
)


__all__ = [
    "MCPTool",
    "PythonTool",
    "SearchIndex",
    "SearchTool",
    "Tool",
    "ToolCallHistory",
    "ToolEnv",
    "ToolError",
    "function_tool",
    "load_tools",
    "with_tools",
]
