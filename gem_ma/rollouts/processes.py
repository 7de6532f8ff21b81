"""Farm: the episodes of one run in worker processes of this machine."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import time
from collections import deque
from collections.abc import AsyncGenerator
from multiprocessing.connection import Connection
from typing import Any

from gem_ma.apis import workers
from gem_ma.apis.workers import Exited, NeverBegan, StepTimeout, Worker, WorkerDied, send
from gem_ma.chat.agent import check_agent_replies
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.loop import Loop
from gem_ma.rollouts.players import Answer, Asker, Player, Waiting
from gem_ma.rollouts.progress import Progress, Reporter
from gem_ma.rollouts.run import Run
from gem_ma.rollouts.shares import Dealer, Share, arguments_of

_STILLBORN = 20  # workers that die one after the other before they begin, until the run gives up
_GRACE = 2.0  # seconds beyond those in which a worker ends its step, or itself, on its own
_START = 120.0  # seconds that a worker may take to begin, if its steps are timed


class Pulse:
    """For how long a worker was in one and the same step, or stopped, as its parent sees it."""

    def __init__(self, number: Any):
        self.number = number
        self.last = 0
        self.still = 0.0
        self.age = 0.0

    def watch(self, worker: Worker, passed: float) -> None:
        """Take note of what a worker does, so many seconds after the last time."""
        now = self.number.value
        self.age += passed
        held = worker.stopped or (now == self.last and now % 2)
        self.still = self.still + passed if held else 0.0
        self.last = now


# -- processes: the parent's side ------------------------------------------------------------------


class Farm(Asker):
    """The workers of a run, and the agents that stay with the parent."""

    def __init__(self, run: Run, agents: Any, count: int, step_timeout: float | None):
        super().__init__()
        self.main = run
        self.count = min(count, max(run.total - len(run.done), 1))
        self.share = -(-run.concurrency // self.count)
        self.far: dict[int, Player] = {}
        self.stand_ins: dict[int, Far] = {}
        arguments = arguments_of(run, agents, self.stand_in, self.share)
        self.payload = step_timeout, arguments, run.bar is not None
        self.step_timeout = step_timeout
        self.patience = None if step_timeout is None else 2 * step_timeout + 1 + _GRACE
        self.pulses: dict[Worker, Pulse] = {}
        self.dealer = Dealer(run)
        self.workers: list[Worker] = []
        self.begun: set[Worker] = set()
        self.stillborn = 0
        self.chats: dict[tuple[Worker, str, str], Conversation] = {}

    def stand_in(self, agent: Any) -> Any:
        """Return an agent that can travel, or what stands for it on the other side."""
        index, player = next(
            (i, player) for i, player in enumerate(self.main.players) if player.stands_for(agent)
        )
        if getattr(player.agent, "portable", False):
            return agent
        self.far[index] = player
        return self.stand_ins.setdefault(index, Far(index, player.name))

    async def run(self) -> AsyncGenerator[Episode, None]:
        self.loop = asyncio.get_running_loop()
        if self.patience is not None:
            self.start(self.keep_time(self.patience))
        async with self.main.ready_players():
            try:
                async for episode in self.play():
                    yield episode
            finally:
                self.stop()

    async def play(self) -> AsyncGenerator[Episode, None]:
        while True:
            if self.dealer.left:
                self.deal()
            else:
                deque(self.dealer.fresh, 0)  # what was played before
            self.ask_those(self.far.values())
            finished = False
            for episode in self.main.drain():
                finished = True
                yield episode
            if not finished and not self.dealer.left:
                return
            if self.left:
                await asyncio.sleep(0)
            elif not finished:
                await self.wake.wait()
            self.wake.clear()

    def deal(self) -> None:
        """Keep every worker busy, and replace those that died."""
        while len(self.workers) < self.count:
            self.hire()
        for worker in [worker for worker in self.workers if worker in self.begun]:
            numbers = self.dealer.deal(worker, 2 * self.share)
            if numbers:
                self.send(worker, ("play", numbers))

    def hire(self) -> None:
        pulse = None
        if self.patience is not None:
            pulse = workers.context.RawValue("Q", 0)
        worker = Worker(serve, self.payload, patience=self.patience, memory=(pulse,))
        self.workers.append(worker)
        self.pulses[worker] = Pulse(pulse)
        self.loop.add_reader(worker.connection.fileno(), self.hear, worker)

    def dismiss(self, worker: Worker, error: BaseException) -> None:
        """Do without a worker that died."""
        if worker not in self.workers:
            return
        self.workers.remove(worker)
        del self.pulses[worker]
        self.loop.remove_reader(worker.connection.fileno())
        worker.kill()
        self.chats = {key: chat for key, chat in self.chats.items() if key[0] is not worker}
        if worker in self.begun:
            self.begun.discard(worker)
            self.dealer.died(worker, error)
        else:
            self.stillborn += 1
            if isinstance(error, NeverBegan) or self.stillborn > _STILLBORN:
                self.crash = error
        self.wake.set()

    async def keep_time(self, patience: float) -> None:
        """Do without workers that are stuck where their own alarm is not heard, or were stopped."""
        tick = min(patience / 8, 1.0)
        before = time.monotonic()
        while True:
            await asyncio.sleep(tick)
            now = time.monotonic()
            passed = min(now - before, 2 * tick)  # this process may have been stopped as well
            before = now
            for worker in list(self.workers):
                pulse = self.pulses[worker]
                pulse.watch(worker, passed)
                if pulse.still > patience or (worker not in self.begun and pulse.age > _START):
                    error = WorkerDied(
                        f"worker process {worker.process.pid} was ended, since it did not go on "
                        f"for {max(pulse.still, pulse.age * (worker not in self.begun)):.0f} s; "
                        f"a step may take {self.step_timeout:g} s"
                    )
                    self.dismiss(worker, error)

    def send(self, worker: Worker, message: Any) -> None:
        try:
            worker.send(message)
        except (WorkerDied, OSError) as error:  # OSError: the connection is closed already
            self.dismiss(worker, error)

    def hear(self, worker: Worker) -> None:
        """Take the messages of a worker."""
        try:
            while True:
                kind, *parts = worker.recv()
                if kind == "episode":
                    self.finish(worker, *parts)
                elif kind == "heard":
                    if isinstance(self.main.bar, Progress):
                        self.main.bar.count(*parts)
                elif kind == "begun":
                    self.begun.add(worker)
                    self.stillborn = 0
                else:
                    self.wait(worker, *parts)
                if not worker.connection.poll():
                    break
        except (WorkerDied, StepTimeout, Exited) as error:
            self.dismiss(worker, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours, raised by the run
            self.crash = error
        self.wake.set()

    def finish(self, worker: Worker, episode: Episode) -> None:
        for seat in episode.agents:
            self.chats.pop((worker, episode.id, seat), None)
        self.dealer.done(worker, episode.number)
        self.main.arrived(episode)

    # -- agents that stayed --------------------------------------------------------------------

    def wait(self, worker: Worker, ticket: int, index: int, chat_of: Any, turn: Turn) -> None:
        """Let a turn of a worker's episode wait for its player, with its chat kept here."""
        episode, number, context, salt = chat_of
        key = worker, episode, turn.seat
        chat = self.chats.get(key)
        if chat is None:
            chat = Conversation(turn.seat, episode=episode, context=context, salt=salt)
            self.chats[key] = chat
        turn = dataclasses.replace(turn, chat=chat)
        chat.add_turn(turn, number)
        self.far[index].queue.append(Waiting((worker, ticket, chat), turn.seat, turn))

    def take(self, answers: list[Answer]) -> None:
        for waiting, reply, _ in answers:
            self.answer(waiting, reply)

    def answer(self, waiting: Waiting, reply: Any) -> None:
        worker, ticket, chat = waiting.play
        if not isinstance(reply, Exception):
            chat.steps[-1].reply = reply
        self.send(worker, ("reply", ticket, reply))

    async def ask(self, player: Player, waiting: Waiting) -> None:
        reply: Any
        try:
            answer = await player.agent.act([waiting.turn])  # type: ignore[misc]
            (reply,) = check_agent_replies(player.agent, [waiting.turn], answer)
        except Exception as error:  # noqa: BLE001 - costs the episode, and is on its record
            reply = error
        self.answer(waiting, reply)

    def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        for worker in self.workers:
            self.loop.remove_reader(worker.connection.fileno())
            worker.connection.close()
        for worker in self.workers:
            worker.close()


# -- processes: the worker's side ------------------------------------------------------------------


class Far:
    """What stands in a worker for an agent that stayed with the parent."""

    link: Link | None = None

    def __init__(self, index: int, name: str):
        self.index = index
        self.name = name

    async def act(self, turns: list[Turn]) -> list[str]:
        assert self.link is not None
        return [await self.link.ask(self.index, turn) for turn in turns]

    def __repr__(self) -> str:
        return self.name


class Link:
    """A worker's end of the line to its parent."""

    def __init__(self, connection: Connection, share: Share, loop: Loop):
        self.connection = connection
        self.share = share
        self.loop = loop
        self.tickets = itertools.count()
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        asyncio.get_running_loop().add_reader(connection.fileno(), self.hear)

    def hear(self) -> None:
        try:
            while self.connection.poll():
                kind, *parts = self.connection.recv()
                if kind == "play":
                    self.share.add(parts[0])
                else:
                    ticket, reply = parts
                    self.waiting.pop(ticket).set_result(reply)
        except (EOFError, OSError) as error:  # the parent needs us no more
            asyncio.get_running_loop().remove_reader(self.connection.fileno())
            self.loop.crash = EOFError(str(error))
        self.loop.wake.set()

    async def ask(self, index: int, turn: Turn) -> str:
        ticket = next(self.tickets)
        future = self.waiting[ticket] = asyncio.get_running_loop().create_future()
        chat = turn.chat
        assert chat is not None
        chat_of = chat.episode, chat.steps[-1].number, chat.context, chat.salt
        alone = dataclasses.replace(turn, chat=None)
        send(self.connection, ("ask", ticket, index, chat_of, alone))
        reply: Any = await future
        if isinstance(reply, Exception):
            raise reply
        answer: str = reply
        return answer


def serve(connection: Connection, payload: Any, pulse: Any) -> None:
    """Play what the parent says, in a worker process."""
    step_timeout, arguments, counted = payload
    share = Share(step_timeout, pulse, **arguments)
    if counted:
        share.bar = Reporter(lambda *counts: send(connection, ("heard", *counts)))
    asyncio.run(_serve(connection, share))


async def _serve(connection: Connection, share: Share) -> None:
    loop = Loop(share)
    link = Link(connection, share, loop)
    for player in share.players:
        if isinstance(player.agent, Far):
            player.agent.link = link
    send(connection, ("begun",))
    loop.start(asyncio.Event().wait())  # so that the loop waits for more when all is done
    try:
        async with share.ready_players():
            async for episode in loop.run():
                if isinstance(share.bar, Reporter):
                    share.bar.report()
                send(connection, ("episode", episode))
    finally:
        await loop.stop()
