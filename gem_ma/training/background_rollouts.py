"""Play the episodes of the next updates while learners learn, with weights that may be older."""

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
    """What learns from batches, as far as it has to be known to play them: a Trainer."""

    agents: dict[str, Any]
    train: tuple[str, ...]
    players: dict[str, RolloutPolicy]
    step: int
    max_staleness: int
    lock: threading.RLock

    def play_batch(self, step: int, agents: Mapping[str, Any]) -> list[Episode]:
        """Return the episodes of an update, played by some agents, who get its seed."""

    def derive_agent_seed(self, step: int) -> int:
        """Return what decides the draws of all agents in the episodes of an update."""


class RolloutsStopped(Exception):
    """What an agent raises once nobody waits for its replies any more."""


class RolloutPolicy:
    """Plays as a learner did when it was last published, and says in each reply which that was.

    Args:
        learner: Something that learns, with a method `make_snapshot`.
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
        """How many updates the learner had made when it was last published, if it was."""
        return self._published and self._published[1]

    def publish(self, version: int) -> None:
        """Play on as the learner does now, after so many updates; episodes under way do as well."""
        self._published = self.learner.make_snapshot(), version

    def _check_published(self) -> tuple[Any, int]:
        if self.stopped:
            raise RolloutsStopped
        if self._published is None:
            raise RuntimeError("publish() comes before the first turn")
        return self._published

    def act(self, turns: list[Turn]) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Return replies, each with the version that was published last."""
        snapshot, version = self._check_published()
        snapshot.seed = self.seed
        replies: Sequence[Reply] = snapshot.act(turns)
        for reply in replies:
            reply.policy_version = version
        return replies

    def on_rollout_end(self) -> None:
        """Pass on that a rollout is over."""
        if self._published is not None:
            notify_rollout_end(self._published[0])

    def __repr__(self) -> str:
        return repr(self.learner)  # the same player to the reader of a record


class BackgroundRollouts:
    """Plays one batch after the other in a thread, no further ahead than a trainer allows.

    Args:
        trainer: What learns from the batches, beginning with that of its next update.
        updates: The batch of this update is no longer played.
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
        """Return the episodes of an update, once they are played."""
        return self._batches.pop(step).result()

    def publish(self) -> None:
        """Let all play as the learners do now."""
        for policy in self._policies.values():
            policy.publish(self.trainer.step)
        self._start_batches()

    def _start_batches(self) -> None:
        """Let the batches be played that the staleness allows for, one after the other."""
        newest = min(self.trainer.step + self.trainer.max_staleness, self._updates - 1)
        while self._next <= newest:
            self._batches[self._next] = self._pool.submit(self._play, self._next)
            self._next += 1

    def _play(self, step: int) -> list[Episode]:
        return self.trainer.play_batch(step, self._make_agents(step))

    def _make_agents(self, step: int) -> Mapping[str, AgentSource]:
        """Return who plays a batch: what learns by its policy, and copies of all others."""
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
        # With a seed of its own, while the other's is that of the batch that is learnt from.
        return copy.copy(agent) if hasattr(agent, "seed") else agent


def group_by_agent(agents: Mapping[str, T]) -> list[tuple[T, list[str]]]:
    """Return each agent once, with its seats."""
    found: dict[int, tuple[T, list[str]]] = {}
    for seat, agent in agents.items():
        found.setdefault(id(agent), (agent, []))[1].append(seat)
    return list(found.values())
