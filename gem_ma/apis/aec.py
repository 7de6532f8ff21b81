"""AECEnv: PettingZoo's AEC API, and the way to the other views."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from gymnasium import spaces
from pettingzoo.utils import env as pettingzoo_env

from gem_ma.apis.aec_state import AECState
from gem_ma.apis.async_seats import AsyncSeat, SharedEpisode
from gem_ma.apis.base_env import BaseEnv
from gem_ma.apis.core_env import ActionSpace
from gem_ma.apis.gymnasium_view import GymnasiumView
from gem_ma.apis.parallel_view import ParallelView
from gem_ma.chat.agent import AgentSource, SeatAgents
from gem_ma.engine.action_parsing import SeatAction
from gem_ma.engine.observations import Observation
from gem_ma.game import Info, T


class AECEnv(pettingzoo_env.AECEnv[str, Observation, SeatAction | None], BaseEnv):
    """Every view of an environment: PettingZoo's AEC API itself, and the others by name."""

    # The seat whose step is next; after the end the one that took the last.
    agent_selection: str | None

    def step(self, action: SeatAction | None) -> None:
        """Take the reply of `agent_selection`.

        Args:
            action: The reply, or None if that seat is done.

        Raises:
            ResetNeeded: The episode is over, or none has begun.
        """
        core = self.core
        ledger, agent = core.aec_state, core.agent_selection
        if not ledger.agents or agent is None:
            raise core.match.make_reset_error("step")
        if agent in ledger.dead:
            self._was_dead_step(action)
            return
        replies: dict[str, Any] = {agent: action}  # None, too, which it is told that it may not
        if self.is_core:
            rewards = self.submit(replies)
        else:
            rewards = self.submit_and_record(replies)
        ledger.rewards = rewards
        ledger.cumulative_rewards[agent] = 0.0
        if rewards:
            ledger.add_rewards(rewards)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """Return what PettingZoo's loop needs to know of `agent_selection`.

        Args:
            observe: Whether to make the observation, which is None otherwise.

        Returns:
            Observation, reward since its last action, termination, truncation and info.

        Raises:
            ResetNeeded: The episode is over, or none has begun.
        """
        core = self.core
        ledger, agent = core.aec_state, core.agent_selection
        if not ledger.agents or agent is None:
            raise core.match.make_reset_error("last")
        observation = self.observe(agent) if observe else None
        reward, info = ledger.cumulative_rewards[agent], self._get_info(agent, ledger)
        if agent not in ledger.dead:
            return observation, reward, False, False, info
        return observation, reward, *core.get_end_flags(agent), info

    def agent_iter(self, max_iter: int = sys.maxsize) -> Iterator[str]:
        """Yield `agent_selection` until nobody is left; step between.

        Args:
            max_iter: The most seats to yield.

        Yields:
            The seat whose step is next.
        """
        core = self.core
        for _ in range(max_iter):
            if not core.aec_state.agents:
                return
            yield core.agent_selection  # type: ignore[misc]

    # What PettingZoo's wrappers call, where theirs would change what ours make when asked for.

    def _was_dead_step(self, action: SeatAction | None) -> None:
        core = self.core
        ledger, agent = core.aec_state, core.agent_selection
        if action is not None:
            raise ValueError(f"{agent} is done: its only valid action is None, got {action!r}")
        ledger.remove_agents((str(agent),))
        ledger.rewards = {}
        core.sync_aec_state()

    def _deads_step_first(self) -> str:
        core = self.core
        if core.aec_state.dead:
            core.agent_selection = core.aec_state.dead[0]
        return str(core.agent_selection)

    def _clear_rewards(self) -> None:
        self.core.aec_state.rewards = {}

    @property
    def _cumulative_rewards(self) -> dict[str, float]:
        return self.core.aec_state.cumulative_rewards

    @property
    def agents(self) -> list[str]:
        """The seats that are alive, or have yet to take their last step."""
        return self.core.aec_state.agents

    # What a client sets here takes effect, as with attributes of PettingZoo's own environments.

    @property
    def rewards(self) -> dict[str, float]:
        """What the last step earned each seat; what is set counts until the next step."""
        ledger = self.core.aec_state
        rewards = ledger.rewards
        if isinstance(rewards, ClientRewards):
            return rewards
        return {a: rewards.get(a, 0.0) for a in ledger.agents}

    @rewards.setter
    def rewards(self, rewards: Mapping[str, float]) -> None:
        ledger, live_rewards = self.core.aec_state, self._select_live(rewards)
        ledger.rewards = ClientRewards({a: live_rewards.get(a, 0.0) for a in ledger.agents})

    @property
    def terminations(self) -> dict[str, bool]:
        """Which seats the game is over for; one that is set True leaves the game, as by a forfeit.

        If all of them are, the game ends where it is.
        """
        core = self.core
        return {a: core.get_end_flags(a)[0] for a in core.aec_state.agents}

    @terminations.setter
    def terminations(self, flags: Mapping[str, bool]) -> None:
        core = self.core
        core.set_end_flags(
            {a: (bool(f), core.get_end_flags(a)[1]) for a, f in self._select_live(flags).items()}
        )

    @property
    def truncations(self) -> dict[str, bool]:
        """Which seats were stopped by a limit that is no rule; setting one is like terminations."""
        core = self.core
        return {a: core.get_end_flags(a)[1] for a in core.aec_state.agents}

    @truncations.setter
    def truncations(self, flags: Mapping[str, bool]) -> None:
        core = self.core
        core.set_end_flags(
            {a: (core.get_end_flags(a)[0], bool(f)) for a, f in self._select_live(flags).items()}
        )

    @property
    def infos(self) -> dict[str, Info]:
        """The info of every live agent, made when asked for.

        What is set counts until the next step.
        """
        ledger = self.core.aec_state
        return {agent: self._get_info(agent, ledger) for agent in ledger.agents}

    @infos.setter
    def infos(self, infos: Mapping[str, Info]) -> None:
        live_infos = self._select_live(infos)
        self.core.aec_state.infos = {a: (None, dict(info)) for a, info in live_infos.items()}

    def _get_info(self, agent: str, ledger: AECState) -> Info:
        infos = ledger.infos
        cached = infos.get(agent)
        if cached is not None and (cached[0] is self or cached[0] is None):
            return cached[1]
        info = self.info(agent)
        infos[agent] = self, info
        return info

    def _select_live(self, given: Mapping[str, T]) -> dict[str, T]:
        """Return what a client gives to the seats that are alive."""
        match = self.core.match
        for agent in given:
            if agent not in match.index:
                raise match.make_seat_error(agent)
        return {agent: given[agent] for agent in self.core.aec_state.agents if agent in given}

    @property
    def observation_spaces(self) -> dict[str, spaces.Dict]:
        """The observation space of every seat."""
        return {agent: self.observation_space(agent) for agent in self.core.possible_agents}

    @property
    def action_spaces(self) -> dict[str, ActionSpace]:
        """The action space of every seat."""
        return {agent: self.action_space(agent) for agent in self.core.possible_agents}

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        return self.core.get_state_space()

    @property
    def game_state(self) -> Any:
        """The game's frozen State: everything there is to know about this position."""
        match = self.core.match
        if match.state is None:
            raise match.make_reset_error("game_state")
        return match.state

    def parallel(self) -> ParallelView:
        """Return this environment behind PettingZoo's parallel API."""
        return ParallelView(self)

    def gym(self, agent: str | None = None, others: SeatAgents | None = None) -> GymnasiumView:
        """Return one seat behind Gymnasium's API, the others played by the agents given.

        Args:
            agent: The seat, which only an environment of one leaves open.
            others: Who plays the other seats, as `make_gym` takes them.

        Returns:
            The view of this seat.
        """
        return GymnasiumView(self, agent=agent, others=others)

    def seats(self, others: Mapping[str, AgentSource] | None = None) -> dict[str, AsyncSeat]:
        """Return a view for each seat that `others` does not play: an async reset and step each.

        What they do meets in one game of their own, a copy of this environment's.

        Args:
            others: From seat to the agent that plays it.

        Returns:
            From seat to its view.
        """
        return SharedEpisode(self, others).seats


class ClientRewards(dict[str, float]):
    """Rewards that a client has set, and may still change."""
