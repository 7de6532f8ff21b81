"""AECState: the state of an episode that PettingZoo's AEC API needs in addition to the match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from gem_ma.engine.match import Match
from gem_ma.game import Info


class AECState:
    """The seats that are alive or have a last step to take, and their undelivered rewards."""

    __slots__ = (
        "agents",
        "alive",
        "credited",
        "cumulative_rewards",
        "dead",
        "flags",
        "infos",
        "rewards",
    )

    agents: list[str]
    cumulative_rewards: dict[str, float]  # rewards since a seat's last step
    credited: bool  # whether any were added since the start, or since another view stepped
    rewards: Mapping[str, float]  # rewards of the last step; a missing seat got 0
    alive: tuple[str, ...]  # `alive_seats` of the match
    dead: tuple[str, ...]  # seats that are done, with a last step to take
    flags: dict[str, tuple[bool, bool]]  # terminated and truncated, as set by a client
    infos: dict[str, tuple[object, Info]]  # the environment that made an info (None: a client)

    def __init__(self) -> None:
        self.agents, self.cumulative_rewards, self.rewards = [], {}, {}
        self.alive, self.dead, self.flags, self.infos = (), (), {}, {}
        self.credited = False

    def reset(self, match: Match) -> None:
        """Begin an episode."""
        self.agents = list(match.seats)
        self.cumulative_rewards = dict.fromkeys(match.seats, 0.0)
        self.rewards, self.flags, self.infos = {}, {}, {}
        self.alive, self.dead, self.credited = match.alive_seats, (), False

    def update(self, match: Match) -> None:
        """Find the seats that are done after the match has advanced."""
        if self.infos:
            self.infos = {}
        if match.alive_seats is not self.alive:
            self.alive = match.alive_seats
            self.dead = tuple([agent for agent in self.agents if agent not in match.alive_seats])

    def add_rewards(self, rewards: Mapping[str, float]) -> None:
        """Record the rewards of a step."""
        self.credited = True
        cumulative = self.cumulative_rewards
        for agent, reward in rewards.items():
            cumulative[agent] += reward
        self.rewards = rewards

    def reset_cumulative_rewards(self) -> None:
        """Set the rewards since the last step to 0, after another view has stepped."""
        self.cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.credited = False

    def remove_agents(self, dead: Sequence[str]) -> None:
        """Remove seats that are done and have taken their last step."""
        self.infos = {}
        if len(dead) == len(self.agents):
            self.agents, self.cumulative_rewards, self.dead = [], {}, ()
            return
        self.agents = [agent for agent in self.agents if agent not in dead]
        self.cumulative_rewards = {agent: self.cumulative_rewards[agent] for agent in self.agents}
        self.dead = tuple([agent for agent in self.dead if agent not in dead])

    def copy(self) -> Self:
        """Return an independent copy, without the cached infos."""
        twin = type(self)()
        twin.agents, twin.cumulative_rewards = self.agents.copy(), self.cumulative_rewards.copy()
        twin.rewards, twin.flags = self.rewards, self.flags
        twin.alive, twin.dead, twin.credited = self.alive, self.dead, self.credited
        return twin
