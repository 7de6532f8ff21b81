"""Runs and vectors on Ray: episodes in actors, wherever in the cluster these are."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from gem_ma.apis.workers import Job, StepTimeout, WorkerDied, by_worker, dealt, done
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.run import Loop, Run
from gem_ma.rollouts.shards import Dealer, Share, arguments_of

_CHUNK = 32  # episodes that an actor takes at once, at most


def started() -> Any:
    """Return Ray, connected: to the cluster that it finds, or to one of its own."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("Ray is not installed: pip install 'gem-ma[ray]'") from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    return ray


class _Player:
    """Plays chunks of a run, in an actor."""

    def __init__(self, step_timeout: float | None, arguments: Mapping[str, Any]):
        self.share = Share(step_timeout, **arguments)

    def play(self, numbers: Sequence[int]) -> list[Episode]:
        """Play some episodes, all at the same time."""
        return asyncio.run(_played(self.share, numbers))


async def _played(share: Share, numbers: Sequence[int]) -> list[Episode]:
    # A method that is a coroutine would make Ray run the whole actor in a loop of its own.
    share.todo.extend(numbers)
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
                self.main.arrived(episode)


class RaySlots:
    """Environments of a vector dealt out to actors; a call carries all jobs of one actor."""

    draws_here = False

    def __init__(self, slots: Sequence[Any], workers: int | None, timeout: float | None):
        self.ray = started()
        self.timeout = timeout
        cpus = max(int(self.ray.cluster_resources().get("CPU", 1)), 1)
        count = min(len(slots), workers or cpus)
        remote = self.ray.remote(_Holder)
        self.actors = [remote.remote(share) for share in dealt(slots, count)]
        self.calls: list[Any] = []

    def submit(self, jobs: Sequence[Job], together: bool) -> None:
        parts = by_worker(jobs, len(self.actors))
        self.calls += [self.actors[number].run.remote(part) for number, part in parts.items()]

    def collect(self, wanted: int) -> list[tuple[int, Any]]:
        ready, self.calls = self.ray.wait(self.calls, num_returns=1, timeout=self.timeout)
        if not ready:
            raise StepTimeout(f"a step took more than {self.timeout:g} s in its actor")
        try:
            return [result for part in self.ray.get(ready) for result in part]
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self.ray.exceptions.RayActorError as error:
            raise WorkerDied(str(error)) from None

    def kill(self) -> None:
        for actor in self.actors:
            self.ray.kill(actor)

    close = kill


class _Holder:
    """Holds some environments of a vector, in an actor."""

    def __init__(self, slots: dict[int, Any]):
        self.slots = slots

    def run(self, jobs: Sequence[Job]) -> list[tuple[int, Any]]:
        return done(self.slots, jobs)


def rllib_env(id: str, **make: Any) -> Any:
    """Return what RLlib's `register_env` takes: a function from its config to an environment.

    Seats see numbers in one row, "observations", and an "action_mask", as RLlib's own modules with
    masks want it; `config` overrides the arguments of `make`.
    """

    def create(config: Mapping[str, Any]) -> Any:
        from gem_ma.apis import making

        return _rllib_wrapper()(making.make(id, **{"actions": "discrete", **make, **config}))

    return create


@functools.cache
def _rllib_wrapper() -> Any:
    """Return a class over RLlib's, which is imported for it."""
    import numpy as np
    from gymnasium import spaces
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    class Numbers(PettingZooEnv):
        def __init__(self, env: Any):
            super().__init__(env)
            self.possible_agents = list(env.possible_agents)  # theirs come in a set's order
            flat: dict[str, Any] = {}
            for agent in env.possible_agents:
                space = env.observation_space(agent)
                seen: Any = spaces.flatten_space(space["observation"])
                mask = spaces.Box(0, 1, space["action_mask"].shape, np.float32)
                box = spaces.Box(float(seen.low.min()), float(seen.high.max()), seen.shape)
                flat[agent] = spaces.Dict({"observations": box, "action_mask": mask})
            self.observation_spaces = flat

        def reset(self, **kwargs: Any) -> Any:
            seen, infos = super().reset(**kwargs)
            return _flat(seen), infos

        def step(self, actions: Any) -> Any:
            seen, *rest = super().step(actions)
            return _flat(seen), *rest

    def _flat(seen: Mapping[str, Any]) -> dict[str, Any]:
        return {
            agent: {
                "observations": one["observation"].ravel().astype(np.float32),
                "action_mask": one["action_mask"].astype(np.float32),
            }
            for agent, one in seen.items()
        }

    return Numbers
