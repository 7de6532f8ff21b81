"""The arena's pages, its HTTP API, and the WebSocket of each match."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hmac
import ipaddress
import json
import logging
import re
import socket
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gem_ma.evaluation.viewer.page import write_page
from gem_ma.serving.arena.env_catalog import OfferedEnv
from gem_ma.serving.arena.lobby import ArenaLobby, MatchUpdate
from gem_ma.serving.arena.match_files import (
    ArenaError,
    MatchInfo,
    StorageError,
    explain_failed_write,
)
from gem_ma.serving.arena.match_ratings import find_unrated_reason
from gem_ma.serving.arena.match_session import MAX_REPLY_LENGTH, MatchSession
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONObject

with require_extra("arena", "the arena"):
    import uvicorn
    import websockets  # noqa: F401 - uvicorn takes it
    from starlette.applications import Starlette
    from starlette.requests import HTTPConnection, Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

_LOG = logging.getLogger(__name__)
COOKIE_NAME = "gem_ma_arena"
MAX_REQUEST_BYTES = 8 * MAX_REPLY_LENGTH  # bytes of a browser's request or message
MAX_LISTED = 200  # matches in the lobby
MAX_SOCKETS = 1000  # open WebSockets
VISITOR_SOCKETS = 100  # open WebSockets of one visitor
MAX_WATCHERS = 100  # spectators of one match
_MEDIA_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


class TooManySockets(ArenaError):
    """A connection that is refused for a limit; the message gives the reason."""


class ArenaApp:
    """The web application of an arena, with the requests that browsers send."""

    def __init__(self, hall: ArenaLobby, token: str | None, hosts: frozenset[str] | None):
        self.lobby, self.token, self.allowed_hosts = hall, token, hosts
        self.sockets: Counter[str] = Counter()  # number by visitor
        self.app = Starlette(
            routes=[
                Route("/", self._guard_route(self.serve_page)),
                Route("/{name}.{kind:str}", self._guard_route(self.serve_asset)),
                Route("/api/lobby", self._guard_route(self.serve_lobby)),
                Route("/api/places", self._guard_route(self.serve_search)),
                Route("/api/places/{id}", self._guard_route(self.serve_env)),
                Route("/api/matches", self._guard_route(self.serve_begin), methods=["POST"]),
                Route("/api/matches/{id}/sit", self._guard_route(self.serve_sit), methods=["POST"]),
                Route(
                    "/api/matches/{id}/again", self._guard_route(self.serve_again), methods=["POST"]
                ),
                Route("/api/matches/{id}/proof", self._guard_route(self.serve_proof)),
                Route("/api/records/{id}.jsonl", self._guard_route(self.serve_record)),
                Route("/api/records/{id}/replay", self._guard_route(self.serve_replay)),
                Route("/api/records/{id}/position", self._guard_route(self.serve_position)),
                WebSocketRoute("/api/matches/{id}/table", self.serve_match),
            ],
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        for table in list(self.lobby.match_sessions.values()):
            if not table.over:  # agents and clocks continue after a restart
                self.lobby.run_agents(table)
        yield
        self.lobby.close()

    def _find_problem(self, request: HTTPConnection) -> str:
        """Return the reason why a request is refused, or an empty text."""
        host = request.headers.get("host", "")
        if self.allowed_hosts is not None and host.rpartition(":")[0] not in self.allowed_hosts:
            return "this server is reached under the address that it was started with"
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "another site's page may not come in here"
        if self.token is None:
            return ""
        token = request.cookies.get(COOKIE_NAME, "") or request.query_params.get("token", "")
        same = hmac.compare_digest(token.encode(), self.token.encode())
        return "" if same else "open the address with ?token= and the token of this server"

    def _guard_route(self, answer: Callable[[Request], Awaitable[Response]]) -> Any:
        async def handle_request(request: Request) -> Response:
            if problem := self._find_problem(request):
                return JSONResponse({"problem": problem}, 403, _HEADERS)
            try:
                return await answer(request)
            except ArenaError as error:
                status = 507 if isinstance(error, StorageError) else 400
                return JSONResponse({"problem": str(error)}, status, _HEADERS)

        return handle_request

    async def serve_page(self, request: Request) -> Response:
        if self.token is not None and request.query_params.get("token"):
            response: Response = RedirectResponse("/", headers=_HEADERS)
            response.set_cookie(COOKIE_NAME, self.token, httponly=True, samesite="strict")
            return response
        return _read_page("arena.html")

    async def serve_asset(self, request: Request) -> Response:
        name = f"{request.path_params['name']}.{request.path_params['kind']}"
        if name not in ("arena.js", "arena.css", "look.css"):
            return JSONResponse({"problem": "there is no such page"}, 404, _HEADERS)
        return _read_page(name)

    async def serve_lobby(self, _: Request) -> Response:
        hall = self.lobby
        infos = sorted(hall.match_infos.values(), key=lambda one: -one.begun)
        description = {
            "places": self._offered_envs,
            "others": hall.catalog.others,
            "agents": list(hall.agents),
            "records": [
                {"id": f"r{i}", "name": one.name} for i, one in enumerate(hall.record_files)
            ],
            "matches": [_encode_match_info(one) for one in infos[:MAX_LISTED]],
            "ratings": {
                env: [one._asdict() for one in rated[:MAX_LISTED]]
                for env, rated in hall.compute_ratings().items()
            },
        }
        return JSONResponse(description, headers=_HEADERS)

    @functools.cached_property
    def _offered_envs(self) -> list[JSONObject]:
        return list(map(_encode_offered_env, self.lobby.catalog.offered_envs.values()))

    async def serve_search(self, request: Request) -> Response:
        """Return the other environments whose ids contain these words."""
        words = request.query_params.get("words", "")[:80]
        ids, count = await asyncio.to_thread(self.lobby.catalog.search_envs, words)
        return JSONResponse({"found": ids, "of": count}, headers=_HEADERS)

    async def serve_env(self, request: Request) -> Response:
        """Return the description of an environment."""
        env = await asyncio.to_thread(self.lobby.catalog.find_env, request.path_params["id"])
        return JSONResponse(_encode_offered_env(env), headers=_HEADERS)

    async def serve_begin(self, request: Request) -> Response:
        body = await _read_body(request)
        if body.get("of") is None:  # the first search takes seconds
            await asyncio.to_thread(self.lobby.catalog.find_env, body.get("env"))
        table, keys = self.lobby.begin_match(body, identify_visitor(request))
        self.lobby.run_agents(table)
        return JSONResponse({"id": table.info.id, "keys": keys}, headers=_HEADERS)

    async def serve_again(self, request: Request) -> Response:
        """Begin a rematch of a finished match for the seats whose keys are sent."""
        table, keys = self._find_match(request), (await _read_body(request)).get("keys")
        if not isinstance(keys, list) or not all(isinstance(one, str) for one in keys):
            raise ArenaError("keys: expected a list of the keys of your seats")
        if not table.info.of:
            await asyncio.to_thread(self.lobby.catalog.find_env, table.info.env)
        next_table, own_keys = self.lobby.play_again(table, keys, identify_visitor(request))
        self.lobby.notify_viewers(next_table)
        return JSONResponse({"id": next_table.info.id, "keys": own_keys}, headers=_HEADERS)

    async def serve_sit(self, request: Request) -> Response:
        table, body = self._find_match(request), await _read_body(request)
        key = self.lobby.take_seat(table, body.get("seat"), body.get("name"))
        self.lobby.notify_viewers(table)
        return JSONResponse({"id": table.info.id, "keys": {body["seat"]: key}}, headers=_HEADERS)

    async def serve_proof(self, request: Request) -> Response:
        """Return whether a replay reproduces the record of a match."""
        table, start = self._find_match(request), time.perf_counter()
        is_verified = await asyncio.to_thread(table.verify_record)
        seconds = round(time.perf_counter() - start, 3)
        return JSONResponse({"proven": is_verified, "seconds": seconds}, headers=_HEADERS)

    async def serve_record(self, request: Request) -> Response:
        name = request.path_params["id"]
        data = self.lobby.find_record_file(name).read_bytes()
        extra_headers = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
        return Response(data, media_type="application/jsonl", headers={**_HEADERS, **extra_headers})

    async def serve_replay(self, request: Request) -> Response:
        """Return the viewer's page of a finished match, or of records."""
        name = request.path_params["id"]
        path, study = self.lobby.find_record_file(name), f"/#study={name}"
        with explain_failed_write(), tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "page.html"
            await asyncio.to_thread(write_page, path, out, study=study)
            data = out.read_bytes()
        # The page has its own content policy, which allows only its one script.
        headers = {name: value for name, value in _HEADERS.items() if name[0] != "c"}
        return Response(data, media_type="text/html", headers=headers)

    async def serve_position(self, request: Request) -> Response:
        """Return the environment, seats and number of moves before a turn of a record."""
        params, name = request.query_params, request.path_params["id"]
        if not all(re.fullmatch(r"\d{1,9}", params.get(one, "")) for one in ("number", "turn")):
            raise ArenaError("expected the number of an episode and of a turn, 0 or more")
        start = self.lobby.make_continuation(name, int(params["number"]), int(params["turn"]))
        position = {
            "env": start.env,
            "seats": self.lobby.catalog.list_seats(start),
            "moves": len(start.past),
        }
        return JSONResponse(position, headers=_HEADERS)

    def _find_match(self, request: HTTPConnection) -> MatchSession:
        return self.lobby.get_match(request.path_params["id"])

    async def serve_match(self, line: WebSocket) -> None:
        """Send a browser the view of its seat after every change, and carry out its requests."""
        known_ids = self.lobby.match_infos.keys() | self.lobby.damaged_ids
        if self._find_problem(line) or line.path_params["id"] not in known_ids:
            await line.close(1008)
            return
        await line.accept()
        visitor = identify_visitor(line)
        try:
            if self.sockets.total() >= MAX_SOCKETS or self.sockets[visitor] >= VISITOR_SOCKETS:
                raise TooManySockets(
                    f"too many open pages of matches: at most {MAX_SOCKETS} on this server, and "
                    f"{VISITOR_SOCKETS} of one visitor; close one"
                )
            self.sockets[visitor] += 1
            try:
                await self._serve_table(line, self._find_match(line))
            finally:
                self.sockets -= Counter([visitor])
        except (ArenaError, TimeoutError) as error:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await line.send_json({"problem": str(error) or "no message within 10 seconds"})
                await line.close(1013 if isinstance(error, TooManySockets) else 1008)
        except WebSocketDisconnect:
            pass

    async def _serve_table(self, line: WebSocket, table: MatchSession) -> None:
        name, update = table.info.id, MatchUpdate()
        async with asyncio.timeout(10):
            message = _parse_message(await _receive_text(line))
        key, theme = message.get("key"), "dark" if message.get("dark") is True else "light"
        seat = self.lobby.find_seat(table, key) if isinstance(key, str) else None
        if key is not None and seat is None:
            raise ArenaError("this key belongs to no seat of this match")
        updates = self.lobby.update_events.setdefault(name, set())
        if seat is None and sum(not one.is_seated for one in updates) >= MAX_WATCHERS:
            raise TooManySockets(f"this match has {MAX_WATCHERS} spectators already; try later")
        update.is_seated = seat is not None
        updates.add(update)
        send_task = asyncio.create_task(self._send_updates(line, table, seat, update, theme))
        send_task.add_done_callback(_log_task_error)
        try:
            while True:
                await self._handle_message(line, table, seat, update)
        finally:
            send_task.cancel()
            updates.discard(update)
            if not updates:
                self.lobby.update_events.pop(name, None)
                self.lobby.drop_views(name)

    async def _send_updates(
        self, line: WebSocket, table: MatchSession, seat: str | None, news: MatchUpdate, theme: str
    ) -> None:
        last: JSONObject = {}
        while True:
            news.clear()
            description = await self.lobby.load_view(table, seat, theme)
            # An update is only sent if the view has changed, which hides moves of other seats.
            content = {name: value for name, value in description.items() if name != "seconds"}
            if content != last or news.is_own:
                await line.send_text(json.dumps(description))
            last, news.is_own = content, False
            await news.wait()

    async def _handle_message(
        self, line: WebSocket, table: MatchSession, seat: str | None, news: MatchUpdate
    ) -> None:
        try:
            message = _parse_message(await _receive_text(line))
            if seat is None:
                raise ArenaError("spectators cannot play; take a seat in the lobby")
            self.lobby.apply_request(table, seat, message)
            news.is_own = True
            news.set()
        except ArenaError as error:
            await line.send_json({"problem": str(error)})


async def _receive_text(line: WebSocket) -> str:
    event = await line.receive()
    if event["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(event.get("code", 1005), event.get("reason"))
    if event.get("text") is None:
        raise ArenaError("expected text with a JSON object, got bytes")
    return str(event["text"])


def identify_visitor(line: HTTPConnection) -> str:
    """Return the visitor for the limits: an IPv4 address, or the /64 network of an IPv6 one."""
    host = line.client.host if line.client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(ipaddress.ip_network((address, 64), strict=False))


def _log_task_error(task: asyncio.Task[None]) -> None:
    """Log an error of a background task."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, WebSocketDisconnect | RuntimeError):
        _LOG.error("sending a view to a browser failed", exc_info=error)


def _encode_offered_env(place: OfferedEnv) -> JSONObject:
    return {**place._asdict(), "picture": base64.b64encode(place.picture).decode()}


def _encode_match_info(about: MatchInfo) -> JSONObject:
    return {
        "id": about.id,
        "env": about.env,
        "seats": {seat: name.removeprefix("human:") for seat, name in about.list_players().items()},
        "free": about.free_seats,
        "over": bool(about.ended),
        "left": about.left,
        "watched": about.watched,
        "clock": about.clock,
        "outcome": about.outcome if about.ended else "",
        "of": about.of,
        "unrated": find_unrated_reason(about),
        "returns": about.returns if about.ended else None,
        "begun": about.begun,
    }


def _read_page(name: str) -> Response:
    package, kind = "gem_ma.serving.arena", Path(name).suffix
    if name == "look.css":
        package = "gem_ma.evaluation"
    data = resources.files(package).joinpath("page", name).read_bytes()
    return Response(data, media_type=_MEDIA_TYPES[kind], headers=_HEADERS)


async def _read_body(request: Request) -> JSONObject:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MAX_REQUEST_BYTES:
            raise ArenaError(f"expected at most {MAX_REQUEST_BYTES} bytes")
    return _parse_message(data)


def _parse_message(text: str | bytes) -> JSONObject:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise ArenaError("expected a JSON object") from None
    if not isinstance(message, dict):
        raise ArenaError("expected a JSON object")
    return message


def run_app(site: ArenaApp, listener: socket.socket) -> None:
    """Serve a site until interrupted."""
    limits = {
        "ws_max_size": MAX_REQUEST_BYTES,
        "ws_per_message_deflate": False,  # pictures are compressed already
        "timeout_graceful_shutdown": 2,
    }
    config = uvicorn.Config(site.app, log_level="warning", access_log=False, **limits)
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C ends a server
        uvicorn.Server(config).run(sockets=[listener])
