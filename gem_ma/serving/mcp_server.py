"""Serves any environment as an MCP server with the tools reset, act and observe."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gem_ma.agents import assign_agents, load_agent
from gem_ma.apis import factory
from gem_ma.chat.agent import check_agent_seat
from gem_ma.chat.messages import to_mcp
from gem_ma.engine.action_parsing import replace_surrogates
from gem_ma.engine.match import SeatError
from gem_ma.rollouts.version import __version__
from gem_ma.serving.listener import open_listener
from gem_ma.serving.mcp_episodes import EpisodeStore, ToolRequestError
from gem_ma.serving.middleware import AccessMiddleware, resolve_token
from gem_ma.validation.extras import LazyModule

if TYPE_CHECKING:
    import mcp_types
    import uvicorn
    from mcp.server import lowlevel, stdio
else:
    mcp_types = LazyModule("mcp_types", "tools", "an MCP server")
    lowlevel = LazyModule("mcp.server.lowlevel", "tools", "an MCP server")
    stdio = LazyModule("mcp.server.stdio", "tools", "an MCP server")
    uvicorn = LazyModule("uvicorn", "tools", "an MCP server")

MCP_PATH = "/mcp"
_INSTRUCTIONS = (
    "Call reset to begin an episode of {id}. Read the rules that it returns, then call act with "
    "your reply until done is true. Name the episode in each call."
)


def serve_mcp(
    id: str,
    *,
    transport: str = "stdio",
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    max_sessions: int = 256,
    max_message: int = 1 << 20,
    first_message: float = 30.0,
    idle: float = 1800.0,
    seat: str | None = None,
    others: str = "random",
    say: Callable[[str], Any] | None = None,
    **make: Any,
) -> None:
    """Serve an environment as an MCP server until interrupted.

    Args:
        id: the id of the environment.
        transport: "stdio" for one client, which starts this process, or "http" for the streamable
            HTTP of any number of clients.
        host: the address to listen on. All but the loopback need a token.
        port: the port to listen on; 0: any free one.
        token: as `serve` of gem_ma.serving.server takes it.
        max_sessions: the number of episodes at the same time, each with an environment.
        max_message: the largest size of a request in bytes.
        first_message: seconds until a connection's first request, and for each whole request.
        idle: seconds without a call after which an episode may be ended.
        seat: the seat of all clients; None: a client may name one in reset, or play all seats.
        others: the agents of the other seats, as `serve` takes them.
        say: a function that is called once with a line with the address; None: none.
        **make: arguments for `gem_ma.make`, such as `observe="both"`.
    """
    if transport not in ("stdio", "http"):
        raise ValueError(f"transport: expected 'stdio' or 'http', got {transport!r}")
    token = resolve_token(host, token) if transport == "http" else None
    store = make_episode_store(id, seat, others, max_sessions, idle, make)
    server = make_mcp_server(store)
    if transport == "stdio":
        asyncio.run(_serve_stdio(server))
        return
    app = make_mcp_app(server, token, max_message, first_message, idle)
    with open_listener(host, port) as (listener, address):
        if say is not None:
            say(f"{id} at http://{address}{MCP_PATH}")
        config = uvicorn.Config(
            app,
            http=_make_punctual_protocol(first_message),
            ws="none",
            log_level="warning",
            access_log=False,
            limit_concurrency=4 * max_sessions + 16,
            timeout_keep_alive=max(1, round(first_message)),
            timeout_graceful_shutdown=3,
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def _make_punctual_protocol(seconds: float) -> Any:
    """Return uvicorn's protocol, with a limit of time for each request to be there as a whole."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class PunctualProtocol(H11Protocol):
        """Closes a connection whose request is not whole in time."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect_request()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._expect_request()

        def _expect_request(self) -> None:
            self.loop.call_later(seconds, self._close_without_request, self.cycle)

        def _close_without_request(self, before: Any) -> None:
            if self.cycle is before:
                self.transport.close()
            elif self.cycle.more_body:  # a request has begun since
                self.loop.call_later(seconds, self._close_without_body, self.cycle)

        def _close_without_body(self, request: Any) -> None:
            if self.cycle is request and request.more_body:
                self.transport.close()

    return PunctualProtocol


async def _serve_stdio(server: Any) -> None:
    async with stdio.stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def make_episode_store(
    id: str, seat: str | None, others: str, max_sessions: int, idle: float, make: dict[str, Any]
) -> EpisodeStore:
    """Return the episodes of a server, or raise an error if an argument is wrong."""
    if max_sessions < 1 or not idle > 0:
        raise ValueError(
            f"max_sessions={max_sessions}, idle={idle}: expected 1 session or more, and more than "
            "0 seconds"
        )
    env = factory.resolve_env(serve_mcp, id, make)
    seats = env.possible_agents
    if seat is not None and seat not in seats:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(seats)}")
    rest = [one for one in seats if one != seat]
    players = assign_agents(others, rest) if seat else dict.fromkeys(rest, others)
    for one, spec in players.items():  # raises errors of specs early
        agent = load_agent(spec)
        if seat:
            check_agent_seat(agent, one, spec)
    return EpisodeStore(env, seat, players if seat else others, max_sessions, idle)


def make_mcp_server(store: EpisodeStore) -> Any:
    """Return a server of the library `mcp` for the episodes of a store."""
    tools = [
        mcp_types.Tool(
            name=one["name"], description=one["description"], input_schema=one["inputSchema"]
        )
        for one in store.list_tools()
    ]

    async def list_tools(context: Any, params: Any) -> Any:
        return mcp_types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> Any:
        # A thread, because games and the agents of other seats may be slow.
        return await asyncio.to_thread(_call_tool, store, params.name, params.arguments or {})

    return lowlevel.Server(
        "gem_ma",
        version=__version__,
        title=f"gem_ma: {store.env.id}",
        instructions=_INSTRUCTIONS.format(id=store.env.id),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _call_tool(store: EpisodeStore, name: str, arguments: dict[str, Any]) -> Any:
    try:
        answer = store.call(name, arguments)
    except ToolRequestError as error:
        return _make_result([replace_surrogates(str(error))], None, is_error=True)
    facts = json.loads(replace_surrogates(json.dumps(answer.facts, ensure_ascii=False)))
    parts = (answer.content,) if isinstance(answer.content, str) else answer.content
    return _make_result([*parts, json.dumps(facts, ensure_ascii=False)], facts)


def _make_result(parts: list[Any], facts: Any, is_error: bool = False) -> Any:
    """Return the result of a call; each part becomes a block of its own."""
    content = [block for part in parts for block in to_mcp((part,))]
    return mcp_types.CallToolResult.model_validate(
        {"content": content, "structuredContent": facts, "isError": is_error}
    )


def make_mcp_app(
    server: Any, token: str | None, max_message: int, first_message: float, idle: float
) -> Any:
    """Return the ASGI application that serves an MCP server over streamable HTTP."""
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=True,
        stateless_http=True,  # an episode is named in each call
        max_request_body_size=max_message,
        host="0.0.0.0",  # AccessMiddleware checks who asks
    )
    hint = "the MCP server is at /mcp"
    return AccessMiddleware(app, token, first_message, idle, paths=(MCP_PATH,), hint=hint)
