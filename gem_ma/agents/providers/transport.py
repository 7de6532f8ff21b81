"""The HTTP below every provider: addresses, clients that follow nobody, and when to ask again."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from gem_ma.validation.arguments import check_type
from gem_ma.validation.endpoints import SentSecrets, open_http_client, redact_secrets
from gem_ma.validation.json_types import JSONMapping, JSONObject

RequestBody: TypeAlias = JSONObject
ToolSchemas: TypeAlias = Sequence[JSONMapping]  # in OpenAI's form


class ModelConnection(NamedTuple):
    """An open client of a provider's library, as far as the base uses it.

    Attributes:
        send: Makes one request, without retries, and returns the bytes of its answer.
        close: Closes the client.
        errors: What the library raises.
        connection_errors: What it raises when there was no answer; trying again may help.
    """

    send: Callable[[RequestBody], Awaitable[bytes]]
    close: Callable[[], Awaitable[None]]
    errors: tuple[type[Exception], ...]
    connection_errors: tuple[type[Exception], ...]


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """What a provider's library opens its client with.

    Attributes:
        key: What stands in the environment variable.
        url: The address of the server, without name and password; None for the provider's own.
    """

    key: str
    url: str | None
    user: tuple[str, str] | None
    timeout: float
    max_answer: int

    def open_http(self, client_class: type) -> Any:
        """Return a client that follows no redirect and reads no endless answer.

        Args:
            client_class: An asynchronous client of httpx or httpx2, or one derived from it.
        """
        return open_http_client(
            client_class,
            argument="base_url",
            most=self.max_answer,
            auth=self.user,
            timeout=self.timeout,
        )


def open_sdk_connection(
    client: Any,
    create: Callable[..., Awaitable[Any]],
    extra_body: JSONMapping | None,
    errors: tuple[type[Exception], type[Exception]],
) -> ModelConnection:
    """Return the connection of a client that Stainless generated, as OpenAI's and Anthropic's are.

    Args:
        client: The client.
        create: Its method `with_raw_response.create`.
        extra_body: What each request holds beside the body.
        errors: The library's base of all errors, and its error of connections.
    """

    async def send(body: RequestBody) -> bytes:
        # The library walks through its arguments by their types, which takes more than half of its
        # time where a chat is long. What stands in `extra_body` it sends as it is, in their place.
        lists = {name: value for name, value in body.items() if isinstance(value, list)}
        arguments = body | {name: [] for name in lists}
        raw = await create(**arguments, extra_body={**lists, **(extra_body or {})})
        content: bytes = raw.http_response.content
        return content

    return ModelConnection(send, client.close, errors[:1], errors[1:])


def check_base_url(base_url: str) -> None:
    """Refuse what is no URL of a server, without repeating it: a part of it may be a password."""
    check_type(base_url, str, "base_url")
    parts = urlsplit(base_url)
    try:
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:  # such as a password with a / in it
        good = False
    if not good or parts.query or parts.fragment:
        raise ValueError(
            f"base_url={redact_secrets(base_url)!r}: expected a URL such as "
            "http://127.0.0.1:8000/v1, without ? and #; a key belongs into the environment "
            "variable that key= names, and in a password / is %2F, @ is %40, ? is %3F, # is %23"
        )


def read_status(error: BaseException) -> int | None:
    """Return the HTTP status that an error of a client library, or its response, holds."""
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (error, "code"), (response, "status_code")):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return status
    return None


def find_retry_delay(error: BaseException | None) -> float | None:
    """Return the seconds that a server asks to wait, in a header or in the body of its error."""
    response = getattr(error, "response", None)
    retry_after = None if response is None else parse_retry_after(response.headers)
    return parse_retry_info(getattr(error, "details", None)) if retry_after is None else retry_after


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that Retry-After names, as a number or a date, if they make sense."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = email.utils.parsedate_tz(value)
            seconds = -1.0 if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
        except (ValueError, OverflowError):  # a day that never comes
            return None
    return seconds if seconds >= 0 and math.isfinite(seconds) else None


def parse_retry_info(details: object) -> float | None:
    """Return the seconds to wait that the body of an error names in the form of google.rpc."""
    error = details.get("error") if isinstance(details, Mapping) else None
    for detail in (error.get("details") if isinstance(error, Mapping) else None) or ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str):  # such as 13.5s
            return parse_retry_after({"retry-after": delay.removesuffix("s")})
    return None


def summarize_error(error: BaseException, secrets: SentSecrets) -> str:
    """Return in a few words what a request that gets no answer fails by."""
    if isinstance(error, TimeoutError):
        return "no reply in time"
    return " ".join(secrets.hide(str(error)).split())[:80].rstrip(". ") or type(error).__name__
