"""Rules for all HTTP clients: secrets, redirects and limits of responses.

Secrets are neither logged nor returned, redirects are refused, and the size of a response is
limited.
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

MAX_RESPONSE_SIZE = 1 << 24  # default limit of a response in bytes
_CHUNK_SIZE = 1 << 16

# The part of a URL after its scheme, up to a character that no URL contains or the next URL.
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
# characters; a shorter key is a placeholder such as EMPTY, and may be a word in a reply
_SHORTEST_KEY = 8


class UnreadableResponse(ValueError):
    """Raised if a response is too large or cannot be decompressed."""


class RedirectRefused(ValueError):
    """Raised if a server redirects its clients, with their keys and chats, to another address."""


def refuse_redirect(status: int, location: str | None, argument: str) -> None:
    """Raise RedirectRefused for a redirect, because requests are meant for one server only.

    Args:
        status: The response's status.
        location: The target of the redirect, or None.
        argument: The name of the argument with the server's address, for the error.
    """
    if 300 <= status < 400 and location is not None:
        target = redact_secrets(location)[:200]
        raise RedirectRefused(f"the server says that it is at {target!r}; give that as {argument}")


class SentSecrets:
    """Secrets that are sent to one server, and must not appear in its responses.

    Args:
        secrets: From each secret to the text that replaces it.
    """

    def __init__(self, secrets: Mapping[str, str]):
        variants = {
            variant: replacement
            for secret, replacement in secrets.items()
            if secret
            for variant in _list_spellings(secret)
        }
        # The longest first, because a secret may be a part of another.
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
        """Return a client's secrets: the key in an environment variable, and a password."""
        return cls({**cls._list_user(user), **({key: f"${variable}"} if key else {})})

    @classmethod
    def from_headers(
        cls, headers: Mapping[str, str], user: tuple[str, str] | None = None
    ) -> SentSecrets:
        """Return a client's secrets: those in headers, and a password."""
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
        """Return an error text without these secrets, and without those in URLs."""
        for variant, replacement in self._variants:
            text = text.replace(variant, replacement)
        return redact_secrets(text)

    def hide_bytes(self, content: bytes) -> bytes:
        """Return a response without these secrets, and otherwise unchanged.

        A secret that is too short to be a key stays, because it may be a word in the model's reply.
        """
        for variant, replacement in self._bytes:
            content = content.replace(variant, replacement)
        return content


def _list_spellings(secret: str) -> tuple[str, ...]:
    """Return a secret as it is written in texts, JSON, URLs and errors."""
    in_json = json.dumps(secret)[1:-1]
    escaped = in_json.replace("/", "\\/"), repr(secret)[1:-1]
    quoted = [quote(secret, safe=safe, errors="replace") for safe in ("/", "")]
    return secret, in_json, *escaped, *quoted


def read_key(variable: str) -> str | None:
    """Return the key in an environment variable, or None if it is empty or not set.

    Raises:
        ValueError: The key cannot be sent in a header. The error does not show the key.
    """
    key = os.environ.get(variable, "").strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise ValueError(
            f"the environment variable {variable} holds no valid key: expected printable ASCII "
            "without spaces"
        )
    return key or None


def redact_secrets(text: str) -> str:
    """Remove user names and passwords in URLs from a text, and the values of keys and tokens.

    The result for `openai:m@http://me:word@host/v1?api_key=x` names the same agent, and is safe to
    log. The name of an environment variable (`key=MY_KEY`) is not a secret and stays.
    """
    if "://" in text:
        text = _URL.sub(_redact_user, text)
    return _SECRET_OPTION.sub(_redact_value, text) if "=" in text else text


def _redact_user(found: re.Match[str]) -> str:
    url = found[0]
    if "@" not in url or _HOST.match(url):
        return url
    host = re.split(r"[/?#]", url[3:], maxsplit=1)[0]
    # for example a password with a /; everything up to the last @ may belong to it
    if "@" not in host:
        return f"://{url.rpartition('@')[2]}"
    return f"://{host.rpartition('@')[2]}{url[3 + len(host) :]}"


def _redact_value(found: re.Match[str]) -> str:
    option, value = found.groups()
    if option[1:].lower() == "key=" and _VARIABLE_NAME.fullmatch(value):
        return found[0]
    return f"{option}..."


def split_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return a URL without its name and password, which clients would log, and these two."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url, None
    host = parts.netloc.rpartition("@")[2]
    user = unquote(parts.username or ""), unquote(parts.password or "")
    return parts._replace(netloc=host).geturl(), user


def encode_user(user: tuple[str, str]) -> str:
    """Encode a name and a password for a header of Basic authentication."""
    return base64.b64encode(":".join(user).encode()).decode()


def parse_model_url(model: str) -> tuple[str, str, tuple[str, str] | None]:
    """Return the model of MODEL@URL ("" for a URL alone), the URL, and its name and password."""
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
    """Return the body of a response of http.client or urllib, or raise UnreadableResponse.

    Args:
        seconds: Time limit for the whole body. A socket's timeout is for each part only.
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
    if left:  # the connection ended before the response was complete
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
    """Return an asynchronous client that follows no redirect and limits the size of responses.

    Args:
        client_class: A client class of httpx or httpx2, or a subclass.
        argument: The name of the argument with the server's address, for errors.
        most: Limit of a response in bytes.
        events: Whether to leave event streams unlimited; the code that reads them has to limit
            them.
        headers: Headers of each request.
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
    """Return a hook that makes an asynchronous client raise UnreadableResponse for large responses.

    Args:
        httpx: The library of the client, httpx or httpx2. The client must send `Accept-Encoding:
            gzip`; other encodings are refused. Bytes are counted after decompression.
        most: Limit of a response in bytes.
        events: Whether to leave event streams unlimited; the code that reads them has to limit
            them.
    """

    class Ended(UnreadableResponse, httpx.StreamError):
        """An exception that both the caller and httpx handle."""

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
    """Return a function that decompresses gzip in small pieces, to limit memory."""
    packed = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def unpack(chunk: bytes) -> Iterator[bytes]:
        part = b"" if packed.eof else packed.decompress(chunk, _CHUNK_SIZE)
        while part:
            yield part
            part = packed.decompress(packed.unconsumed_tail, _CHUNK_SIZE)

    return unpack


def check_variable_name(name: str) -> str:
    """Return the name of an environment variable for a key, or raise ValueError."""
    if not isinstance(name, str) or not re.fullmatch(r"\w+", name):
        # it may be the key itself, so the error does not show it
        raise ValueError("key= must be the name of an environment variable, such as MY_KEY")
    return name
