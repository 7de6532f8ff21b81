"""MCPTool: calls the tools of MCP servers that a reply names in `<tool_call>` tags."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from gem_ma.gem.tools.base_tool import BaseTool
from gem_ma.tools.mcp import MCPServer, MCPServerError
from gem_ma.tools.mcp import MCPTool as ServerTool
from gem_ma.tools.tool import ToolError
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.validation.untrusted_json import parse_json

_HANDLERS = ("log_handler", "progress_handler", "sampling_handler")  # of FastMCP's client
_EXAMPLE = (
    '<tool_call>\n<tool_name>NAME</tool_name>\n<arguments>{"argument": "value"}</arguments>\n'
    "</tool_call>"
)


class MCPTool(BaseTool):
    """The tools of one MCP server, or of several, whose tools are then named SERVER_TOOL.

    Args:
        config: the URL of a server, or {"mcpServers": {NAME: {"url": ..., "headers": ...} or
            {"command": ..., "args": [...], "env": ...}}}, or one of these entries alone.
        auth: a bearer token for the URL; None: none.
        headers: HTTP headers for the URL; None: none.
        log_handler: only None is allowed: servers are not listened to between calls.
        progress_handler: see log_handler.
        sampling_handler: see log_handler.
        max_retries: without effect, as `delay_between_retries`: a lost connection is opened again
            once per call.
        delay_between_retries: see max_retries.
        execution_timeout: the time limit of a call in seconds.
        validate_on_init: whether the constructor asks the servers for their tools.
        num_workers: stored only.
    """

    tool_type = "mcp"

    def __init__(
        self,
        config: str | JSONMapping,
        auth: str | None = None,
        headers: Mapping[str, str] | None = None,
        log_handler: None = None,
        progress_handler: None = None,
        sampling_handler: None = None,
        max_retries: int = 3,
        delay_between_retries: float = 1.0,
        execution_timeout: float = 30.0,
        validate_on_init: bool = True,
        num_workers: int = 1,
    ):
        for name, handler in zip(
            _HANDLERS, (log_handler, progress_handler, sampling_handler), strict=True
        ):
            if handler is not None:
                raise TypeError(
                    f"{name}= is not supported: servers are read only during calls; leave it out"
                )
        super().__init__(num_workers)
        self.execution_timeout = execution_timeout
        self._servers: dict[str, MCPServer] = {}
        self._tools: dict[str, ServerTool] | None = None
        self.reconfigure(config, auth, headers)
        if validate_on_init and not self.get_available_tools():
            servers = ", ".join(map(repr, self._servers.values()))
            raise ValueError(f"{servers}: expected servers with one or more tools, got no tool")

    @classmethod
    def from_url(
        cls,
        url: str,
        auth: str | None = None,
        headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Return the tools of the server at a URL."""
        return cls(url, auth, headers, **kwargs)

    @classmethod
    def from_config_file(cls, config_path: str | os.PathLike[str], **kwargs: Any) -> Self:
        """Return the tools of the servers that a JSON file names under "mcpServers"."""
        return cls(json.loads(Path(config_path).read_text(encoding="utf-8")), **kwargs)

    @classmethod
    def from_local_command(
        cls, server_params: JSONMapping, name: str = "default", **kwargs: Any
    ) -> Self:
        """Return the tools of a server that a command starts: {"command": ..., "args": [...]}."""
        return cls({"mcpServers": {name: server_params}}, **kwargs)

    @classmethod
    def from_multi_server(cls, servers: Mapping[str, str], **kwargs: Any) -> Self:
        """Return the tools of several servers, by their names and URLs."""
        return cls({"mcpServers": {name: {"url": url} for name, url in servers.items()}}, **kwargs)

    def reconfigure(
        self,
        new_config: str | JSONMapping,
        auth: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Close the servers, and use others."""
        check_type(new_config, str | Mapping, "new_config", "a URL or a mapping")
        check_type(auth, str | None, "auth", "a bearer token")
        if isinstance(new_config, str):
            bearer = {} if auth is None else {"Authorization": f"Bearer {auth}"}
            new_config = {"url": new_config, "headers": {**(headers or {}), **bearer}}
        entries = new_config.get("mcpServers", {"default": new_config})
        servers = {name: self._make_server(name, entry) for name, entry in entries.items()}
        self.close()
        self._servers, self._tools = servers, None

    def _make_server(self, name: str, entry: JSONMapping) -> MCPServer:
        limit = self.execution_timeout
        if "command" in entry:
            command = [entry["command"], *entry.get("args", ())]
            return MCPServer(command, env=entry.get("env"), cwd=entry.get("cwd"), timeout=limit)
        if "url" in entry:
            return MCPServer(entry["url"], headers=entry.get("headers") or {}, timeout=limit)
        raise ValueError(f"server {name!r}: expected 'url' or 'command', got {', '.join(entry)}")

    def _list_tools(self) -> dict[str, ServerTool]:
        if self._tools is None:
            several = len(self._servers) > 1
            self._tools = {
                f"{name}_{tool.name}" if several else tool.name: tool
                for name, server in self._servers.items()
                for tool in server.list_tools()
            }
        return self._tools

    def get_available_tools(self) -> list[JSONObject]:
        """Return each tool's name, description and parameters."""
        return [
            {**tool.schema["function"], "name": name} for name, tool in self._list_tools().items()
        ]

    def instruction_string(self) -> str:
        functions = [
            json.dumps({"type": "function", "function": one})
            for one in sorted(self.get_available_tools(), key=lambda one: str(one["name"]))
        ]
        return (
            "You may call these tools, one in a reply, with their arguments as a JSON object:\n"
            f"{_EXAMPLE}\nWhat a tool answers is sent back, and you go on.\n<tools>\n"
            + "\n".join(functions)
            + "\n</tools>"
        )

    def execute_action(self, action: str) -> tuple[bool, bool, str, str]:
        check_type(action, str, "action")
        call, name, text = _find_call(action)
        if not call:
            return False, True, "", ""
        try:
            arguments = parse_json(text or "{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return False, True, "", ""
        tools = self._list_tools()
        if name not in tools:
            return False, True, f"no tool {name!r}; there are {', '.join(tools)}", call
        try:
            return True, False, tools[name].call(arguments), call
        except (ToolError, MCPServerError) as error:
            return True, True, f"[Tool execution error: {error}]", call

    def close(self) -> None:
        """Close every server."""
        for server in self._servers.values():
            server.close()


def _find_call(action: str) -> tuple[str, str, str]:
    """Return the first call in a reply with its tags, the tool's name, and its arguments' text."""
    start = action.find("<tool_call>")
    end = action.find("</tool_call>", start)
    if not 0 <= start < end:
        return "", "", ""
    call = action[start : end + len("</tool_call>")]
    name, text = (_find_tag(call, tag) for tag in ("tool_name", "arguments"))
    return ("", "", "") if name is None or text is None else (call, name, text)


def _find_tag(text: str, tag: str) -> str | None:
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start)
    return text[start + len(tag) + 2 : end].strip() if 0 <= start < end else None
