"""AECState: what PettingZoo's AEC API keeps of an episode beside the match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from gem_ma.engine.match import Match
from gem_ma.game import Info


class AECState:
    """Who is alive or has yet to take a last step, and what the seats are owed."""

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
    cumulative_rewards: dict[str, float]  # earned since a seat's last step
    credited: bool  # whether anything was, since the episode began or another view played
    rewards: Mapping[str, float]  # of the last step; a seat not in it got nothing
    alive: tuple[str, ...]  # as the match has it
    dead: tuple[str, ...]  # done, and yet to take their last step
    flags: dict[str, tuple[bool, bool]]  # terminated, truncated by a client
    infos: dict[str, tuple[object, Info]]  # by whom they were made; None: by a client

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
        """Find who is done after the match went on."""
        if self.infos:
            self.infos = {}
        if match.alive_seats is not self.alive:
            self.alive = match.alive_seats
            self.dead = tuple([agent for agent in self.agents if agent not in match.alive_seats])

    def add_rewards(self, rewards: Mapping[str, float]) -> None:
        """Write down what a step earned."""
        self.credited = True
        cumulative = self.cumulative_rewards
        for agent, reward in rewards.items():
            cumulative[agent] += reward
        self.rewards = rewards

    def reset_cumulative_rewards(self) -> None:
        """Forget what seats earned before another view played on."""
        self.cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.credited = False

    def remove_agents(self, dead: Sequence[str]) -> None:
        """Let seats go that are done and have taken their last step."""
        self.infos = {}
        if len(dead) == len(self.agents):
            self.agents, self.cumulative_rewards, self.dead = [], {}, ()
            return
        self.agents = [agent for agent in self.agents if agent not in dead]
        self.cumulative_rewards = {agent: self.cumulative_rewards[agent] for agent in self.agents}
        self.dead = tuple([agent for agent in self.dead if agent not in dead])

    def copy(self) -> Self:
        """Return a ledger of its own that says the same."""
        twin = type(self)()
        twin.agents, twin.cumulative_rewards = self.agents.copy(), self.cumulative_rewards.copy()
        twin.rewards, twin.flags = self.rewards, self.flags
        twin.alive, twin.dead, twin.credited = self.alive, self.dead, self.credited
        return twin
