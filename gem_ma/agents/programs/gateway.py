"""A gateway between programs and the server of their model: it passes calls on and records them.

Every seat has an address of its own, which cannot be guessed. A request to it goes to the model's
server unchanged, except for the name of the model, a default of `stream` and the fields for token
ids. The answer goes back to the program. Requests and answers are kept until the seat's next move.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from gem_ma.agents.programs.call_recorder import (
    ADDED_FIELDS,
    CallRecorder,
    encode_object,
    has_escaped_half,
    parse_object,
    remove_added_fields,
)
from gem_ma.agents.programs.program_seat import NotYourTurn, ProgramSeat
from gem_ma.chat.messages import to_openai_chat
from gem_ma.chat.model_calls import CallHistory, ModelCall
from gem_ma.validation.endpoints import (
    MAX_RESPONSE_SIZE,
    RedirectRefused,
    SentSecrets,
    check_variable_name,
    encode_user,
    parse_model_url,
    read_key,
    refuse_redirect,
)
from gem_ma.validation.extras import LazyModule
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    import aiohttp
    from aiohttp import web

    from gem_ma.chat.turn import Turn
else:
    aiohttp = LazyModule("aiohttp", "gateway", "a gateway")
    web = LazyModule("aiohttp.web", "gateway", "a gateway")

PROXIED_ENDPOINTS = ("chat/completions", "responses", "completions")
_STOP_TIMEOUT = 5.0  # seconds for the server to end


class SeatCallLog:
    """A seat, and the model calls since its last move."""

    def __init__(self, seat: ProgramSeat):
        self.seat = seat
        self.history = CallHistory()
        self.calls: list[tuple[float, ModelCall]] = []  # each with its start time

    def add_call(self, listener: CallRecorder) -> None:
        """Add a call whose answer was read."""
        self.calls.append((listener.start, listener.make_call()))


class ModelGateway:
    """A server on this computer that passes the calls of programs on to a model's server.

    Args:
        model: The server's URL, such as http://127.0.0.1:8000/v1, or MODEL@URL. With MODEL, its
            name replaces the model that a program asks for. None: no model can be called.
        key: The environment variable with the server's key. Programs need no key.
        token_ids: Ask vLLM for the token ids of prompts and replies, and for log-probabilities.
        timeout: Seconds for an answer.
        most: Bytes of a request, and of an answer.
        host: The address to listen on. The default can be reached from this computer only.
        port: The port to listen on; 0: any free port.
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
        self.user_count = 0
        self.call_count = 0
        self._call_logs: dict[str, SeatCallLog] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._error: Any = None

    def open_seat(self, name: str, episode: str) -> ProgramSeat:
        """Return a new seat with an address of its own."""
        secret = secrets.token_urlsafe(16)
        seat = ProgramSeat(name, episode, f"{self.own_url}/seat/{secret}/v1")
        self._call_logs[secret] = SeatCallLog(seat)
        return seat

    def close_seat(self, seat: ProgramSeat) -> None:
        """Close a seat; later requests to its address are refused."""
        self._call_logs.pop(_get_secret(seat), None)

    def take_calls(self, seat: ProgramSeat) -> tuple[list[JSONObject], ModelCall | None]:
        """Return the calls since the last move, packed for a record, and the last call itself."""
        account = self._call_logs[_get_secret(seat)]
        calls, account.calls = sorted(account.calls, key=lambda one: one[0]), []
        packed = [account.history.pack(call) for _, call in calls]
        return packed, calls[-1][1] if calls else None

    def __enter__(self) -> Self:
        with self._lock:
            self.user_count += 1
            if self._thread is None:
                started = threading.Event()
                self._error = None
                self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
                self._thread.start()
                started.wait()
                if error := self._error:
                    self._thread, self.user_count = None, self.user_count - 1
                    raise error
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.user_count -= 1
            thread = self._thread
            if self.user_count or thread is None:
                return
            self._thread = None
            self._loop.call_soon_threadsafe(self._stopped.set)
        thread.join(_STOP_TIMEOUT)

    def _run(self, started: threading.Event) -> None:
        try:
            asyncio.run(self._serve(started))
        except BaseException as error:  # noqa: BLE001 - raised where it was started
            self._error = error
        finally:
            started.set()

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        key = read_key(self.key)
        self._secrets = SentSecrets.from_key(self.key, key, self.user)
        headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
        if self.user:
            headers["Authorization"] = f"Basic {encode_user(self.user)}"
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        app = web.Application(client_max_size=self.most)
        app.router.add_post("/seat/{secret}/v1/{endpoint:.+}", self._serve_call)
        app.router.add_get("/seat/{secret}/v1/models", self._serve_models)
        app.router.add_get("/seat/{secret}/turn", self._serve_turn)
        app.router.add_post("/seat/{secret}/play", self._serve_play)
        self.add_routes(app)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, self.host, self.port)
            await site.start()
            self.port = runner.addresses[0][1]
            limit = aiohttp.ClientTimeout(total=self.timeout)
            async with aiohttp.ClientSession(
                timeout=limit,
                headers=headers,
                connector=aiohttp.TCPConnector(limit=0),
                auto_decompress=True,
            ) as self._client:
                started.set()
                await self._stopped.wait()
        finally:
            await runner.cleanup()

    @property
    def own_url(self) -> str:
        """The URL that the gateway listens on."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def model_label(self) -> str:
        """The model and its server, for use in records."""
        return f"{self.model}@{self.url}" if self.model else self.url or "no model"

    def add_routes(self, app: web.Application) -> None:
        """Add further routes; a subclass may override this."""

    async def parse_request(self, request: web.Request) -> JSONMapping:
        """Return the JSON object in a request, or refuse the request."""
        try:
            return parse_object(await request.read() or b"{}")
        except ValueError as error:
            raise make_http_error(
                web.HTTPBadRequest, f"the request is no JSON object: {error}"
            ) from None
        except web.HTTPRequestEntityTooLarge:
            raise make_http_error(
                web.HTTPBadRequest,
                f"the request has more than {self.most} bytes; send less, or raise most=",
            ) from None

    def find_call_log(self, request: web.Request) -> SeatCallLog:
        """Return the call log of the seat whose address a request used, or refuse the request."""
        account = self._call_logs.get(request.match_info["secret"])
        if account is None:
            raise make_http_error(
                web.HTTPNotFound, "no seat has this address, or its episode is over"
            )
        return account

    async def _serve_models(self, request: web.Request) -> web.Response:
        self.find_call_log(request)
        if not self.url:
            return web.json_response({"object": "list", "data": []})
        async with self._ask_server("GET", "models") as answer:
            return await self._copy_answer(answer)

    @contextlib.asynccontextmanager
    async def _ask_server(
        self, method: str, path: str, body: JSONMapping | None = None
    ) -> AsyncIterator[Any]:
        """Send a request to the model's server; if there is no answer, raise an HTTP error."""
        content = None if body is None else encode_object(body)
        try:
            async with self._client.request(
                method, f"{self.url}/{path}", data=content, allow_redirects=False
            ) as answer:
                refuse_redirect(answer.status, answer.headers.get("Location"), "model")
                yield answer
        except (aiohttp.ClientError, TimeoutError, RedirectRefused) as error:
            why = self._secrets.hide(str(error) or type(error).__name__)
            raise make_http_error(
                web.HTTPBadGateway, f"no usable answer from the model's server: {why}"
            ) from None

    async def _serve_call(self, request: web.Request) -> web.StreamResponse:
        account, endpoint = self.find_call_log(request), request.match_info["endpoint"]
        if not self.url:
            raise make_http_error(
                web.HTTPNotFound,
                "no model is served here; start the gateway with model='URL' or model='MODEL@URL'",
            )
        if endpoint not in PROXIED_ENDPOINTS:
            known = ", ".join(PROXIED_ENDPOINTS)
            raise make_http_error(
                web.HTTPNotFound, f"no endpoint {endpoint[:60]!r}; this gateway has {known}"
            )
        body = await self.parse_request(request)
        # Some servers stream by default, which no client expects.
        added: JSONObject = {"stream": False} if "stream" not in body else {}
        if self.model:
            added["model"] = self.model
        if self.token_ids:
            added |= ADDED_FIELDS[endpoint]
        listener = CallRecorder(endpoint, body)
        self.call_count += 1
        async with self._ask_server("POST", endpoint, {**body, **added}) as answer:
            if answer.status != 200:
                return await self._copy_answer(answer)
            if answer.content_type == "text/event-stream":
                response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
                await response.prepare(request)
                try:
                    await self._forward_stream(response, answer, listener, account)
                except (aiohttp.ClientError, TimeoutError):  # it is too late for an error response
                    if request.transport is not None:
                        request.transport.abort()
                return response
            return await self._forward_answer(answer, listener, account)

    async def _forward_answer(
        self, answer: Any, listener: CallRecorder, account: SeatCallLog
    ) -> web.Response:
        content = self._secrets.hide_bytes(await self._read_answer(answer))
        try:
            data = parse_object(content)
        except ValueError as error:
            raise make_http_error(
                web.HTTPBadGateway, f"the model's server answered no JSON object: {error}"
            ) from None
        listener.record_answer(data)
        account.add_call(listener)
        if self.token_ids:
            data = remove_added_fields(data, listener.body)
        if self.token_ids or has_escaped_half(content):
            content = encode_object(data)
        return web.Response(body=content, content_type="application/json")

    async def _forward_stream(
        self,
        response: web.StreamResponse,
        answer: Any,
        listener: CallRecorder,
        account: SeatCallLog,
    ) -> None:
        """Forward the events of a stream, each as soon as it is complete.

        The call is added before the last event is sent, because the program may play at once.
        """
        count, rest, kept = 0, b"", False
        async for part in answer.content.iter_any():
            count += len(part)
            if count > self.most:
                raise aiohttp.ClientError(f"a stream of more than {self.most} bytes")
            *lines, rest = (rest + part).split(b"\n")
            content = b"".join(self._record_line(line, listener) for line in lines)
            if listener.is_complete and not kept:
                kept = True
                account.add_call(listener)
            if content:
                await response.write(content)
        last = self._record_line(rest, listener) if rest else b""
        if not kept:
            account.add_call(listener)
        await response.write(last)
        await response.write_eof()

    def _record_line(self, line: bytes, listener: CallRecorder) -> bytes:
        """Record a line of a stream, and return the part of it that the program asked for."""
        line = self._secrets.hide_bytes(line)
        if not line.startswith(b"data:"):
            return line + b"\n"
        data = line[5:].decode(errors="replace")
        chunk = listener.record_event(data, self.token_ids)
        if chunk is None or not (self.token_ids or has_escaped_half(line)):
            return b"data:" + data.encode() + b"\n"
        return b"data: " + encode_object(chunk) + b"\n"

    async def _copy_answer(self, answer: Any) -> web.Response:
        """Return an error of the server unchanged, except for secrets in it."""
        text = self._secrets.hide((await self._read_answer(answer)).decode(errors="replace"))
        try:
            content = encode_object(parse_object(text))
        except ValueError:
            return web.Response(text=text, status=answer.status)
        return web.Response(body=content, status=answer.status, content_type="application/json")

    async def _read_answer(self, answer: Any) -> bytes:
        parts, count = [], 0
        async for part in answer.content.iter_any():
            count += len(part)
            if count > self.most:
                raise aiohttp.ClientError(f"an answer of more than {self.most} bytes")
            parts.append(part)
        return b"".join(parts)

    async def _serve_turn(self, request: web.Request) -> web.Response:
        seat = self.find_call_log(request).seat
        return web.json_response(serialize_turn(await seat.aturn(), seat))

    async def _serve_play(self, request: web.Request) -> web.Response:
        seat = self.find_call_log(request).seat
        body = await self.parse_request(request)
        try:
            turn = await seat.aplay(body.get("reply"))
        except NotYourTurn as error:
            raise make_http_error(web.HTTPConflict, str(error)) from None
        return web.json_response(serialize_turn(turn, seat))


def serialize_turn(turn: Turn | None, seat: ProgramSeat) -> JSONObject:
    """Return a turn, or the end of the episode, as the JSON object that a program reads."""
    about = {"seat": seat.name, "episode": seat.episode}
    if turn is None:
        return {"type": "over", **about, "return": seat.final_return}
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


def _get_secret(seat: ProgramSeat) -> str:
    return seat.address.split("/")[-2]


def make_http_error(kind: type[web.HTTPException], why: str) -> web.HTTPException:
    """Return an HTTP error that says why there is no answer."""
    body = json.dumps({"error": {"message": why, "type": "gateway"}})
    return kind(text=body, content_type="application/json")
