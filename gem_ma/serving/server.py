"""Serves any gem_ma environment by OpenEnv's protocol: `serve("game:ConnectFour-v0")`.

A session uses the WebSocket `/ws` and has an environment of its own. It sees and plays all seats,
or is bound to one seat and sees only its part: by `seat` in the data of reset, or by `seat=` here
for all sessions. OpenEnv's `/reset` and `/step` over plain HTTP would make a new environment for
each request, so they are not offered: in OpenEnv's words, the server is in production mode.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable
from typing import Any

from gem_ma.agents import assign_agents, load_agent
from gem_ma.apis import factory
from gem_ma.apis.env import Env
from gem_ma.chat.agent import check_agent_seat
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.engine.match import SeatError
from gem_ma.game import Game
from gem_ma.serving.listener import open_listener
from gem_ma.serving.middleware import ALLOWED_PATHS, AccessMiddleware, resolve_token
from gem_ma.serving.openenv import (
    FastAPI,
    H11Protocol,
    HTTPEnvServer,
    uvicorn,
)
from gem_ma.serving.openenv_messages import ReplyAction, SessionObservation
from gem_ma.serving.openenv_rpc import make_rpc_endpoint
from gem_ma.serving.openenv_session import OpenEnvSession, ThreadedSession
from gem_ma.validation.json_types import JSONObject

_API_VERSION = "1.0.0"  # of OpenEnv's HTTP interface, which `openenv validate` looks for
_SUGGESTED_ARGUMENTS = (
    "format",
    "max_turns",
    "image_size",
)  # arguments of Env that an id may set


def serve(
    id: str,
    *,
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
    """Serve an environment over OpenEnv's WebSocket protocol until interrupted.

    Args:
        id: the id of the environment.
        host: the address to listen on. All but the loopback need a token.
        port: the port to listen on; 0: any free one.
        token: the token that clients have to send in the header `Authorization: Bearer TOKEN`;
            None: the environment variable GEM_MA_TOKEN.
        max_sessions: the number of connections at the same time, each with an environment.
        max_message: the largest size of a message in bytes; a larger one ends its session.
        first_message: seconds until a connection's first whole message, or until a whole request.
        idle: seconds between an answer and the next message. After that the connection is closed,
            and its place is free.
        seat: the seat that all sessions are bound to, so that clients cannot see more; None: a
            client may see all seats.
        others: the agents of the other seats of a bound session: a spec string for `agents.load`;
            with `seat`, also one for each of them (see `agents.assign_agents`).
        say: a function that is called once with a line with the address; None: none.
        **make: arguments for `gem_ma.make`, such as `observe="both"`.
    """
    token = resolve_token(host, token)
    app = make_app(
        id,
        token=token,
        max_sessions=max_sessions,
        max_message=max_message,
        first_message=first_message,
        idle=idle,
        seat=seat,
        others=others,
        **make,
    )
    with open_listener(host, port) as (listener, address):
        if say is not None:
            say(f"{id} at ws://{address}")
        # Ctrl-C ends a server: uvicorn closes all connections, and then raises it again.
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(make_server_config(app, max_message, first_message)).run(
                sockets=[listener]
            )


def make_server_config(
    app: Any, max_message: int = 1 << 20, first_message: float = 30.0
) -> uvicorn.Config:
    """Return uvicorn's configuration for an application."""

    class Punctual(H11Protocol):
        """Closes connections that are no WebSocket after `first_message` seconds."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(first_message, self._hang_up)

        def _hang_up(self) -> None:
            if self.transport.get_protocol() is self:
                self.transport.close()

    return uvicorn.Config(
        app,
        http=Punctual,
        log_level="warning",
        access_log=False,
        ws_max_size=max_message,
        ws_per_message_deflate=False,  # costs more than it saves on messages this small
        timeout_graceful_shutdown=3,
    )


def make_app(
    id: str,
    *,
    token: str | None = None,
    max_sessions: int = 256,
    max_message: int = 1 << 20,
    first_message: float = 30.0,
    idle: float = 1800.0,
    seat: str | None = None,
    others: str = "random",
    **make: Any,
) -> Any:
    """Return the ASGI application of `serve`, for a server of your own.

    The arguments are those of `serve`. Without `token`, clients need none.
    """
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise ValueError("token: expected printable ASCII without spaces (its value is hidden)")
    if max_sessions < 1 or max_message < 1024:
        raise ValueError(
            f"max_sessions={max_sessions}, max_message={max_message}: expected 1 session or more, "
            "and messages of 1024 bytes or more"
        )
    if not (first_message > 0 and idle > 0):
        raise ValueError(f"first_message={first_message}, idle={idle}: expected more than 0")
    env = factory.resolve_env(serve, id, make)
    if seat is not None and seat not in env.possible_agents:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(env.possible_agents)}")
    rest = [one for one in env.possible_agents if one != seat]
    players = assign_agents(others, rest) if seat else dict.fromkeys(rest, others)
    agents = {
        one: load_agent(one) for one in dict.fromkeys(players.values())
    }  # raises errors of specs early
    for one, spec in players.items() if seat else ():
        check_agent_seat(agents[spec], one, spec)
    facts = _describe_game(env, seat, max_message)
    slow = env.game.blocking or set(players.values()) - {"random"}
    kind = ThreadedSession if slow else OpenEnvSession
    app = FastAPI(title=f"{id} over OpenEnv", version=_API_VERSION, docs_url=None, redoc_url=None)
    HTTPEnvServer(
        functools.partial(kind, env, facts, seat, players if seat else others),
        ReplyAction,
        SessionObservation,
        max_concurrent_envs=max_sessions,
        env_name=id,
    ).register_routes(app, mode="production")
    # OpenEnv's /mcp is replaced, and what is not offered is not in /openapi.json either.
    offered = [one for one in ALLOWED_PATHS if one != "/mcp"]
    app.router.routes[:] = [one for one in app.routes if getattr(one, "path", "") in offered]
    app.post("/mcp", summary="List the tools of this server by JSON-RPC: none")(
        make_rpc_endpoint(max_message)
    )
    return AccessMiddleware(app, token, first_message, idle)


def _describe_game(env: Env, seat: str | None, max_message: int) -> JSONObject:
    """Return the facts about a game that a gem_ma client needs before it plays."""
    game = env.game
    seats = game.agents if seat is None else (seat,)
    spec = env.spec.kwargs
    # Clients mask moves by the legal ones that are sent, without other names of moves.
    has_own_names = type(game).name_moves is Game.name_moves
    return {
        "id": env.id,
        "agents": list(seats),
        "bound": seat is not None,
        "rules": {agent: game.rules(agent) for agent in seats},
        "tools": {agent: make_tool_schemas(tuple(game.tools(agent))) for agent in seats},
        "moves": list(game.moves) if game.moves and has_own_names else None,
        "partial": game.legal_is_partial,
        "points": game.names_points,
        "zero_sum": game.zero_sum,
        "together": game.simultaneous,
        "conversation": game.conversation,
        "briefs": type(game).brief is not Game.brief,
        "skips": type(game).skip is not Game.skip,
        "calls_at_once": game.max_tool_calls,
        "longest": (max_message - 1024) // 6,  # JSON takes up to six bytes for a character
        "suggests": {name: spec[name] for name in _SUGGESTED_ARGUMENTS if name in spec},
    }
