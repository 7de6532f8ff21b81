"""Tools of MCP servers, started as a command or reached over HTTP, with the official client."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import os
import tempfile
import threading
import uuid
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import numpy as np

from gem_ma.chat.messages import Picture, ToolOutput
from gem_ma.tools.tool import ToolCallHistory, ToolError
from gem_ma.validation.endpoints import (
    SentSecrets,
    open_http_client,
    redact_secrets,
    split_credentials,
)
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping

if TYPE_CHECKING:
    import mcp

_CLOSE_TIMEOUT = 10.0  # seconds; the client waits about 7 for a server's process to end
_MAX_PAGES = 1000
_IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_MAX_PIXELS = 1 << 24  # pixels of a picture
_MAX_ANSWER_SIZE = 1 << 26  # bytes of an answer, which contains each result twice, and escaped


class MCPServerError(RuntimeError):
    """An MCP server does not start, or does not follow the protocol."""


class _ConnectionLost(Exception):
    """The connection ended before the answer arrived."""


class MCPServer:
    """An MCP server, with one connection that is opened on first use and shared by all threads.

    If the connection ends during a call, the server reconnects and repeats the call once. The
    connection is closed by `close`, at the end of a `with` block, when the server and its tools are
    garbage-collected, and at exit. A pickled server contains the settings of the connection, not
    the connection itself.

    Args:
        target: the URL of a server (streamable HTTP), or the command that starts a server (stdio).
        env: environment variables for the command, in addition to PATH, HOME and similar ones.
        cwd: working directory of the command; None: the current one.
        headers: headers of each HTTP request.
        timeout: seconds for a call.
        start_timeout: seconds for a server to start and answer.
        max_answer: maximum bytes of an answer over HTTP, decompressed; a longer answer is an error
            of the call.
    """

    def __init__(
        self,
        target: str | Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
        start_timeout: float = 30.0,
        max_answer: int = _MAX_ANSWER_SIZE,
    ):
        if isinstance(target, str):
            if urlsplit(target).scheme not in ("http", "https"):
                raise ValueError(
                    f"target={redact_secrets(target)!r}: expected an http(s) URL, or a command as "
                    "a list, such as ['python', 'server.py']"
                )
            if env is not None or cwd is not None:
                raise TypeError("env= and cwd= belong to a command; a URL has neither")
        elif headers is not None:
            raise TypeError("headers= belong to a URL; a command has none")
        elif not target:
            raise ValueError("target=[]: expected a command such as ['python', 'server.py']")
        if timeout <= 0 or start_timeout <= 0 or max_answer <= 0:
            raise ValueError(
                f"timeout={timeout}, start_timeout={start_timeout}, max_answer={max_answer}: "
                "expected more than 0"
            )
        self.target = target if isinstance(target, str) else list(map(os.fspath, target))
        self.env = dict(env or {})
        self.cwd = cwd
        self.headers = dict(headers or {})
        self.timeout = timeout
        self.start_timeout = start_timeout
        self.max_answer = max_answer
        user = split_credentials(target)[1] if isinstance(target, str) else None
        self.secrets = SentSecrets.from_headers({**self.env, **self.headers}, user)
        self._set_key(uuid.uuid4().hex)

    def _set_key(self, key: str) -> None:
        self._key = key  # the same in all copies, so that copies in one process share a server
        self._lock = threading.Lock()
        self._connection: _MCPConnection | None = None
        self._finalizer: weakref.finalize[..., Any] | None = None
        self._closed = False
        _SERVERS[key] = self

    def __repr__(self) -> str:
        target = self.target if isinstance(self.target, str) else " ".join(self.target)
        return f"MCPServer({redact_secrets(target)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        settings = (
            "target", "env", "cwd", "headers", "timeout", "start_timeout", "max_answer",
        )  # fmt: skip
        return _restore_server, (self._key, {name: getattr(self, name) for name in settings})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, and end the process of a command; calls in progress fail."""
        with self._lock:
            self._closed = True
            connection = self._connection
        if connection is not None:
            self._drop_connection(connection)

    def list_tools(self) -> list[MCPTool]:
        """Return every tool that the server offers."""
        return [
            MCPTool(self, tool.name, tool.description or "", tool.input_schema)
            for tool in self._ask_client(_fetch_tools)
        ]

    def call(self, name: str, arguments: JSONMapping) -> str:
        """Call a tool of the server, and return its answer as text, with any pictures.

        Raises:
            ToolError: the tool reports an error, or the call failed.
            MCPServerError: the server does not start, is closed, or sent a malformed answer.
        """
        result = self._ask_client(lambda client: client.call_tool(name, dict(arguments)))
        try:
            text = "\n".join(map(_format_block, result.content))
        except ValueError as error:  # invalid base64
            raise _make_malformed_error(repr(self), self.secrets.hide(str(error))) from None
        if not result.content and result.structured_content is not None:
            text = json.dumps(result.structured_content, ensure_ascii=False)
        if result.is_error:
            raise ToolError(self.secrets.hide(text) or f"{name} failed and does not say why")
        pictures_or_none = [
            _read_picture(block) for block in result.content if block.type == "image"
        ]
        pictures = [one for one in pictures_or_none if one is not None]
        return ToolOutput(text, pictures) if pictures else text

    def _ask_client(self, question: Callable[[mcp.Client], Awaitable[Any]]) -> Any:
        for _ in range(2):
            connection = self._open_connection()
            try:
                return connection.ask_client(question)
            except _ConnectionLost:
                self._drop_connection(connection)
                if self._closed:
                    raise MCPServerError(f"{self} was closed during a call") from None
        raise ToolError("the tool's server ended during this call, and again when it was repeated")

    def _open_connection(self) -> _MCPConnection:
        with self._lock:
            if self._closed:
                raise MCPServerError(f"{self} is closed; make a new one")
            if self._connection is None:
                self._connection = _MCPConnection(self)
                self._finalizer = weakref.finalize(self, self._connection.close)
            connection = self._connection
        try:
            connection.started.result()
        except MCPServerError:
            self._drop_connection(connection)  # the next call tries again
            raise
        return connection

    def _drop_connection(self, connection: _MCPConnection) -> None:
        with self._lock:
            if self._connection is connection:
                self._connection = None
                if self._finalizer is not None:
                    self._finalizer.detach()
        connection.close()


_SERVERS: weakref.WeakValueDictionary[str, MCPServer] = weakref.WeakValueDictionary()


def _restore_server(key: str, settings: dict[str, Any]) -> MCPServer:
    """Return the process's server with this key; make one if there is none."""
    server = _SERVERS.get(key)
    if server is None:
        server = MCPServer(
            **{name: value for name, value in settings.items() if value or name == "target"}
        )
        server._set_key(key)
    return server


def _forget_connections() -> None:
    """Reset connections in a forked child, which does not inherit their threads."""
    for server in list(_SERVERS.values()):
        server._lock = threading.Lock()
        server._connection = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_connections)


class MCPTool:
    """A tool of an MCP server, with the name, description and schema that the server reports."""

    blocking = True

    def __init__(self, server: MCPServer, name: str, description: str, parameters: JSONMapping):
        self.server = server
        self.name = name
        function = {"name": name, "description": description, "parameters": dict(parameters)}
        self.schema: JSONMapping = {"type": "function", "function": function}

    @classmethod
    def from_command(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
        start_timeout: float = 30.0,
    ) -> list[MCPTool]:
        """Start a server, such as ["python", "server.py"], and return its tools."""
        if isinstance(command, str):
            raise TypeError(
                f"command={command!r}: expected a list, such as ['python', 'server.py']"
            )
        return MCPServer(
            command, env=env, cwd=cwd, timeout=timeout, start_timeout=start_timeout
        ).list_tools()

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
        start_timeout: float = 30.0,
        max_answer: int = _MAX_ANSWER_SIZE,
    ) -> list[MCPTool]:
        """Return the tools of the server at a URL, such as "http://127.0.0.1:8000/mcp"."""
        return MCPServer(
            url,
            headers=headers,
            timeout=timeout,
            start_timeout=start_timeout,
            max_answer=max_answer,
        ).list_tools()

    def __repr__(self) -> str:
        return f"MCPTool({self.name!r}, {self.server!r})"

    def call(self, arguments: JSONMapping, past: ToolCallHistory = ()) -> str:
        """Return the server's answer as text; raise ToolError for its errors and for timeouts."""
        return self.server.call(self.name, arguments)

    def close(self) -> None:
        """Close the server, which all of its tools share."""
        self.server.close()


class _MCPConnection:
    """One session with a server, on an event loop in a separate thread."""

    def __init__(self, server: MCPServer):
        with require_extra("tools", "MCPTool"):  # fails here rather than in the thread
            import mcp  # noqa: F401
            import mcp_types  # noqa: F401 - not in the older mcp that openenv has
        # No reference to the server is kept: its finalizer closes this connection.
        self._name, self._target = repr(server), server.target
        self._env, self._cwd, self._headers = server.env, server.cwd, server.headers
        self._timeout, self._start_timeout = server.timeout, server.start_timeout
        self._max_answer, self._secrets = server.max_answer, server.secrets
        self._pid = os.getpid()
        self._garbage = ""
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._client: mcp.Client | None = None
        self.started: Future[None] = Future()
        self._ended: Future[None] = Future()
        self._thread = threading.Thread(target=self._run_loop, name=self._name, daemon=True)
        self._thread.start()

    def ask_client(self, question: Callable[[mcp.Client], Awaitable[Any]]) -> Any:
        """Run a coroutine function of the client on its event loop, and return the result.

        This may be called from any thread.
        """
        import mcp_types
        from mcp import MCPError

        coroutine = self._await_answer(question)
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError:  # the loop is closed
            coroutine.close()
            raise _ConnectionLost from None
        wait([future, self._ended], return_when=FIRST_COMPLETED)
        if not future.done():
            raise _ConnectionLost
        try:
            return future.result()
        except CancelledError:
            raise _ConnectionLost from None
        except TimeoutError:
            raise ToolError(f"no answer within {self._timeout:g} s") from None
        except MCPError as error:
            # A restarted HTTP server reports an unknown session as terminated.
            if error.code == mcp_types.CONNECTION_CLOSED or error.message == "Session terminated":
                raise _ConnectionLost from None
            raise ToolError(self._secrets.hide(error.message)) from None
        except (RuntimeError, ValueError) as error:  # raised by the client for malformed results
            raise _make_malformed_error(self._name, self._secrets.hide(str(error))) from None

    def close(self) -> None:
        """End the session and wait until the server's process is gone."""
        if os.getpid() != self._pid:
            return
        try:
            self._loop.call_soon_threadsafe(self._stop.set)
        except RuntimeError:  # the loop is closed already
            return
        if threading.current_thread() is not self._thread:  # garbage collection may call it there
            self._thread.join(_CLOSE_TIMEOUT)

    async def _await_answer(self, question: Callable[[mcp.Client], Awaitable[Any]]) -> Any:
        assert self._client is not None
        async with asyncio.timeout(self._timeout):
            return await question(self._client)

    def _run_loop(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._run_session())
        self._ended.set_result(None)

    async def _run_session(self) -> None:
        import httpx2
        from mcp import MCPError

        # The process needs a real file for stderr; its contents explain why a server failed.
        with tempfile.TemporaryFile() as errors:
            problem = "it was closed"
            try:
                async with AsyncExitStack() as stack:
                    async with asyncio.timeout(self._start_timeout):
                        self._client = await self._open_client(stack, errors)
                    self.started.set_result(None)
                    await self._stop.wait()
            except TimeoutError:
                problem = f"no answer within {self._start_timeout:g} s"
            except (OSError, ValueError, MCPError, httpx2.HTTPError, ExceptionGroup) as error:
                problem = "; ".join(_list_errors(error))
            if self.started.done():
                return
            if self._garbage:
                problem += f"; it printed what is no MCP message: {self._garbage}"
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 1000))
            if output := errors.read().decode("utf-8", "replace").strip():
                problem += f"; it said: {output}"
            self.started.set_exception(
                MCPServerError(
                    f"{self._name} does not start as an MCP server: {self._secrets.hide(problem)}"
                )
            )

    async def _open_client(self, stack: AsyncExitStack, errors: Any) -> mcp.Client:
        import httpx2
        import mcp
        from mcp.client.streamable_http import streamable_http_client

        transport: Any
        if isinstance(self._target, str):
            limits = httpx2.Timeout(self._start_timeout, read=None)  # calls have their own
            url, user = split_credentials(self._target)
            http = open_http_client(
                httpx2.AsyncClient,
                argument="its URL",
                most=self._max_answer,
                events=True,
                headers=self._headers,
                auth=user,
                timeout=limits,
            )
            await stack.enter_async_context(http)
            transport = streamable_http_client(
                url, http_client=http, max_sse_event_size=self._max_answer
            )
        else:
            command = mcp.StdioServerParameters(
                command=self._target[0], args=self._target[1:], env=self._env, cwd=self._cwd
            )
            transport = mcp.stdio_client(command, errlog=errors)
        client = mcp.Client(transport, message_handler=self._note_garbage)
        return await stack.enter_async_context(client)

    async def _note_garbage(self, message: Any) -> None:
        if isinstance(message, Exception):
            self._garbage = str(message)[:300]


async def _fetch_tools(client: mcp.Client) -> list[Any]:
    tools, cursor = [], None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor:
            return tools
    raise ValueError(f"a list of tools that does not end within {_MAX_PAGES} pages")


def _list_errors(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _list_errors(inner)]
    return [f"{type(error).__name__}: {error}"]


def _make_malformed_error(name: str, problem: str) -> MCPServerError:
    return MCPServerError(f"{name} answered with something malformed: {problem[:1000]}")


def _read_picture(block: Any) -> Picture | None:
    """Return the picture of a block, or None if it cannot be read or is too large."""
    from PIL import Image

    with contextlib.suppress(
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ):
        image = Image.open(io.BytesIO(base64.b64decode(block.data)), formats=_IMAGE_FORMATS)
        if image.width * image.height <= _MAX_PIXELS:
            return Picture.from_array(np.asarray(image.convert("RGB")), _format_block(block))
    return None


def _format_block(block: Any) -> str:
    """Return a block of a result as text; other media are described in square brackets."""
    if block.type == "text":
        return str(block.text)
    if block.type in ("image", "audio"):
        return f"[{block.type}: {block.mime_type}, {_count_base64_bytes(block.data)} bytes]"
    if block.type == "resource_link":
        return f"[resource: {block.name}, {block.uri}]"
    resource = block.resource
    text = getattr(resource, "text", None)
    if text is not None:
        return str(text)
    size = _count_base64_bytes(resource.blob)
    return f"[resource: {resource.uri}, {resource.mime_type}, {size} bytes]"


def _count_base64_bytes(data: str) -> int:
    """Return the number of bytes that base64 text encodes, without decoding it."""
    return len(data.rstrip("=")) * 3 // 4
