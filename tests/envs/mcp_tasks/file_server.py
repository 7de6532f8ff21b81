"""An MCP server of files for the tests, with absolute paths as the one that MCPMark uses."""

import os
import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("files", log_level="CRITICAL")
ROOT = Path(os.path.realpath(sys.argv[1]))


def allowed(path):
    if not Path(os.path.realpath(path)).is_relative_to(ROOT):
        raise ToolError(f"{path} is outside of {ROOT}")
    return Path(path)


@server.tool()
def read_file(path: str) -> str:
    return allowed(path).read_text()


@server.tool()
def write_file(path: str, content: str) -> str:
    allowed(path).write_text(content)
    return f"wrote {path}"


@server.tool()
def list_allowed_directories() -> str:
    return f"{ROOT} {sys.argv[1]} {os.environ.get('A_TOKEN')} {os.environ.get('ANOTHER')}"


if __name__ == "__main__":
    server.run()
