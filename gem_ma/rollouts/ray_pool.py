"""RayWorkerPool: plays the episodes of one run in Ray actors, anywhere in the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from gem_ma.apis.vector.ray_backend import connect_ray
from gem_ma.chat.agent import EpisodeAgents
from gem_ma.chat.tracing import FinishedSpan, take_finished_spans, write_finished_spans
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.episode_runner import EpisodeRunner
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.run import RolloutRun
from gem_ma.rollouts.sharding import Shard, ShardScheduler, make_shard_arguments

_MAX_CHUNK = 32  # episodes that an actor gets at once, at most


class _RayWorker:
    """An actor that plays chunks of a run."""

    def __init__(self, step_timeout: float | None, arguments: Mapping[str, Any]):
        self.shard = Shard(step_timeout, **arguments)

    def play(self, numbers: Sequence[int]) -> tuple[list[Episode], list[FinishedSpan]]:
        """Play some episodes at the same time, and return them with the spans of their trace."""
        return asyncio.run(_play_chunk(self.shard, numbers)), take_finished_spans()


async def _play_chunk(share: Shard, numbers: Sequence[int]) -> list[Episode]:
    # If this were a coroutine method, Ray would run the whole actor in its own event loop.
    share.add(numbers)
    loop = EpisodeRunner(share)
    try:
        async with share.open_agents():
            return [episode async for episode in loop.run()]
    finally:
        await loop.stop()


class RayWorkerPool:
    """The Ray actors of a run; agents are sent to them with the episodes."""

    def __init__(
        self,
        run: RolloutRun,
        agents: EpisodeAgents,
        count: int,
        step_timeout: float | None,
        options: Mapping[str, object],
    ):
        self.ray = connect_ray()
        self.main = run
        self.count = count or max(int(self.ray.cluster_resources().get("CPU", 1)), 1)
        self.options = {"num_cpus": 1, **options}
        share = -(-run.concurrency // self.count)
        self.payload = step_timeout, make_shard_arguments(run, agents, lambda agent: agent, share)
        self.dealer = ShardScheduler(run)
        left = run.total - len(run.done)
        self.chunk = min(max(left // (4 * self.count), 1), _MAX_CHUNK)
        self.actors: list[Any] = []
        self.calls: dict[Any, tuple[Any, list[int]]] = {}

    async def run(self) -> AsyncGenerator[Episode, None]:
        payload = self.ray.put(self.payload[1])
        remote = self.ray.remote(_RayWorker).options(**self.options)
        try:
            while True:
                while len(self.actors) < self.count:
                    self.actors.append(remote.remote(self.payload[0], payload))
                self._assign_episodes()
                for episode in self.main.drain_finished():
                    yield episode
                if not self.calls:
                    return
                await self._collect_episodes()
        finally:
            for actor in self.actors:
                self.ray.kill(actor)

    def _assign_episodes(self) -> None:
        """Give every actor a chunk to play and another that waits."""
        waiting = [actor for actor, _ in self.calls.values()]
        for actor in self.actors:
            for _ in range(2 - waiting.count(actor)):
                have = len(self.dealer.assigned.get(actor, ()))
                numbers = self.dealer.assign_episodes(actor, have + self.chunk)
                if numbers:
                    self.calls[actor.play.remote(numbers)] = actor, numbers

    async def _collect_episodes(self) -> None:
        """Wait for a chunk; take its episodes, or reassign those of an actor that died."""
        ready, _ = await asyncio.to_thread(self.ray.wait, list(self.calls), num_returns=1)
        for call in ready:
            actor, _ = self.calls.pop(call)
            try:
                episodes, spans = self.ray.get(call)
            except self.ray.exceptions.RayActorError as error:
                self.calls = {c: (a, n) for c, (a, n) in self.calls.items() if a is not actor}
                if actor in self.actors:
                    self.actors.remove(actor)
                    self.dealer.reassign_episodes(actor, error)
                continue
            write_finished_spans(spans)
            for episode in episodes:
                self.dealer.mark_finished(actor, episode.number)
                if isinstance(self.main.progress, RolloutProgress):
                    for step in episode.steps:
                        self.main.progress.count_reply(step.reply)
                self.main.accept_episode(episode)
