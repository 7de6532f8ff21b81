"""AECEnv: PettingZoo's AEC API, with methods that return the other views."""

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


class AECEnv(BaseEnv, pettingzoo_env.AECEnv[str, Observation, SeatAction | None]):
    """An environment behind PettingZoo's AEC API, with a method for each other view.

    Examples:
        >>> import gem_ma
        >>> env = gem_ma.make("game:TicTacToe-v0")
        >>> env.reset(seed=0)
        >>> for agent in env.agent_iter():
        ...     observation, reward, terminated, truncated, info = env.last()
        ...     done = terminated or truncated
        ...     env.step(None if done else info["legal_actions"][0])
        >>> agent, reward
        ('o', -1.0)
    """

    # The seat that steps next; after the end the seat of the last step.
    agent_selection: str | None

    def step(self, action: SeatAction | None) -> None:
        """Step with the action of `agent_selection`.

        Args:
            action: The seat's reply, or None if the seat is done.

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
        replies: dict[str, Any] = {agent: action}  # None too, so that `submit` raises its error
        if self.is_core:
            rewards = self.submit(replies)
        else:
            rewards = self.submit_and_record(replies)
        ledger.rewards = rewards
        ledger.cumulative_rewards[agent] = 0.0
        if rewards:
            ledger.add_rewards(rewards)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """Return the observation, reward, flags and info of `agent_selection`.

        Args:
            observe: Whether to make the observation; if False, it is None.

        Returns:
            Observation, reward since the seat's last action, termination, truncation and info.

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
        """Yield `agent_selection` until no seat is left; the caller steps in between.

        Args:
            max_iter: The maximum number of seats to yield.

        Yields:
            The seat that steps next.
        """
        core = self.core
        for _ in range(max_iter):
            if not core.aec_state.agents:
                return
            yield core.agent_selection  # type: ignore[misc]

    # PettingZoo's wrappers call these methods. PettingZoo's own versions would write to
    # dictionaries that are computed on demand here.

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
        """The seats that are alive or have a last step to take."""
        return self.core.aec_state.agents

    # Clients may set these properties, like the attributes of PettingZoo's own environments.

    @property
    def rewards(self) -> dict[str, float]:
        """The rewards of the last step by seat; values that are set hold until the next step."""
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
        """Whether each seat is terminated.

        A seat that is set to True leaves the game, as by a forfeit. If all seats are set to True,
        the game ends in its present position.
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
        """Whether each seat was stopped by a limit outside the rules; set like `terminations`."""
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
        """The info of every seat in `agents`, made on demand.

        Values that are set hold until the next step.
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
        """Return the values that a client sets for the seats in `agents`."""
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
        """The game's State: the whole position, including hidden information."""
        match = self.core.match
        if match.state is None:
            raise match.make_reset_error("game_state")
        return match.state

    def parallel(self) -> ParallelView:
        """Return this environment behind PettingZoo's parallel API.

        Examples:
            >>> import gem_ma
            >>> view = gem_ma.make("game:KuhnPoker-v0").parallel()
            >>> observations, infos = view.reset(seed=0)
            >>> infos["first"]["to_act"], infos["second"]["to_act"]
            (True, False)
        """
        return ParallelView(self)

    def gym(self, agent: str | None = None, others: SeatAgents | None = None) -> GymnasiumView:
        """Return this environment behind Gymnasium's API for one of its seats.

        Args:
            agent: The name of the seat; None: the only seat of the environment.
            others: The agents of the other seats, as for `make_gym`.

        Returns:
            The view of this seat.

        Examples:
            >>> import gem_ma
            >>> view = gem_ma.make("game:KuhnPoker-v0").gym("second", others="random")
            >>> observation, info = view.reset(seed=0)
            >>> info["legal_actions"]
            ['fold', 'call']
        """
        return GymnasiumView(self, agent=agent, others=others)

    def seats(self, others: Mapping[str, AgentSource] | None = None) -> dict[str, AsyncSeat]:
        """Return a view with an async `reset` and `step` for each seat that `others` omits.

        All views play in the same episode, on a copy of this environment.

        Args:
            others: From seat to the agent that plays it; None: no other agents.

        Returns:
            From seat to its view.
        """
        return SharedEpisode(self, others).seats


class ClientRewards(dict[str, float]):
    """Rewards that a client has set and may change in place."""
