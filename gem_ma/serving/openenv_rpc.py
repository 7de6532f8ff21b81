"""The page `/mcp`, where OpenEnv's clients ask by JSON-RPC which tools a server has: none."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from gem_ma.serving.openenv import Request, Response

_PARSE_ERROR, _INVALID_REQUEST, _UNKNOWN_METHOD = -32700, -32600, -32601


def make_rpc_endpoint(max_message: int) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of `/mcp`, which reads requests of at most `max_message` bytes.

    OpenEnv's own endpoint reads requests of any length, and opens sessions that stay open.
    """

    async def answer(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > max_message:
                return Response(status_code=413)
        return Response(json.dumps(answer_rpc(body)), media_type="application/json")

    return answer


def answer_rpc(body: bytes) -> dict[str, Any]:
    """Return the answer to a JSON-RPC request."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return _make_error(None, _PARSE_ERROR, "no JSON: expected a JSON-RPC 2.0 request")
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        return _make_error(None, _INVALID_REQUEST, "expected a JSON object with a method")
    id = request.get("id")
    id = id if isinstance(id, str | int) else None
    if request["method"] == "tools/list":
        return {"jsonrpc": "2.0", "id": id, "result": {"tools": []}}
    return _make_error(
        id,
        _UNKNOWN_METHOD,
        "there is tools/list, and no tool: an episode is played on the WebSocket /ws",
    )


def _make_error(id: str | int | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}
