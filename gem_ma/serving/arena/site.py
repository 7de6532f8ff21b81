"""The arena's pages, its small API, and the WebSocket of each table."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hmac
import json
import logging
import re
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gem_ma.evaluation.viewer.page import write_page
from gem_ma.serving.arena.hall import Hall, Place
from gem_ma.serving.arena.table import LONGEST, About, Refused, Table
from gem_ma.validation.extras import require_extra

with require_extra("arena", "the arena"):
    import uvicorn
    import websockets  # noqa: F401 - uvicorn takes it
    from starlette.applications import Starlette
    from starlette.requests import HTTPConnection, Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

_LOG = logging.getLogger(__name__)
COOKIE = "gem_ma_arena"
MOST = 8 * LONGEST  # bytes of what a browser sends
LISTED = 200  # matches in the lobby
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


class News(asyncio.Event):
    """What wakes up whoever looks at a table; own: it was by its own doing."""

    own = False


class Site:
    """What a browser asks of a hall."""

    def __init__(self, hall: Hall, token: str | None, hosts: frozenset[str] | None):
        self.hall, self.token, self.hosts = hall, token, hosts
        self.app = Starlette(
            routes=[
                Route("/", self._guarded(self.page)),
                Route("/{name}.{kind:str}", self._guarded(self.asset)),
                Route("/api/lobby", self._guarded(self.lobby)),
                Route("/api/places", self._guarded(self.search)),
                Route("/api/places/{id}", self._guarded(self.place)),
                Route("/api/matches", self._guarded(self.begin), methods=["POST"]),
                Route("/api/matches/{id}/sit", self._guarded(self.sit), methods=["POST"]),
                Route("/api/matches/{id}/proof", self._guarded(self.proof)),
                Route("/api/records/{id}.jsonl", self._guarded(self.record)),
                Route("/api/records/{id}/replay", self._guarded(self.replay)),
                Route("/api/records/{id}/position", self._guarded(self.position)),
                WebSocketRoute("/api/matches/{id}/table", self.table),
            ],
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        for table in list(self.hall.tables.values()):
            if not table.over:  # agents and clocks go on where the last server stood
                self.hall.drive(table)
        yield
        self.hall.close()

    def _problem(self, request: HTTPConnection) -> str:
        """Return why somebody cannot come in, or nothing."""
        host = request.headers.get("host", "")
        if self.hosts is not None and host.rpartition(":")[0] not in self.hosts:
            return "this server is reached under the address that it was started with"
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "another site's page may not come in here"
        if self.token is None:
            return ""
        given = request.cookies.get(COOKIE, "") or request.query_params.get("token", "")
        same = hmac.compare_digest(given.encode(), self.token.encode())
        return "" if same else "open the address with ?token= and the token of this server"

    def _guarded(self, answer: Callable[[Request], Awaitable[Response]]) -> Any:
        async def guarded(request: Request) -> Response:
            if problem := self._problem(request):
                return JSONResponse({"problem": problem}, 403, _HEADERS)
            try:
                return await answer(request)
            except Refused as error:
                return JSONResponse({"problem": str(error)}, 400, _HEADERS)

        return guarded

    async def page(self, request: Request) -> Response:
        if self.token is not None and request.query_params.get("token"):
            response: Response = RedirectResponse("/", headers=_HEADERS)
            response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            return response
        return _file("arena.html")

    async def asset(self, request: Request) -> Response:
        name = f"{request.path_params['name']}.{request.path_params['kind']}"
        if name not in ("arena.js", "arena.css", "look.css"):
            return JSONResponse({"problem": "there is no such page"}, 404, _HEADERS)
        return _file(name)

    async def lobby(self, _: Request) -> Response:
        hall = self.hall
        abouts = sorted(hall.abouts.values(), key=lambda one: -one.begun)
        told = {
            "places": self._places,
            "others": self.hall.others,
            "agents": list(hall.agents),
            "records": [{"id": f"r{i}", "name": one.name} for i, one in enumerate(hall.sources)],
            "matches": [_listed(one) for one in abouts[:LISTED]],
            "ratings": {
                env: [one._asdict() for one in rated[:LISTED]]
                for env, rated in hall.ratings().items()
            },
        }
        return JSONResponse(told, headers=_HEADERS)

    @functools.cached_property
    def _places(self) -> list[dict[str, Any]]:
        return list(map(_shown, self.hall.places.values()))

    async def search(self, request: Request) -> Response:
        """Say which other environments have these words in their ids."""
        words = request.query_params.get("words", "")[:80]
        found, count = await asyncio.to_thread(self.hall.search, words)
        return JSONResponse({"found": found, "of": count}, headers=_HEADERS)

    async def place(self, request: Request) -> Response:
        """Say what an environment is."""
        place = await asyncio.to_thread(self.hall.place, request.path_params["id"])
        return JSONResponse(_shown(place), headers=_HEADERS)

    async def begin(self, request: Request) -> Response:
        asked = await _body(request)
        if asked.get("of") is None:  # to look for it takes seconds, the first time
            await asyncio.to_thread(self.hall.place, asked.get("env"))
        table, keys = self.hall.begin(asked)
        self.hall.drive(table)
        return JSONResponse({"id": table.about.id, "keys": keys}, headers=_HEADERS)

    async def sit(self, request: Request) -> Response:
        table, asked = self._table(request), await _body(request)
        key = self.hall.sit(table, asked.get("seat"), asked.get("name"))
        self.hall.tell(table)
        return JSONResponse({"id": table.about.id, "keys": {asked["seat"]: key}}, headers=_HEADERS)

    async def proof(self, request: Request) -> Response:
        """Say whether the record of a match, played again, goes as it went."""
        table, begin = self._table(request), time.perf_counter()
        proven = await asyncio.to_thread(table.verified)
        seconds = round(time.perf_counter() - begin, 3)
        return JSONResponse({"proven": proven, "seconds": seconds}, headers=_HEADERS)

    async def record(self, request: Request) -> Response:
        name = request.path_params["id"]
        data = self.hall.source(name).read_bytes()
        named = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
        return Response(data, media_type="application/jsonl", headers={**_HEADERS, **named})

    async def replay(self, request: Request) -> Response:
        """Return the viewer's page of a match that is over, or of records."""
        name = request.path_params["id"]
        path, study = self.hall.source(name), f"/#study={name}"
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "page.html"
            await asyncio.to_thread(write_page, path, out, study=study)
            data = out.read_bytes()
        # the page has a policy of its own, under which its one script runs and nothing else
        kept = {name: value for name, value in _HEADERS.items() if name[0] != "c"}
        return Response(data, media_type="text/html", headers=kept)

    async def position(self, request: Request) -> Response:
        """Say who may play on from a turn of a record, and what was played before it."""
        asked, name = request.query_params, request.path_params["id"]
        if not all(re.fullmatch(r"\d{1,9}", asked.get(one, "")) for one in ("number", "turn")):
            raise Refused("say which episode, and before which of its turns")
        start = self.hall.position(name, int(asked["number"]), int(asked["turn"]))
        told = {"env": start.env, "seats": self.hall.seats(start), "moves": len(start.past)}
        return JSONResponse(told, headers=_HEADERS)

    def _table(self, request: HTTPConnection) -> Table:
        return self.hall.table(request.path_params["id"])

    async def table(self, line: WebSocket) -> None:
        """Tell a browser what its seat sees, whenever that changes, and do what it asks for."""
        if self._problem(line) or line.path_params["id"] not in self.hall.abouts:
            await line.close(1008)
            return
        table = self._table(line)
        await line.accept()
        news = News()
        watching = self.hall.watching.setdefault(table.about.id, set())
        watching.add(news)
        try:
            async with asyncio.timeout(10):
                asked = _message(await line.receive_text())
            key, theme = asked.get("key"), "dark" if asked.get("dark") is True else "light"
            seat = self.hall.seat_of(table, key) if isinstance(key, str) else None
            if key is not None and seat is None:
                await line.send_json({"problem": "this key is of no seat here"})
                await line.close(1008)
                return
            telling = asyncio.create_task(self._tell(line, table, seat, news, theme))
            telling.add_done_callback(_report)
            try:
                while True:
                    await self._hear(line, table, seat, news, await line.receive_text())
            finally:
                telling.cancel()
        except (WebSocketDisconnect, TimeoutError, Refused):
            with contextlib.suppress(RuntimeError):
                await line.close(1008)
        finally:
            watching.discard(news)

    async def _tell(
        self, line: WebSocket, table: Table, seat: str | None, news: News, theme: str
    ) -> None:
        last: dict[str, Any] = {}
        while True:
            news.clear()
            told = self.hall.seen(table, seat, theme)
            if "image" in told:
                told["image"] = base64.b64encode(told["image"]).decode()
            # that others have moved is news only where it is seen
            kept = {name: value for name, value in told.items() if name != "seconds"}
            if kept != last or news.own:
                await line.send_text(json.dumps(told))
            last, news.own = kept, False
            await news.wait()

    async def _hear(
        self, line: WebSocket, table: Table, seat: str | None, news: News, text: str
    ) -> None:
        try:
            asked = _message(text)
            if seat is None:
                raise Refused("who looks on does not play; take a seat in the lobby")
            self.hall.do(table, seat, asked)
            news.own = True
            news.set()
        except Refused as error:
            await line.send_json({"problem": str(error)})


def _report(task: asyncio.Task[None]) -> None:
    """Log a fault of ours that nobody waits for."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, WebSocketDisconnect | RuntimeError):
        _LOG.error("telling a browser failed", exc_info=error)


def _shown(place: Place) -> dict[str, Any]:
    return {**place._asdict(), "picture": base64.b64encode(place.picture).decode()}


def _listed(about: About) -> dict[str, Any]:
    return {
        "id": about.id,
        "env": about.env,
        "seats": {seat: name.removeprefix("human:") for seat, name in about.names().items()},
        "free": about.free,
        "over": bool(about.ended),
        "left": about.left,
        "watched": about.watched,
        "clock": about.clock,
        "outcome": about.outcome if about.ended else "",
        "of": about.of,
        "returns": about.returns if about.ended else None,
        "begun": about.begun,
    }


def _file(name: str) -> Response:
    package, kind = "gem_ma.serving.arena", Path(name).suffix
    if name == "look.css":
        package = "gem_ma.evaluation"
    data = resources.files(package).joinpath("page", name).read_bytes()
    return Response(data, media_type=_KINDS[kind], headers=_HEADERS)


async def _body(request: Request) -> dict[str, Any]:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST:
            raise Refused(f"expected at most {MOST} bytes")
    return _message(data)


def _message(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("expected a JSON object") from None
    if not isinstance(found, dict):
        raise Refused("expected a JSON object")
    return found


def run(site: Site, listener: socket.socket) -> None:
    """Serve a site until interrupted."""
    limits = {"ws_max_size": MOST, "timeout_graceful_shutdown": 2}
    config = uvicorn.Config(site.app, log_level="warning", access_log=False, **limits)
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how a server ends
        uvicorn.Server(config).run(sockets=[listener])
