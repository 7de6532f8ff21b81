"""EpisodeRunner: plays the episodes of a run in an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor

from gem_ma.chat.agent import check_agent_replies
from gem_ma.chat.tracing import attach_span
from gem_ma.rollouts.agent_scheduler import AgentScheduler, PendingTurn, ScheduledAgent, TimedAnswer
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.live_episode import LiveEpisode
from gem_ma.rollouts.run import RolloutRun

_LEAST_ALLOCATIONS = 50_000  # allocations between two collections; Python's own default is 700
_TIME_SLICE = 0.01  # seconds for which a rollout may block the event loop


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
            elif run.take_reply(play, seat, reply, seconds):
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
            if not run.take_reply(play, seat, reply, time.perf_counter() - start):
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
