"""BaseEnv: what lies under every view of an environment, and what is built over it alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

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
    """A point of an episode, as references to things that never change."""

    game: Game
    point: EpisodeState
    ledger: AECState
    selected: str | None
    layers: tuple[object, ...] = ()  # what the wrappers remember, innermost first


class BaseEnv:
    """What every view of an environment is built over: replies in, what seats see out.

    An Env implements `reset`, `submit`, `observe`, `info`, `rules` and `tools`, a Wrapper changes
    them, and what stands here is written once over `self`, so that a wrapper shows in every view.
    """

    core: CoreEnv  # the Env inside all wrappers
    is_core = False  # whether it is that itself
    match: Match  # the play of its game
    observation_builder: ObservationBuilder  # what its seats see

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        """Begin an episode.

        Args:
            seed: Decides the whole episode; None: the last seed leads to it.
            options: What the game lets an episode choose, such as the number of a task.
        """
        raise NotImplementedError

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        """Take replies of some of the seats that are to act.

        Args:
            replies: From seat to reply.

        Returns:
            What that earns the seats; a seat that is not named earned nothing.

        Raises:
            SeatError: A seat is not to act now.
            TypeError: A reply is not of the type that the action space holds.
        """
        raise NotImplementedError

    def observe(self, agent: str, *, turn: bool = False) -> Observation:
        """Return what a seat sees.

        Args:
            agent: The seat.
            turn: In the form of an agent's Turn: without the rules, always in words or pictures,
                and the image a Picture.

        Returns:
            A dict with `text`, `image` or both, as the environment was made.
        """
        raise NotImplementedError

    def info(self, agent: str, *, turn: bool = False) -> Info:
        """Return what a seat is told beside its observation.

        Args:
            agent: The seat.
            turn: In the form of an agent's Turn.

        Returns:
            The info, as Gymnasium and PettingZoo give it.
        """
        raise NotImplementedError

    def rules(self, agent: str) -> str:
        """Return what a seat is told once, a model in its system prompt."""
        raise NotImplementedError

    def tools(self, agent: str) -> tuple[SeatTool, ...]:
        """Return the tools that a seat may call."""
        raise NotImplementedError

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of what a seat sees."""
        raise NotImplementedError

    def action_space(self, agent: str) -> ActionSpace:
        """Return the space of a seat's replies."""
        raise NotImplementedError

    def snapshot(self) -> Snapshot:
        """Return this point of the episode; it shares everything and copies next to nothing."""
        raise NotImplementedError

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this environment or of one made like it.

        Args:
            snapshot: What `snapshot` returned.

        Raises:
            ValueError: It is of another game, or of one with other arguments.
        """
        raise NotImplementedError

    def copy(self) -> Self:
        """Return an environment made like this one, at the same point and with a way of its own."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what the environment holds; reset begins again."""
        raise NotImplementedError

    def check_reply(self, agent: str, reply: object) -> None:
        """Raise unless `submit` takes such a reply from a seat: a text, or a move's number.

        Args:
            agent: The seat.
            reply: What it wants to reply.

        Raises:
            TypeError: It is of no such type.
            ValueError: It is a number that the seat's action space does not have.
        """
        raise NotImplementedError

    @property
    def blocking(self) -> bool:
        """Whether `submit` is slow or waits for something, and belongs into a thread."""
        return self.core.game.blocking

    def step_seats(self, replies: SeatActions) -> Mapping[str, float]:
        """Hand in replies of due seats and return what that earned; who is done goes at once.

        What is kept as played are the replies as they came here, before any wrapper changed them.
        """
        rewards = self.submit(replies) if self.is_core else self.submit_and_record(replies)
        ledger = self.core.aec_state
        if ledger.dead or ledger.credited:
            self.core.record_view_step(rewards)
        else:
            ledger.rewards = rewards
        return rewards

    def submit_and_record(self, replies: SeatActions) -> Mapping[str, float]:
        """Submit replies through wrappers, and keep them as they came here."""
        past = self.match.reply_history
        count = len(past)
        rewards = self.submit(replies)
        past[count:] = [dict(replies)]
        return rewards

    def turn(self, agent: str, chat: Conversation | None = None) -> Turn:
        """Return what an agent in this seat gets to see now.

        Args:
            agent: The seat.
            chat: This seat's conversation until now. The turn is its next step then, and the agent
                reads all of it in `turn.messages`.

        Returns:
            The turn, which an agent's `act` takes.
        """
        match = self.match
        observation = self.observe(agent, turn=True)
        info = self.info(agent, turn=True)
        legal = info.get("legal_actions")
        if legal is None and match.lists_moves:  # hidden from models, and not from programs
            legal = self.observation_builder.format_replies(match.list_legal_moves(agent))
        if chat is not None and chat.__class__ is not Conversation:
            check_type(chat, Conversation, "chat")
        steps = () if chat is None else chat.steps
        if chat is not None and steps:  # what a seat is told once was told
            rules, tools = chat.rules, chat.tools
            index = len(steps) - (steps[-1].reply is None)
        else:
            rules, tools, index = self.rules(agent), self.tools(agent), 0
        salt = 0 if chat is None else chat.salt
        position = None  # where search starts: if this seat sees everything and moves alone
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
            derive_seed(*place, salt) if salt else derive_seed(*place),
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
        """Draw a legal action of a seat from its action space's own random numbers."""
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
        """Return environments that go on from here, each with a way of its own.

        Args:
            n: How many.
            seed: Redraws chance, differently in each; None: the future stays as it would have been.

        Returns:
            The forks; this environment is not changed.
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
