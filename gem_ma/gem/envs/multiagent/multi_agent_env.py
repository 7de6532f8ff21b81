"""MultiAgentEnv, which takes replies by agent, and AgentSelector, which selects agents to act."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gem_ma.gem.core import Env, StepResult
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONObject

AgentObservations: TypeAlias = dict[str, Any]
AgentInfos: TypeAlias = dict[str, JSONObject]
StepOutcome: TypeAlias = tuple[
    AgentObservations, dict[str, float], dict[str, bool], dict[str, bool], AgentInfos
]


class AgentSelector:
    """The agents that are to act: one after the other ("sequential") or all ("parallel")."""

    def __init__(self, agents: Sequence[str], mode: str = "sequential"):
        self.mode = mode
        self.reinit(agents)

    def reinit(self, agents: Sequence[str]) -> None:
        """Start again with these agents, and select the first."""
        self._agents = list(agents)
        self._index = 0
        self.selected = self._agents[0] if self._agents else None

    def get_active_agents(self) -> list[str]:
        """Return the agents that are to act."""
        if self.mode == "parallel":
            return list(self._agents)
        if self.mode == "sequential":
            return [] if self.selected is None else [self.selected]
        raise ValueError(f"mode={self.mode!r}: expected 'sequential' or 'parallel'")

    def next(self) -> None:
        """Select the next agent, and the first after the last."""
        if self.mode == "sequential" and self._agents:
            self._select(self._index + 1)

    def is_first(self) -> bool:
        """Return whether the first agent is selected."""
        return self._index == 0

    def is_last(self) -> bool:
        """Return whether the last agent is selected."""
        return self._index == len(self._agents) - 1

    def add_agent(self, agent: str) -> None:
        """Append an agent if it is new."""
        if agent not in self._agents:
            self._agents.append(agent)

    def remove_agent(self, agent: str) -> None:
        """Remove an agent; if it was selected, the one before it is selected."""
        if agent not in self._agents:
            return
        index = self._agents.index(agent)
        del self._agents[index]
        if not self._agents:
            self._index, self.selected = 0, None
        else:
            self._select(max(0, self._index - (index <= self._index)))

    def _select(self, place: int) -> None:
        self._index = place % len(self._agents)
        self.selected = self._agents[self._index]


class MultiAgentEnv(Env):
    """An environment of several agents as in GEM, of which a subclass implements two methods.

    `_process_actions` takes the replies of the agents that are to act. It returns five mappings by
    agent: observations, rewards, terminations, truncations and infos. `observe` returns an agent's
    observation. An agent leaves after a step if the subclass has set its `terminations` or
    `truncations`.
    """

    agent_selector: AgentSelector | None = None

    def __init__(self) -> None:
        self.possible_agents: list[str] = []
        self.agents: list[str] = []
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.rewards: dict[str, float] = {}
        self.infos: AgentInfos = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.agent_selector = None
        self.shared_memory: list[dict[str, str]] = []
        self.global_context = ""

    @abc.abstractmethod
    def _process_actions(self, actions: dict[str, str]) -> StepOutcome: ...

    @abc.abstractmethod
    def observe(self, agent: str) -> Any:
        """Return the observation of an agent."""

    def reset(self, seed: int | None = None) -> tuple[AgentObservations, AgentInfos]:
        """Begin an episode with all agents; a seed, if any, seeds `_np_random`."""
        if seed is not None:
            self._np_random = np.random.default_rng(seed)
        self.agents = []
        for agent in self.possible_agents:
            self._init_agent(agent)
        self.shared_memory, self.global_context = [], ""
        if self.agent_selector is not None:
            self.agent_selector.reinit(self.agents)
        observations = {agent: self.observe(agent) for agent in self.agents}
        return observations, {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, str]) -> StepOutcome:  # type: ignore[override]
        """Take the replies of the agents that are to act."""
        if not isinstance(actions, dict):
            kind = type(actions).__name__
            raise ValueError(f"actions: expected a dict from agent to reply, got a {kind}")
        active = self._list_active_agents()
        for agent in active:
            done = self.terminations.get(agent, True) or self.truncations.get(agent, True)
            if not done and agent not in actions:
                raise ValueError(f"actions: no reply of {agent}, which is to act; expected one")
        for agent in actions:
            if agent not in active:
                raise ValueError(f"{agent} is not to act; {', '.join(active) or 'nobody'} is")
        outcome = self._process_actions(actions)
        for agent in self.agents:
            cumulative_reward = self._cumulative_rewards.get(agent, 0.0) + outcome[1].get(
                agent, 0.0
            )
            self._cumulative_rewards[agent] = cumulative_reward
        for agent in list(self.agents):
            if self.terminations.get(agent) or self.truncations.get(agent):
                self.remove_agent(agent)
        if self.agent_selector is not None:
            self.agent_selector.next()
        return outcome

    def _list_active_agents(self) -> list[str]:
        selector = self.agent_selector
        return list(self.agents) if selector is None else selector.get_active_agents()

    def get_state(self, agent: str) -> StepResult:
        """Return an agent's observation, sum of rewards, terminated, truncated and info."""
        self._check_agents(agent)
        return (
            self.observe(agent),
            self._cumulative_rewards.get(agent, 0.0),
            self.terminations.get(agent, False),
            self.truncations.get(agent, False),
            self.infos.get(agent, {}),
        )

    def get_active_states(self) -> dict[str, StepResult]:
        """Return the states of the agents that are to act."""
        return {
            agent: self.get_state(agent)
            for agent in self._list_active_agents()
            if agent in self.agents
        }

    def add_agent(self, agent_id: str) -> None:
        """Add an agent if it is new."""
        check_type(agent_id, str, "agent_id")
        if agent_id not in self.agents:
            self._init_agent(agent_id)
            if self.agent_selector is not None:
                self.agent_selector.add_agent(agent_id)

    def _init_agent(self, agent: str) -> None:
        self.agents.append(agent)
        self.terminations[agent] = self.truncations[agent] = False
        self.rewards[agent] = self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {}

    def remove_agent(self, agent_id: str) -> None:
        """Remove an agent if it takes part."""
        if agent_id not in self.agents:
            return
        self.agents.remove(agent_id)
        by_agent: tuple[dict[str, bool] | dict[str, float] | AgentInfos, ...] = (
            *(self.terminations, self.truncations, self.rewards, self.infos),
            self._cumulative_rewards,
        )
        for values in by_agent:
            values.pop(agent_id, None)
        if self.agent_selector is not None:
            self.agent_selector.remove_agent(agent_id)

    def send_message(self, from_agent: str, to_agent: str, message: str) -> None:
        """Store a message from one agent to another in `shared_memory`."""
        self._check_agents(from_agent, to_agent)
        self.shared_memory.append({"from": from_agent, "to": to_agent, "message": message})

    def broadcast_message(self, from_agent: str, message: str) -> None:
        """Store a message from one agent to each of the others in `shared_memory`."""
        self._check_agents(from_agent)
        for agent in self.agents:
            if agent != from_agent:
                self.send_message(from_agent, agent, message)

    def _check_agents(self, *agents: str) -> None:
        for agent in agents:
            if agent not in self.agents:
                there = ", ".join(self.agents) or "nobody"
                raise ValueError(f"no agent {agent!r} in this environment; the agents are: {there}")
