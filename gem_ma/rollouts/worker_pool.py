"""WorkerPool: plays the episodes of one run in worker processes of this computer."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from gem_ma.agents.wrappers.cost_meter import CostLimitReached
from gem_ma.apis import workers
from gem_ma.apis.workers import (
    ExitError,
    StepTimeout,
    WorkerDied,
    WorkerProcess,
    WorkerStartError,
    send_message,
)
from gem_ma.chat.agent import AgentSource, EpisodeAgents, check_agent_replies
from gem_ma.chat.context import Context
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.tracing import (
    FinishedSpan,
    SpanIds,
    attach_span,
    find_current_ids,
    restore_span,
    take_finished_spans,
    write_finished_spans,
)
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.episode_runner import AgentScheduler, EpisodeRunner, TimedAnswer
from gem_ma.rollouts.live_episode import PendingTurn, ScheduledAgent
from gem_ma.rollouts.progress import ProgressReporter, RolloutProgress
from gem_ma.rollouts.run import RolloutRun
from gem_ma.rollouts.sharding import Shard, ShardScheduler, StepCounter, make_shard_arguments

# Workers that may die in a row before they begin; one more stops the run.
_MAX_FAILED_STARTS = 20
_GRACE_PERIOD = 2.0  # seconds beyond those in which a worker ends its step, or its process, itself
_START_TIMEOUT = 120.0  # seconds that a worker may take to begin, if its steps have a time limit
ConversationKey: TypeAlias = tuple[str, int, "Context | None", int]
"""A conversation's key: its episode, the number of its last step, its context and its salt."""
WorkerPayload: TypeAlias = tuple[float | None, Mapping[str, Any], bool]
"""The time limit of a step, the arguments of a Shard, and whether replies are counted."""


class StepMonitor:
    """A monitor in the parent of how long a worker has been in the same step, or stopped."""

    def __init__(self, number: StepCounter | None):
        self.number = number
        self.last = 0
        self.still = 0.0
        self.age = 0.0

    def update(self, worker: WorkerProcess, passed: float) -> None:
        """Update the monitor, `passed` seconds after the last update."""
        assert self.number is not None  # steps have a time limit
        now = self.number.value
        self.age += passed
        held = worker.stopped or (now == self.last and now % 2)
        self.still = self.still + passed if held else 0.0
        self.last = now


class WorkerPool(AgentScheduler):
    """The worker processes of a run, and the agents that stay in the parent."""

    def __init__(
        self, run: RolloutRun, agents: EpisodeAgents, count: int, step_timeout: float | None
    ):
        super().__init__()
        self.main = run
        self.count = min(count, max(run.total - len(run.done), 1))
        self.worker_concurrency = -(-run.concurrency // self.count)
        self.local_agents: dict[int, ScheduledAgent] = {}
        self.stand_ins: dict[int, RemoteAgent] = {}
        arguments = make_shard_arguments(run, agents, self.make_stand_in, self.worker_concurrency)
        self.payload = step_timeout, arguments, run.progress is not None
        self.step_timeout = step_timeout
        self.patience = None if step_timeout is None else 2 * step_timeout + 1 + _GRACE_PERIOD
        self.monitors: dict[WorkerProcess, StepMonitor] = {}
        self.dealer = ShardScheduler(run)
        self.workers: list[WorkerProcess] = []
        self.started_workers: set[WorkerProcess] = set()
        self.failed_starts = 0
        self.chats: dict[tuple[WorkerProcess, str, str], Conversation] = {}

    def make_stand_in(self, agent: AgentSource) -> AgentSource:
        """Return a portable agent itself, or a stand-in for use in workers."""
        index, player = next(
            (i, player) for i, player in enumerate(self.main.players) if player.is_made_from(agent)
        )
        if player.traits.portable:
            return agent
        self.local_agents[index] = player
        return self.stand_ins.setdefault(index, RemoteAgent(index, player.name))

    async def run(self) -> AsyncGenerator[Episode, None]:
        self.loop = asyncio.get_running_loop()
        if self.patience is not None:
            self.start(self.watch_workers(self.patience))
        async with self.main.open_agents():
            try:
                async for episode in self.play():
                    yield episode
            finally:
                self.stop()

    async def play(self) -> AsyncGenerator[Episode, None]:
        while True:
            if self.dealer.left:
                self.assign_episodes()
            else:
                # moves the episodes of an earlier run to `finished`
                deque(self.dealer.unassigned, 0)
            self.ask_agents(self.local_agents.values())
            finished = False
            for episode in self.main.drain_finished():
                finished = True
                yield episode
            if not finished and not self.dealer.left:
                return
            if self.left:
                await asyncio.sleep(0)
            elif not finished:
                await self.wake.wait()
            self.wake.clear()

    def assign_episodes(self) -> None:
        """Keep every worker busy, and replace workers that died."""
        while len(self.workers) < self.count:
            self.start_worker()
        for worker in [worker for worker in self.workers if worker in self.started_workers]:
            numbers = self.dealer.assign_episodes(worker, 2 * self.worker_concurrency)
            if numbers:
                self.send_message(worker, ("play", numbers))

    def start_worker(self) -> None:
        pulse = None
        if self.patience is not None:
            pulse = workers.SPAWN_CONTEXT.RawValue("Q", 0)
        worker = WorkerProcess(run_worker, self.payload, patience=self.patience, memory=(pulse,))
        self.workers.append(worker)
        self.monitors[worker] = StepMonitor(pulse)
        self.loop.add_reader(worker.connection.fileno(), self.receive_messages, worker)

    def remove_worker(self, worker: WorkerProcess, error: BaseException) -> None:
        """Remove a worker that died, and reassign its episodes."""
        if worker not in self.workers:
            return
        self.workers.remove(worker)
        del self.monitors[worker]
        self.loop.remove_reader(worker.connection.fileno())
        worker.kill()
        self.chats = {key: chat for key, chat in self.chats.items() if key[0] is not worker}
        if worker in self.started_workers:
            self.started_workers.discard(worker)
            self.dealer.reassign_episodes(worker, error)
        else:
            self.failed_starts += 1
            if isinstance(error, WorkerStartError) or self.failed_starts > _MAX_FAILED_STARTS:
                self.crash = error
        self.wake.set()

    async def watch_workers(self, patience: float) -> None:
        """Remove workers that were stopped, or are stuck where their own timer does not work."""
        tick = min(patience / 8, 1.0)
        before = time.monotonic()
        while True:
            await asyncio.sleep(tick)
            now = time.monotonic()
            passed = min(now - before, 2 * tick)  # this process may have been suspended as well
            before = now
            for worker in list(self.workers):
                pulse = self.monitors[worker]
                pulse.update(worker, passed)
                starting = worker not in self.started_workers
                if pulse.still > patience or (starting and pulse.age > _START_TIMEOUT):
                    process = f"worker process {worker.process.pid} was stopped after"
                    cause = (
                        f"{pulse.age:.0f} s, since it had not started"
                        if starting
                        else f"{pulse.still:.0f} s without progress "
                        f"(step_timeout={self.step_timeout:g}); allow more if steps may take longer"
                    )
                    error = WorkerDied(f"{process} {cause}")
                    self.remove_worker(worker, error)

    def send_message(self, worker: WorkerProcess, message: object) -> None:
        try:
            worker.send(message)
        except (WorkerDied, OSError) as error:  # OSError: the connection is closed already
            self.remove_worker(worker, error)

    def receive_messages(self, worker: WorkerProcess) -> None:
        """Process the messages of a worker."""
        try:
            while True:
                kind, *parts = worker.recv()
                if kind == "episode":
                    self.finish_episode(worker, *parts)
                elif kind == "heard":
                    if isinstance(self.main.progress, RolloutProgress):
                        self.main.progress.count(*parts)
                elif kind == "begun":
                    self.started_workers.add(worker)
                    self.failed_starts = 0
                else:
                    self.queue_turn(worker, *parts)
                if not worker.connection.poll():
                    break
        except (WorkerDied, StepTimeout, ExitError) as error:
            self.remove_worker(worker, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours, raised by the run
            self.crash = error
        self.wake.set()

    def finish_episode(
        self, worker: WorkerProcess, episode: Episode, spans: Sequence[FinishedSpan]
    ) -> None:
        for seat in episode.agents:
            self.chats.pop((worker, episode.id, seat), None)
        self.dealer.mark_finished(worker, episode.number)
        write_finished_spans(spans)
        self.main.accept_episode(episode)

    def queue_turn(
        self,
        worker: WorkerProcess,
        ticket: int,
        index: int,
        chat_of: ConversationKey,
        turn: Turn,
        span: SpanIds,
    ) -> None:
        """Queue a turn of a worker's episode for its agent, with a copy of its chat kept here."""
        episode, number, context, salt = chat_of
        key = worker, episode, turn.seat
        chat = self.chats.get(key)
        if chat is None:
            chat = Conversation(turn.seat, episode=episode, context=context, salt=salt)
            self.chats[key] = chat
        turn = dataclasses.replace(turn, chat=chat)
        chat.add_turn(turn, number)
        play = worker, ticket, chat
        pending = PendingTurn(play, turn.seat, turn, restore_span(span))
        self.local_agents[index].queue.append(pending)

    def handle_answers(self, answers: list[TimedAnswer]) -> None:
        for waiting, reply, _ in answers:
            self.answer(waiting, reply)

    def answer(self, waiting: PendingTurn, reply: object) -> None:
        worker, ticket, chat = waiting.play
        if isinstance(reply, CostLimitReached):  # ends the run, and not the episode alone
            self.main.limit_error = reply
            self.wake.set()
            return
        if not isinstance(reply, Exception):
            chat.steps[-1].reply = reply
        self.send_message(worker, ("reply", ticket, reply))

    async def ask(self, player: ScheduledAgent, waiting: PendingTurn) -> None:
        reply: str | Exception
        try:
            if waiting.span is not None:
                attach_span(waiting.span)
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


class RemoteAgent:
    """A stand-in in a worker for an agent that stayed in the parent."""

    link: ParentLink | None = None

    def __init__(self, index: int, name: str):
        self.index = index
        self.name = name

    async def act(self, turns: list[Turn]) -> list[str]:
        assert self.link is not None
        return [await self.link.ask(self.index, turn) for turn in turns]

    def __repr__(self) -> str:
        return self.name


class ParentLink:
    """A worker's end of the connection to its parent."""

    def __init__(self, connection: Connection, share: Shard, loop: EpisodeRunner):
        self.connection = connection
        self.shard = share
        self.loop = loop
        self.tickets = itertools.count()
        self.waiting: dict[int, asyncio.Future[str | Exception]] = {}
        asyncio.get_running_loop().add_reader(connection.fileno(), self.receive_messages)

    def receive_messages(self) -> None:
        try:
            while self.connection.poll():
                kind, *parts = self.connection.recv()
                if kind == "play":
                    self.shard.add(parts[0])
                else:
                    ticket, reply = parts
                    self.waiting.pop(ticket).set_result(reply)
        except (EOFError, OSError) as error:  # the parent has ended or closed the connection
            asyncio.get_running_loop().remove_reader(self.connection.fileno())
            self.loop.crash = EOFError(str(error))
        self.loop.wake.set()

    async def ask(self, index: int, turn: Turn) -> str:
        ticket = next(self.tickets)
        future: asyncio.Future[str | Exception] = asyncio.get_running_loop().create_future()
        self.waiting[ticket] = future
        chat = turn.chat
        assert chat is not None
        chat_of = chat.episode, chat.steps[-1].number, chat.context, chat.salt
        alone = dataclasses.replace(turn, chat=None)
        message = "ask", ticket, index, chat_of, alone, find_current_ids()
        send_message(self.connection, message)
        reply = await future
        if isinstance(reply, Exception):
            raise reply
        return reply


def run_worker(connection: Connection, payload: WorkerPayload, pulse: StepCounter | None) -> None:
    """Play the episodes that the parent sends, in a worker process."""
    step_timeout, arguments, counted = payload
    share = Shard(step_timeout, pulse, **arguments)
    if counted:
        share.progress = ProgressReporter(
            lambda *counts: send_message(connection, ("heard", *counts))
        )
    asyncio.run(_run_shard(connection, share))


async def _run_shard(connection: Connection, share: Shard) -> None:
    loop = EpisodeRunner(share)
    link = ParentLink(connection, share, loop)
    for player in share.players:
        if isinstance(player.agent, RemoteAgent):
            player.agent.link = link
    send_message(connection, ("begun",))
    loop.start(asyncio.Event().wait())  # keeps the loop running after all present episodes are done
    try:
        async with share.open_agents():
            async for episode in loop.run():
                if isinstance(share.progress, ProgressReporter):
                    share.progress.report()
                send_message(connection, ("episode", episode, take_finished_spans()))
    finally:
        await loop.stop()
