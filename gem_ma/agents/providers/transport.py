"""HTTP for all providers: addresses, clients that follow no redirects, and delays of retries."""

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
    """An open client of a provider's library, as far as the base class uses it.

    Attributes:
        send: Makes one request, without retries, and returns the bytes of the answer.
        close: Closes the client.
        errors: Exceptions that the library raises.
        connection_errors: Exceptions for requests without an answer; a retry may help.
    """

    send: Callable[[RequestBody], Awaitable[bytes]]
    close: Callable[[], Awaitable[None]]
    errors: tuple[type[Exception], ...]
    connection_errors: tuple[type[Exception], ...]


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """The server, and the limits of a client.

    Attributes:
        key: The value of the environment variable with the API key.
        url: The server's URL, without name and password; None: the provider's own.
    """

    key: str
    url: str | None
    user: tuple[str, str] | None
    timeout: float
    max_answer: int

    def open_http(self, client_class: type) -> Any:
        """Return a client that follows no redirect and limits the size of answers.

        Args:
            client_class: An asynchronous client class of httpx or httpx2, or a subclass.
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
    """Return the connection of a client that Stainless generated, such as OpenAI's or Anthropic's.

    Args:
        client: The client.
        create: Its method `with_raw_response.create`.
        extra_body: Further fields of each request.
        errors: The library's base class of errors, and its connection error.
    """

    async def send(body: RequestBody) -> bytes:
        # The library checks its arguments by type, which takes more than half of its time for a
        # long chat. It sends the fields of `extra_body` unchanged, in place of the empty lists.
        lists = {name: value for name, value in body.items() if isinstance(value, list)}
        arguments = body | {name: [] for name in lists}
        arguments["extra_body"] = {**lists, **body.get("extra_body", {}), **(extra_body or {})}
        raw = await create(**arguments)
        content: bytes = raw.http_response.content
        return content

    return ModelConnection(send, client.close, errors[:1], errors[1:])


def check_base_url(base_url: str) -> None:
    """Raise ValueError if this is no server's URL, without showing a password in it."""
    check_type(base_url, str, "base_url")
    parts = urlsplit(base_url)
    try:
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:  # for example a password that contains a /
        good = False
    if not good or parts.query or parts.fragment:
        raise ValueError(
            f"base_url={redact_secrets(base_url)!r}: expected a URL such as "
            "http://127.0.0.1:8000/v1, without ? and #; a key belongs into the environment "
            "variable that key= names, and in a password / is %2F, @ is %40, ? is %3F, # is %23"
        )


def read_status(error: BaseException) -> int | None:
    """Return the HTTP status in an error of a client library, or in the error's response."""
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
    """Return the seconds in a Retry-After header, as a number or a date, if they are valid."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = email.utils.parsedate_tz(value)
            seconds = -1.0 if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
        except (ValueError, OverflowError):  # a date outside the range of the calendar
            return None
    return seconds if seconds >= 0 and math.isfinite(seconds) else None


def parse_retry_info(details: object) -> float | None:
    """Return the seconds to wait in an error body in the form of google.rpc."""
    error = details.get("error") if isinstance(details, Mapping) else None
    for detail in (error.get("details") if isinstance(error, Mapping) else None) or ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str):  # for example 13.5s
            return parse_retry_after({"retry-after": delay.removesuffix("s")})
    return None


def summarize_error(error: BaseException, secrets: SentSecrets) -> str:
    """Return a short description of an error that left a request without an answer."""
    if isinstance(error, TimeoutError):
        return "no reply in time"
    return " ".join(secrets.hide(str(error)).split())[:80].rstrip(". ") or type(error).__name__
