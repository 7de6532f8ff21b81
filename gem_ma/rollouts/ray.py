"""RayFarm: the episodes of one run in actors of Ray, wherever in the cluster these are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from gem_ma.apis.vectors.ray import started
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.loop import Loop
from gem_ma.rollouts.progress import Progress
from gem_ma.rollouts.run import Run
from gem_ma.rollouts.shares import Dealer, Share, arguments_of

_CHUNK = 32  # episodes that an actor takes at once, at most


class _Player:
    """Plays chunks of a run, in an actor."""

    def __init__(self, step_timeout: float | None, arguments: Mapping[str, Any]):
        self.share = Share(step_timeout, **arguments)

    def play(self, numbers: Sequence[int]) -> list[Episode]:
        """Play some episodes, all at the same time."""
        return asyncio.run(_played(self.share, numbers))


async def _played(share: Share, numbers: Sequence[int]) -> list[Episode]:
    # A method that is a coroutine would make Ray run the whole actor in a loop of its own.
    share.add(numbers)
    loop = Loop(share)
    try:
        async with share.ready_players():
            return [episode async for episode in loop.run()]
    finally:
        await loop.stop()


class RayFarm:
    """The actors of a run; agents travel with the episodes."""

    def __init__(
        self,
        run: Run,
        agents: Any,
        count: int,
        step_timeout: float | None,
        options: Mapping[str, Any],
    ):
        self.ray = started()
        self.main = run
        self.count = count or max(int(self.ray.cluster_resources().get("CPU", 1)), 1)
        self.options = {"num_cpus": 1, **options}
        share = -(-run.concurrency // self.count)
        self.payload = step_timeout, arguments_of(run, agents, lambda agent: agent, share)
        self.dealer = Dealer(run)
        left = run.total - len(run.done)
        self.chunk = min(max(left // (4 * self.count), 1), _CHUNK)
        self.actors: list[Any] = []
        self.calls: dict[Any, tuple[Any, list[int]]] = {}

    async def run(self) -> AsyncGenerator[Episode, None]:
        payload = self.ray.put(self.payload[1])
        remote = self.ray.remote(_Player).options(**self.options)
        try:
            while True:
                while len(self.actors) < self.count:
                    self.actors.append(remote.remote(self.payload[0], payload))
                self._deal()
                for episode in self.main.drain():
                    yield episode
                if not self.calls:
                    return
                await self._collect()
        finally:
            for actor in self.actors:
                self.ray.kill(actor)

    def _deal(self) -> None:
        """Give every actor a chunk to play and one to go on with."""
        waiting = [actor for actor, _ in self.calls.values()]
        for actor in self.actors:
            for _ in range(2 - waiting.count(actor)):
                have = len(self.dealer.held.get(actor, ()))
                numbers = self.dealer.deal(actor, have + self.chunk)
                if numbers:
                    self.calls[actor.play.remote(numbers)] = actor, numbers

    async def _collect(self) -> None:
        """Wait for a chunk, and take note of its episodes or of its actor's death."""
        ready, _ = await asyncio.to_thread(self.ray.wait, list(self.calls), num_returns=1)
        for call in ready:
            actor, _ = self.calls.pop(call)
            try:
                episodes = self.ray.get(call)
            except self.ray.exceptions.RayActorError as error:
                self.calls = {c: (a, n) for c, (a, n) in self.calls.items() if a is not actor}
                if actor in self.actors:
                    self.actors.remove(actor)
                    self.dealer.died(actor, error)
                continue
            for episode in episodes:
                self.dealer.done(actor, episode.number)
                if isinstance(self.main.bar, Progress):
                    for step in episode.steps:
                        self.main.bar.heard(step.reply)
                self.main.arrived(episode)
