"""The base class of all providers: sending requests to a model, independent of its API."""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from secrets import SystemRandom
from typing import ClassVar, NamedTuple, Self

from gem_ma.agents.providers.errors import BadAnswer, RequestCap, ServerError
from gem_ma.agents.providers.reply_cache import CachedAnswer, ReplyCache, make_cache_key
from gem_ma.agents.providers.transport import (
    ModelConnection,
    ModelEndpoint,
    RequestBody,
    ToolSchemas,
    check_base_url,
    find_retry_delay,
    read_status,
    summarize_error,
)
from gem_ma.chat.agent import Agent
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.event_loops import run_async
from gem_ma.chat.image_tokens import count_image_tokens
from gem_ma.chat.messages import ChatInput, Picture
from gem_ma.chat.reply import Reply
from gem_ma.chat.tracing import trace_model_call
from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import derive_seed
from gem_ma.validation.endpoints import (
    MAX_RESPONSE_SIZE,
    RedirectRefused,
    SentSecrets,
    UnreadableResponse,
    check_variable_name,
    read_key,
    redact_secrets,
    split_credentials,
)
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping

__all__ = ["ImageCheck", "ProviderAgent"]

_LONGEST_WAIT = 600.0  # seconds that a server may ask to wait
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # maximum in seconds if the server names none
_LONGEST_REFUSAL = 2000  # characters of a server's message in an error
_NO_MATTER = {  # fields that do not decide an answer, or that the rest of a cache key has
    *("base_url", "key", "seed", "concurrency", "requests_per_minute", "timeout", "retries"),
    *("max_requests", "max_total_tokens", "max_answer", "prices", "cache"),
}
_LOG_INTERVAL = 2.0  # seconds between two lines about retries
_log = logging.getLogger(__name__)


class ImageCheck(NamedTuple):
    """The result of a test whether a server looks at pictures, by the tokens that it counts.

    Attributes:
        sees: Whether the picture cost at least `expected` tokens.
        tokens: Prompt tokens with the picture, less those without it.
        expected: The least number of tokens that the picture costs a model that sees it.
    """

    sees: bool
    tokens: int
    expected: int


@dataclass(repr=False, eq=False)
class ProviderAgent(ABC):
    """The base class of OpenAIAgent, AnthropicAgent and the other agents that ask a model's server.

    It sends many requests at once, and asks again after faults that may pass. A provider is a
    dataclass that inherits from this one. It defines `connect`, `make_body`, `parse_reply`, the
    class variables, a default for `key`, and fields for options of its API.

    Attributes:
        model: The model's name at the server.
        base_url: URL of the server, such as http://127.0.0.1:8000/v1; None: the provider's own. A
            name and password in it are sent, but never shown.
        key: The environment variable with the API key. The key itself is not stored. With a
            `base_url` the variable may be unset.
        temperature: Temperature of sampling; None: the server's default.
        max_tokens: Limit of a reply's tokens, including thoughts.
        seed: Seed from which, with the turn's seed, each request gets a seed; None: send no seed.
        concurrency: Maximum number of requests at once.
        requests_per_minute: Maximum rate of requests, kept by waiting; None: no limit.
        timeout: Seconds for a whole reply.
        retries: Maximum number of retries after a dropped connection, a timeout, a malformed
            answer, or status 408, 409, 429 or 5xx. A pause is as long as the server asks for, up to
            ten minutes; otherwise pauses grow up to 30 seconds. Some retries are logged as
            warnings, which Python writes to standard error by default. If no retry helps, or after
            any other status, the turn raises ServerError, and its episode fails.
        max_requests: Limit of all requests of this agent; None: no limit. Beyond it, a turn raises
            RequestCap, and its episode fails.
        max_total_tokens: Limit of the tokens of all prompts and replies, with the same effect;
            None: no limit. Requests that are running when the limit is reached are completed.
        max_answer: Limit of an answer in bytes, after decompression. A longer answer is malformed.
        prices: Prices of a million prompt tokens and of a million completion tokens, for `cost`.
        body: Further fields of each request.
        cache: A folder in which answers are kept. A request that was made before, in the same turn
            of the same episode and as often, gets its answer from there: it is no request, and has
            `Reply.cached`. The folder holds at most 1 GiB. None: no cache.
    """

    provider: ClassVar[str]  # name in specs, extras and logs
    takes_seed: ClassVar[bool] = True
    url_suffixes: ClassVar[tuple[str, ...]] = ()  # of a base_url, which the library adds itself

    model: str
    base_url: str | None = None
    _: KW_ONLY
    key: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    concurrency: int = 64
    requests_per_minute: float | None = None
    timeout: float = 300.0
    retries: int = 6
    max_requests: int | None = None
    max_total_tokens: int | None = None
    max_answer: int = MAX_RESPONSE_SIZE
    prices: tuple[float, float] = (0.0, 0.0)
    body: JSONMapping | None = None
    cache: str | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0 or self.timeout <= 0 or self.max_answer < 1:
            raise ValueError(
                f"concurrency={self.concurrency}, retries={self.retries}, timeout={self.timeout}, "
                f"max_answer={self.max_answer}: expected concurrency >= 1, retries >= 0, "
                "timeout > 0 and max_answer >= 1"
            )
        if self.requests_per_minute is not None and not self.requests_per_minute > 0:
            raise ValueError(
                f"requests_per_minute={self.requests_per_minute}: expected more than 0, or None"
            )
        if self.seed is not None and not self.takes_seed:
            raise ValueError(
                f"seed={self.seed}: the API of {type(self).__name__} has no seed; leave it out"
            )
        check_variable_name(self.key)
        if self.base_url is not None:
            check_base_url(self.base_url)
        self.requests = 0
        self.usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self._reset()

    def _reset(self) -> None:
        """Reset the state that belongs to this process only."""
        self._cache: ReplyCache | None = None
        self._repeats: Counter[str] = Counter()  # how often each request was made, by cache key
        self._next_request: float = 0.0
        self._last_logged: float = -_LOG_INTERVAL
        self._unlogged: int = 0
        self._sessions: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopSession] = (
            weakref.WeakKeyDictionary()
        )

    @abstractmethod
    def connect(self, endpoint: ModelEndpoint) -> ModelConnection:
        """Import the provider's library, open its client and return the connection."""

    @abstractmethod
    def make_body(self, messages: ChatInput, tools: ToolSchemas, seed: int | None) -> RequestBody:
        """Return the request for a chat, as the connection's `send` takes it.

        Fields that are None are not sent.

        Args:
            messages: The chat.
            tools: Tool schemas in OpenAI's form.
            seed: A seed of 31 bits, or None; always None if `takes_seed` is False.
        """

    @abstractmethod
    def parse_reply(self, content: bytes) -> Reply:
        """Return an answer as a reply, whose usage counts prompt and completion tokens.

        Raises:
            BadAnswer: The bytes are no valid answer.
        """

    def make_choice_fields(self, choices: Sequence[str]) -> RequestBody:
        """Return the fields of a request that restrict the model's reply to one of these texts.

        This is called for each turn that lists its legal replies. By default there are no such
        fields, and the model replies freely. Fields that the client's library does not know are in
        `extra_body`.
        """
        return {}

    def can_retry(self, error: Exception) -> bool:
        """Return whether a request that the server refused may succeed later."""
        status = read_status(error)
        return status is not None and (status in (408, 409, 429) or status >= 500)

    @property
    def cost(self) -> float:
        """The cost of all replies until now, in the currency of `prices`."""
        return self._price(self.usage)

    def _price(self, usage: Mapping[str, int]) -> float:
        prompt, completion = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
        return (prompt * self.prices[0] + completion * self.prices[1]) / 1e6

    async def act(self, turns: list[Turn]) -> list[Reply]:
        """Return one reply for each turn; all are requested at the same time."""
        async with self:
            if len(turns) == 1:  # the usual case in a rollout, which needs no further task
                return [await self._reply(turns[0])]
            return await asyncio.gather(*map(self._reply, turns))

    async def _reply(self, turn: Turn) -> Reply:
        seed = None if self.seed is None else derive_seed(self.seed, turn.seed) >> 32
        tools = make_tool_schemas(turn.tools)
        body = self.make_body(turn.messages, tools, seed)
        if turn.legal:
            body = {**body, **self.make_choice_fields(turn.legal)}
        body = {name: value for name, value in body.items() if value is not None}
        if self.cache is None:
            return (await self._request(body, turn))[0]
        if self._cache is None:
            self._cache = ReplyCache(self.cache)
        key = self._make_cache_key(body, turn.seed)
        if (cached := self._cache.load(key)) is not None:
            try:
                return self._finish_reply(self.parse_reply(cached.content), cached.latency, True)
            except BadAnswer:  # kept by another release
                pass
        reply, content = await self._request(body, turn)
        self._cache.store(key, CachedAnswer(content, reply.latency or 0.0))
        return reply

    def _make_cache_key(self, body: RequestBody, turn_seed: int) -> str:
        """Return the key of a request. It contains no secret: neither a key nor a URL's password.

        A turn's seed differs in every turn of every episode, so that equal chats are asked apart.
        """
        url = None if self.base_url is None else split_credentials(self.base_url)[0]
        settings = {
            one.name: getattr(self, one.name) for one in fields(self) if one.name not in _NO_MATTER
        }
        request = {"class": type(self).__name__, "url": url, "settings": settings}
        base = make_cache_key({**request, "body": body, "turn": turn_seed})
        self._repeats[base] += 1
        return make_cache_key({"request": base, "repeat": self._repeats[base]})

    def _finish_reply(self, reply: Reply, seconds: float, cached: bool | None = None) -> Reply:
        reply.latency, reply.cached = seconds, cached
        if any(self.prices):
            reply.cost = self._price(reply.usage)
        return reply

    def on_rollout_end(self) -> None:
        """Begin to count repeated requests anew: another rollout may make the same ones."""
        self._repeats.clear()

    async def _request(self, body: RequestBody, turn: Turn | None = None) -> tuple[Reply, bytes]:
        """Return the server's reply, and its bytes, after retries if necessary."""
        session = self._sessions[asyncio.get_running_loop()]
        connection = session.connection
        passing: tuple[type[Exception], ...] = (TimeoutError, BadAnswer)
        passing += connection.connection_errors
        final: tuple[type[Exception], ...] = (RedirectRefused, *connection.errors)
        server = self.provider, self.model, self.base_url
        settings = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": body.get("seed"),
        }
        attempt = 0
        async with session.slots:
            while True:
                attempt += 1
                try:
                    await self._keep_rate()
                    self._check_caps()
                    self.requests += 1
                    start = time.perf_counter()
                    with trace_model_call(*server, turn, settings) as keep:
                        async with asyncio.timeout(self.timeout):
                            reply, content = await self._attempt(session, body)
                        keep(reply)
                    return self._finish_reply(reply, time.perf_counter() - start), content
                except passing + final as error:
                    may_pass = isinstance(error, passing) or (
                        isinstance(error, connection.errors) and self.can_retry(error)
                    )
                    if not may_pass or attempt > self.retries:
                        text = session.secrets.hide(
                            str(error) or f"no reply within {self.timeout:g} s"
                        )
                        raise ServerError(
                            f"{type(error).__name__}: {text[:_LONGEST_REFUSAL]} ({self!r})"
                        ) from None
                    pause = _choose_pause(error, attempt)
                    self._log_retry(error, attempt, pause, session.secrets)
                await asyncio.sleep(pause)

    async def _attempt(self, session: _LoopSession, body: RequestBody) -> tuple[Reply, bytes]:
        connection = session.connection
        try:
            content = session.secrets.hide_bytes(await connection.send(body))
        except (UnreadableResponse, RedirectRefused) as error:
            raise (
                BadAnswer(str(error)) if isinstance(error, UnreadableResponse) else error
            ) from None
        except connection.connection_errors as error:  # some releases wrap all exceptions in these
            if isinstance(error.__cause__, UnreadableResponse):
                raise BadAnswer(str(error.__cause__)) from None
            if isinstance(error.__cause__, RedirectRefused):
                raise error.__cause__ from None
            raise
        reply = self.parse_reply(content)
        for name in self.usage:
            self.usage[name] += reply.usage.get(name, 0)
        return reply, content

    def _check_caps(self) -> None:
        if self.max_requests is not None and self.requests >= self.max_requests:
            raise RequestCap(
                f"{self!r} has made {self.requests} requests, and max_requests={self.max_requests} "
                "allows no more"
            )
        total = sum(self.usage.values())
        if self.max_total_tokens is not None and total >= self.max_total_tokens:
            raise RequestCap(
                f"{self!r} has used {total} tokens, and max_total_tokens={self.max_total_tokens} "
                "allows no more"
            )

    async def _keep_rate(self) -> None:
        """Wait until the next request is allowed."""
        if self.requests_per_minute is not None:
            now = time.monotonic()
            due = max(now, self._next_request)
            self._next_request = due + 60 / self.requests_per_minute
            await asyncio.sleep(due - now)

    def _log_retry(
        self, error: Exception, attempt: int, pause: float, secrets: SentSecrets
    ) -> None:
        """Log a retry and its reason, unless another retry was logged a moment ago."""
        now = time.monotonic()
        if now - self._last_logged < _LOG_INTERVAL:
            self._unlogged += 1
            return
        more = f", and {self._unlogged} more since the last line" if self._unlogged else ""
        self._last_logged, self._unlogged = now, 0
        _log.warning(
            "%s: %s, waiting %.1f s (retry %d)%s",
            self.provider,
            read_status(error) or summarize_error(error, secrets),
            pause,
            attempt,
            more,
        )

    def check_sees_images(self, cost: str | int = 16) -> ImageCheck:
        """Send a picture, and return whether the server's token count grew by the picture's cost.

        Some servers drop pictures and answer as if there were none. The check makes two requests:
        one with a picture and one without.

        Args:
            cost: The least number of tokens that the picture costs, or the model's family such as
                "qwen2.5-vl", for which `count_image_tokens` knows the number.

        Returns:
            The result; its `sees` is the answer.
        """
        import numpy as np

        pixels = (np.indices((252, 252)).sum(0) // 28 % 2 * 255).astype(np.uint8)
        question = "What is this?"
        contents = ((question,), (Picture.from_array(pixels), question))

        async def ask() -> list[int]:
            counts = []
            async with self:
                for content in contents:
                    body = self.make_body(content, (), None)
                    named = {name: value for name, value in body.items() if value is not None}
                    reply, _ = await self._request(named)
                    counts.append(reply.usage.get("prompt_tokens", 0))
            return counts

        without, beside = run_async(ask)
        expected = cost if isinstance(cost, int) else count_image_tokens(252, 252, cost)
        return ImageCheck(beside - without >= expected, beside - without, expected)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            session = self._sessions[loop] = self._open()
        session.users += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        session = self._sessions[loop]
        session.users -= 1
        if not session.users:
            del self._sessions[loop]
            await session.connection.close()

    def find_endpoint(self) -> tuple[ModelEndpoint, SentSecrets]:
        """Return the address of the server with the key, and what its answers must not show."""
        key = read_key(self.key)
        url, user = (None, None) if self.base_url is None else split_credentials(self.base_url)
        for suffix in self.url_suffixes:
            url = url and url.rstrip("/").removesuffix(suffix)
        if not key and url is None:
            raise ValueError(f"no key: set the environment variable {self.key}")
        endpoint = ModelEndpoint(key or "none", url, user, self.timeout, self.max_answer)
        return endpoint, SentSecrets.from_key(self.key, key, user)

    def _open(self) -> _LoopSession:
        with require_extra(self.provider, type(self).__name__):
            endpoint, secrets = self.find_endpoint()
            return _LoopSession(self.connect(endpoint), secrets, self.concurrency)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_sessions": None, "_cache": None}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        self.__dict__.update(state)
        self._reset()

    def __repr__(self) -> str:
        url = "" if self.base_url is None else f"@{self.base_url}"
        return redact_secrets(f"{type(self).__name__}({self.model}{url})")


class _LoopSession:
    """The state for one event loop: a connection, its secrets, and slots for requests."""

    def __init__(self, connection: ModelConnection, secrets: SentSecrets, slots: int):
        self.connection = connection
        self.secrets = secrets
        self.slots = asyncio.Semaphore(slots)
        self.users = 0


def find_providers(agent: object) -> list[ProviderAgent]:
    """Return the providers among an agent and the agents that it holds, such as those it wraps."""
    found: list[ProviderAgent] = []
    seen: set[int] = set()
    left = [agent]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, ProviderAgent):
            found.append(one)
        elif isinstance(one, list | tuple):
            left += one
        elif isinstance(one, Mapping):
            left += one.values()
        elif isinstance(one, Agent):
            left += getattr(one, "__dict__", {}).values()
    return found


def has_prices(agent: object) -> bool:
    """Return whether an agent, or one that it holds, is a provider with prices."""
    return any(any(one.prices) for one in find_providers(agent))


def set_cache(folder: str, agents: Iterable[object]) -> None:
    """Let the providers among agents, and those inside them, keep their answers in a folder.

    Raises:
        ValueError: There is no provider.
        OSError: The folder cannot be made.
    """
    providers = [one for agent in agents for one in find_providers(agent)]
    if not providers:
        raise ValueError(
            f"cache={folder!r} keeps the answers of providers, and no agent is one; expected an "
            "agent such as openai:MODEL"
        )
    ReplyCache(folder)
    for provider in providers:
        provider.cache = folder


def _choose_pause(error: Exception, attempt: int) -> float:
    """Return the seconds to wait before the next attempt: as the server asks, or growing."""
    asked = find_retry_delay(error)
    if asked is not None:
        return min(asked, _LONGEST_WAIT)
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(attempt - 1, 10))
    return SystemRandom().uniform(0, longest)  # random, so that clients do not retry all at once
