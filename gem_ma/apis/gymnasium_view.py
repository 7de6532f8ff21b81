"""GymnasiumView: Gymnasium's API for one seat, while agents play the others."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from gem_ma.apis.base_env import BaseEnv, Snapshot
from gem_ma.apis.core_env import RenderFrame
from gem_ma.apis.session import Session
from gem_ma.apis.spec import JSONSpecHolder
from gem_ma.chat.agent import Agent, SeatAgents, check_agent_seat
from gem_ma.chat.conversation import Conversation
from gem_ma.engine.action_parsing import SeatAction, SeatActions
from gem_ma.engine.match import SeatError
from gem_ma.game import Info, ResetOptions, T
from gem_ma.validation.arguments import check_type

P = ParamSpec("P")
GymnasiumStep: TypeAlias = tuple[Any, float, bool, bool, Info]
"""Observation, reward, terminated, truncated and info."""


@dataclass(frozen=True, slots=True)
class GymnasiumSnapshot:
    """A snapshot of an episode behind a GymnasiumView."""

    env: Snapshot
    pending_reward: float
    running: bool
    session: Session | None  # the other seats' conversations


class GymnasiumView(JSONSpecHolder, gymnasium.Env[Any, SeatAction]):
    """Gymnasium's API for one seat, while the agents of `others` play the other seats.

    `others` is one agent for all other seats, or a mapping from seat to agent. An agent is an
    object with `act`, a function from Turn to reply, or a spec string such as "random".
    """

    def __init__(self, env: BaseEnv, *, agent: str | None = None, others: SeatAgents | None = None):
        check_type(env, BaseEnv, "env", "an environment")
        self.env = env
        core = env.core
        seats = core.possible_agents
        if agent is None:
            if len(seats) > 1:
                raise SeatError(
                    f"{core.id} has several seats: say which is yours with "
                    f"agent='{seats[0]}' (or {', '.join(map(repr, seats[1:]))})"
                )
            agent = seats[0]
        elif agent not in seats:
            raise SeatError(f"no seat {agent!r}; {_suggest_seat(agent, seats)}")
        self.agent = agent
        self.others = self._seat_others(others)
        self.metadata = core.metadata
        self.render_mode = core.render_mode
        observe = env.observation_builder.config.observe
        self._observation_key = (
            None if env.observation_builder.discrete or observe == "both" else observe
        )
        space = env.observation_space(agent)
        # Then the engine is asked directly, since no wrapper or subclass changes observations.
        plain = env.is_core and not core.has_own_views
        self._sees_text = plain and self._observation_key == "text"
        self.observation_space: spaces.Space[Any] = (
            space[self._observation_key] if self._observation_key else space
        )
        self.action_space = env.action_space(agent)
        self._pending_reward = 0.0  # earned since the last step, not yet returned
        self._running = False
        self._session: Session | None = None  # holds the others' conversations; None: no others

    def _seat_others(self, others: SeatAgents | None) -> dict[str, Agent]:
        from gem_ma.agents.loading import load_agent

        seats = [seat for seat in self.env.match.seats if seat != self.agent]
        if not isinstance(others, Mapping):
            others = {} if others is None else dict.fromkeys(seats, others)
        for seat in others:
            if seat not in seats:
                if seat == self.agent:
                    raise SeatError(f"others: the seat {seat!r} is yours; leave it out of others")
                raise SeatError(f"others: no seat {seat!r}; {_suggest_seat(seat, seats)}")
        missing = [seat for seat in seats if seat not in others]
        if missing:
            raise SeatError(
                f"nobody plays {', '.join(missing)}; pass others={{{missing[0]!r}: 'random', ...}} "
                "or one agent for all, others='random'"
            )
        return {seat: check_agent_seat(load_agent(others[seat]), seat) for seat in seats}

    def reset(
        self, *, seed: int | None = None, options: ResetOptions | None = None
    ) -> tuple[Any, Info]:
        """Begin an episode, and play the other seats until this seat is to act."""
        if self.render_mode == "human":
            return self._call_and_render(self._reset, seed, options)
        return self._reset(seed, options)

    def _reset(self, seed: int | None, options: ResetOptions | None) -> tuple[Any, Info]:
        if self.others:
            self._session = Session(self.env, {seat: Conversation(seat) for seat in self.others})
            self._session.reset(seed, options)
        else:
            self.env.reset(seed=seed, options=options)
        match = self.env.match
        self._np_random, self._np_random_seed = match.rng, match.seed
        self._pending_reward = 0.0
        self._running = True
        if self._session is not None:
            self._let_others_play(self._session)
        return self._observe()

    def step(self, action: SeatAction) -> GymnasiumStep:
        """Submit a reply, and play the other seats until this seat is to act again or is done."""
        env, agent = self.env, self.agent
        if self.render_mode == "human" and not env.core.suppress_render:
            return self._call_and_render(self.step, action)
        match = env.match
        if not self._running:
            raise match.make_reset_error("step")
        session = self._session
        if session is None:
            if agent in match.waiting_seats and (rewards := env.step_seats({agent: action})):
                self._pending_reward += rewards.get(agent, 0.0)
            return self._collect_result()
        env.check_reply(agent, action)  # before the other agents are called
        if agent in match.waiting_seats:
            self._submit(session, {agent: action, **self._ask_others(session)})
        self._let_others_play(session)
        return self._collect_result()

    def step_in_parts(
        self, action: SeatAction
    ) -> Generator[Callable[[], object], Any, Callable[[], GymnasiumStep]]:
        """Step as a generator that yields the calls that may block.

        The generator returns a function; calling it observes and returns the result of `step`.
        This works only without other agents and without wrappers, which may block, too.
        """
        if not self._running:
            raise self.env.match.make_reset_error("step")
        rewards = yield from self.env.core.submit_in_parts({self.agent: action})
        self.env.core.record_view_step(rewards)
        self._pending_reward += rewards.get(self.agent, 0.0)
        return self._collect_result

    @property
    def can_step_in_parts(self) -> bool:
        """Whether `step_in_parts` can replace `step`."""
        return not self.others and self.env.is_core and self.render_mode != "human"

    def _collect_result(self) -> GymnasiumStep:
        """Return the result of a step for this seat."""
        observation, info = self._observe()
        reward, self._pending_reward = self._pending_reward, 0.0
        if self.agent in self.env.match.alive_seats:
            return observation, reward, False, False, info
        self._running = False
        return observation, reward, *self.env.core.get_end_flags(self.agent), info

    def _call_and_render(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call without rendering, then render this seat's view of the result."""
        core = self.env.core
        core.suppress_render = True
        try:
            result = call(*args, **kwargs)
        finally:
            core.suppress_render = False
        self.render()
        return result

    def _submit(self, session: Session, replies: SeatActions) -> None:
        agent = self.agent
        rewards = session.step(replies)
        if agent in rewards:
            self._pending_reward += rewards[agent]

    def _let_others_play(self, session: Session) -> None:
        match, agent = self.env.match, self.agent
        while (
            match.waiting_seats and agent in match.alive_seats and agent not in match.waiting_seats
        ):
            self._submit(session, self._ask_others(session))

    def _ask_others(self, session: Session) -> dict[str, str]:
        """Return the replies of the other seats to act; each agent is called once for its seats."""
        seats = [seat for seat in self.env.match.waiting_seats if seat != self.agent]
        return session.ask(self.others, seats)

    def snapshot(self) -> GymnasiumSnapshot:
        """Return a snapshot of the episode."""
        session = self._session and self._session.copy(self.env)
        return GymnasiumSnapshot(self.env.snapshot(), self._pending_reward, self._running, session)

    def restore(self, snapshot: GymnasiumSnapshot) -> None:
        """Restore a snapshot of this view or of a view with the same arguments."""
        check_type(snapshot, GymnasiumSnapshot, "snapshot")
        self.env.restore(snapshot.env)
        self._pending_reward, self._running = snapshot.pending_reward, snapshot.running
        self._session = snapshot.session and snapshot.session.copy(self.env)

    def _observe(self) -> tuple[Any, Info]:
        """Return the observation and the info of this seat."""
        env, agent, key = self.env, self.agent, self._observation_key
        if self._sees_text:
            match, builder = env.match, env.observation_builder
            view = match.view_cache.get(agent) or match.make_view(agent)
            text = builder.build_text(match, agent, rules=True, view=view)
            return text, builder.build_info(match, agent, lazy=True)
        observation = env.observe(agent)
        return observation[key] if key else observation, env.info(agent)

    def sample_random_action(self) -> SeatAction:
        """Draw a legal action."""
        return self.env.sample_random_action(self.agent)

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal moves, under the name that sb3-contrib looks for."""
        return self.env.observation_builder.build_mask(
            self.env.match.list_legal_moves(self.agent)
        ).astype(bool)

    def render(self) -> RenderFrame:
        """Render this seat's view."""
        return self.env.core.render(self.agent)

    def close(self) -> None:
        self.env.close()

    def __str__(self) -> str:
        return f"<GymnasiumView {self.agent} of {self.env!r}>"


def _suggest_seat(name: object, seats: list[str]) -> str:
    close = difflib.get_close_matches(str(name), seats, n=1)
    return f"did you mean {close[0]!r}?" if close else f"the seats are {', '.join(seats)}"
