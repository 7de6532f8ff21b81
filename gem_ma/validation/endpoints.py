"""What whoever talks to a server has to mind: no secret is written down, no answer is endless."""

from __future__ import annotations

import http.client
import math
import re
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from gem_ma.validation.arguments import check_type

MAX_RESPONSE_SIZE = 1 << 24  # bytes of an answer, where nobody says otherwise
_CHUNK_SIZE = 1 << 16

# A URL behind its scheme, up to where no URL goes on or the next one begins.
_URL = re.compile(r"://(?:(?!://)[^\s'\"<>\\])*")
_HOST = re.compile(r"://(?:\[[^\]/]*\]|[^:/?#@]*)(?::\d*)?(?:[/?#,]|$)")
_SECRET_SUFFIXES = (
    "key|token|secret|password|passwd|pwd|auth|authorization|credentials?|signature|sig|jwt"
)
_SECRET_OPTION = re.compile(
    rf"([?&;#][\w.%~-]*?(?:{_SECRET_SUFFIXES})=)([^&;#\s'\"<>\\]*)", re.IGNORECASE
)
_VARIABLE_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


class UnreadableResponse(ValueError):
    """A server sends more than is read, or what cannot be unpacked."""


def redact_secrets(text: str) -> str:
    """Drop names and passwords from the URLs in a text, and the values of keys and tokens.

    What is left of `openai:m@http://me:word@host/v1?api_key=x` names the same agent, and may be
    written anywhere. The name of an environment variable (`key=MY_KEY`) is no secret.
    """
    if "://" in text:
        text = _URL.sub(_redact_user, text)
    return _SECRET_OPTION.sub(_redact_value, text) if "=" in text else text


def _redact_user(found: re.Match[str]) -> str:
    url = found[0]
    if "@" not in url or _HOST.match(url):
        return url
    host = re.split(r"[/?#]", url[3:], maxsplit=1)[0]
    if "@" not in host:  # a password with a / in it, say: all up to the last @ may belong to it
        return f"://{url.rpartition('@')[2]}"
    return f"://{host.rpartition('@')[2]}{url[3 + len(host) :]}"


def _redact_value(found: re.Match[str]) -> str:
    option, value = found.groups()
    if option[1:].lower() == "key=" and _VARIABLE_NAME.fullmatch(value):
        return found[0]
    return f"{option}..."


def split_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return a URL without the name and password in it, which clients would log, and these."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url, None
    host = parts.netloc.rpartition("@")[2]
    user = unquote(parts.username or ""), unquote(parts.password or "")
    return parts._replace(netloc=host).geturl(), user


def parse_model_url(model: str) -> tuple[str, str, tuple[str, str] | None]:
    """Return the model of MODEL@URL, or "" for a URL alone, the URL, and who is to ask there."""
    check_type(model, str, "model", "a URL or MODEL@URL")
    name, at, url = model.partition("@")
    if not at or "://" in name:
        name, url = "", model
    if not url.startswith(("http://", "https://")):
        raise ValueError(
            f"model={redact_secrets(model)!r}: expected the URL of a server, such as "
            "http://127.0.0.1:8000/v1, or MODEL@URL"
        )
    return name, *split_credentials(url.rstrip("/"))


def read_response(answer: Any, most: int = MAX_RESPONSE_SIZE, seconds: float = math.inf) -> bytes:
    """Return what an answer of http.client or urllib holds, or raise Unreadable.

    Args:
        seconds: for all of it, while the timeout of a socket is for each part.
    """
    end, parts, count = time.monotonic() + seconds, [], 0
    while part := answer.read1(_CHUNK_SIZE):
        parts.append(part)
        count += len(part)
        if count > most:
            raise UnreadableResponse(f"an answer of more than {most} bytes")
        if time.monotonic() > end:
            raise UnreadableResponse(f"an answer that takes more than {seconds:g} seconds")
    content = b"".join(parts)
    left = getattr(answer, "length", None)
    if left:  # the connection ended before the answer
        raise http.client.IncompleteRead(content, left)
    return content


def limit_response_size(
    httpx: Any, most: int, *, events: bool = False
) -> Callable[[Any], Awaitable[None]]:
    """Return a hook that lets a response of an asynchronous client end in Unreadable.

    Args:
        httpx: the library of the client, which is httpx or httpx2. The client is to send
            `Accept-Encoding: gzip`; nothing else is read, and bytes count as they are unpacked.
        most: bytes of an answer.
        events: leave streams of events to whoever reads them.
    """

    class Ended(UnreadableResponse, httpx.StreamError):
        """What both the caller and what reads the response know."""

    class Capped(httpx.AsyncByteStream):
        def __init__(self, stream: Any, packed: bool, most: float):
            self.stream = stream
            self.unpack = _make_unpacker() if packed else lambda chunk: iter((chunk,))
            self.most = most

        async def __aiter__(self) -> AsyncIterator[bytes]:
            count = 0
            try:
                async for chunk in self.stream:
                    for part in self.unpack(chunk):
                        count += len(part)
                        if count > self.most:
                            raise Ended(f"an answer of more than {most} bytes")
                        yield part
            except zlib.error as error:
                raise Ended(f"an answer that cannot be unpacked: {error}") from None

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def limit_stream(response: Any) -> None:
        coding = response.headers.pop("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip"):
            raise Ended(f"an answer packed as {coding[:40]!r}; expected gzip or none")
        stream = events and "text/event-stream" in response.headers.get("content-type", "")
        response.stream = Capped(response.stream, "gzip" in coding, math.inf if stream else most)

    return limit_stream


def _make_unpacker() -> Callable[[bytes], Iterator[bytes]]:
    """Return a function that unpacks gzip in small pieces: a few bytes may stand for gigabytes."""
    packed = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def unpack(chunk: bytes) -> Iterator[bytes]:
        part = b"" if packed.eof else packed.decompress(chunk, _CHUNK_SIZE)
        while part:
            yield part
            part = packed.decompress(packed.unconsumed_tail, _CHUNK_SIZE)

    return unpack


def check_variable_name(name: str) -> str:
    """Return the name of an environment variable that holds a key, if it is one."""
    if not isinstance(name, str) or not re.fullmatch(r"\w+", name):
        # which may be the key itself, so it is not repeated
        raise ValueError("a key= is the name of an environment variable, such as MY_KEY")
    return name
