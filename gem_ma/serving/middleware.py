"""ASGI middleware for servers of environments: tokens, paths, time limits, malformed messages."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import os
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

from gem_ma.game import clip_repr

TOKEN_VARIABLE = "GEM_MA_TOKEN"
ALLOWED_PATHS = ("/ws", "/health", "/schema", "/metadata", "/openapi.json", "/mcp")
_HINT = (
    "an episode is played on the WebSocket /ws, since every request over plain HTTP would get an "
    "environment of its own"
)

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


def resolve_token(host: str, token: str | None = None) -> str | None:
    """Return the token that clients have to send, or raise ValueError if a needed one is missing.

    Args:
        host: the address to listen on; only the loopback needs no token.
        token: the token; None: the environment variable GEM_MA_TOKEN.
    """
    token = token or os.environ.get(TOKEN_VARIABLE) or None
    if token is None and not is_loopback(host):
        raise ValueError(
            f"host={host!r} can be reached from other machines, so it takes a token: set the "
            f"environment variable {TOKEN_VARIABLE}"
        )
    return token


class AccessMiddleware:
    """ASGI middleware that checks tokens, paths, messages and time limits of connections.

    Args:
        app: the application.
        token: the token that clients have to send; None: none, and browsers are refused.
        first_message: seconds until a WebSocket's first message, or until a whole request.
        idle: seconds between an answer and the next message of a WebSocket.
        paths: the paths of the application.
        hint: what a client should do that asks for another path.
    """

    def __init__(
        self,
        app: Any,
        token: str | None,
        first_message: float,
        idle: float,
        *,
        paths: Sequence[str] = ALLOWED_PATHS,
        hint: str = _HINT,
    ):
        self.app = app
        self._token = token and f"Bearer {token}".encode()
        self._timeouts = first_message, idle
        self._paths = paths
        self._hint = hint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            status, problem = self._find_problem(scope)
            if problem:
                await _reject_request(scope, receive, send, status, problem)
                return
        if scope["type"] == "websocket":
            line = _GuardedWebSocket(receive, send, *self._timeouts)
            receive, send = line.receive, line.send
        await self.app(scope, receive, send)

    def _find_problem(self, scope: Scope) -> tuple[int, str]:
        """Return the HTTP status and the reason for a refusal, or 200 and no reason."""
        headers = dict(scope["headers"])
        if self._token is not None:
            if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
                return 401, "send the header Authorization: Bearer and the token of this server"
        elif b"origin" in headers:  # otherwise any web page could connect through a browser
            return 403, "a browser's page has to have a token, and this server has none"
        path = scope["path"]
        if path not in self._paths or (scope["type"] == "websocket" and path != "/ws"):
            return 404, f"there are {', '.join(self._paths)}: {self._hint}"
        return 200, ""


def is_loopback(host: str) -> bool:
    """Return whether a host can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _reject_request(
    scope: Scope, receive: Receive, send: Send, status: int, problem: str
) -> None:
    kind = "http.response"
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": problem[:120]})
            return
        kind = "websocket.http.response"
    headers = [(b"content-type", b"application/json")]
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": json.dumps({"detail": problem}).encode()})


class _GuardedWebSocket:
    """A WebSocket that answers malformed messages with an error, and closes after a time limit."""

    def __init__(self, receive: Receive, send: Send, first_message: float, idle: float):
        self._receive, self._send = receive, send
        self._timeout, self._idle = first_message, idle
        self._closed = False

    async def receive(self) -> Event:
        """Return the next event that OpenEnv can handle; others would close the connection."""
        while True:
            try:
                async with asyncio.timeout(self._timeout):
                    event = await self._receive()
            except TimeoutError:
                return await self._close_connection(f"no message within {self._timeout:g} seconds")
            if event["type"] != "websocket.receive":
                return event
            self._timeout = self._idle
            problem = _find_message_fault(event.get("text"))
            if not problem:
                return event
            data = {"message": problem, "code": "INVALID_JSON"}
            answer = json.dumps({"type": "error", "data": data})
            await self.send({"type": "websocket.send", "text": answer})

    async def send(self, event: Event) -> None:
        """Send an event, unless this class has closed the connection."""
        if not self._closed:
            await self._send(event)

    async def _close_connection(self, why: str) -> Event:
        await self.send({"type": "websocket.close", "code": 1008, "reason": why})
        self._closed = True
        return {"type": "websocket.disconnect", "code": 1008, "reason": why}


def _find_message_fault(text: str | None) -> str:
    """Return the reason why a message is malformed, or an empty text."""
    if text is None:
        return "expected text with a JSON object, got bytes"
    try:
        message = json.loads(text)
        if "\\u" in text:  # a lone surrogate, which answers cannot encode
            json.dumps(message, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        return f"no JSON: {clip_repr(str(error), 200)}"
    if not isinstance(message, dict):
        return f"expected a JSON object, got {type(message).__name__}"
    return ""
