"""The rules of every client of HTTP: secrets, redirects, and how much of an answer is read.

No secret is written down or comes back, nobody is followed to another address, and no answer is
endless.
"""

from __future__ import annotations

import base64
import http.client
import importlib
import json
import math
import os
import re
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

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
_SECRET_HEADER = re.compile(rf"cookie|(?:.*[_-])?(?:{_SECRET_SUFFIXES})", re.IGNORECASE)
_HIDDEN = "..."
_SHORTEST_KEY = 8  # characters; a shorter one stands for none, such as EMPTY, and is also a word


class UnreadableResponse(ValueError):
    """A server sends more than is read, or what cannot be unpacked."""


class RedirectRefused(ValueError):
    """A server sends its clients, and with them their keys and chats, to another address."""


def refuse_redirect(status: int, location: str | None, argument: str) -> None:
    """Raise RedirectRefused about an answer that points elsewhere: what is sent is for nobody else.

    Args:
        status: Of the answer.
        location: Where it points to, if it does.
        argument: What names the address of the server, for the error.
    """
    if 300 <= status < 400 and location is not None:
        target = redact_secrets(location)[:200]
        raise RedirectRefused(f"the server says that it is at {target!r}; give that as {argument}")


class SentSecrets:
    """What one server is sent and nobody else may read: no answer of it comes back with them.

    Args:
        secrets: What stands for each secret.
    """

    def __init__(self, secrets: Mapping[str, str]):
        variants = {
            variant: replacement
            for secret, replacement in secrets.items()
            if secret
            for variant in _list_spellings(secret)
        }
        # The longest first: a secret may be a part of another.
        self._variants = sorted(variants.items(), key=lambda one: -len(one[0]))
        self._bytes = [
            (variant.encode("utf-8", "replace"), replacement.encode())
            for variant, replacement in self._variants
            if len(variant) >= _SHORTEST_KEY
        ]

    @classmethod
    def from_key(
        cls, variable: str, key: str | None, user: tuple[str, str] | None = None
    ) -> SentSecrets:
        """Return the key that an environment variable holds, and who asks."""
        return cls({**cls._list_user(user), **({key: f"${variable}"} if key else {})})

    @classmethod
    def from_headers(
        cls, headers: Mapping[str, str], user: tuple[str, str] | None = None
    ) -> SentSecrets:
        """Return the secrets among headers, and who asks."""
        secrets = cls._list_user(user)
        for name, value in headers.items():
            if _SECRET_HEADER.fullmatch(name):
                secrets |= {value: _HIDDEN, value.rpartition(" ")[2]: _HIDDEN}
        return cls(secrets)

    @staticmethod
    def _list_user(user: tuple[str, str] | None) -> dict[str, str]:
        if user is None:
            return {}
        return {user[1]: _HIDDEN, encode_user(user): _HIDDEN}

    def hide(self, text: str) -> str:
        """Return a refusal or an error without the secrets, and without those of any URL in it."""
        for variant, replacement in self._variants:
            text = text.replace(variant, replacement)
        return redact_secrets(text)

    def hide_bytes(self, content: bytes) -> bytes:
        """Return an answer without the secrets, and otherwise as it is.

        What is too short to be a key stays, as it may be a word of the model's.
        """
        for variant, replacement in self._bytes:
            content = content.replace(variant, replacement)
        return content


def _list_spellings(secret: str) -> tuple[str, ...]:
    """Return a secret as texts, JSON, URLs and errors spell it."""
    in_json = json.dumps(secret)[1:-1]
    escaped = in_json.replace("/", "\\/"), repr(secret)[1:-1]
    quoted = [quote(secret, safe=safe, errors="replace") for safe in ("/", "")]
    return secret, in_json, *escaped, *quoted


def read_key(variable: str) -> str | None:
    """Return the key that an environment variable holds, if it holds one.

    Raises:
        ValueError: If no header can carry it; the key is not repeated.
    """
    key = os.environ.get(variable, "").strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise ValueError(
            f"the environment variable {variable} holds what is no key: expected printable ASCII "
            "without spaces"
        )
    return key or None


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


def encode_user(user: tuple[str, str]) -> str:
    """Return a name and a password as a header says them behind Basic."""
    return base64.b64encode(":".join(user).encode()).decode()


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


def open_http_client(
    client_class: type,
    *,
    argument: str,
    most: int = MAX_RESPONSE_SIZE,
    events: bool = False,
    headers: Mapping[str, str] | None = None,
    **settings: Any,
) -> Any:
    """Return an asynchronous client that follows no redirect and reads no endless answer.

    Args:
        client_class: One of httpx or httpx2, or derived from it.
        argument: What names the address of the server, as `refuse_redirect` takes it.
        most: Bytes of an answer.
        events: Leave streams of events to whoever reads them.
        headers: Sent with each request.
        **settings: Other arguments of the client.
    """
    base = next(one for one in client_class.__mro__ if one.__name__ == "AsyncClient")
    httpx = importlib.import_module(base.__module__.partition(".")[0])

    async def check_redirect(response: Any) -> None:
        refuse_redirect(response.status_code, response.headers.get("location"), argument)

    return client_class(
        headers={"Accept-Encoding": "gzip", **(headers or {})},
        follow_redirects=False,
        event_hooks={"response": [check_redirect, limit_response_size(httpx, most, events=events)]},
        **settings,
    )


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
