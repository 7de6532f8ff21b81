"""Loop: the part of a run that needs an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor

from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.live_episode import LiveEpisode
from gem_ma.rollouts.players import Answer, Asker, Player, Waiting
from gem_ma.rollouts.run import Run
from gem_ma.talk.asking import checked

_SLICE = 0.01  # seconds for which a rollout may keep the event loop to itself


class Loop(Asker):
    """The part of a run that needs an event loop."""

    def __init__(self, run: Run):
        super().__init__()
        self.run_ = run
        self.pool: ThreadPoolExecutor = ThreadPoolExecutor(
            max(run.concurrency, 1) + len(run.players)
        )
        self.ready: list[LiveEpisode] = []

    async def run(self) -> AsyncGenerator[Episode, None]:
        run = self.run_
        due = time.perf_counter() + _SLICE
        while True:
            ready, self.ready = self.ready, []
            if run.live < run.concurrency:  # who takes the place of a finished one joins the batch
                ready += run.fill()
            for play in ready:
                self.step(play)
            self.ask_those(run.players)
            if self.crash is not None:
                raise self.crash
            finished = bool(run.finished)
            if finished or run.causes:
                for episode in run.drain():
                    yield episode
            if self.ready or finished or self.left:
                if self.tasks or finished or time.perf_counter() > due:  # others want to run, too
                    await asyncio.sleep(0)
                    due = time.perf_counter() + _SLICE
            elif self.tasks:
                await self.wake.wait()
            else:
                return
            self.wake.clear()

    def take(self, answers: list[Answer]) -> None:
        run = self.run_
        for (play, seat, _), reply, seconds in answers:
            if isinstance(reply, Exception):
                run.fail(play, seat, reply)
            elif run.give(play, seat, reply, seconds):
                self.ready.append(play)

    def step(self, play: LiveEpisode) -> None:
        """Begin an episode or hand in its replies, in a thread if its game blocks."""
        if play.env.blocking:
            self.start(self.blocking(play))
            return
        for waiting in self.run_.advance(play):
            play.players[waiting.seat].queue.append(waiting)

    async def blocking(self, play: LiveEpisode) -> None:
        run, loop = self.run_, asyncio.get_running_loop()
        try:
            advancing = loop.run_in_executor(self.pool, play.advance)
            turns = await asyncio.wait_for(advancing, run.step_timeout)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs this episode
            run.fail(play, None, error)
            return
        if not turns:
            run.finish(play)
        run.queue(turns)

    async def ask(self, player: Player, waiting: Waiting) -> None:
        """Ask for a reply, and go on with the episode as long as it waits for such replies only.

        What an episode computes then hides in the time that others wait.
        """
        run = self.run_
        while True:
            play, seat, turn = waiting
            start = time.perf_counter()
            try:
                answer = await player.agent.act([turn])  # type: ignore[misc]
                (reply,) = checked(player.agent, [turn], answer)
            except Exception as error:  # noqa: BLE001 - costs this episode, and is on its record
                run.fail(play, seat, error)
                return
            if not run.give(play, seat, reply, time.perf_counter() - start):
                return
            if play.env.blocking:
                self.ready.append(play)
                return
            turns = run.advance(play)
            if len(turns) != 1 or play.players[turns[0].seat].kind != "async":
                run.queue(turns)
                return
            waiting = turns[0]
            player = play.players[waiting.seat]

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.pool.shutdown(wait=False, cancel_futures=True)
