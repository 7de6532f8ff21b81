"""ParallelView: PettingZoo's parallel API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import ParallelEnv

from gem_ma.apis.base_env import BaseEnv
from gem_ma.apis.core_env import ActionSpace, RenderFrame
from gem_ma.engine.action_parsing import SeatAction
from gem_ma.engine.match import SeatError
from gem_ma.engine.observations import Observation
from gem_ma.game import Info, ResetOptions
from gem_ma.validation.arguments import check_type


class ParallelView(ParallelEnv[str, Observation, SeatAction | None]):
    """An environment behind PettingZoo's parallel API; ignores actions of seats not to act."""

    def __init__(self, env: BaseEnv):
        check_type(env, BaseEnv, "env", "an environment")
        self.env = env
        self.possible_agents = self.env.core.possible_agents
        self.metadata = {**self.env.core.metadata, "is_parallelizable": True}  # by definition
        self.render_mode = self.env.core.render_mode

    @property
    def agents(self) -> list[str]:
        """The seats that are alive."""
        return self.env.core.agents

    def reset(
        self, seed: int | None = None, options: ResetOptions | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin an episode; return the observations and infos by seat."""
        self.env.reset(seed=seed, options=options)
        return self._observe_seats(self.agents)

    def step(
        self, actions: Mapping[str, SeatAction | None]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Info],
    ]:
        """Step with the actions of all seats that are to act; return five dicts by seat."""
        match = self.env.match
        waiting = match.waiting_seats
        if not waiting:
            raise match.make_reset_error("step")
        check_type(actions, Mapping, "actions")
        for agent in actions:
            if agent not in match.index:
                raise match.make_seat_error(agent)
        missing = [agent for agent in waiting if actions.get(agent) is None]
        if missing:
            raise SeatError(
                f"no action for {', '.join(missing)}; to act: {', '.join(waiting)}, "
                f"got: {', '.join(actions) or 'nothing'}"
            )
        agents = self.agents
        replies = {a: action for a in waiting if (action := actions[a]) is not None}
        earned = self.env.step_seats(replies)
        rewards = {a: earned.get(a, 0.0) for a in agents}
        terminations, truncations = self.env.core.collect_end_flags(agents)
        observations, infos = self._observe_seats(agents)
        return observations, rewards, terminations, truncations, infos

    def _observe_seats(self, agents: list[str]) -> tuple[dict[str, Observation], dict[str, Info]]:
        env = self.env
        return {a: env.observe(a) for a in agents}, {a: env.info(a) for a in agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.env.observation_space(agent)

    def action_space(self, agent: str) -> ActionSpace:
        return self.env.action_space(agent)

    @property
    def observation_spaces(self) -> dict[str, spaces.Dict]:
        """The observation space of every seat."""
        return {a: self.env.observation_space(a) for a in self.possible_agents}

    @property
    def action_spaces(self) -> dict[str, ActionSpace]:
        """The action space of every seat."""
        return {a: self.env.action_space(a) for a in self.possible_agents}

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        return self.env.core.get_state_space()

    @property
    def game_state(self) -> Any:
        """The game's State: the whole position, including hidden information."""
        return self.env.core.game_state

    def render(self, agent: str | None = None) -> RenderFrame:
        """Render the whole game, or one seat's view."""
        return self.env.core.render(agent)

    def state(self) -> np.ndarray:
        """Return all seats' encodings in one array, or a picture of the game without encodings."""
        return self.env.core.state()

    def close(self) -> None:
        self.env.close()

    def __repr__(self) -> str:
        return f"<ParallelView of {self.env!r}>"
