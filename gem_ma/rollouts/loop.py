"""Loop: the part of a run that needs an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor

from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.play import Play
from gem_ma.rollouts.players import Answer, Asker, Player, Waiting
from gem_ma.rollouts.run import Run
from gem_ma.talk.asking import checked


class Loop(Asker):
    """The part of a run that needs an event loop."""

    def __init__(self, run: Run):
        super().__init__()
        self.run_ = run
        self.pool: ThreadPoolExecutor = ThreadPoolExecutor(
            max(run.concurrency, 1) + len(run.players)
        )
        self.ready: list[Play] = []

    async def run(self) -> AsyncGenerator[Episode, None]:
        run = self.run_
        while True:
            ready, self.ready = self.ready, []
            for play in ready:
                self.step(play, play.submit)
            for play in run.fill():  # those that take the place of finished ones join the batch
                self.step(play, play.begin)
            self.ask_those(run.players)
            if self.crash is not None:
                raise self.crash
            finished = False
            for episode in run.drain():
                finished = True
                yield episode
            if self.ready or finished or self.left:
                await asyncio.sleep(0)
            elif self.tasks:
                await self.wake.wait()
            else:
                return
            self.wake.clear()

    def take(self, answers: list[Answer]) -> None:
        self.ready += self.run_.settle(answers)

    def step(self, play: Play, action: Callable[[], None]) -> None:
        """Begin an episode or hand in its replies, in a thread if its game blocks."""
        if play.env.blocking:
            self.start(self.blocking(play, action))
        else:
            self.run_.queue(self.run_.advance(play, action))

    async def blocking(self, play: Play, action: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        try:
            advancing = loop.run_in_executor(self.pool, play.advance, action)
            turns = await asyncio.wait_for(advancing, self.run_.step_timeout)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs this episode
            self.run_.fail(play, None, error)
        else:
            self.run_.queue(self.run_.took(play, turns))

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
            turns = run.advance(play, play.submit)
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
