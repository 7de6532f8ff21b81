"""BaseEnv: the common base of environments and wrappers, on which all views are built."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from gymnasium import spaces

from gem_ma.apis.aec_state import AECState
from gem_ma.apis.core_env import ActionSpace, CoreEnv
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.turn import SearchPosition, Turn
from gem_ma.engine import action_parsing
from gem_ma.engine.action_parsing import SeatAction, SeatActions
from gem_ma.engine.episode_state import EpisodeState
from gem_ma.engine.match import Match
from gem_ma.engine.observations import Observation, ObservationBuilder
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import Game, Info, ResetOptions, SeatTool
from gem_ma.validation.arguments import check_type


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A point of an episode that an environment can return to."""

    game: Game
    point: EpisodeState
    ledger: AECState
    selected: str | None
    layers: tuple[object, ...] = ()  # `memory` of the wrappers, innermost first


class BaseEnv:
    """The base of environments and wrappers, which takes replies and returns observations.

    A Wrapper overrides `reset`, `submit`, `observe`, `info`, `rules` and `tools`. All views are
    defined in terms of these, so a wrapper affects every view.
    """

    core: CoreEnv  # the Env inside all wrappers
    is_core = False  # whether this is that Env
    match: Match  # the match of its game
    observation_builder: ObservationBuilder  # builds the observations of its seats

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        """Begin an episode.

        Args:
            seed: Determines the whole episode; None: a seed derived from the last episode's, or a
                random one.
            options: Options of the game for this episode, such as the number of a task.
        """
        raise NotImplementedError

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        """Submit replies of some of the seats that are to act.

        Args:
            replies: From seat to reply.

        Returns:
            The rewards by seat; a missing seat earned 0.

        Raises:
            SeatError: A seat is not to act now.
            TypeError: A reply does not have the type of the action space.
        """
        core, match = self.core, self.match
        ledger = core.aec_state
        waiting = match.waiting_seats
        if type(replies) is not dict or not replies:
            self._check_replies(replies)
            replies = dict(replies)
        for agent, reply in replies.items():
            if agent not in waiting or not isinstance(reply, str):
                self._check_replies(replies)
                break
        match.reply_history.append(replies.copy())
        rewards = match.submit(replies)
        if match.alive_seats is not ledger.alive or ledger.dead:
            core.sync_aec_state()
        else:
            if ledger.infos:
                ledger.infos = {}
            if match.waiting_seats:
                core.agent_selection = match.waiting_seats[0]
        if core.render_mode == "human" and not core.suppress_render:
            core.render()
        return rewards

    def submit_in_parts(
        self, replies: SeatActions
    ) -> Generator[Callable[[], object], Any, Mapping[str, float]]:
        """Submit replies as a generator that yields the calls that may block.

        The caller runs each yielded call, for example in a thread, and sends back its result.
        """
        match = self.match
        self._check_replies(replies)
        match.reply_history.append(dict(replies))
        match.parse_actions(replies)
        while match.can_advance:
            match.apply_transition((yield match.advance))
        rewards = match.compute_rewards()
        self.core.sync_aec_state()
        return rewards

    def observe(self, agent: str, *, turn: bool = False) -> Observation:
        """Return the observation of a seat.

        Args:
            agent: The seat.
            turn: Whether to use the form of a Turn: no rules, words or pictures even if actions are
                discrete, and the image as a Picture.

        Returns:
            A dict with `text`, `image` or both, by the option `observe`. With actions="discrete",
            a dict with `observation` and `action_mask`.
        """
        return self.observation_builder.build_observation(self.match, agent, turn)

    def info(self, agent: str, *, turn: bool = False) -> Info:
        """Return the info of a seat, which complements its observation.

        Args:
            agent: The seat.
            turn: Whether to use the form of a Turn, as in `observe`.

        Returns:
            The info in the sense of Gymnasium and PettingZoo.
        """
        return self.observation_builder.build_info(self.match, agent, turn)

    def rules(self, agent: str) -> str:
        """Return the rules for a seat, which a model reads in its system prompt."""
        return self.observation_builder.build_rules(self.match, agent)

    def tools(self, agent: str) -> tuple[SeatTool, ...]:
        """Return the tools that a seat may call."""
        if agent not in self.match.index:
            raise self.match.make_seat_error(agent)
        return tuple(self.core.game.tools(agent))

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of a seat's observations."""
        raise NotImplementedError

    def action_space(self, agent: str) -> ActionSpace:
        """Return the space of a seat's replies."""
        raise NotImplementedError

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the episode; it shares immutable data and so copies little."""
        raise NotImplementedError

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot of this environment or of one with the same game and wrappers.

        Args:
            snapshot: The return value of `snapshot`.

        Raises:
            ValueError: The snapshot belongs to another game, or to other arguments of the game.
        """
        raise NotImplementedError

    def copy(self) -> Self:
        """Return an independent copy of this environment, at the same point of its episode."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the resources of the environment; `reset` can begin a new episode."""
        raise NotImplementedError

    def _check_replies(self, replies: SeatActions) -> None:
        """Raise unless these are replies of the right type from seats that are to act."""
        match = self.match
        waiting = match.waiting_seats
        if not waiting or not replies or type(replies) is not dict:
            if waiting:
                check_type(replies, Mapping, "replies")
            match.check_replies(replies)
        for agent, reply in replies.items():
            if agent not in waiting:
                raise match.make_seat_error(agent)
            if not isinstance(reply, str):
                self.check_reply(agent, reply)

    def check_reply(self, agent: str, reply: object) -> None:
        """Raise unless `submit` accepts a reply of this type: a text, or the number of a move.

        Args:
            agent: The seat.
            reply: The reply to check.

        Raises:
            TypeError: The reply does not have the type of the action space.
            ValueError: The reply is a number outside the action space.
        """
        if isinstance(reply, str):
            return
        sight = self.observation_builder
        expected, hint = "a str", ""
        whole = isinstance(reply, (int, np.integer)) and not isinstance(reply, bool)
        array = isinstance(reply, np.ndarray) and reply.shape == () and reply.dtype.kind in "iu"
        if sight.discrete:
            last = len(sight.move_numbers) - 1
            expected = f"an int from 0 to {last}"
            if whole or array:
                if not 0 <= (number := int(reply)) <= last:  # type: ignore[call-overload]
                    raise ValueError(f"the action of {agent} must be {expected}, got {number}")
                return
        elif whole:
            hint = f"; pass {str(reply)!r}, or make the environment with actions='discrete'"
        raise TypeError(
            f"the action of {agent} must be {expected}, got {type(reply).__name__}: "
            f"{repr(reply)[:60]}{hint}"
        )

    @property
    def blocking(self) -> bool:
        """Whether `submit` is slow or waits for something, so that it should run in a thread."""
        return self.core.game.blocking

    def step_seats(self, replies: SeatActions) -> Mapping[str, float]:
        """Submit replies of due seats and return the rewards; done seats take no last step.

        The reply history keeps the replies as passed here, before any wrapper changes them.
        """
        rewards = self.submit(replies) if self.is_core else self.submit_and_record(replies)
        ledger = self.core.aec_state
        if ledger.dead or ledger.credited:
            self.core.record_view_step(rewards)
        else:
            ledger.rewards = rewards
        return rewards

    def submit_and_record(self, replies: SeatActions) -> Mapping[str, float]:
        """Submit replies through wrappers, and keep the unchanged replies in the history."""
        past = self.match.reply_history
        count = len(past)
        rewards = self.submit(replies)
        past[count:] = [dict(replies)]
        return rewards

    def turn(self, agent: str, chat: Conversation | None = None) -> Turn:
        """Return the present turn of a seat, as its agent gets it.

        Args:
            agent: The seat.
            chat: The seat's conversation so far, to which the turn is added as a step. The agent
                reads it in `turn.messages`. None: the turn has no history.

        Returns:
            The turn, an argument of an agent's `act`.
        """
        match = self.match
        observation = self.observe(agent, turn=True)
        info = self.info(agent, turn=True)
        legal = info.get("legal_actions")
        if legal is None and match.lists_moves:  # hidden from models only, not from programs
            legal = self.observation_builder.format_replies(match.list_legal_moves(agent))
        if chat is not None and chat.__class__ is not Conversation:
            check_type(chat, Conversation, "chat")
        steps = () if chat is None else chat.steps
        if chat is not None and steps:  # rules are given once per episode
            rules, tools = chat.rules, chat.tools
            index = len(steps) - (steps[-1].reply is None)
        else:
            rules, tools, index = self.rules(agent), self.tools(agent), 0
        salt = 0 if chat is None else chat.salt
        position = None  # for search, if the seat sees everything and moves alone
        if match.game.oracle or (
            match.lists_moves
            and match.view_cache.get(agent) is match.state
            and not match.pending_moves
        ):
            position = SearchPosition(match.game, match.state)
        place = match.seed, match.submit_count, match.index[agent]
        results = [m.text for m in match.list_messages(agent) if m.role == "tool"] if tools else ()
        turn = Turn(
            agent,
            rules,
            observation,
            observation["text"] if "text" in observation else info.get("text", ""),
            None if legal is None else tuple(legal),
            tools,
            (*place, salt) if salt else place,
            match.turns,
            match.read_counts[agent] < 0,
            self.core.id,
            position,
            tuple(results),
            chat,
            index,
            match.game.max_tool_calls,
        )
        if chat is not None:
            chat.add_turn(turn, match.submit_count)
        return turn

    def sample_random_action(self, agent: str | None = None) -> SeatAction:
        """Draw a legal action of a seat, using the random generator of its action space."""
        match, sight = self.match, self.observation_builder
        agent = agent or self.core.agent_selection or match.seats[0]
        space = self.action_space(agent)
        legal = match.legal_cache.get(agent) or match.list_legal_moves(agent)
        if not legal:
            return space.sample()
        index = int(space.np_random.random() * len(legal))
        if sight.discrete:
            return sight.move_numbers[match.game.name_moves(legal)[index]]
        action = legal[index]
        return (
            action
            if sight.bare_format
            else action_parsing.format_action(action, sight.config.format)
        )

    def fork(self, n: int = 1, *, seed: int | None = None) -> list[Self]:
        """Return independent copies of this environment that continue from the same point.

        Args:
            n: The number of forks.
            seed: Seeds the random events from here on, differently in each fork; None: all forks
                keep the random events of this environment.

        Returns:
            The forks. This environment is not changed.

        Examples:
            >>> import gem_ma
            >>> env = gem_ma.make("game:TicTacToe-v0")
            >>> env.reset(seed=0)
            >>> one, other = env.fork(2)
            >>> one.step("4")
            >>> len(one.turn("o").legal), len(other.turn("x").legal)
            (8, 9)
        """
        check_type(n, int, "n", "a whole number")
        forks = [self.copy() for _ in range(n)]
        if seed is not None:
            for number, fork in enumerate(forks):
                fork.match.redraw_chance(derive_seed(seed, number))
        return forks

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def __copy__(self) -> Self:
        return self.copy()
