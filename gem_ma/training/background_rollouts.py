"""Background rollouts: play the episodes of the next updates while learners learn.

The weights that play may be older than the learners' current weights.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Awaitable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, Self

from gem_ma.chat.agent import AgentSource, notify_rollout_end
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.game import T
from gem_ma.rollouts.episode import Episode


class BatchTrainer(Protocol):
    """The part of a Trainer that background rollouts use."""

    agents: dict[str, Any]
    train: tuple[str, ...]
    players: dict[str, RolloutPolicy]
    step: int
    max_staleness: int
    lock: threading.RLock

    def play_batch(self, step: int, agents: Mapping[str, Any]) -> list[Episode]:
        """Play the episodes of an update with these agents, after setting their seeds."""

    def derive_agent_seed(self, step: int) -> int:
        """Return the seed of all agents for the episodes of an update."""


class RolloutsStopped(Exception):
    """Raised by a RolloutPolicy when its episodes are no longer needed."""


class RolloutPolicy:
    """An agent that plays with a learner's last published weights.

    Each reply records the version of the weights in `Reply.policy_version`.

    Args:
        learner: A learner with a method `make_snapshot`.
    """

    def __init__(self, learner: Any):
        if not hasattr(learner, "make_snapshot"):
            raise ValueError(
                f"max_staleness needs learners with a method make_snapshot, and "
                f"{type(learner).__name__} has none"
            )
        self.learner = learner
        self.seed = learner.seed
        self.stopped = False
        self._published: tuple[Any, int] | None = None

    @property
    def version(self) -> int | None:
        """Number of updates behind the published weights; None before the first `publish`."""
        return self._published and self._published[1]

    def publish(self, version: int) -> None:
        """Switch to the learner's current weights, also in episodes in progress."""
        self._published = self.learner.make_snapshot(), version

    def get_published(self) -> tuple[Any, int]:
        """Return what plays, and its version; raise RolloutsStopped once nobody waits for it."""
        if self.stopped:
            raise RolloutsStopped
        if self._published is None:
            raise RuntimeError("no weights are published; call publish() before the first turn")
        return self._published

    def act(self, turns: list[Turn]) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Return replies of the published weights; each reply records their version."""
        snapshot, version = self.get_published()
        snapshot.seed = self.seed
        replies: Sequence[Reply] = snapshot.act(turns)
        for reply in replies:
            reply.policy_version = version
        return replies

    def on_rollout_end(self) -> None:
        """Notify the snapshot that a rollout is over."""
        if self._published is not None:
            notify_rollout_end(self._published[0])

    def __repr__(self) -> str:
        return repr(self.learner)  # so that records name the same agent


class BackgroundRollouts:
    """A thread that plays batches in order, at most `max_staleness` updates ahead of a trainer.

    Args:
        trainer: The trainer that learns from the batches; the first is that of its next update.
        updates: Total number of updates; later batches are not played.
    """

    def __init__(self, trainer: BatchTrainer, updates: int):
        self.trainer = trainer
        self._policies = {id(policy.learner): policy for policy in trainer.players.values()}
        for seat in trainer.train:
            learner = trainer.agents[seat]
            if id(learner) not in self._policies:
                self._policies[id(learner)] = RolloutPolicy(learner)
        for policy in self._policies.values():
            policy.stopped = False
            policy.publish(trainer.step)
        self._updates = updates
        self._next = trainer.step
        self._batches: dict[int, Future[list[Episode]]] = {}
        self._pool = ThreadPoolExecutor(1, "gem_ma rollouts")

    def __enter__(self) -> Self:
        self._start_batches()
        return self

    def __exit__(self, *_: object) -> None:
        for policy in self._policies.values():
            policy.stopped = True
        self._pool.shutdown(cancel_futures=True)

    def wait_for_batch(self, step: int) -> list[Episode]:
        """Wait until the episodes of an update are played, and return them."""
        return self._batches.pop(step).result()

    def publish(self) -> None:
        """Switch all policies to the learners' current weights, and start further batches."""
        for policy in self._policies.values():
            policy.publish(self.trainer.step)
        self._start_batches()

    def _start_batches(self) -> None:
        """Submit the batches that `max_staleness` allows; they are played in order."""
        newest = min(self.trainer.step + self.trainer.max_staleness, self._updates - 1)
        while self._next <= newest:
            self._batches[self._next] = self._pool.submit(self._play, self._next)
            self._next += 1

    def _play(self, step: int) -> list[Episode]:
        return self.trainer.play_batch(step, self._make_agents(step))

    def _make_agents(self, step: int) -> Mapping[str, AgentSource]:
        """Return the agents of a batch: policies for learners, copies of other seeded agents."""
        agents: dict[str, AgentSource] = {}
        with self.trainer.lock:
            for agent, seats in group_by_agent(self.trainer.agents):
                agents |= dict.fromkeys(seats, self._make_player(agent, step))
        return agents

    def _make_player(self, agent: Any, step: int) -> Any:
        if policy := self._policies.get(id(agent)):
            return policy
        if policy := self._policies.get(id(getattr(agent, "learner", None))):
            return agent.copy_with_learner(policy, self.trainer.derive_agent_seed(step))
        # The copy has its own seed; the original keeps that of the batch being learnt from.
        return copy.copy(agent) if hasattr(agent, "seed") else agent


def group_by_agent(agents: Mapping[str, T]) -> list[tuple[T, list[str]]]:
    """Return each distinct agent once, with the list of its seats."""
    found: dict[int, tuple[T, list[str]]] = {}
    for seat, agent in agents.items():
        found.setdefault(id(agent), (agent, []))[1].append(seat)
    return list(found.values())
