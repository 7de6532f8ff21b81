"""A gateway between programs and the server of their model: it passes calls on and records them.

Every seat has an address of its own, which cannot be guessed. A request to it goes to the model's
server unchanged, except for the name of the model, a default of `stream` and the fields for token
ids. The answer goes back to the program. Requests and answers are kept until the seat's next move.
A request in another dialect than OpenAI's becomes one of Chat Completions, and its answer goes back
in the dialect. An agent may stand in the place of the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Self

from gem_ma.agents.programs.agent_model import AgentFailed, AgentModel, load_model, make_chunks
from gem_ma.agents.programs.call_log import SeatCallLog
from gem_ma.agents.programs.call_recorder import (
    ADDED_FIELDS,
    CallRecorder,
    encode_object,
    has_escaped_half,
    parse_object,
    remove_added_fields,
)
from gem_ma.agents.programs.dialects.dialect import (
    THOUGHT_FIELDS,
    Dialect,
    RequestError,
    encode_event,
)
from gem_ma.agents.programs.dialects.endpoints import DIALECT_ENDPOINTS, find_dialect
from gem_ma.agents.programs.program_seat import NotYourTurn, ProgramSeat
from gem_ma.chat.agent import AgentSource
from gem_ma.chat.messages import to_openai_chat
from gem_ma.chat.model_calls import ModelCall
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
CHAT = "chat/completions"
_STOP_TIMEOUT = 5.0  # seconds for the server to end


class ModelGateway:
    """A server on this computer that passes the calls of programs on to a model's server.

    Args:
        model: The server's URL, such as http://127.0.0.1:8000/v1, or MODEL@URL. With MODEL, its
            name replaces the model that a program asks for. Or an agent that answers the calls, or
            its spec string. None: no model can be called.
        key: The environment variable with the server's key. Programs need no key.
        token_ids: Ask vLLM for the token ids of prompts and replies, and for log-probabilities.
        timeout: Seconds for an answer.
        most: Bytes of a request, and of an answer.
        host: The address to listen on. The default can be reached from this computer only.
        port: The port to listen on; 0: any free port.
    """

    def __init__(
        self,
        model: AgentSource | None,
        *,
        key: str = "OPENAI_API_KEY",
        token_ids: bool = False,
        timeout: float = 600.0,
        most: int = MAX_RESPONSE_SIZE,
        host: str = "127.0.0.1",
        port: int = 0,
    ):
        source = load_model(model)
        is_url = isinstance(source, str)
        self.model, self.url, self.user = parse_model_url(source) if is_url else ("", "", None)
        self.agent_model = None if source is None or is_url else AgentModel(source)
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
        app.router.add_post(
            "/seat/{secret}/{version:v1|v1alpha|v1beta}/{endpoint:.+}", self._serve_call
        )
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
        if self.agent_model is not None:
            return self.agent_model.label
        return f"{self.model}@{self.url}" if self.model else self.url or "no model"

    @property
    def has_model(self) -> bool:
        """Whether programs can call a model here."""
        return bool(self.url) or self.agent_model is not None

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
        dialect = find_dialect(endpoint)
        if dialect is None:
            return await self._serve_openai_call(request, account, endpoint)
        try:
            self._check_model()
            body = await self.parse_request(request)
            call = dialect(body, request.path_qs)
            return await self._serve_dialect_call(request, account, call)
        except RequestError as error:
            return web.json_response(dialect.format_error(400, str(error)), status=400)
        except web.HTTPException as error:
            told = dialect.format_error(error.status, _read_error(error.text or ""))
            return web.json_response(told, status=error.status)

    def _check_model(self) -> None:
        if not self.has_model:
            raise make_http_error(
                web.HTTPNotFound,
                "no model is served here; start the gateway with model='URL', model='MODEL@URL' or "
                "model=AGENT",
            )

    async def _serve_openai_call(
        self, request: web.Request, account: SeatCallLog, endpoint: str
    ) -> web.StreamResponse:
        self._check_model()
        known = PROXIED_ENDPOINTS if self.agent_model is None else (CHAT,)
        if endpoint not in known:
            raise make_http_error(
                web.HTTPNotFound,
                f"no endpoint {endpoint[:60]!r}; this gateway has "
                f"{', '.join((*known, *DIALECT_ENDPOINTS))}",
            )
        body = await self.parse_request(request)
        listener = CallRecorder(endpoint, body)
        self.call_count += 1
        if self.agent_model is not None:
            completion = await self._ask_agent(self.agent_model, body, account)
            listener.record_answer(completion)
            account.add_call(listener)
            completion = remove_added_fields(completion, body)
            if body.get("stream") is not True:
                return web.json_response(completion)
            events = b"".join(map(encode_event, make_chunks(completion))) + b"data: [DONE]\n\n"
            return web.Response(body=events, content_type="text/event-stream")
        # Some servers stream by default, which no client expects.
        sent = {**({"stream": False} if "stream" not in body else {}), **self._add_fields(endpoint)}
        async with self._ask_server("POST", endpoint, {**body, **sent}) as answer:
            if answer.status != 200:
                return await self._copy_answer(answer)
            if answer.content_type == "text/event-stream":
                return await self._stream(
                    request,
                    lambda response: self._forward_stream(response, answer, listener, account),
                )
            return await self._forward_answer(answer, listener, account)

    def _add_fields(self, endpoint: str) -> JSONObject:
        """Return what the gateway puts into each request."""
        added: JSONObject = {"model": self.model} if self.model else {}
        return added | dict(ADDED_FIELDS[endpoint] if self.token_ids else {})

    async def _stream(
        self, request: web.Request, forward: Callable[[web.StreamResponse], Awaitable[None]]
    ) -> web.StreamResponse:
        """Return a stream that `forward` writes; if it cannot, the program's stream is cut."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            await forward(response)
        except (aiohttp.ClientError, TimeoutError):  # it is too late for an error response
            if request.transport is not None:
                request.transport.abort()
        return response

    async def _ask_agent(
        self, model: AgentModel, body: JSONMapping, account: SeatCallLog
    ) -> JSONObject:
        """Return the chat completion of the agent, or raise an HTTP error."""
        account.call_count += 1
        try:
            async with asyncio.timeout(self.timeout):
                turn = account.seat.current_turn
                return await model.answer(body, turn, account.call_count)
        except RequestError as error:
            raise make_http_error(web.HTTPBadRequest, str(error)) from None
        except (AgentFailed, TimeoutError) as error:
            why = str(error) or f"the agent did not answer within {self.timeout:g} s"
            raise make_http_error(web.HTTPBadGateway, why) from None

    async def _serve_dialect_call(
        self, request: web.Request, account: SeatCallLog, call: Dialect
    ) -> web.StreamResponse:
        messages = [account.restore_tool_calls(one) for one in call.chat_body["messages"]]
        body = {**call.chat_body, "messages": messages}
        # Without thoughts, a call begins with what the record has of the call before.
        listener = CallRecorder(CHAT, {**body, "messages": list(map(_drop_thoughts, messages))})
        self.call_count += 1
        if self.agent_model is not None:
            completion = await self._ask_agent(self.agent_model, body, account)
            return await self._answer_dialect(request, completion, listener, account, call)
        sent = {**body, "messages": [_drop_blocks(one) for one in messages]}
        async with self._ask_server("POST", CHAT, {**sent, **self._add_fields(CHAT)}) as answer:
            if answer.status == 200 and answer.content_type == "text/event-stream":
                return await self._stream(
                    request,
                    lambda response: self._translate_stream(
                        response, answer, listener, account, call
                    ),
                )
            content = self._secrets.hide_bytes(await self._read_answer(answer))
            if answer.status != 200:
                why = _read_error(content.decode(errors="replace"))
                told = call.format_error(answer.status, why)
                return web.json_response(told, status=answer.status)
            return await self._answer_dialect(
                request, _parse_answer(content), listener, account, call
            )

    async def _answer_dialect(
        self,
        request: web.Request,
        completion: JSONMapping,
        listener: CallRecorder,
        account: SeatCallLog,
        call: Dialect,
    ) -> web.StreamResponse:
        """Record a whole answer, and return it in a dialect."""
        listener.record_answer(completion)
        account.add_call(listener)
        answer = listener.make_answer()
        if not call.is_stream:
            return web.json_response(call.format_answer(answer))
        events = call.stream_answer(answer)
        return web.Response(body=events, content_type="text/event-stream")

    async def _forward_answer(
        self, answer: Any, listener: CallRecorder, account: SeatCallLog
    ) -> web.Response:
        content = self._secrets.hide_bytes(await self._read_answer(answer))
        data = _parse_answer(content)
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
        kept = False
        async for lines, is_end in self._read_lines(answer):
            content = b"".join(self._record_line(line, listener) for line in lines)
            if (listener.is_complete or is_end) and not kept:
                kept = True
                account.add_call(listener)
            if content:
                await response.write(content)
        await response.write_eof()

    async def _translate_stream(
        self,
        response: web.StreamResponse,
        answer: Any,
        listener: CallRecorder,
        account: SeatCallLog,
        call: Dialect,
    ) -> None:
        """Forward the events of a stream of Chat Completions in a dialect."""
        await response.write(call.begin_stream())
        async for lines, is_end in self._read_lines(answer):
            events = b""
            for line in lines:
                line = self._secrets.hide_bytes(line)
                if not line.startswith(b"data:") or listener.is_complete:
                    continue
                texts, thoughts = len(listener.text), len(listener.thoughts)
                chunk = listener.record_event(line[5:].decode(errors="replace"))
                if chunk is not None and chunk.get("error"):
                    why = _read_error(line[5:].decode(errors="replace"))
                    await response.write(events + call.encode_error(502, why))
                    await response.write_eof()
                    return
                call.thoughts_field = listener.thoughts_field
                if call.wants_thoughts and (thought := "".join(listener.thoughts[thoughts:])):
                    events += call.format_piece(thought, True)
                if text := "".join(listener.text[texts:]):
                    events += call.format_piece(text, False)
            if listener.is_complete or is_end:
                account.add_call(listener)
                events += call.end_stream(listener.make_answer())
                await response.write(events)
                break
            if events:
                await response.write(events)
        await response.write_eof()

    async def _read_lines(self, answer: Any) -> AsyncIterator[tuple[list[bytes], bool]]:
        """Yield the lines of a stream as soon as they are complete, and whether it has ended."""
        count, rest = 0, b""
        async for part in answer.content.iter_any():
            count += len(part)
            if count > self.most:
                raise aiohttp.ClientError(f"a stream of more than {self.most} bytes")
            *lines, rest = (rest + part).split(b"\n")
            yield lines, False
        yield [rest] if rest else [], True

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


def _parse_answer(content: bytes) -> JSONObject:
    try:
        return parse_object(content)
    except ValueError as error:
        raise make_http_error(
            web.HTTPBadGateway, f"the model's server answered no JSON object: {error}"
        ) from None


def _read_error(text: str) -> str:
    """Return the message of an error, or its text."""
    try:
        error = parse_object(text).get("error")
    except ValueError:
        return text[:1000]
    message = error.get("message") if isinstance(error, dict) else error
    return (message if isinstance(message, str) else text)[:1000]


def _drop_blocks(message: JSONMapping) -> JSONMapping:
    """Return a message without signed thoughts, which servers of Chat Completions refuse."""
    return {name: value for name, value in message.items() if name != "thinking_blocks"}


def _drop_thoughts(message: JSONMapping) -> JSONMapping:
    dropped = ("thinking_blocks", *THOUGHT_FIELDS)
    return {name: value for name, value in message.items() if name not in dropped}


def _get_secret(seat: ProgramSeat) -> str:
    return seat.address.split("/")[-2]


def make_http_error(kind: type[web.HTTPException], why: str) -> web.HTTPException:
    """Return an HTTP error that says why there is no answer."""
    body = json.dumps({"error": {"message": why, "type": "gateway"}})
    return kind(text=body, content_type="application/json")
