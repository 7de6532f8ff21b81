"""Any environment of ours behind OpenEnv's protocol: `serve("game:ConnectFour-v0")`.

A session lives on the WebSocket `/ws` and has an environment of its own. It may see everything and
play all seats, or be bound to one seat, whose part it then sees, by `seat` in the data of reset or
for all sessions by `seat=` here. OpenEnv's `/reset` and `/step` over plain HTTP would make a new
environment for each request, so they are not offered.
"""

from __future__ import annotations

import asyncio
import functools
import hmac
import ipaddress
import json
import logging
import os
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Annotated, Any

import numpy as np

from gem_ma.agents import load
from gem_ma.apis import making
from gem_ma.apis.env import Env
from gem_ma.apis.seat import SeatView
from gem_ma.envs.bridges.openenv import pack, pack_chance, unpack_chance
from gem_ma.envs.bridges.openenv_ids import VARIABLE
from gem_ma.game import Game, InvalidMove, Message, Verbatim
from gem_ma.match.actions import clip
from gem_ma.match.match import ResetNeeded, SeatError
from gem_ma.rollouts.episode import plain
from gem_ma.talk.conversation import schemas

try:
    import uvicorn
    from fastapi import FastAPI
    from openenv.core.env_server.http_server import HTTPEnvServer
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import BeforeValidator, ConfigDict, Field
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    raise ImportError("serving needs openenv: pip install 'gem-ma[openenv]'") from error

_LOG = logging.getLogger(__name__)
_SUGGESTED = ("format", "max_turns", "image_size")  # arguments of Env that belong to an id
_PATHS = ("/ws", "/health", "/schema", "/metadata")

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


class ClientError(ValueError):
    """A client asked for what cannot be; the message is its answer."""


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

    host: what it listens on. Anything but the loopback demands a token.
    port: 0 takes a free one.
    token: what clients have to send, as the header `Authorization: Bearer TOKEN`; else the
        environment variable GEM_MA_TOKEN.
    max_sessions: connections at the same time, each with an environment.
    max_message: bytes of a message; a longer one ends its session.
    first_message: seconds that a connection has for its first whole message, and a request for
        coming whole. idle: seconds between an answer and the next message. Whoever takes longer is
        hung up on, and its place is free.
    seat: the one that all sessions are bound to; whoever has to be kept from seeing more needs it.
    others: who plays the other seats of a bound session, as a spec string for `agents.load`.
    say: called once with a line that tells the address.
    make: arguments for `gem_ma.make`, such as `observe="both"`.
    """
    token = token or os.environ.get(VARIABLE) or None
    if not token and not _is_loopback(host):
        raise ValueError(
            f"host={host!r} can be reached from other machines, so it takes a token: pass "
            f"token=... or set {VARIABLE}"
        )
    app = application(
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
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        if say is not None:
            shown = f"[{host}]" if ":" in host else host
            say(f"{id} at ws://{shown}:{listener.getsockname()[1]}")
        uvicorn.Server(settings(app, max_message, first_message)).run(sockets=[listener])


def settings(app: Any, max_message: int = 1 << 20, first_message: float = 30.0) -> uvicorn.Config:
    """Return how uvicorn runs an application."""

    class Punctual(H11Protocol):
        """Hangs up on what has not become a WebSocket after a while; requests take no time here."""

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


def application(
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
    """Return what `serve` serves as an ASGI application, for a server of your own."""
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise ValueError("a token is printable ASCII without spaces")
    if max_sessions < 1 or max_message < 1024:
        raise ValueError(
            f"max_sessions={max_sessions}, max_message={max_message}: expected 1 or more, and "
            "1024 or more"
        )
    if not (first_message > 0 and idle > 0):
        raise ValueError(f"first_message={first_message}, idle={idle}: expected more than 0")
    env = making.make(id, **make)
    if seat is not None and seat not in env.possible_agents:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(env.possible_agents)}")
    load(others)  # what is wrong with it shows here
    facts = _facts(env, seat, max_message)
    kind = SlowSession if env.game.blocking or others != "random" else Session
    app = FastAPI(title=f"{id} over OpenEnv", docs_url=None, redoc_url=None, openapi_url=None)
    HTTPEnvServer(
        functools.partial(kind, env, facts, seat, others),
        Reply,
        Shown,
        max_concurrent_envs=max_sessions,
        env_name=id,
    ).register_routes(app)
    return Gate(app, token, first_message, idle)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _facts(env: Env[Any], seat: str | None, max_message: int) -> dict[str, Any]:
    """Return what a gem_ma client needs to know of a game before it plays it."""
    game = env.game
    seats = game.agents if seat is None else (seat,)
    spec = env.spec.kwargs
    return {
        "id": env.id,
        "agents": list(seats),
        "bound": seat is not None,
        "rules": {agent: game.rules(agent) for agent in seats},
        "tools": {agent: schemas(tuple(game.tools(agent))) for agent in seats},
        "moves": None if game.moves is None else list(game.moves),
        "zero_sum": game.zero_sum,
        "together": game.together,
        "conversation": game.conversation,
        "briefs": type(game).brief is not Game.brief,
        "skips": type(game).skip is not Game.skip,
        "calls_at_once": game.calls_at_once,
        "longest": (max_message - 1024) // 6,  # JSON takes up to six bytes for a character
        "suggests": {name: spec[name] for name in _SUGGESTED if name in spec},
    }


def _worded(value: Any) -> Any:
    """Return the words that a client took for JSON: a reply may be 3, or [3]."""
    return json.dumps(value) if isinstance(value, int | float | list) else value


class Reply(Action):
    """An action: a reply of the seat that is to act, or several replies by seat."""

    # Clients put a plain reply where the one required field is; `replies` do without it.
    model_config = ConfigDict(json_schema_extra={"required": ["text"]})

    text: Annotated[str | None, BeforeValidator(_worded)] = Field(
        None, description="The reply of the seat that is to act"
    )
    replies: dict[str, str] | None = Field(
        None,
        description="Replies by seat, of some of those that are to act; then text is left out or "
        "empty",
    )
    game: dict[str, Any] | None = Field(
        None, description="For gem_ma's own client, instead of the others"
    )


class Shown(Observation):
    """What a session sees: of all seats, or of the one that it is bound to.

    `reward` is that of the seat that replied (the first of them), `done` says that nobody is to
    act any more.
    """

    agent: str | None = Field(None, description="The seat that is to act, the first if several are")
    to_act: list[str] = Field([], description="All seats that are to act")
    text: str = Field(
        "", description="What that agent reads; in its first turn the rules come before it"
    )
    prompt: str = Field("", description="The same, for clients that look for it under this name")
    rules: dict[str, str] = Field({}, description="What each seat is told once; with a reset only")
    observations: dict[str, dict[str, str]] = Field(
        {}, description="By seat: text, and image as a PNG file in base64, as the server is set"
    )
    rewards: dict[str, float] = Field({}, description="What the last step earned each seat")
    terminations: dict[str, bool] = Field({}, description="Whom the game is over for")
    truncations: dict[str, bool] = Field({}, description="Who was stopped by a limit")
    infos: dict[str, dict[str, Any]] = Field(
        {}, description="By seat: legal_actions where they can be listed, what was invalid, ..."
    )
    game: dict[str, Any] | None = Field(None, description="For gem_ma's own client")


class Session(Environment[Reply, Shown, State]):
    """One client's environment.

    A step is taken in the event loop: a hop to a thread and back costs more than a move does.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self, env: Env[Any], facts: Mapping[str, Any], seat: str | None, others: str
    ) -> None:
        super().__init__()
        self._env = env.fork()[0]
        self._facts = facts
        self._only = seat
        self._others = others
        self._bound: SeatView | None = None
        self._game: Remote | None = None
        self._begun = False
        self._told: set[str] = set()  # the seats that have read the rules in `text`
        self._state = State(gem_ma=facts)

    @property
    def state(self) -> State:
        return self._state

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        seat: str | None = None,
        options: dict[str, Any] | None = None,
        game: dict[str, Any] | None = None,
        **unknown: Any,
    ) -> Shown:
        """Begin an episode, bound to a seat if one is named."""
        return self._guarded(self._reset, seed, episode_id, seat, options, game, unknown)

    def step(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Shown:
        """Take replies; `timeout_s` is OpenEnv's and not kept: a step cannot be left half done."""
        return self._guarded(self._step, action)

    async def step_async(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Shown:
        return self.step(action)

    def _guarded(self, do: Callable[..., Shown], *args: Any) -> Shown:
        """Let what a client did wrong be its answer, and keep what went wrong here from it."""
        try:
            return do(*args)
        except (ClientError, SeatError, ResetNeeded):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours: no client's business
            _LOG.exception("%s failed", self._env.id)
            name = type(error).__name__
            raise RuntimeError(f"the server failed ({name}); its log says more") from None

    def _reset(
        self,
        seed: Any,
        episode_id: Any,
        seat: Any,
        options: Any,
        game: Any,
        unknown: Mapping[str, Any],
    ) -> Shown:
        if unknown:
            takes = "seed, episode_id, seat, options"
            raise ClientError(f"reset takes no {clip(next(iter(unknown)))}; it takes {takes}")
        for name, value, kind in (
            ("seed", seed, int),
            ("episode_id", episode_id, str),
            ("seat", seat, str),
            ("options", options, dict),
            ("game", game, dict),
        ):
            if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
                raise ClientError(f"{name}={clip(repr(value))}: expected {kind.__name__} or null")
        if seed is not None and abs(seed) >> 64:
            raise ClientError("seed: expected a number of at most 64 bits")
        if self._only is not None and (game is not None or seat not in (None, self._only)):
            raise ClientError(f"sessions of this server are bound to the seat {self._only}")
        self._begun = False
        self._told = set()
        self._state.episode_id, self._state.step_count = episode_id, 0
        if game is not None:
            self._game = Remote(self._env.game)
            shown = self._game.reset(game)
            self._begun = True
            return shown
        self._game = None
        seat = seat or self._only
        env, self._bound = self._env, None
        if seat is None:
            env.reset(seed=seed, options=options)
        else:
            alone = len(env.possible_agents) == 1
            view = SeatView(env, agent=seat, others=None if alone else self._others)
            view.reset(seed=seed, options=options)
            self._bound = view
        self._begun = True
        seats = env.possible_agents if seat is None else [seat]
        none, no = dict.fromkeys(seats, 0.0), dict.fromkeys(seats, False)
        return self._shown(None, none, no, no, {agent: env.rules(agent) for agent in seats})

    def _step(self, action: Reply) -> Shown:
        if not self._begun:
            raise ResetNeeded("step: no episode has begun; send a reset first")
        self._state.step_count += 1
        if self._game is not None:
            if action.game is None:
                raise ClientError("this episode was begun with game: its steps have it, too")
            return self._game.step(action.game)
        env, bound = self._env, self._bound
        if not env.to_act or (bound is not None and not bound._running):
            raise ResetNeeded("step: the episode is over; send a reset to begin the next")
        replies = self._replies(action)
        if bound is None:
            rewards, terminations, truncations = env.play(replies)
            return self._shown(next(iter(replies)), rewards, terminations, truncations)
        agent = bound.agent
        _, reward, terminated, truncated, _ = bound.step(replies[agent])
        return self._shown(agent, {agent: reward}, {agent: terminated}, {agent: truncated})

    def _replies(self, action: Reply) -> dict[str, str]:
        acting = self._env.to_act if self._bound is None else (self._bound.agent,)
        # The schema wants text in every action, so an empty one may stand beside replies.
        text = None if action.replies is not None and not action.text else action.text
        if action.game is not None or (text is None) == (action.replies is None):
            raise ClientError("an action is either text or replies: a reply for each seat")
        if text is not None:
            if len(acting) > 1:
                raise ClientError(f"several seats are to act, so send replies: {', '.join(acting)}")
            return {acting[0]: text}
        assert action.replies is not None
        for seat in action.replies:
            if seat not in acting:
                who = f"{clip(seat)} is not to act"
                raise SeatError(f"{who}; to act: {', '.join(acting)}")
        if not action.replies:
            raise SeatError(f"got no reply; to act: {', '.join(acting)}")
        return action.replies

    def _shown(
        self,
        actor: str | None,
        rewards: Mapping[str, float],
        terminations: Mapping[str, bool],
        truncations: Mapping[str, bool],
        rules: Mapping[str, str] | None = None,
    ) -> Shown:
        """Return what the session sees of the seats that are named."""
        env = self._env
        observations: dict[str, dict[str, str]] = {}
        infos: dict[str, dict[str, Any]] = {}
        for seat in terminations:
            observations[seat] = seen = {}
            for kind, value in env.observe(seat, turn=True).items():
                seen[kind] = value.base64 if kind == "image" else value
            infos[seat] = info = plain(env.info(seat, turn=True))
            if "text" in info:  # beside pictures alone: messages and notices
                seen["text"] = info.pop("text")
        to_act = [seat for seat in env.to_act if seat in terminations]
        agent = to_act[0] if to_act else None
        text = observations[agent or next(iter(observations))]["text"]
        if agent is not None and agent not in self._told:
            self._told.add(agent)
            text = f"{env.rules(agent)}\n\n{text}".strip()
        # All of it is of our making, so that nothing is checked once more.
        shown: Shown = Shown.model_construct(
            done=not to_act,
            reward=None if actor is None else rewards[actor],
            metadata={},
            agent=agent,
            to_act=to_act,
            text=text,
            prompt=text,
            rules=rules or {},
            observations=observations,
            rewards=rewards,
            terminations=terminations,
            truncations=truncations,
            infos=infos,
            game=None,
        )
        return shown


class SlowSession(Session):
    """A session whose steps wait for something, each in the session's own thread."""

    step_async = Environment.step_async  # OpenEnv's sign that there is none


class Remote:
    """The bare game, for a client of ours whose Env is on its own side of the wire."""

    def __init__(self, game: Game[Any]):
        self.game = game
        self.rng = np.random.Generator(np.random.PCG64(0))
        self.state: Any = None

    def reset(self, request: Mapping[str, Any]) -> Shown:
        """Begin with the random numbers of the client."""
        self._use(request)
        self.state = self.game.start(self.rng, request.get("options") or {})
        return self._shown(self._position(()))

    def step(self, request: Mapping[str, Any]) -> Shown:
        """Read a reply, look, let a seat forfeit, or make the moves of all that are to act."""
        state, game = self.state, self.game
        told: Iterable[Message] = ()
        if "read" in request:
            return self._shown(self._read(request))
        if "look" in request:
            return self._shown({"seen": self._look(request)})
        self._use(request)
        if "forfeit" in request:
            agent = self._seat(request["forfeit"])
            after = game.forfeit(state, agent, self.rng)
            if after is None:
                return self._shown({"chance": pack_chance(self.rng)})
        else:
            try:
                moves = self._moves(request.get("moves"))
                after = game.advance(state, moves, self.rng)
            except InvalidMove as error:  # the client's Env makes an invalid reply of it
                return self._shown({"invalid": str(error)})
            heard = game.tell(state, moves, after)
            if heard is None:
                heard = [_told(seat, move) for seat, move in moves.items()]
            told = heard
        self.state = after
        return self._shown(self._position(told))

    def _use(self, request: Mapping[str, Any]) -> None:
        try:
            unpack_chance(request["chance"], self.rng)
        except (KeyError, ValueError, TypeError, AttributeError):
            raise ClientError("chance: expected where a PCG64 generator stands") from None

    def _seat(self, agent: Any) -> str:
        if agent not in self.game.agents:
            raise SeatError(f"no seat {clip(repr(agent))}; {', '.join(self.game.agents)}")
        return str(agent)

    def _moves(self, texts: Any) -> dict[str, Any]:
        acting = self.state.to_act()
        if not isinstance(texts, dict) or set(texts) != set(acting) or not acting:
            raise ClientError(f"moves: expected one for each of: {', '.join(acting) or 'nobody'}")
        moves = {}
        for seat, text in texts.items():
            view = self.state.seen_by(seat)
            if text is not None and not isinstance(text, str):
                raise ClientError(f"moves: expected str or null for {seat}")
            moves[seat] = (
                self.game.skip(view, seat) if text is None else self.game.read(text, view, seat)
            )
        return moves

    def _read(self, request: Mapping[str, Any]) -> dict[str, Any]:
        seat, text = self._seat(request.get("seat")), request["read"]
        if not isinstance(text, str):
            raise ClientError("read: expected str")
        try:
            self.game.read(text, self.state.seen_by(seat), seat)
        except InvalidMove as error:
            return {"invalid": str(error)}
        return {}

    def _look(self, request: Mapping[str, Any]) -> Any:
        """Return how the game shows itself to a seat, or to a spectator where it can."""
        what, seat = request["look"], request.get("seat")
        if what not in ("describe", "picture", "encode", "brief"):
            raise ClientError(f"look={clip(repr(what))}: expected describe, picture, encode, brief")
        if seat is None and what in ("describe", "picture"):
            return pack(getattr(self.game, what)(self.state, None))
        seat = self._seat(seat)
        return pack(getattr(self.game, what)(self.state.seen_by(seat), seat))

    def _position(self, told: Iterable[Message]) -> dict[str, Any]:
        """Return what an Env needs to know of the position whatever it shows."""
        state, game = self.state, self.game
        views = {seat: state.seen_by(seat) for seat in game.agents}
        acting, legal = state.to_act(), None
        if hasattr(state, "legal"):
            legal = {seat: views[seat].legal(seat) for seat in acting}
        return {
            "to_act": acting,
            "returns": dict(state.returns()),
            "out": state.out() if hasattr(state, "out") else (),
            "texts": {seat: game.describe(view, seat) for seat, view in views.items()},
            "legal": legal,
            "news": [(*message, *[True] * isinstance(message, Verbatim)) for message in told],
            "report": plain(game.report(state)),
            "chance": pack_chance(self.rng),
        }

    def _shown(self, answer: dict[str, Any]) -> Shown:
        shown: Shown = Shown.model_construct(
            done=answer.get("to_act") == (), game=answer, metadata={}
        )
        return shown


def _told(seat: str, move: Any) -> Message:
    """Return the message that Env would make of a move which the game does not tell about."""
    if move is None:
        return Message(None, "game", f"{seat} lost its turn.")
    return Message(None, seat, str(move))


class Gate:
    """What stands before OpenEnv's application: who may come in, what is a message, and when."""

    def __init__(self, app: Any, token: str | None, first_message: float, idle: float):
        self.app = app
        self._token = token and f"Bearer {token}".encode()
        self._limits = first_message, idle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            status, problem = self._problem(scope)
            if problem:
                await _turn_away(scope, receive, send, status, problem)
                return
        if scope["type"] == "websocket":
            line = _Line(receive, send, *self._limits)
            receive, send = line.receive, line.send
        await self.app(scope, receive, send)

    def _problem(self, scope: Scope) -> tuple[int, str]:
        """Return why somebody cannot come in, or nothing."""
        headers = dict(scope["headers"])
        if self._token is not None:
            if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
                return 401, "send the header Authorization: Bearer and the token of this server"
        elif b"origin" in headers:  # else any web page could come in through a browser here
            return 403, "a browser's page has to have a token, and this server has none"
        if scope["path"] not in _PATHS:
            return 404, (
                f"there are {', '.join(_PATHS)}: an episode is played on the WebSocket /ws, since "
                "every request over plain HTTP would get an environment of its own"
            )
        return 200, ""


async def _turn_away(scope: Scope, receive: Receive, send: Send, status: int, problem: str) -> None:
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


class _Line:
    """A WebSocket on which what is no JSON object is answered here, and who is late hung up on."""

    def __init__(self, receive: Receive, send: Send, first_message: float, idle: float):
        self._receive, self._send = receive, send
        self._patience, self._idle = first_message, idle
        self._closed = False

    async def receive(self) -> Event:
        """Return the next event that OpenEnv can do something with; it would hang up on others."""
        while True:
            try:
                async with asyncio.timeout(self._patience):
                    event = await self._receive()
            except TimeoutError:
                return await self._hang_up(f"no message within {self._patience:g} seconds")
            if event["type"] != "websocket.receive":
                return event
            self._patience = self._idle
            problem = _fault(event.get("text"))
            if not problem:
                return event
            data = {"message": problem, "code": "INVALID_JSON"}
            answer = json.dumps({"type": "error", "data": data})
            await self.send({"type": "websocket.send", "text": answer})

    async def send(self, event: Event) -> None:
        """Send an event, unless the connection is closed from here."""
        if not self._closed:
            await self._send(event)

    async def _hang_up(self, why: str) -> Event:
        await self.send({"type": "websocket.close", "code": 1008, "reason": why})
        self._closed = True
        return {"type": "websocket.disconnect", "code": 1008, "reason": why}


def _fault(text: str | None) -> str:
    """Return what is wrong with a message, or nothing."""
    if text is None:
        return "expected text with a JSON object, got bytes"
    try:
        message = json.loads(text)
        if "\\u" in text:  # half a character, which no answer could repeat
            json.dumps(message, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        return f"no JSON: {clip(str(error), 200)}"
    if not isinstance(message, dict):
        return f"expected a JSON object, got {type(message).__name__}"
    return ""
