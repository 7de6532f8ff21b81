"""A chat server on the loopback that does whatever a test wants, wrong things above all."""

import asyncio
import contextlib
import json
import threading


class StubServer:
    """Answer each request with what `answer(body, attempt)` returns.

    That is a reply's text, a message (a dict), or a Fault. `given` keeps every reply by its
    request, `requests` every body in the order of arrival, `paths` where each was sent, `times`
    when each came; without `keep` they stay empty (many long chats with pictures are gigabytes).
    """

    def __init__(self, answer, keep=True):
        self.answer, self.keep = answer, keep
        self.requests = []
        self.times = []
        self.headers = []
        self.paths = []
        self.attempts = {}
        self.given = {}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        started = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._main(started)))
        self.thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(10)

    async def _main(self, started):
        self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
        self.handlers = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self.stop.wait()
        server.close()
        for handler in list(self.handlers):
            handler.cancel()
        await asyncio.gather(*self.handlers, return_exceptions=True)
        await asyncio.sleep(0)  # for the connections to close

    async def _connection(self, reader, writer):
        self.handlers.add(task := asyncio.current_task())
        try:
            gone = ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
            with contextlib.suppress(*gone):
                while await self._request(reader, writer):
                    pass
        finally:
            self.handlers.discard(task)
            writer.close()

    async def _request(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(
            line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line
        )
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        body = json.loads(raw or b"{}")
        if self.keep:
            self.requests.append(body)
            self.times.append(self.loop.time())
            self.headers.append(headers)
            self.paths.append(head.split(" ", 2)[1])
        request = hash(raw)
        attempt = self.attempts[request] = self.attempts.get(request, -1) + 1
        answer = self.answer(body, attempt)
        if callable(answer):
            return await answer(writer)
        if self.keep:
            self.given[json.dumps(body["messages"])] = answer
        if body.get("stream"):
            writer.write(response(streamed(completion(answer)), kind="text/event-stream"))
        else:
            writer.write(response(json.dumps(completion(answer)).encode()))
        await writer.drain()
        return True


def completion(message, prompt_tokens=10):
    """Return a chat completion with this text or message."""
    if isinstance(message, str):
        message = {"role": "assistant", "content": message}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 2, "total_tokens": 12},
    }


def streamed(whole):
    """Return a chat completion as the events of a stream."""
    (choice,) = whole["choices"]
    ends = (
        [{"index": 0, "delta": choice["message"], "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}],
    )
    base = {**whole, "object": "chat.completion.chunk", "usage": None}
    chunks = [{**base, "choices": one} for one in ends]
    chunks.append({**base, "choices": [], "usage": whole["usage"]})
    said = [json.dumps(chunk) for chunk in chunks]
    return "".join(f"data: {one}\n\n" for one in [*said, "[DONE]"]).encode()


def response(body, status="200 OK", *more, length=None, kind="application/json"):
    """Return the bytes of a response."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body) if length is None else length}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def status(code, *headers, message="no"):
    """Answer with an error."""

    async def fault(writer):
        body = json.dumps({"error": {"message": message, "code": None}}).encode()
        writer.write(response(body, f"{code} Fault", *headers))
        await writer.drain()
        return True

    return fault


def body(text):
    """Answer with status 200 and this body."""

    async def fault(writer):
        writer.write(response(text.encode()))
        await writer.drain()
        return True

    return fault


def raw(content, *headers):
    """Answer with status 200 and these bytes."""

    async def fault(writer):
        writer.write(response(content, "200 OK", *headers))
        await writer.drain()
        return True

    return fault


async def cut(writer):
    """Close the connection instead of answering."""
    writer.close()
    return False


async def half(writer):
    """Close the connection in the middle of the body."""
    text = json.dumps(completion("5")).encode()
    writer.write(response(text[: len(text) // 2], length=len(text)))
    await writer.drain()
    writer.close()
    return False


async def garble(writer):
    """Say what is no HTTP."""
    writer.write(bytes(range(256)) * 20)
    await writer.drain()
    writer.close()
    return False


async def hang(writer):
    """Answer nothing, for longer than anybody waits."""
    await asyncio.sleep(60)
    return False


async def slow(writer):
    """Send a byte at a time, so that no single read takes long."""
    text = json.dumps(completion("5")).encode()
    writer.write(response(b"", length=len(text)))
    for byte in text:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.2)
    return False
