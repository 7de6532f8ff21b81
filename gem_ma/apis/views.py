"""Views of an environment: PettingZoo's parallel API, and one seat behind Gymnasium's API."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import gymnasium
from pettingzoo.utils.env import ParallelEnv

from gem_ma.apis.env import BaseEnv, SeatError
from gem_ma.guards.given import need
from gem_ma.talk.episode import Agent, Conversation, ask

if TYPE_CHECKING:
    from gem_ma.apis.env import Env

T = TypeVar("T")


class ParallelView(ParallelEnv[str, dict[str, Any], Any]):
    """PettingZoo's parallel API: actions of seats that are not to act are ignored."""

    def __init__(self, env: BaseEnv):
        need(env, BaseEnv, "env")
        self.env = env
        self.possible_agents = self._core.possible_agents
        self.metadata = {**self._core.metadata, "is_parallelizable": True}  # it is parallel
        self.render_mode = self._core.render_mode

    @property
    def _core(self) -> Env[Any]:
        return self.env._core

    @property
    def agents(self) -> list[str]:
        """The seats that are alive."""
        return self._core.agents

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin an episode; return the observation and info of every seat."""
        self.env.reset(seed=seed, options=options)
        return self._see(self.agents)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Take the actions of all seats that are to act; return five dicts, keyed by seat."""
        core = self._core
        waiting = core.to_act
        if not waiting:
            raise core._needs_reset("step")
        need(actions, Mapping, "actions")
        for agent in actions:
            if agent not in core._index:
                raise core._not_to_act(agent)
        missing = [agent for agent in waiting if actions.get(agent) is None]
        if missing:
            raise SeatError(
                f"no action for {', '.join(missing)}; to act: {', '.join(waiting)}, "
                f"got: {', '.join(actions) or 'nothing'}"
            )
        agents = core.agents
        rewards, terminations, truncations = self.env.play({a: actions[a] for a in waiting})
        observations, infos = self._see(agents)
        return observations, rewards, terminations, truncations, infos

    def _see(
        self, agents: list[str]
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        env = self.env
        return {a: env.observe(a) for a in agents}, {a: env.info(a) for a in agents}

    def observation_space(self, agent: str) -> Any:
        return self.env.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        return self.env.action_space(agent)

    @property
    def observation_spaces(self) -> dict[str, Any]:
        """The observation space of every seat."""
        return self.env.observation_spaces

    @property
    def action_spaces(self) -> dict[str, Any]:
        """The action space of every seat."""
        return self.env.action_spaces

    @property
    def state_space(self) -> Any:
        """The space of `state()`; there is none where the game has no numbers."""
        return self.env.state_space

    @property
    def game_state(self) -> Any:
        """The game's frozen State: everything there is to know about this position."""
        return self.env.game_state

    def render(self, agent: str | None = None) -> Any:
        """Show the whole game, or the masked view of one seat."""
        return self._core.render(agent)

    def state(self) -> Any:
        """Return what all seats together see, in numbers."""
        return self.env.state()

    def close(self) -> None:
        self.env.close()

    def __repr__(self) -> str:
        return f"<ParallelView of {self.env!r}>"


class SeatView(gymnasium.Env[Any, Any]):
    """Gymnasium's API for one seat; the others are played by the agents given.

    `others` is one agent for all other seats, or a mapping from seat to agent. An agent is an
    object with `act`, a function from Turn to reply, or a spec string such as "random".
    """

    def __init__(self, env: BaseEnv, *, agent: str | None = None, others: Any = None):
        need(env, BaseEnv, "env")
        self.env = env
        seats = self._core.possible_agents
        if agent is None:
            if len(seats) > 1:
                raise SeatError(
                    f"{self._core.id} has several seats: say which is yours with "
                    f"agent='{seats[0]}' (or {', '.join(map(repr, seats[1:]))})"
                )
            agent = seats[0]
        elif agent not in seats:
            raise SeatError(f"no seat {agent!r}; {_instead(agent, seats)}")
        self.agent = agent
        self.others = self._seat_others(others)
        self.metadata = self._core.metadata
        self.render_mode = self._core.render_mode
        observes = self._core.observes
        self._bare = None if self._core.discrete or observes == "both" else observes
        space = env.observation_space(agent)
        self.observation_space = space[self._bare] if self._bare else space
        self.action_space = env.action_space(agent)
        self._owed = 0.0  # earned and not yet delivered
        self._flags = False, False  # terminated, truncated
        self._running = False
        self._chats: dict[str, Conversation] = {}  # what the others read

    @property
    def _core(self) -> Env[Any]:
        return self.env._core

    def _seat_others(self, others: Any) -> dict[str, Agent]:
        from gem_ma.agents import load

        seats = [seat for seat in self._core.possible_agents if seat != self.agent]
        if not isinstance(others, Mapping):
            others = {} if others is None else dict.fromkeys(seats, others)
        for seat in others:
            if seat not in seats:
                if seat == self.agent:
                    raise SeatError(f"others: the seat {seat!r} is yours")
                raise SeatError(f"others: no seat {seat!r}; {_instead(seat, seats)}")
        missing = [seat for seat in seats if seat not in others]
        if missing:
            raise SeatError(
                f"nobody plays {', '.join(missing)}; pass others={{{missing[0]!r}: 'random', ...}} "
                "or one agent for all, others='random'"
            )
        return {seat: load(others[seat]) for seat in seats}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode and let the others play until this seat is to act."""
        if self.render_mode == "human":
            return self._shown(self._reset, seed, options)
        return self._reset(seed, options)

    def _reset(
        self, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[Any, dict[str, Any]]:
        self.env.reset(seed=seed, options=options)
        core = self._core
        self._np_random, self._np_random_seed = core._rng, core.episode_seed
        self._owed = 0.0
        self._flags = False, False
        self._running = True
        self._chats = {seat: Conversation(seat) for seat in self.others}
        if self.others:
            self._let_others_play()
        return self._observe(), self.env.info(self.agent)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Reply, and let the others play until this seat is to act again or is done."""
        if self.render_mode == "human":
            return self._shown(self._step, action)
        return self._step(action)

    def _step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self._running:
            raise self._core._needs_reset("step")
        agent, core = self.agent, self._core
        if agent in core._waiting:
            if not self.others:
                self._play({agent: action})
            else:
                if not isinstance(action, str):
                    core._check_number(agent, action)  # before the others are asked
                self._play({agent: action, **self._replies()})
        if self.others:
            self._let_others_play()
        terminated, truncated = self._flags
        self._running = not (terminated or truncated)
        reward, self._owed = self._owed, 0.0
        return self._observe(), reward, terminated, truncated, self.env.info(agent)

    def _shown(self, call: Callable[..., T], *args: Any) -> T:
        """Show a person what came of it to this seat, and nothing of what others see."""
        core = self._core
        core._hushed = True
        try:
            result = call(*args)
        finally:
            core._hushed = False
        self.render()
        return result

    def _play(self, replies: dict[str, Any]) -> None:
        core, agent = self._core, self.agent
        rewards = self.env.submit(replies)
        core._credit(replies, rewards)
        if agent in rewards:
            self._owed += rewards[agent]
        if core._dead:
            if agent in core._dead:
                self._flags = core._flags(agent)
            core._bury(core._dead)

    def _let_others_play(self) -> None:
        core, agent = self._core, self.agent
        while core.to_act and agent in core.agents and agent not in core.to_act:
            self._play(self._replies())

    def _replies(self) -> dict[str, str]:
        """Ask all others that are to act now, each agent once for all its seats."""
        asked: dict[int, tuple[Agent, list[str]]] = {}
        for seat in self._core.to_act:
            if seat != self.agent:
                agent = self.others[seat]
                asked.setdefault(id(agent), (agent, []))[1].append(seat)
        replies: dict[str, str] = {}
        for agent, seats in asked.values():
            turns = [self.env.turn(seat, self._chats[seat]) for seat in seats]
            for seat, reply in zip(seats, ask(agent, turns), strict=True):
                replies[seat] = self._chats[seat].steps[-1].reply = reply
        return replies

    def _observe(self) -> Any:
        observation = self.env.observe(self.agent)
        return observation[self._bare] if self._bare else observation

    def sample_random_action(self) -> Any:
        """Draw a legal action."""
        return self.env.sample_random_action(self.agent)

    def action_masks(self) -> Any:
        """Return which moves are legal, under the name that sb3-contrib looks for."""
        return self._core._mask(self._core._legal(self.agent)).astype(bool)

    def render(self) -> Any:
        """Show what this seat sees."""
        return self._core.render(self.agent)

    def close(self) -> None:
        self.env.close()

    def __str__(self) -> str:
        return f"<SeatView {self.agent} of {self.env!r}>"


def _instead(name: Any, seats: list[str]) -> str:
    close = difflib.get_close_matches(str(name), seats, n=1)
    return f"did you mean {close[0]!r}?" if close else f"the seats are {', '.join(seats)}"
