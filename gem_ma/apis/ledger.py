"""Ledger: what PettingZoo's AEC API keeps of an episode beside the match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from gem_ma.match.match import Match


class Ledger:
    """Who is alive or has yet to take a last step, whose turn it is, and what it is owed."""

    __slots__ = (
        "agents",
        "alive",
        "asked",
        "cumulative",
        "dead",
        "flags",
        "infos",
        "outside",
        "rewards",
        "selected",
    )

    agents: list[str]
    selected: str | None  # of all agents the one that steps now
    cumulative: dict[str, float]  # earned since a seat's last step
    rewards: Mapping[str, float]  # of the last step; a seat not in it got nothing
    alive: tuple[str, ...]  # as the match has it
    dead: tuple[str, ...]  # done, and yet to take their last step
    flags: dict[str, tuple[bool, bool]]  # terminated, truncated by a client
    infos: dict[str, tuple[Any, dict[str, Any]]]  # by whom they were made; None: by a client
    asked: int  # how often replies had come in when this was written
    outside: bool  # another view has played since, and lets who is done go at once

    def __init__(self) -> None:
        self.agents, self.selected, self.cumulative, self.rewards = [], None, {}, {}
        self.alive, self.dead, self.flags, self.infos = (), (), {}, {}
        self.asked, self.outside = 0, False

    def begin(self, match: Match[Any]) -> None:
        """Begin an episode."""
        self.agents = list(match.seats)
        self.cumulative = dict.fromkeys(match.seats, 0.0)
        self.rewards, self.flags, self.infos = {}, {}, {}
        self.alive, self.dead = match.alive, ()
        self.asked, self.outside = match.asked, False
        self.selected = match.waiting[0]

    def follow(self, match: Match[Any]) -> None:
        """Find who is done, and whose turn it is, after the match went on."""
        self.asked = match.asked
        if self.infos:
            self.infos = {}
        if match.alive is not self.alive:
            self.alive = match.alive
            self.dead = tuple([agent for agent in self.agents if agent not in match.alive])
        dead = self.dead
        if dead:
            self.selected = dead[0]
        elif match.waiting:
            self.selected = match.waiting[0]
        if self.outside:
            self.outside = False
            self.bury(match, dead)
            self.cumulative = dict.fromkeys(self.agents, 0.0)

    def credit(self, rewards: Mapping[str, float]) -> None:
        """Write down what a step earned."""
        cumulative = self.cumulative
        for agent, reward in rewards.items():
            cumulative[agent] += reward
        self.rewards = rewards

    def played(self, rewards: Mapping[str, float]) -> None:
        """Write down what another view has played; who is done goes at once."""
        self.rewards, self.outside = rewards, True

    def bury(self, match: Match[Any], dead: Sequence[str]) -> None:
        """Let seats go that are done and have taken their last step."""
        self.infos = {}
        self.agents = [agent for agent in self.agents if agent not in dead]
        self.cumulative = {agent: self.cumulative[agent] for agent in self.agents}
        self.dead = tuple([agent for agent in self.dead if agent not in dead])
        if self.agents:
            self.selected = (self.dead or match.waiting)[0]

    def copy(self) -> Self:
        """Return a ledger of its own that says the same."""
        twin = type(self)()
        twin.agents, twin.cumulative = self.agents.copy(), self.cumulative.copy()
        twin.selected, twin.rewards, twin.flags = self.selected, self.rewards, self.flags
        twin.alive, twin.dead = self.alive, self.dead
        twin.asked, twin.outside = self.asked, self.outside
        return twin
