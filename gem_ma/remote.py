"""What whoever talks to a server has to mind: no secret is written down, no answer is endless."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

MOST = 1 << 24  # bytes of an answer, where nobody says otherwise

# A URL behind its scheme, up to where no URL goes on or the next one begins.
_URL = re.compile(r"://(?:(?!://)[^\s'\"<>\\])*")
_HOST = re.compile(r"://(?:\[[^\]/]*\]|[^:/?#@]*)(?::\d*)?(?:[/?#,]|$)")
_ENDS = "key|token|secret|password|passwd|pwd|auth|authorization|credentials?|signature|sig|jwt"
_OPTION = re.compile(rf"([?&;#][\w.%~-]*?(?:{_ENDS})=)([^&;#\s'\"<>\\]*)", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


class Unreadable(ValueError):
    """A server sends more than is read, or what cannot be unpacked."""


def without_secrets(text: str) -> str:
    """Drop names and passwords from the URLs in a text, and the values of keys and tokens.

    What is left of `openai:m@http://me:word@host/v1?api_key=x` names the same agent, and may be
    written anywhere. The name of an environment variable (`key=MY_KEY`) is no secret.
    """
    if "://" in text:
        text = _URL.sub(_without_user, text)
    return _OPTION.sub(_without_value, text) if "=" in text else text


def _without_user(found: re.Match[str]) -> str:
    url = found[0]
    if "@" not in url or _HOST.match(url):
        return url
    host = re.split(r"[/?#]", url[3:], maxsplit=1)[0]
    if "@" not in host:  # a password with a / in it, say: all up to the last @ may belong to it
        return f"://{url.rpartition('@')[2]}"
    return f"://{host.rpartition('@')[2]}{url[3 + len(host) :]}"


def _without_value(found: re.Match[str]) -> str:
    option, value = found.groups()
    if option[1:].lower() == "key=" and _VARIABLE.fullmatch(value):
        return found[0]
    return f"{option}..."


def read_all(answer: Any, most: int = MOST) -> bytes:
    """Return what a file or an answer holds, or raise Unreadable."""
    content: bytes = answer.read(most + 1)
    if len(content) > most:
        raise Unreadable(f"an answer of more than {most} bytes")
    return content


def capped(httpx: Any, most: int, *, events: bool = False) -> Callable[[Any], Awaitable[None]]:
    """Return a hook that lets a response of an asynchronous client end in Unreadable.

    httpx: the library of the client, which is httpx or httpx2. The client is to send
        `Accept-Encoding: gzip`; nothing else is read, and bytes count as they are unpacked.
    most: bytes of a whole answer; with `events`, of each event of a stream of them.
    """

    class Capped(httpx.AsyncByteStream):
        def __init__(self, stream: Any, packed: bool, meter: _Meter):
            self.stream = stream
            self.unpack = _unpacker() if packed else lambda chunk: iter((chunk,))
            self.meter = meter

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self.stream:
                for part in self.unpack(chunk):
                    self.meter.count(part)
                    yield part

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def hook(response: Any) -> None:
        coding = response.headers.pop("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip"):
            raise Unreadable(f"an answer packed as {coding[:40]!r}; expected gzip or none")
        streams = events and "text/event-stream" in response.headers.get("content-type", "")
        response.stream = Capped(response.stream, "gzip" in coding, _Meter(most, streams))

    return hook


class _Meter:
    """Counts the bytes of an answer, or of each event of a stream."""

    def __init__(self, most: int, events: bool):
        self.most = most
        self.events = events
        self.bytes = 0
        self.tail = b""

    def count(self, part: bytes) -> None:
        """Count some more, or raise Unreadable."""
        self.bytes += len(part)
        if self.events:
            self.tail = self.tail[-3:] + part
            for end in _END_OF_EVENT.finditer(self.tail):
                self.bytes = len(self.tail) - end.end()
        if self.bytes > self.most:
            raise Unreadable(f"an answer of more than {self.most} bytes")


_END_OF_EVENT = re.compile(rb"\n\n|\r\r|\r\n\r\n")
_PIECE = 1 << 16


def _unpacker() -> Callable[[bytes], Iterator[bytes]]:
    """Return a function that unpacks gzip in small pieces: a few bytes may stand for gigabytes."""
    packed = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def unpack(chunk: bytes) -> Iterator[bytes]:
        if packed.eof:
            return
        try:
            part = packed.decompress(chunk, _PIECE)
            while part:
                yield part
                part = packed.decompress(packed.unconsumed_tail, _PIECE)
        except zlib.error as error:
            raise Unreadable(f"an answer that cannot be unpacked: {error}") from None

    return unpack
