"""Opponents out of a pool, in a seat of a Trainer."""

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

_MAX_MIXTURES = 16  # that are kept, for episodes which are counted later


class SelfPlayOpponent:
    """Sit in a seat of a Trainer as opponents out of a pool, drawn anew for every update.

    Episodes are recorded one by one, so the pool's decay counts for each of them.

    Args:
        learner: who plays against them.
        pool: those that are there from the start; None: nobody, and the learner plays against
            itself until `copy_every` puts a copy of it in.
        choice: as of `OpponentPool.make_opponents`.
        latest: as of `OpponentPool.make_opponents`; older copies of the learner leave the pool.
        mirror: as of `OpponentPool.make_opponents`.
        name: what the pool calls the learner.
        beside: specs of agents, and the share of the episodes in which each plays in place of all
            that: `{"random": 0.25}` keeps a learner from knowing no other game than its own.
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
            raise ValueError(f"beside={self.beside}: expected shares, together no more than 1")
        self.learner = learner
        check_type(pool, OpponentPool | None, "pool")
        self.pool = OpponentPool() if pool is None else pool
        self._given_names = frozenset(self.pool.names)
        self.choice = choice
        self.latest = latest
        self.mirror = mirror
        self.name = name
        self.seed = 0  # the trainer sets it before every update
        # by seed: those of an update that is still to be counted are there as well
        self._mixtures: dict[int, OpponentMixture] = {}

    @property
    def opponents(self) -> OpponentMixture:
        """Return those of this update."""
        if self.seed not in self._mixtures:
            self._mixtures[self.seed] = self._make_mixture()
            if len(self._mixtures) > _MAX_MIXTURES:
                del self._mixtures[next(iter(self._mixtures))]
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
        """Return the opponents of an update, with another agent in the learner's place.

        What they play is counted by `record` of this one, once its `seed` is the same.
        """
        other = copy.copy(self)  # with the same pool and mixtures
        other.learner, other.seed = learner, seed
        other.opponents  # noqa: B018  # drawn now, from what the pool knows now
        return other

    @property
    def _extra_share(self) -> float:
        return math.fsum(self.beside.values())

    @property
    def act(self) -> Callable[[list[Turn]], Any]:
        """Return the way that these opponents reply."""
        return self.opponents.act

    @property
    def blocking(self) -> bool:
        """Whether one of these opponents blocks."""
        return self.opponents.blocking

    def on_rollout_end(self) -> None:
        """Pass on that a rollout is over."""
        self.opponents.on_rollout_end()

    def record(self, episode: Episode) -> dict[str, float]:
        """Count an episode, a Trainer's `measure`; return how the learner did: 1, 0.5 or 0."""
        check_type(episode, Episode, "episode")
        own, learner = format_agent_name(self), resolve_agent_name(self.learner)
        for seed in list(self._mixtures):  # those of earlier updates
            if self.seed not in self._mixtures or seed == self.seed:
                break
            del self._mixtures[seed]
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
        """Return what to call after each update: now and then the learner joins the pool."""

        def add_copy(trainer: Any) -> None:
            if trainer.step % updates == 0:
                self.pool.add(f"update {trainer.step}", self.learner)
                self._remove_old_copies()

        return add_copy

    def _remove_old_copies(self) -> None:
        """Let go of the learner's copies that will not be drawn again."""
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
