"""The interface of agents, and functions that call them, synchronous or asynchronous."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, runtime_checkable

from gem_ma.chat.event_loops import run_async
from gem_ma.engine.match import SeatError

if TYPE_CHECKING:
    from gem_ma.chat.turn import Turn


@runtime_checkable
class Agent(Protocol):
    """An object that returns replies for turns, without state: it can play many episodes at once.

    A rollout calls a plain `act` with all turns that wait for it. It calls an `async def act` once
    for each turn, all concurrently. An agent may also have these attributes:

    - `seats`: the seats that it can play; any other seat is refused.
    - `blocking = True`: a plain `act` waits for something, so it is called in a thread.
    - `prefers_single_turns = True`: batches do not make it faster, so it gets few turns at once.
    - `portable = True`: it can be pickled, and plays in the worker processes of a rollout.

    A rollout calls its methods `on_episode_end(episode)` and `on_rollout_end()`, if it has them.
    """

    def act(self, turns: list[Turn]) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Return one reply for each turn, or an awaitable of them."""


AgentSource: TypeAlias = "Agent | str | Callable[[Turn], str | Awaitable[str]]"
"""An agent, a spec string such as "random", or a function from Turn to reply."""
SeatAgents: TypeAlias = "AgentSource | Mapping[str, AgentSource]"
"""The agents of some seats: one for all of them, or one for each by name."""
EpisodeAgents: TypeAlias = "SeatAgents | Sequence[AgentSource]"
"""The agents of all seats: as `SeatAgents`, or in the order of the seats."""


class AgentTraits(NamedTuple):
    """Optional attributes of an agent, in addition to `act`.

    Attributes:
        blocking: Whether a plain `act` waits for something, so that it is called in a thread.
        prefers_single_turns: Whether batches do not make it faster. A rollout then gives it only as
            many turns as it answers in a short time.
        portable: Whether it can be pickled and played in the worker processes of a rollout.
        seats: The seats that it can play; other seats are refused. None: any seat.
    """

    blocking: bool = False
    prefers_single_turns: bool = False
    portable: bool = False
    seats: Sequence[str] | None = None


def get_traits(agent: Agent) -> AgentTraits:
    """Return the traits of an agent, with defaults for missing attributes."""
    return AgentTraits(
        blocking=bool(getattr(agent, "blocking", False)),
        prefers_single_turns=bool(getattr(agent, "prefers_single_turns", False)),
        portable=bool(getattr(agent, "portable", False)),
        seats=getattr(agent, "seats", None),
    )


def notify_episode_end(agent: Agent, episode: object) -> None:
    """Call the agent's `on_episode_end` with the record of an episode, if it has one."""
    if hook := getattr(agent, "on_episode_end", None):
        hook(episode)


def notify_rollout_end(agent: Agent) -> None:
    """Call the agent's `on_rollout_end`, if it has one."""
    if hook := getattr(agent, "on_rollout_end", None):
        hook()


_OBJECT_REPR = re.compile(r"<((?:[\w.]|<locals>)+) object at 0x[0-9a-fA-F]+>")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def format_agent_name(agent: object) -> str:
    """Return the name of an agent in records: its repr without memory addresses.

    Parts with the default `__repr__` are named by module and class.
    """
    return _ADDRESS.sub("", _OBJECT_REPR.sub(r"\1", repr(agent)))


def check_agent_seat(agent: Agent, seat: str, name: str = "") -> Agent:
    """Return an agent that is to play a seat, or raise SeatError if it cannot play the seat."""
    seats = get_traits(agent).seats
    if isinstance(seats, tuple | list) and seat not in seats:
        made = f"{name or format_agent_name(agent)} is made for {', '.join(seats) or 'no seat'}"
        raise SeatError(f"{made}, and not for the seat {seat}")
    return agent


def ask_agent(agent: Agent, turns: list[Turn]) -> list[str]:
    """Return the agent's replies, whether its `act` is a plain function or a coroutine."""
    answer = agent.act(turns)
    return check_agent_replies(
        agent, turns, _await_replies(answer) if inspect.isawaitable(answer) else answer
    )


async def ask_agent_async(agent: Agent, turns: list[Turn]) -> list[str]:
    """Return the agent's replies without blocking the loop: a blocking agent runs in a thread."""
    if not inspect.iscoroutinefunction(agent.act) and get_traits(agent).blocking:
        import asyncio

        answer = await asyncio.to_thread(agent.act, turns)
    else:
        answer = agent.act(turns)
    return check_agent_replies(
        agent, turns, await answer if inspect.isawaitable(answer) else answer
    )


def check_agent_replies(agent: Agent, turns: list[Turn], answer: Sequence[str]) -> list[str]:
    """Return the replies as a list, or raise unless there is one for each turn."""
    if isinstance(answer, str):
        raise TypeError(
            f"{agent!r} gave a str; expected a list of {len(turns)} replies, one for each turn"
        )
    replies = list(answer)
    if len(replies) != len(turns):
        raise ValueError(
            f"{agent!r} got {len(turns)} turns and gave {len(replies)} replies; expected one reply "
            "for each turn"
        )
    return replies


def _await_replies(answer: Awaitable[Sequence[str]]) -> Sequence[str]:
    async def await_answer() -> Sequence[str]:
        return await answer

    return run_async(await_answer)
