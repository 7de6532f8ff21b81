"""AgentScheduler: asks the agents of a run for the replies to the turns that wait for them."""

from __future__ import annotations

import asyncio
import itertools
import operator
import time
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from gem_ma.chat.agent import Agent, AgentSource, AgentTraits, check_agent_replies
from gem_ma.chat.tracing import use_span
from gem_ma.chat.turn import Turn

_MAX_BATCH_SECONDS = 0.1
_get_turn = operator.itemgetter(2)  # the turn of a PendingTurn


@dataclass(slots=True, eq=False)
class ScheduledAgent:
    """An agent, and the turns that wait for it."""

    agent: Agent
    name: str
    kind: Literal["plain", "thread", "async"]
    given: AgentSource  # source of the agent: the agent itself, a function or a spec string
    traits: AgentTraits
    queue: list[PendingTurn] = field(default_factory=list)
    busy: bool = False  # for kind "thread": a batch is running
    batch_size: int = 1  # turns per call, for an agent that prefers single turns

    def is_made_from(self, given: object) -> bool:
        """Return whether the agent's source is this object or an equal spec string."""
        return self.given is given or (isinstance(given, str) and bool(self.given == given))


class PendingTurn(NamedTuple):
    """A turn that waits for its agent's reply."""

    play: Any  # a LiveEpisode, or an identifier of an episode in another process
    seat: str
    turn: Turn
    span: Any = None  # of the turn's trace


# the turn, the reply or the exception, and the seconds that the agent took
TimedAnswer: TypeAlias = tuple[PendingTurn, object, float]


class AgentScheduler:
    """A scheduler that asks each agent for replies: directly, in a thread or as a coroutine."""

    # for agents that block; None: the event loop's default executor
    pool: ThreadPoolExecutor | None = None

    def __init__(self) -> None:
        self.left = False  # turns wait for an agent that is not busy
        # an exception in gem_ma itself, which must not fail an episode
        self.crash: BaseException | None = None
        self.tasks: set[asyncio.Task[object]] = set()
        self.wake = asyncio.Event()

    def handle_answers(self, answers: list[TimedAnswer]) -> None:
        """Process the replies of agents."""
        raise NotImplementedError

    async def ask(self, player: ScheduledAgent, waiting: PendingTurn) -> None:
        """Ask an agent whose `act` is a coroutine function."""
        raise NotImplementedError

    def ask_agents(self, players: Iterable[ScheduledAgent]) -> None:
        """Ask every agent for which turns wait, unless a call is already running."""
        if self.crash is not None:
            raise self.crash
        self.left = False
        for player in players:
            if not player.queue or player.busy:
                continue
            queue, player.queue = player.queue, []
            if player.kind == "async":
                for one in queue:
                    self.start(self.ask(player, one))
            elif player.kind == "thread":
                player.busy = True
                self.start(self.ask_in_thread(player, queue))
            elif player.traits.prefers_single_turns:  # as many as it answers quickly
                player.queue, queue = queue[player.batch_size :], queue[: player.batch_size]
                self.left = self.left or bool(player.queue)
                answers = ask_batch(player.agent, queue)
                player.batch_size = max(1, int(_MAX_BATCH_SECONDS / max(answers[0][2], 1e-6)))
                self.handle_answers(answers)
            else:
                self.handle_answers(ask_batch(player.agent, queue))

    async def ask_in_thread(self, player: ScheduledAgent, queue: list[PendingTurn]) -> None:
        """Ask in a thread while others continue; new turns form the next batch."""
        loop = asyncio.get_running_loop()
        self.handle_answers(await loop.run_in_executor(self.pool, ask_batch, player.agent, queue))
        player.busy = False

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.finish_task)

    def finish_task(self, task: asyncio.Task[object]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.crash = task.exception()
        self.wake.set()


def ask_batch(agent: Agent, queue: list[PendingTurn]) -> list[TimedAnswer]:
    """Ask a plain agent for all replies at once; if it raises, split to find turns that fail."""
    turns = [*map(_get_turn, queue)]
    start = time.perf_counter()
    try:
        replies: Any
        if len(queue) > 1 or queue[0].span is None:
            replies = agent.act(turns)
        else:  # what the agent does for a single turn belongs to its span
            with use_span(queue[0].span):
                replies = agent.act(turns)
        if type(replies) is not list or len(replies) != len(turns):
            replies = check_agent_replies(agent, turns, replies)
    except Exception as error:  # noqa: BLE001 - costs the episodes that it comes from
        if len(queue) == 1:
            return [(queue[0], error, time.perf_counter() - start)]
        half = len(queue) // 2
        return [*ask_batch(agent, queue[:half]), *ask_batch(agent, queue[half:])]
    seconds = (time.perf_counter() - start) / len(queue)
    return [*zip(queue, replies, itertools.repeat(seconds, len(queue)), strict=True)]
