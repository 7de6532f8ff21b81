"""SelfPlayOpponent: opponents from a pool, in a seat of a Trainer."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gem_ma.agents import load_agent
from gem_ma.chat.agent import Agent, format_agent_name
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.training.selfplay import (
    OpponentMixture,
    OpponentPool,
    OpponentWeighting,
    resolve_agent_name,
)
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping, JSONObject

_MAX_MIXTURES = 16  # kept, because `record` counts some episodes later


class SelfPlayOpponent:
    """An agent for a seat of a Trainer that plays as opponents drawn from a pool.

    The probabilities of the opponents are computed once per update. Episodes are recorded one by
    one, so the pool's decay applies once per episode.

    Args:
        learner: the agent that plays against the opponents.
        pool: the pool to start with; None: an empty one. While the pool is empty, the learner plays
            against itself; `copy_every` adds copies of it.
        choice: as of `OpponentPool.make_opponents`.
        latest: as of `OpponentPool.make_opponents`; older copies of the learner leave the pool.
        mirror: as of `OpponentPool.make_opponents`.
        name: the learner's name in the pool.
        beside: from agent spec to the share of the draws in which it plays in place of an opponent
            from the pool. `{"random": 0.25}` keeps a learner from playing well only against itself.
    """

    def __init__(
        self,
        learner: Any,
        pool: OpponentPool | None = None,
        choice: OpponentWeighting = "uniform",
        latest: int | None = None,
        mirror: float = 0.0,
        name: str = "learner",
        beside: Mapping[str, float] | None = None,
    ):
        self.beside = dict(beside or {})
        if not all(share >= 0 for share in self.beside.values()) or self._extra_share > 1:
            raise ValueError(
                f"beside={self.beside}: expected shares of 0 or more with a sum of at most 1"
            )
        self.learner = learner
        check_type(pool, OpponentPool | None, "pool")
        self.pool = OpponentPool() if pool is None else pool
        self._given_names = frozenset(self.pool.names)
        self.choice = choice
        self.latest = latest
        self.mirror = mirror
        self.name = name
        self.seed = 0  # the trainer sets it before every update
        # by seed; includes mixtures of other updates whose episodes are not recorded yet
        self._mixtures: dict[int, OpponentMixture] = {}

    @property
    def opponents(self) -> OpponentMixture:
        """The opponents of this update."""
        if self.seed not in self._mixtures:
            self._mixtures.clear()
            self._mixtures[self.seed] = self._make_mixture()
        return self._mixtures[self.seed]

    def _make_mixture(self) -> OpponentMixture:
        chosen = self.choice, self.latest, self.mirror, self.seed, self.name
        opponents = self.pool.make_opponents(self.learner, *chosen)
        if not self.beside:
            return opponents
        agents = dict(zip(opponents.names, opponents.agents, strict=True))
        rest = 1 - self._extra_share
        weights = (rest * weight for weight in opponents.weights)
        shares = dict(zip(opponents.names, weights, strict=True))
        for spec, share in self.beside.items():
            agents[spec] = agents[spec] if spec in agents else load_agent(spec)
            shares[spec] = shares.get(spec, 0.0) + share
        return OpponentMixture(agents, shares, self.seed)

    def copy_with_learner(self, learner: Agent, seed: int) -> SelfPlayOpponent:
        """Return a copy for one update, with the given seed and another agent as the learner.

        To count its episodes, call `record` of the original while the original has the same `seed`.
        """
        other = copy.copy(self)  # with the same pool and mixtures
        other.learner, other.seed = learner, seed
        self._mixtures[seed] = other._make_mixture()  # from what the pool knows now
        if len(self._mixtures) > _MAX_MIXTURES:
            del self._mixtures[next(iter(self._mixtures))]
        return other

    @property
    def _extra_share(self) -> float:
        return math.fsum(self.beside.values())

    @property
    def act(self) -> Callable[[list[Turn]], Any]:
        """The `act` of the current opponents."""
        return self.opponents.act

    @property
    def blocking(self) -> bool:
        """Whether any of the current opponents is blocking."""
        return self.opponents.blocking

    def on_rollout_end(self) -> None:
        """Notify the current opponents that a rollout is over."""
        self.opponents.on_rollout_end()

    def record(self, episode: Episode) -> dict[str, float]:
        """Count an episode in the pool, and return the learner's result; use it as `measure`.

        Returns:
            1 for a win, 0.5 for a draw and 0 for a loss, averaged over pairs of seats, as `won`.
        """
        check_type(episode, Episode, "episode")
        own, learner = format_agent_name(self), resolve_agent_name(self.learner)
        if self.seed in self._mixtures:
            while (oldest := next(iter(self._mixtures))) != self.seed:
                del self._mixtures[oldest]  # of an earlier update
        agents = {
            seat: self.opponents.find_opponent_name(episode.id, seat) if name == own else name
            for seat, name in episode.agents.items()
        }
        agents |= {seat: self.name for seat, name in episode.agents.items() if name == learner}
        self.pool.record([dataclasses.replace(episode, agents=agents)])
        ahead = [
            episode.returns[one] - episode.returns[two]
            for one, name in episode.agents.items()
            for two, other in episode.agents.items()
            if (name, other) == (learner, own)
        ]
        return {"won": float(np.mean(0.5 + 0.5 * np.sign(ahead)))}

    def copy_every(self, updates: int) -> Callable[[Any], None]:
        """Return a function for `Trainer.run(after=)` that adds a copy every `updates` updates."""
        if updates < 1:
            raise ValueError(f"updates={updates}: expected 1 or more")

        def add_copy(trainer: Any) -> None:
            if trainer.step % updates == 0:
                self.pool.add(f"update {trainer.step}", self.learner)
                self._remove_old_copies()

        return add_copy

    def _remove_old_copies(self) -> None:
        """Remove copies of the learner that `latest` excludes from further draws."""
        for name in self.pool.names[: -self.latest] if self.latest else ():
            if name not in self._given_names:
                self.pool.remove(name)

    def state_dict(self) -> JSONObject:
        return self.pool.state_dict()

    def load_state_dict(self, state: JSONMapping) -> None:
        self.pool.load_state_dict(state, self.learner)
        self._remove_old_copies()
        self._mixtures.clear()

    def __repr__(self) -> str:
        return f"SelfPlayOpponent({self.name!r}, choice={self.choice!r}, mirror={self.mirror})"
