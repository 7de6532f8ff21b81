"""A server between programs and the server of their model: it passes calls on, and keeps them.

Every seat has an address of its own, which nobody else can guess. Whatever comes in there goes to
the real server as it is, but for the model's name and the wish for token ids, and its answer comes
back; what was asked and said is kept until the seat has moved.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from gem_ma.agents.programs.answers import ADDED, Listener, reading, without_added, written
from gem_ma.agents.programs.seat import NotYourTurn, Seat
from gem_ma.chat.messages import to_openai_chat
from gem_ma.chat.model_calls import CallHistory, ModelCall
from gem_ma.validation.endpoints import (
    MAX_RESPONSE_SIZE,
    check_variable_name,
    parse_model_url,
    redact_secrets,
)
from gem_ma.validation.extras import LazyModule

if TYPE_CHECKING:
    import aiohttp
    from aiohttp import web

    from gem_ma.chat.turn import Turn
else:
    aiohttp = LazyModule("aiohttp", "gateway", "a gateway")
    web = LazyModule("aiohttp.web", "gateway", "a gateway")

ENDPOINTS = ("chat/completions", "responses", "completions")
_STOP = 5.0  # seconds for the server to end


class Account:
    """What is known of a seat: itself, and the calls since its last move."""

    def __init__(self, seat: Seat):
        self.seat = seat
        self.history = CallHistory()
        self.calls: list[tuple[float, ModelCall]] = []  # with when each began

    def keep(self, listener: Listener) -> None:
        """Keep a call whose answer was heard."""
        self.calls.append((listener.start, listener.call()))


class Gateway:
    """A server on this machine that passes calls of programs on to a model's server.

    model: the server's URL, such as http://127.0.0.1:8000/v1, or MODEL@URL, whose name takes the
        place of whatever the programs ask for. None: there is no model to be called.
    key: the environment variable that holds the server's key. The programs need none.
    token_ids: ask vLLM for the ids of prompts and replies, and for log-probabilities.
    timeout: seconds for an answer. most: bytes of a request, and of an answer.
    host, port: where it listens, on this machine alone if nothing is said.
    """

    def __init__(
        self,
        model: str | None,
        *,
        key: str = "OPENAI_API_KEY",
        token_ids: bool = False,
        timeout: float = 600.0,
        most: int = MAX_RESPONSE_SIZE,
        host: str = "127.0.0.1",
        port: int = 0,
    ):
        self.model, self.url, self.user = parse_model_url(model) if model else ("", "", None)
        self.key = check_variable_name(key)
        self.token_ids = token_ids
        self.timeout = timeout
        self.most = most
        self.host = host
        self.port = port
        self.users = 0
        self.served = 0
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._error: Any = None

    def seat(self, name: str, episode: str) -> Seat:
        """Return a seat with an address of its own."""
        secret = secrets.token_urlsafe(16)
        seat = Seat(name, episode, f"http://{self.host}:{self.port}/seat/{secret}/v1")
        self._accounts[secret] = Account(seat)
        return seat

    def drop(self, seat: Seat) -> None:
        """Forget a seat; what is called there from now on is refused."""
        self._accounts.pop(_secret(seat), None)

    def take(self, seat: Seat) -> tuple[list[dict[str, Any]], ModelCall | None]:
        """Return the calls since the last time as a record keeps them, and the last of them."""
        account = self._accounts[_secret(seat)]
        calls, account.calls = sorted(account.calls, key=lambda one: one[0]), []
        packed = [account.history.pack(call) for _, call in calls]
        return packed, calls[-1][1] if calls else None

    def __enter__(self) -> Self:
        with self._lock:
            self.users += 1
            if self._thread is None:
                started = threading.Event()
                self._error = None
                self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
                self._thread.start()
                started.wait()
                if error := self._error:
                    self._thread, self.users = None, self.users - 1
                    raise error
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.users -= 1
            thread = self._thread
            if self.users or thread is None:
                return
            self._thread = None
            self._loop.call_soon_threadsafe(self._stopped.set)
        thread.join(_STOP)

    def _run(self, started: threading.Event) -> None:
        try:
            asyncio.run(self._serve(started))
        except BaseException as error:  # noqa: BLE001 - raised where it was started
            self._error = error
        finally:
            started.set()

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=self.most)
        app.router.add_post("/seat/{secret}/v1/{endpoint:.+}", self._call)
        app.router.add_get("/seat/{secret}/v1/models", self._models)
        app.router.add_get("/seat/{secret}/turn", self._turn)
        app.router.add_post("/seat/{secret}/play", self._play)
        self.routes(app)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, self.host, self.port)
            await site.start()
            self.port = runner.addresses[0][1]
            limit = aiohttp.ClientTimeout(total=self.timeout)
            auth = aiohttp.BasicAuth(*self.user) if self.user else None
            async with aiohttp.ClientSession(
                timeout=limit,
                auth=auth,
                connector=aiohttp.TCPConnector(limit=0),
                auto_decompress=True,
            ) as self._client:
                started.set()
                await self._stopped.wait()
        finally:
            await runner.cleanup()

    @property
    def named(self) -> str:
        """The model and its server, as a record may name them."""
        return f"{self.model}@{self.url}" if self.model else self.url or "no model"

    def routes(self, app: web.Application) -> None:
        """Add what else is served."""

    async def object_of(self, request: web.Request) -> Mapping[str, Any]:
        """Return the object that a request is in JSON, or refuse it."""
        try:
            return reading(await request.read() or b"{}")
        except ValueError as error:
            raise refused(web.HTTPBadRequest, f"the request is no JSON object: {error}") from None

    def account(self, request: web.Request) -> Account:
        """Return whose address a request came to, or refuse it."""
        account = self._accounts.get(request.match_info["secret"])
        if account is None:
            raise refused(web.HTTPNotFound, "no seat has this address, or its episode is over")
        return account

    async def _models(self, request: web.Request) -> web.Response:
        self.account(request)
        if not self.url:
            return web.json_response({"object": "list", "data": []})
        try:
            async with self._client.get(f"{self.url}/models", headers=self._headers()) as answer:
                return await self._passed(answer)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._unreachable(error) from None

    async def _call(self, request: web.Request) -> web.StreamResponse:
        account, endpoint = self.account(request), request.match_info["endpoint"]
        if not self.url:
            raise refused(web.HTTPNotFound, "no model is served here: model= says which")
        if endpoint not in ENDPOINTS:
            known = ", ".join(ENDPOINTS)
            raise refused(web.HTTPNotFound, f"{endpoint[:60]!r}: this gateway passes on {known}")
        body = await self.object_of(request)
        # Some servers stream where nothing is said, and no client expects that.
        added: dict[str, Any] = {"stream": False} if "stream" not in body else {}
        if self.model:
            added["model"] = self.model
        if self.token_ids:
            added |= ADDED[endpoint]
        listener = Listener(endpoint, body)
        self.served += 1
        try:
            async with self._client.post(
                f"{self.url}/{endpoint}", data=written({**body, **added}), headers=self._headers()
            ) as answer:
                if answer.status != 200:
                    return await self._passed(answer)
                if answer.content_type == "text/event-stream":
                    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
                    await response.prepare(request)
                    try:
                        await self._stream(response, answer, listener, account)
                    except (aiohttp.ClientError, TimeoutError):  # no other answer can be given now
                        assert request.transport is not None
                        request.transport.abort()
                    return response
                return await self._whole(answer, listener, account)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._unreachable(error) from None

    async def _whole(self, answer: Any, listener: Listener, account: Account) -> web.Response:
        content = await self._read(answer)
        try:
            told = reading(content)
        except ValueError as error:
            raise refused(web.HTTPBadGateway, f"the server answered no JSON: {error}") from None
        listener.hear(told)
        account.keep(listener)
        if self.token_ids:
            content = written(without_added(told, listener.body))
        return web.Response(body=content, content_type="application/json")

    async def _stream(
        self, response: web.StreamResponse, answer: Any, listener: Listener, account: Account
    ) -> None:
        """Pass on the events of a stream, each as soon as it is whole.

        The call is kept before the last of them goes out: the program may play at once.
        """
        count, rest, kept = 0, b"", False
        async for part in answer.content.iter_any():
            count += len(part)
            if count > self.most:
                raise aiohttp.ClientError(f"a stream of more than {self.most} bytes")
            *lines, rest = (rest + part).split(b"\n")
            said = b"".join(self._line(line, listener) for line in lines)
            if listener.over and not kept:
                kept = True
                account.keep(listener)
            if said:
                await response.write(said)
        last = self._line(rest, listener) if rest else b""
        if not kept:
            account.keep(listener)
        await response.write(last)
        await response.write_eof()

    def _line(self, line: bytes, listener: Listener) -> bytes:
        if not line.startswith(b"data:"):
            return line + b"\n"
        chunk = listener.event(line[5:].decode(errors="replace"))
        if chunk is None or not self.token_ids or listener.endpoint == "responses":
            return line + b"\n"
        return b"data: " + written(chunk) + b"\n"

    async def _passed(self, answer: Any) -> web.Response:
        """Return an answer as it is."""
        content = await self._read(answer)
        return web.Response(body=content, status=answer.status, content_type=answer.content_type)

    async def _read(self, answer: Any) -> bytes:
        parts, count = [], 0
        async for part in answer.content.iter_any():
            count += len(part)
            if count > self.most:
                raise aiohttp.ClientError(f"an answer of more than {self.most} bytes")
            parts.append(part)
        return b"".join(parts)

    def _headers(self) -> dict[str, str]:
        found = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
        key = os.environ.get(self.key)
        return {**found, "Authorization": f"Bearer {key}"} if key and not self.user else found

    def _unreachable(self, error: BaseException) -> web.HTTPException:
        why = redact_secrets(str(error) or type(error).__name__)
        return refused(web.HTTPBadGateway, f"the model's server gives no answer: {why}")

    async def _turn(self, request: web.Request) -> web.Response:
        seat = self.account(request).seat
        return web.json_response(told_of(await seat.aturn(), seat))

    async def _play(self, request: web.Request) -> web.Response:
        seat = self.account(request).seat
        said = await self.object_of(request)
        try:
            turn = await seat.aplay(said.get("reply"))
        except NotYourTurn as error:
            raise refused(web.HTTPConflict, str(error)) from None
        return web.json_response(told_of(turn, seat))


def told_of(turn: Turn | None, seat: Seat) -> dict[str, Any]:
    """Return what a program outside is told of a turn, or of the end."""
    about = {"seat": seat.name, "episode": seat.episode}
    if turn is None:
        return {"type": "over", **about, "return": seat.returned}
    from gem_ma.chat.conversation import make_tool_schemas

    return {
        "type": "turn",
        **about,
        "number": turn.number,
        "rules": turn.rules,
        "text": turn.text,
        "messages": to_openai_chat(turn.messages),
        "tools": make_tool_schemas(turn.tools),
        "legal": None if turn.legal is None else list(turn.legal),
    }


def _secret(seat: Seat) -> str:
    return seat.address.split("/")[-2]


def refused(kind: type[web.HTTPException], why: str) -> web.HTTPException:
    """Return an answer that says why there is no other."""
    body = json.dumps({"error": {"message": why, "type": "gateway"}})
    return kind(text=body, content_type="application/json")
