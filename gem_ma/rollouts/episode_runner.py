"""EpisodeRunner: plays the episodes of a run in an event loop, and asks their agents."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import operator
import time
from collections.abc import AsyncGenerator, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from gem_ma.chat.agent import Agent, check_agent_replies
from gem_ma.chat.tracing import attach_span, use_span
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.live_episode import LiveEpisode, PendingTurn, ScheduledAgent
from gem_ma.rollouts.run import RolloutRun

_LEAST_ALLOCATIONS = 50_000  # allocations between two collections; Python's own default is 700
_TIME_SLICE = 0.01  # seconds for which a rollout may block the event loop
_MAX_BATCH_SECONDS = 0.1
_get_turn = operator.itemgetter(2)  # the turn of a PendingTurn

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


class EpisodeRunner(AgentScheduler):
    """A runner that plays the episodes of a run in an event loop."""

    def __init__(self, run: RolloutRun):
        super().__init__()
        self.run_ = run
        self.pool: ThreadPoolExecutor = ThreadPoolExecutor(
            max(run.concurrency, 1) + len(run.players)
        )
        self.ready: list[LiveEpisode] = []

    async def run(self) -> AsyncGenerator[Episode, None]:
        run = self.run_
        due = time.perf_counter() + _TIME_SLICE
        while True:
            ready, self.ready = self.ready, []
            if run.has_more and run.live_count < run.concurrency:
                # new episodes join the batch at once
                ready += run.start_episodes()
            for play in ready:
                for waiting in self.advance(play):
                    play.players[waiting.seat].queue.append(waiting)
            self.ask_agents(run.players)
            finished = bool(run.finished)
            if finished or run.limit_error is not None:
                for episode in run.drain_finished():
                    yield episode
            busy = self.ready or finished or self.left
            if not (busy or self.tasks):
                return
            if not busy:
                await self.wake.wait()
            elif self.tasks or finished or time.perf_counter() > due:  # let other tasks run
                await asyncio.sleep(0)
                due = time.perf_counter() + _TIME_SLICE
            self.wake.clear()

    def handle_answers(self, answers: list[TimedAnswer]) -> None:
        run = self.run_
        for (play, seat, _, _), reply, seconds in answers:
            if isinstance(reply, Exception):
                run.fail_episode(play, seat, reply)
            elif take_reply(run, play, seat, reply, seconds):
                self.ready.append(play)

    def advance(self, play: LiveEpisode) -> list[PendingTurn]:
        """Begin an episode or apply its replies; return the turns that follow.

        A game that blocks advances in a thread. Its turns are queued when the thread has finished.
        """
        run = self.run_
        if play.blocking:
            self.start(self.advance_in_thread(play))
            return []
        try:
            if run.alarm is None:
                turns = play.advance()
            else:
                with run.alarm:
                    turns = play.advance()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs this episode
            run.fail_episode(play, None, error)
            return []
        if not turns:
            run.finish_episode(play)
        return turns

    async def advance_in_thread(self, play: LiveEpisode) -> None:
        """Do what `advance` does, but in a thread, for a game that blocks."""
        run, loop = self.run_, asyncio.get_running_loop()
        try:
            advancing = loop.run_in_executor(self.pool, play.advance)
            turns = await asyncio.wait_for(advancing, run.step_timeout)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs this episode
            run.fail_episode(play, None, error)
            return
        if not turns:
            run.finish_episode(play)
        run.queue_turns(turns)

    async def ask(self, player: ScheduledAgent, waiting: PendingTurn) -> None:
        """Ask for a reply, and continue the episode while it waits for coroutine agents only.

        The game's computation then overlaps with the waiting of other episodes.
        """
        run = self.run_
        while True:
            play, seat, turn, span = waiting
            start = time.perf_counter()
            try:
                if span is not None:
                    attach_span(span)
                answer = await player.agent.act([turn])  # type: ignore[misc]
                (reply,) = check_agent_replies(player.agent, [turn], answer)
            except Exception as error:  # noqa: BLE001 - costs this episode, and is on its record
                run.fail_episode(play, seat, error)
                return
            if not take_reply(run, play, seat, reply, time.perf_counter() - start):
                return
            turns = self.advance(play)
            if len(turns) != 1 or play.players[turns[0].seat].kind != "async":
                run.queue_turns(turns)
                return
            waiting = turns[0]
            player = play.players[waiting.seat]

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.pool.shutdown(wait=False, cancel_futures=True)


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


def take_reply(
    run: RolloutRun, play: LiveEpisode, seat: str, reply: object, seconds: float
) -> bool:
    """Take a reply; return whether the episode has all replies that it waits for."""
    if play.failed:
        return False
    if not isinstance(reply, str):
        kind, name = type(reply).__name__, play.players[seat].name
        run.fail_episode(play, seat, TypeError(f"{name} replied with {kind}, expected str"))
        return False
    if run.progress is not None:
        run.progress.count_reply(reply)
    return play.session.reply(seat, reply, seconds)


class CollectionThreshold:
    """A reference-counted increase of the garbage collector's threshold.

    Each collection visits all live episodes and frees nothing. With a thousand episodes that wait
    for replies, this takes a quarter of a turn's time.
    """

    def __init__(self) -> None:
        self.users = 0
        self.before = gc.get_threshold()

    @contextlib.contextmanager
    def raised(self) -> Iterator[None]:
        """Raise the threshold until the last user of this context has left it."""
        if not self.users:
            self.before = gc.get_threshold()
            if 0 < self.before[0] < _LEAST_ALLOCATIONS:  # 0: collection is disabled
                gc.set_threshold(_LEAST_ALLOCATIONS, *self.before[1:])
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1
            if not self.users:
                gc.set_threshold(*self.before)


collection_threshold = CollectionThreshold()
