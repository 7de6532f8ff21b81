"""A model behind an OpenAI-compatible server: hosted, vLLM, SGLang, llama.cpp and so on."""

from __future__ import annotations

import asyncio
import email.utils
import importlib
import logging
import math
import os
import time
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.event_loops import run_async
from gem_ma.chat.messages import Picture, count_image_tokens, to_openai_chat
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import derive_seed
from gem_ma.validation.arguments import check_type
from gem_ma.validation.endpoints import (
    MAX_RESPONSE_SIZE,
    UnreadableResponse,
    check_variable_name,
    limit_response_size,
    redact_secrets,
    split_credentials,
)

if TYPE_CHECKING:
    import openai

    from gem_ma.agents.answers import Completion

_LONGEST_WAIT = 600.0  # seconds that a server may ask to wait
_QUIET = 2.0  # seconds between two lines about retries
_log = logging.getLogger(__name__)


class ServerError(RuntimeError):
    """A server gave no usable reply, however often it was asked."""


class RequestCap(RuntimeError):
    """The agent has made as many requests as it may."""


class Elsewhere(ValueError):
    """A server sends its clients, and with them their keys and chats, to another address."""


class Sight(NamedTuple):
    """Whether a server looked at a picture, by the tokens that it counted for it."""

    sees: bool
    tokens: int
    expected: int


class OpenAIAgent:
    """Reply with what a server generates; many requests are under way at once.

    base_url: of the server, such as http://127.0.0.1:8000/v1; None for OpenAI's own. A name and
        password in it are sent, and shown nowhere.
    key: the environment variable that holds the key; the key itself is kept nowhere.
    seed: send a seed with each request, made of this one and the turn's.
    concurrency: requests under way at once. timeout: seconds for a whole reply. retries: after a
        dropped connection, a timeout, a malformed answer, or status 408, 409, 429 or 5xx, after
        growing pauses or as long as the server asks for; now and then one is logged as a warning,
        which Python writes to the standard error. max_requests: a cap on all requests.
    max_answer: bytes of an answer, unpacked; a longer one is malformed.
    logprobs: ask for log-probabilities. token_ids: ask vLLM for the token ids too.
    prices: of a million prompt and completion tokens, for `cost`.
    detail: of pictures. body: whatever else belongs into each request.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        key: str = "OPENAI_API_KEY",
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        concurrency: int = 64,
        timeout: float = 300.0,
        retries: int = 6,
        max_requests: int | None = None,
        max_answer: int = MAX_RESPONSE_SIZE,
        logprobs: bool = False,
        token_ids: bool = False,
        prices: tuple[float, float] = (0.0, 0.0),
        detail: str = "auto",
        body: Mapping[str, Any] | None = None,
    ):
        if concurrency < 1 or retries < 0 or timeout <= 0 or max_answer < 1:
            raise ValueError(
                f"concurrency={concurrency}, retries={retries}, timeout={timeout}, "
                f"max_answer={max_answer}: expected at least 1, at least 0, more than 0 and at "
                "least 1"
            )
        check_variable_name(key)
        if base_url is not None:
            check_type(base_url, str, "base_url")
            _check(base_url)
        self.model = model
        self.base_url = base_url
        self.key = key
        self.seed = seed
        self.concurrency = concurrency
        self.timeout = timeout
        self.retries = retries
        self.max_requests = max_requests
        self.max_answer = max_answer
        self.prices = prices
        self.detail = detail
        self.requests = 0
        self.usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self._told, self._untold = -_QUIET, 0  # when a retry was said, and how many were not since
        self._sessions: weakref.WeakKeyDictionary[Any, _Session] = weakref.WeakKeyDictionary()
        self._body: dict[str, Any] = {"model": model}
        if temperature is not None:
            self._body["temperature"] = temperature
        if max_tokens is not None:  # OpenAI's newer models know only the newer name
            self._body["max_completion_tokens" if base_url is None else "max_tokens"] = max_tokens
        if logprobs or token_ids:
            self._body["logprobs"] = True
        self._extra = {"return_token_ids": True} if token_ids else {}
        self._extra |= body or {}

    @property
    def cost(self) -> float:
        """What all replies cost until now, in the currency of `prices`."""
        prompt, completion = self.usage["prompt_tokens"], self.usage["completion_tokens"]
        return (prompt * self.prices[0] + completion * self.prices[1]) / 1e6

    async def act(self, turns: list[Turn]) -> list[Reply]:
        async with self:
            return await asyncio.gather(*map(self._reply, turns))

    async def _reply(self, turn: Turn) -> Reply:
        body: dict[str, Any] = {"messages": to_openai_chat(turn.messages, detail=self.detail)}
        if turn.tools:
            body["tools"] = make_tool_schemas(turn.tools)
        if self.seed is not None:
            body["seed"] = derive_seed(self.seed, turn.seed) >> 32  # servers take 31 bits
        answer, seconds = await self._answer(body)
        return answer.reply(seconds)

    async def _answer(self, body: dict[str, Any]) -> tuple[Completion, float]:
        """Return a server's answer and how long it took, after as many attempts as it needs."""
        import openai
        import tenacity

        from gem_ma.agents.answers import BadAnswer

        session = self._sessions[asyncio.get_running_loop()]
        attempts = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(self.retries + 1),
            wait=_pause,
            retry=tenacity.retry_if_exception(_passes),
            before_sleep=self._say,
            reraise=True,
        )
        try:
            async with session.places:
                async for attempt in attempts:
                    with attempt:
                        start = time.perf_counter()
                        async with asyncio.timeout(self.timeout):
                            answer = await self._attempt(session.client, body)
                        return answer, time.perf_counter() - start
        except (openai.OpenAIError, TimeoutError, BadAnswer, Elsewhere) as error:
            kind = type(error).__name__
            text = self._shown(str(error) or f"no reply within {self.timeout:g} s")
            raise ServerError(f"{kind}: {text} ({self!r})") from None
        raise AssertionError("tenacity ends with a result or an error")

    async def _attempt(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Completion:
        import openai

        from gem_ma.agents.answers import BadAnswer, checked

        if self.max_requests is not None and self.requests >= self.max_requests:
            raise RequestCap(f"{self!r} has made {self.requests} requests, all that it may")
        self.requests += 1
        try:
            raw = await client.chat.completions.with_raw_response.create(
                **self._body, **body, extra_body=self._extra or None
            )
        except UnreadableResponse as error:
            raise BadAnswer(str(error)) from None
        except openai.APIConnectionError as error:  # into which some releases wrap all there is
            if isinstance(error.__cause__, UnreadableResponse):
                raise BadAnswer(str(error.__cause__)) from None
            if isinstance(error.__cause__, Elsewhere):
                raise error.__cause__ from None
            raise
        answer = checked(raw.http_response.content)
        for name in self.usage:
            self.usage[name] += answer.counts.get(name, 0)
        return answer

    def _say(self, state: Any) -> None:
        """Say that a request is made again, and why, unless another was said a moment ago."""
        now = time.monotonic()
        if now - self._told < _QUIET:
            self._untold += 1
            return
        more = f", and {self._untold} more since the last line" if self._untold else ""
        self._told, self._untold = now, 0
        error = state.outcome.exception()
        why = getattr(error, "status_code", None) or self._shown(_in_short(error))
        pause = state.next_action.sleep
        _log.warning(
            "openai: %s, waiting %.1f s (retry %d)%s", why, pause, state.attempt_number, more
        )

    def check_sees_images(self, cost: str | int = 16) -> Sight:
        """Send a picture and tell whether the server's count of tokens grew by what it costs.

        Some servers drop pictures and answer all the same. cost: the least number of tokens, or
        the model's family, for which `image_tokens` knows the number.
        """
        import numpy as np

        pixels = (np.indices((252, 252)).sum(0) // 28 % 2 * 255).astype(np.uint8)
        question = "What is this?"
        contents = ((question,), (Picture.from_array(pixels), question))

        async def ask() -> list[int]:
            counts = []
            async with self:
                for content in contents:
                    chat = to_openai_chat(
                        [{"role": "user", "content": content}], detail=self.detail
                    )
                    answer, _ = await self._answer({"messages": chat})
                    counts.append(answer.counts.get("prompt_tokens", 0))
            return counts

        without, beside = run_async(ask)
        expected = cost if isinstance(cost, int) else count_image_tokens(252, 252, cost)
        return Sight(beside - without >= expected, beside - without, expected)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            session = self._sessions[loop] = _Session(self._client(), self.concurrency)
        session.users += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        session = self._sessions[loop]
        session.users -= 1
        if not session.users:
            del self._sessions[loop]
            await session.client.close()

    def _client(self) -> openai.AsyncOpenAI:
        try:
            import openai
            import tenacity  # noqa: F401 - belongs to the same extra
        except ImportError as error:
            raise ImportError("OpenAIAgent needs openai: pip install 'gem-ma[openai]'") from error
        key = os.environ.get(self.key)
        if not key and self.base_url is None:
            raise ValueError(f"no key: set the environment variable {self.key}")
        # A client that takes a hook: the package that openai itself is built on.
        httpx: Any = importlib.import_module(
            openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
        )
        url, user = (None, None) if self.base_url is None else split_credentials(self.base_url)
        return openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=self.timeout,
            http_client=openai.DefaultAsyncHttpxClient(
                auth=user,
                timeout=self.timeout,
                headers={"Accept-Encoding": "gzip"},
                follow_redirects=False,
                event_hooks={"response": [_stay, limit_response_size(httpx, self.max_answer)]},
            ),
        )

    def _shown(self, text: str) -> str:
        """Return what a server said without the key that it was sent."""
        key = os.environ.get(self.key)
        return redact_secrets(text.replace(key, f"${self.key}") if key else text)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_sessions": None, "_told": -_QUIET}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _sessions=weakref.WeakKeyDictionary())

    def __repr__(self) -> str:
        url = "" if self.base_url is None else f"@{self.base_url}"
        return redact_secrets(f"OpenAIAgent({self.model}{url})")


class _Session:
    """What belongs to one event loop: a client, and places for requests."""

    def __init__(self, client: openai.AsyncOpenAI, places: int):
        self.client = client
        self.places = asyncio.Semaphore(places)
        self.users = 0


def _check(base_url: str) -> None:
    """Refuse what is no URL of a server, without repeating it: a part of it may be a password."""
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


async def _stay(response: Any) -> None:
    """Refuse to go where a server points to: a chat and a key are for nobody else."""
    if response.has_redirect_location:
        target = redact_secrets(response.headers["location"][:200])
        raise Elsewhere(f"the server says that it is at {target!r}; give that as base_url")


def _passes(error: BaseException) -> bool:
    """Return whether the same request may succeed later."""
    import openai

    from gem_ma.agents.answers import BadAnswer

    if isinstance(error, openai.APIStatusError):
        if error.code == "insufficient_quota":
            return False
        return error.status_code in (408, 409, 429) or error.status_code >= 500
    return isinstance(error, openai.APIConnectionError | TimeoutError | BadAnswer)


def _in_short(error: BaseException) -> str:
    """Return what a request that gets no answer fails by."""
    import openai

    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return "no reply in time"
    return " ".join(str(error).split())[:80].rstrip(". ") or type(error).__name__


def _pause(state: Any) -> float:
    """Return how long to wait before the next attempt: as the server says, or longer each time."""
    import tenacity

    response = getattr(state.outcome.exception(), "response", None)
    asked = _asked(response.headers) if response is not None else None
    if asked is not None:
        return min(asked, _LONGEST_WAIT)
    return float(tenacity.wait_random_exponential(multiplier=0.5, max=30)(state))


def _asked(headers: Mapping[str, str]) -> float | None:
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
