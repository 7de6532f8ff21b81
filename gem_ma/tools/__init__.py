"""Tools that a seat may call without using up its turn, and the protocol of a tool.

There is one file for each kind of tool. `tool_env` adds tools to the seats of any environment. This
package may import environments and the layers below them. Only a tool's own file imports the
tool's library.
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
