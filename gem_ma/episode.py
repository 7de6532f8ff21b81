"""What passes between an environment and an agent: Turn in, Reply out."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gem_ma.seeding import mix


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent gets when a seat of some episode is to act."""

    seat: str
    rules: str  # what a system prompt says
    observation: Mapping[str, Any]  # "text" and/or "image", without the rules
    text: str  # what a model reads; beside the image it holds messages and notices only
    legal: tuple[str, ...] | None = None  # replies that are legal now, where they can be listed
    tools: tuple[Any, ...] = ()
    seed: int = 0  # differs for every turn of every seat of every episode
    number: int = 0  # how often the game has advanced
    first: bool = True  # this seat has not replied yet in this episode
    env_id: str = ""
    position: Any = None  # for search: a handle on the game, in games of perfect information


class Reply(str):
    """A reply: the text, and what the model told about it. It is an action anywhere."""

    __slots__ = (
        "finish_reason",
        "latency",
        "logprobs",
        "token_ids",
        "tool_calls",
        "usage",
    )

    token_ids: Sequence[int] | None
    logprobs: Sequence[float] | None
    finish_reason: str | None
    tool_calls: Sequence[Any]
    usage: Mapping[str, int]
    latency: float | None

    def __new__(
        cls,
        text: str = "",
        *,
        token_ids: Sequence[int] | None = None,
        logprobs: Sequence[float] | None = None,
        finish_reason: str | None = None,
        tool_calls: Sequence[Any] = (),
        usage: Mapping[str, int] | None = None,
        latency: float | None = None,
    ) -> Reply:
        self = super().__new__(cls, text)
        self.token_ids = token_ids
        self.logprobs = logprobs
        self.finish_reason = finish_reason
        self.tool_calls = tool_calls
        self.usage = usage or {}
        self.latency = latency
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _reply, (str(self), {name: getattr(self, name) for name in self.__slots__})


def _reply(text: str, fields: dict[str, Any]) -> Reply:
    return Reply(text, **fields)


@runtime_checkable
class Agent(Protocol):
    """Turns in, replies out. Stateless: one object can sit in any number of episodes at once."""

    def act(self, turns: list[Turn]) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Return one reply for each turn, or an awaitable of them."""


def ask(agent: Agent, turns: list[Turn]) -> list[str]:
    """Return the agent's replies, whether it is written as a function or as a coroutine."""
    answer = agent.act(turns)
    replies = list(_wait_for(answer) if inspect.isawaitable(answer) else answer)
    if len(replies) != len(turns):
        raise ValueError(f"{agent!r} got {len(turns)} turns and gave {len(replies)} replies")
    return replies


def _wait_for(answer: Awaitable[Sequence[str]]) -> Sequence[str]:
    import asyncio  # only when an agent is a coroutine: importing it is slow
    from concurrent.futures import ThreadPoolExecutor

    async def wait() -> Sequence[str]:
        return await answer

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(1) as pool:  # a loop runs in this thread already, as in a notebook
        return pool.submit(asyncio.run, wait()).result()


def pick(options: Sequence[str], *numbers: int) -> str:
    """Return one of the options, chosen by the numbers alone."""
    return options[mix(*numbers) % len(options)]
