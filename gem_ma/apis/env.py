"""Env: PettingZoo's AEC API over a Game, and the seam on which every other view is built."""

from __future__ import annotations

import copy
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Self

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv

from gem_ma.envs.registry import Spec
from gem_ma.game import Game, InvalidMove, Message, Refused, S
from gem_ma.guards.given import need
from gem_ma.match import actions as words
from gem_ma.match.actions import Format
from gem_ma.match.seeding import fresh_seed, mix, reseed
from gem_ma.scene import Terminal
from gem_ma.talk.episode import Conversation, Position, Turn, first_calls, pick

if TYPE_CHECKING:
    from gem_ma.apis.seats import Seat
    from gem_ma.apis.views import ParallelView, SeatView
    from gem_ma.talk.messages import Picture

Observe = Literal["text", "image", "both"]
Invalid = Literal["retry", "lose", "skip", "random"]
_CHOICES = {
    "observe": ("text", "image", "both"),
    "actions": ("text", "discrete"),
    "format": words.FORMATS,
    "invalid": ("retry", "lose", "skip", "random"),
    "render_mode": (None, "ansi", "rgb_array", "human"),
}
_REASON = 500  # characters of an InvalidMove that reach its seat


class ResetNeeded(RuntimeError):
    """The episode has not begun, or is over."""


class SeatError(ValueError):
    """A seat that does not exist, or is not to act, was addressed."""


class BaseEnv(AECEnv[str, dict[str, Any], Any]):
    """Every view of an environment, written once over its seam.

    The seam is `reset`, `submit`, `observe` and `info`. An Env implements it, a Wrapper changes
    it, and what stands here is built over `self`, so that a wrapper shows in every view.
    """

    _core: Env[Any]  # where the episode is kept

    # -- the seam ------------------------------------------------------------------------------

    def submit(self, replies: Mapping[str, Any]) -> Mapping[str, float]:
        """Take replies of some of the seats that are to act; return what that earns the seats.

        A seat that is not named earned nothing.
        """
        raise NotImplementedError

    def observe(self, agent: str, *, turn: bool = False) -> dict[str, Any]:
        """Return what a seat sees; with `turn`, in the form of an agent's Turn: without the rules,
        always in words or pictures, and the image a Picture."""
        raise NotImplementedError

    def info(self, agent: str, *, turn: bool = False) -> dict[str, Any]:
        """Return what a seat is told beside its observation."""
        raise NotImplementedError

    def rules(self, agent: str) -> str:
        """Return what a seat is told once, a model in its system prompt."""
        raise NotImplementedError

    def tools(self, agent: str) -> tuple[Any, ...]:
        """Return the tools that a seat may call."""
        raise NotImplementedError

    @property
    def blocking(self) -> bool:
        """Whether `submit` is slow or waits for something, and belongs into a thread."""
        return self._core.game.blocking

    # -- PettingZoo's AEC API ------------------------------------------------------------------

    def step(self, action: Any) -> None:
        """Take the reply of `agent_selection`, or None if that seat is done."""
        core = self._core
        if not core.agents:
            raise core._needs_reset("step")
        agent: str = core.agent_selection  # type: ignore[assignment]
        if agent not in core._dead:
            core._rewards = rewards = self.submit({agent: action})
            core._cumulative_rewards[agent] = 0.0
            if rewards:
                core._credit((), rewards)
        else:
            core._was_dead_step(action)

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last action, flags and info of `agent_selection`."""
        core = self._core
        if not core.agents:
            raise core._needs_reset("last")
        agent: str = core.agent_selection  # type: ignore[assignment]
        observation = self.observe(agent) if observe else None
        reward, info = core._cumulative_rewards[agent], self._info(agent)
        if agent not in core._dead:
            return observation, reward, False, False, info
        return observation, reward, *core._flags(agent), info

    def agent_iter(self, max_iter: int = sys.maxsize) -> Iterator[str]:
        """Yield `agent_selection` until nobody is left; step between."""
        core = self._core
        for _ in range(max_iter):
            if not core.agents:
                return
            yield core.agent_selection  # type: ignore[misc]

    # What a client sets here takes effect, as with attributes of PettingZoo's own environments.

    @property
    def rewards(self) -> dict[str, float]:
        """What the last step earned each seat; what is set counts until the next step."""
        core = self._core
        rewards = core._rewards
        if isinstance(rewards, _Given):
            return rewards
        return {a: rewards.get(a, 0.0) for a in core.agents}

    @rewards.setter
    def rewards(self, rewards: Mapping[str, float]) -> None:
        self._core._rewards = _Given(self._core._of_seats(rewards, 0.0))

    @property
    def terminations(self) -> dict[str, bool]:
        """Which seats the game is over for; one that is set True leaves the game, as by a forfeit.

        If all of them are, the game ends where it is.
        """
        core = self._core
        return {a: core._flags(a)[0] for a in core.agents}

    @terminations.setter
    def terminations(self, flags: Mapping[str, bool]) -> None:
        core = self._core
        core._flag({a: (bool(f), core._flags(a)[1]) for a, f in core._of_seats(flags).items()})

    @property
    def truncations(self) -> dict[str, bool]:
        """Which seats were stopped by a limit that is no rule; setting one is like terminations."""
        core = self._core
        return {a: core._flags(a)[1] for a in core.agents}

    @truncations.setter
    def truncations(self, flags: Mapping[str, bool]) -> None:
        core = self._core
        core._flag({a: (core._flags(a)[0], bool(f)) for a, f in core._of_seats(flags).items()})

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The info of every live agent, made when asked for; what is set counts until the next
        step."""
        return {agent: self._info(agent) for agent in self._core.agents}

    @infos.setter
    def infos(self, infos: Mapping[str, dict[str, Any]]) -> None:
        core = self._core
        core._infos = {a: (None, dict(info)) for a, info in core._of_seats(infos).items()}

    def _info(self, agent: str) -> dict[str, Any]:
        infos = self._core._infos
        cached = infos.get(agent)
        if cached is not None and (cached[0] is self or cached[0] is None):
            return cached[1]
        info = self.info(agent)
        infos[agent] = self, info
        return info

    # -- spaces and state --------------------------------------------------------------------------

    @property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """The observation space of every seat."""
        return {agent: self.observation_space(agent) for agent in self._core.possible_agents}

    @property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:
        """The action space of every seat."""
        return {agent: self.action_space(agent) for agent in self._core.possible_agents}

    @property
    def state_space(self) -> spaces.Space[Any]:
        """The space of `state()`; there is none where the game has no numbers."""
        return self._core._state_space()

    @property
    def game_state(self) -> Any:
        """The game's frozen State: everything there is to know about this position."""
        core = self._core
        if core._state is None:
            raise core._needs_reset("game_state")
        return core._state

    # -- the other views -----------------------------------------------------------------------

    def parallel(self) -> ParallelView:
        """Return this environment behind PettingZoo's parallel API."""
        from gem_ma.apis.views import ParallelView

        return ParallelView(self)

    def gym(self, agent: str | None = None, others: Any = None) -> SeatView:
        """Return one seat behind Gymnasium's API, the others played by the agents given."""
        from gem_ma.apis.views import SeatView

        return SeatView(self, agent=agent, others=others)

    def seats(self, others: Mapping[str, Any] | None = None) -> dict[str, Seat]:
        """Return a view for each seat that `others` does not play: an async reset and step each.

        What they do meets in one game of their own, a twin of this environment's.
        """
        from gem_ma.apis.seats import Table

        return Table(self, others).seats

    def turn(self, agent: str, chat: Conversation | None = None) -> Turn:
        """Return what an agent in this seat gets to see now.

        With `chat`, this seat's conversation until now, the turn is its next step and the agent
        reads all of it in `turn.messages`.
        """
        core = self._core
        observation = self.observe(agent, turn=True)
        info = self.info(agent, turn=True)
        legal = info.get("legal_actions")
        tools = self.tools(agent)
        if chat is not None:
            need(chat, Conversation, "chat")
        index, salt = (0, 0) if chat is None else (chat.answered, chat.salt)
        place = core.episode_seed, core._asked, core._index[agent]
        turn = Turn(
            agent,
            self.rules(agent),
            observation,
            observation["text"] if "text" in observation else info.get("text", ""),
            None if legal is None else tuple(legal),
            tools,
            mix(*place, salt) if salt else mix(*place),
            core.turns,
            core._read[agent] < 0,
            core.id,
            core._position(agent),
            core._results(agent) if tools else (),
            chat,
            index,
            core.game.calls_at_once,
        )
        if chat is not None:
            chat.hear(turn, core._asked)
        return turn

    def sample_random_action(self, agent: str | None = None) -> Any:
        """Draw a legal action of a seat from its action space's own random numbers."""
        core = self._core
        agent = agent or core.agent_selection or core.possible_agents[0]
        space = self.action_space(agent)
        legal = core._legals.get(agent) or core._legal(agent)
        if not legal:
            return space.sample()
        action = legal[int(space.np_random.random() * len(legal))]
        if core.discrete:
            return core._number[action]
        return action if core._bare else words.wrap(action, core.format)

    def play(
        self, replies: Mapping[str, Any]
    ) -> tuple[dict[str, float], dict[str, bool], dict[str, bool]]:
        """Submit replies, settle them, and return rewards, terminations and truncations."""
        core = self._core
        core._credit(replies, self.submit(replies))
        result = core.rewards, core.terminations, core.truncations
        core._bury(core._dead)
        return result

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return this point of the episode; it shares everything and copies next to nothing."""
        raise NotImplementedError

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this environment or of one made like it."""
        raise NotImplementedError

    def fork(self, n: int = 1, *, seed: int | None = None) -> list[Self]:
        """Return n environments that go on from here, with chance redrawn if a seed is given."""
        snapshot = self.snapshot()
        forks = [self._twin() for _ in range(n)]
        for number, fork in enumerate(forks):
            fork.restore(snapshot)
            if seed is not None:
                fork._core._redraw(mix(seed, number))
        return forks

    def _twin(self) -> Self:
        raise NotImplementedError

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()[0]

    def __copy__(self) -> Self:
        return self.fork()[0]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A point of an episode, as references to things that never change."""

    game: Game[Any]
    values: dict[str, Any]
    rng: dict[str, Any] | None
    layers: tuple[Any, ...] = ()  # what the wrappers remember, innermost first


class _Given(dict[str, float]):
    """Rewards that a client has set, and may still change."""


# What makes up a position of an episode: immutable values, or containers copied one level deep.
_EPISODE = [
    "episode_seed",
    "turns",
    "_state",
    "_pending",
    "_acting",
    "_waiting",
    "_bad",
    "_records",
    "_adjust",
    "_paid",
    "_read",
    "_log",
    "_lines",
    "_private",
    "_log_start",
    "_over",
    "_asked",
    "agents",
    "agent_selection",
    "_cumulative_rewards",
    "_dead",
    "_truncated",
    "_rewards",
    "_given_flags",
]


class Env(BaseEnv, Generic[S]):
    """A Game behind PettingZoo's AEC API.

    observe: what seats see: "text", "image" or "both".
    actions: "text", or "discrete" for numbers into `game.moves` and numeric observations.
    format: where in a reply the action stands; see `gem_ma.match.actions`.
    invalid: what an invalid reply leads to: "retry" (a notice, and the same seat again; more than
        `max_invalid` in a row forfeit), "lose" (a forfeit at once), "skip" (the turn is lost) or
        "random" (a legal move is drawn for it). `penalty` is subtracted for each.
    max_turns: truncate after so many moves of the game.
    render_mode: "ansi", "rgb_array" or "human", for spectators.
    image_size: width and height of pictures. `image_unit` is the side of the model's patches, of
        which the cells of a board are multiples. `theme` is a name, or a seed that draws one.
    text_length: bytes that an observed text may have; what is longer is cut in the middle.
    """

    def __init__(
        self,
        game: Game[S],
        *,
        observe: Observe = "text",
        actions: Literal["text", "discrete"] = "text",
        format: Format = "auto",
        invalid: Invalid = "retry",
        max_invalid: int = 3,
        penalty: float = 0.0,
        max_turns: int | None = None,
        render_mode: Literal["ansi", "rgb_array", "human"] | None = None,
        image_size: tuple[int, int] = (252, 252),
        image_unit: int = 28,
        theme: str | int = "light",
        text_length: int = 1 << 16,
        id: str | None = None,
    ):
        need(game, Game, "game")
        given = {
            "observe": observe,
            "actions": actions,
            "format": format,
            "invalid": invalid,
            "render_mode": render_mode,
        }
        for name, value in given.items():
            if value not in _CHOICES[name]:
                raise ValueError(f"{name}={value!r}: expected one of {_CHOICES[name]}")
        limits = {"max_invalid": max_invalid, "penalty": penalty, "text_length": text_length}
        for name, limit in limits.items():
            if not 0 <= limit < float("inf"):  # nor what is no number
                raise ValueError(f"{name}={limit!r}: expected 0 or more")
        if max_turns is not None and not max_turns >= 1:
            raise ValueError(f"max_turns={max_turns!r}: expected 1 or more, or None for no limit")
        if actions == "discrete" and game.moves is None:
            raise ValueError(
                f"{type(game).__name__} has no fixed list of moves, so actions='discrete' cannot "
                "number them; use actions='text'"
            )
        if invalid == "skip" and type(game).skip is Game.skip:
            raise ValueError(
                f"{type(game).__name__} does not say what a lost turn is (Game.skip); use "
                "invalid='retry', 'lose' or 'random'"
            )
        self._core = self
        self._spec: Spec | None = None  # made when asked for
        self.game = game
        self.id = id or type(game).__name__
        self.observes = observe
        self.discrete = actions == "discrete"
        self._only_text = observe == "text" and not self.discrete
        self.format: Format = format
        self._bare = format in ("auto", "bare", "verbatim")  # an action is a reply as it stands
        self.invalid = invalid
        self.max_invalid = max_invalid
        self.penalty = float(penalty)
        self.max_turns = max_turns
        self.render_mode = render_mode
        self.image_size = _checked_size(image_size)
        if not image_unit >= 1:
            raise ValueError(f"image_unit={image_unit!r}: expected 1 or more pixels")
        self.image_unit = image_unit
        self._theme: Any = None  # made when the first picture is drawn
        self.theme = theme
        if theme != "light":
            self._find_theme()
        self.text_length = text_length
        self.possible_agents = list(game.agents)
        self.metadata = {
            "name": self.id,
            "render_modes": ["ansi", "rgb_array", "human"],
            "render_fps": 4,
            "is_parallelizable": self._steps_in_cycles(),
        }
        self._log_limit = 2 * len(game.agents) + 2
        self._index = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._moves = tuple(game.moves or ())
        self._number = {move: i for i, move in enumerate(self._moves)}
        self._rules: dict[str, tuple[str, str, str]] = {}  # rules, instruction, legend
        self._told: dict[str, str] = {}  # these and, between them, the brief of the episode
        self._briefs = type(game).brief is not Game.brief  # the rules differ between episodes
        self._spaces: dict[tuple[str, str], spaces.Space[Any]] = {}
        # Made once for each moment, by seat, and asked for more than once.
        self._views: dict[str, Any] = {}
        self._legals: dict[str, tuple[str, ...]] = {}
        self._infos: dict[str, tuple[BaseEnv | None, dict[str, Any]]] = {}  # None: by a client
        self._masks: dict[tuple[str, ...], np.ndarray] = {}
        self._masked: tuple[Any, Any] = None, None  # the last of them
        self._rng: Any = None  # the game's Generator, made with the first episode
        self._canvas: np.ndarray | None = None  # that pictures are drawn on, if not on a new one
        self._lists_moves = False
        self._loses_seats = False
        self._hushed = False  # a view of one seat shows what a person may see
        # The episode. All of it is named in _EPISODE.
        self.episode_seed = 0
        self.turns = 0
        self.agents: list[str] = []
        self.agent_selection: str | None = None
        self._rewards: Mapping[str, float] = {}  # of the last step; a seat not in it got nothing
        self._cumulative_rewards: dict[str, float] = {}
        self._dead: tuple[str, ...] = ()  # done, and yet to take their last step
        self._truncated = False  # done because of a limit
        self._given_flags: dict[str, tuple[bool, bool]] = {}  # terminated, truncated by a client
        self._state: Any = None  # an S, once an episode has begun
        self._pending: dict[str, Any] = {}
        self._acting: tuple[str, ...] = ()  # whom the game waits for, in this position
        self._waiting: tuple[str, ...] = ()  # those of them who have not replied yet
        self._bad: dict[str, int] = {}
        self._records: dict[str, dict[str, Any]] = {}
        self._adjust: dict[str, float] = {}
        self._paid: Mapping[str, float] = {}  # all that was earned until now
        self._read: dict[str, int] = {}  # how much of the log; -1 before the first reply
        self._log: list[Message] = []
        self._lines: list[str] = []  # each message as it is shown
        self._private = False  # some of them are not for everybody
        self._log_start = 0
        self._over = False
        self._asked = 0  # how often replies came in
        self._moved: dict[
            str, Any
        ] = {}  # each seat's last move, for records; no part of a position

    def _steps_in_cycles(self) -> bool:
        """Return whether every seat acts once in every round, as `aec_to_parallel` takes for given.

        One that is asked again, or leaves before the others have replied, would break the round.
        """
        if len(self.possible_agents) == 1:
            return True
        return self.game.together and (self.discrete or self.invalid in ("skip", "random"))

    # -- reset ---------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; the seed decides all of it. Without one, the last seed leads to it."""
        if seed is None:
            seed = fresh_seed() if self._state is None else mix(self.episode_seed)
        elif not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
            raise TypeError(f"seed={seed!r}: expected an int or None")
        self.episode_seed = int(seed)
        if self._rng is None:
            self._rng = np.random.Generator(np.random.PCG64(0))
        reseed(self._rng, self.episode_seed)
        state = self.game.start(self._rng, options or {})
        if self.invalid == "random" and not hasattr(state, "legal"):
            raise ValueError(
                f"{self.id} cannot list its legal moves, so invalid='random' has nothing to draw "
                "from; use 'retry', 'lose' or 'skip'"
            )
        agents = self.possible_agents
        self._state = state
        self._lists_moves = hasattr(state, "legal")
        self._loses_seats = hasattr(state, "out")
        self.turns = 0
        self.agents = list(agents)
        self._rewards = {}
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self._dead = ()
        self._truncated = False
        self._given_flags = {}
        self._pending = {}
        self._bad = {}
        self._records = {}
        self._adjust = {}
        self._paid = self._cumulative_rewards.copy()
        self._read = dict.fromkeys(agents, -1)
        self._log = []
        self._lines = []
        self._private = False
        self._log_start = 0
        self._over = False
        self._asked = 0
        self._moved = {}
        if self._briefs:
            self._told = {}
        self._settle()
        if self._dead:
            raise RuntimeError(f"{self.id} is over before anybody could move; this game is broken")
        if self.render_mode == "human" and not self._hushed:
            self.render()

    def _redraw(self, seed: int) -> None:
        self.episode_seed = seed
        if self._rng is not None:
            reseed(self._rng, seed)

    def _needs_reset(self, what: str) -> ResetNeeded:
        if self._state is None:
            return ResetNeeded(f"{what}: no episode has begun; call reset() first")
        return ResetNeeded(f"{what}: the episode is over; call reset() to begin the next")

    # -- the seam: replies in ------------------------------------------------------------------

    @property
    def to_act(self) -> tuple[str, ...]:
        """The seats whose reply the game waits for; none when it is over."""
        return self._waiting

    def submit(self, replies: Mapping[str, Any]) -> Mapping[str, float]:
        waiting = self._waiting
        if not waiting or not replies or type(replies) is not dict:
            self._check_replies(replies)
        for agent, reply in replies.items():
            if agent not in waiting:
                raise self._not_to_act(agent)
            if not isinstance(reply, str):
                self._check_number(agent, reply)
        self._asked += 1
        if len(replies) == 1:
            if not self._take(agent, reply):
                self._leave((agent,))
        else:
            leavers = [a for a in waiting if a in replies and not self._take(a, replies[a])]
            if leavers:
                self._leave(leavers)
        while self._pending and len(self._pending) == len(self._acting):
            self._advance()
        rewards = self._settle()
        if self.render_mode == "human" and not self._hushed:
            self.render()
        return rewards

    def _answer(self, agent: str, messages: Sequence[Message]) -> None:
        """Take a reply that was no move, and let the seat read what it led to."""
        self._asked += 1
        self._read[agent] = self._log_start + len(self._log)
        self._records.pop(agent, None)
        self._moved.pop(agent, None)
        self._infos = {}
        self._hear(messages)

    def _check_replies(self, replies: Any) -> None:
        if not self._waiting:
            raise self._needs_reset("submit")
        need(replies, Mapping, "replies")
        if not replies:
            raise SeatError(f"got no reply; to act: {', '.join(self._waiting)}")

    def _not_to_act(self, agent: Any) -> SeatError:
        if agent not in self._index:
            return SeatError(f"no seat {agent!r}; the seats are {', '.join(self.possible_agents)}")
        return SeatError(f"{agent} is not to act now; to act: {', '.join(self._waiting)}")

    def _check_number(self, agent: str, reply: Any) -> None:
        if self.discrete:
            if isinstance(reply, (int, np.integer)) and not isinstance(reply, bool):
                return
            if isinstance(reply, np.ndarray) and reply.shape == () and reply.dtype.kind in "iu":
                return
        expected = f"an int below {len(self._number)}" if self.discrete else "a str"
        raise TypeError(
            f"the action of {agent} must be {expected}, got {type(reply).__name__}: "
            f"{words.clip(repr(reply))}"
        )

    def _take(self, agent: str, reply: Any) -> bool:
        """Read one reply; return False if its seat leaves the game over it."""
        self._read[agent] = self._log_start + len(self._log)
        if self._records:
            self._records.pop(agent, None)
        view = self._views.get(agent) or self._view(agent)
        try:
            if not isinstance(reply, str):
                text = self._move_text(int(reply))
            elif self._bare and type(reply) is str and reply.isalnum() and reply.isascii():
                text = reply
            else:
                text = words.extract(first_calls(reply, self.game.calls_at_once), self.format)
            move = self.game.read(text, view, agent)
        except InvalidMove as error:
            return self._take_invalid(agent, view, str(error)[:_REASON])
        self._pending[agent] = self._moved[agent] = move
        return True

    def _move_text(self, number: int) -> str:
        if not 0 <= number < len(self._number):
            raise InvalidMove(f"{number} is not a move; the moves are 0 to {len(self._number) - 1}")
        return self._moves[number]

    def _take_invalid(self, agent: str, view: Any, reason: str) -> bool:
        policy = self.invalid
        self._moved.pop(agent, None)
        count = self._bad[agent] = self._bad.get(agent, 0) + 1
        if self.penalty:
            self._adjust[agent] = self._adjust.get(agent, 0.0) - self.penalty
        record = {"reason": reason, "count": count, "policy": policy}
        self._records[agent] = record
        legal = view.legal(agent) if self._lists_moves else ()
        notice = f"Invalid: {reason}."
        if policy == "lose" or (policy == "retry" and count > self.max_invalid):
            record["forfeit"] = True
            self._notify(agent, notice)
            return False
        if policy == "retry":
            left = self.max_invalid - count
            tries = "the last try" if left == 0 else f"{left + 1} tries left"
            if legal:
                notice += f" Legal: {words.listing(legal)}."
            self._notify(agent, f"{notice} Try again ({tries}).")
            return True
        if policy == "skip":
            move = self.game.skip(view, agent)
            self._notify(agent, f"{notice} The turn is lost.")
        else:
            text = pick(legal, self.episode_seed, self.turns, self._index[agent])
            move = self.game.read(text, view, agent)
            self._notify(agent, f"{notice} Played at random instead: {text}.")
        self._pending[agent] = self._moved[agent] = move
        return True

    def _notify(self, agent: str | None, text: str) -> None:
        to = None if agent is None else (agent,)
        self._hear([Message(to, "game", text)])

    def _leave(self, leavers: Sequence[str], how: str = "forfeits: its reply was invalid") -> None:
        """Let seats forfeit: the game goes on without them, or ends."""
        state, seats = self._state, self.possible_agents
        for agent in leavers:
            self._notify(None, f"{agent} {how}.")
            after = self.game.forfeit(state, agent, self._rng)
            if after is not None:
                state = after
                continue
            self._over = True
            if len(seats) > 1:
                self._adjust[agent] = self._adjust.get(agent, 0.0) - 1.0
            if self.game.zero_sum and len(seats) == 2:
                for opponent in seats:
                    if opponent not in leavers:
                        self._adjust[opponent] = self._adjust.get(opponent, 0.0) + 1.0
        self._state = state
        self._acting = state.to_act()
        self._pending = {a: move for a, move in self._pending.items() if a in self._acting}

    def _advance(self) -> None:
        before, moves = self._state, self._pending
        if len(moves) > 1:
            moves = {agent: moves[agent] for agent in self._acting}
        self._pending = {}
        try:
            self._state = after = self.game.advance(before, moves, self._rng)
        except Refused as error:
            self._refuse(moves, error)
            return
        self.turns += 1
        if self._bad:
            self._bad = {}
        told = self.game.tell(before, moves, after)
        if told is not None:
            if told:
                self._hear(told)
            return
        log, lines = self._log, self._lines
        for seat, move in moves.items():
            if move is None:
                message = Message(None, "game", f"{seat} lost its turn.")
            else:
                message = Message(None, seat, str(move))
            log.append(message)
            lines.append(str(message))
        if len(log) > self._log_limit:
            self._forget()

    def _refuse(self, moves: Mapping[str, Any], error: Refused) -> None:
        """Treat a move that only `advance` could find illegal as `_take` treats others."""
        ((agent, _),) = moves.items()
        if agent in self._records:  # what stands for an invalid reply has to be legal
            raise error
        if not self._take_invalid(agent, self._view(agent), str(error)[:_REASON]):
            self._leave([agent])

    def _settle(self) -> Mapping[str, float]:
        """Find who is to act, who is done, and what everybody has earned since the last time."""
        self._views, self._legals, self._infos = {}, {}, {}
        state = self._state
        acting = self._acting = () if self._over else state.to_act()
        if not acting:
            if not self._over:
                self._truncated = bool(getattr(state, "truncated", False))
            self._over = True
            self._dead = tuple(self.agents)
        elif self.max_turns is not None and self.turns >= self.max_turns:
            acting = ()
            self._end_by_limit()
        elif self._loses_seats or self._records or self._given_flags:
            self._flag_the_lost()
        if self._pending:
            acting = tuple([a for a in acting if a not in self._pending])
        self._waiting = acting
        self.agent_selection = (self._dead or acting)[0]
        totals, paid = state.returns(), self._paid
        if self._adjust:
            totals = {a: value + self._adjust.get(a, 0.0) for a, value in totals.items()}
        if totals == paid:
            return {}
        self._paid = totals
        return {a: float(totals[a] - paid[a]) for a in self.agents}

    def _end_by_limit(self) -> None:
        self._over = self._truncated = True
        self._dead = tuple(self.agents)
        self._acting = self._waiting = ()

    def _flag_the_lost(self) -> None:
        """Terminate the seats whose return is final while others play on."""
        lost = set(self._state.out()) if self._loses_seats else set()
        lost |= {a for a, record in self._records.items() if record.get("forfeit")}
        lost |= self._given_flags.keys()
        self._dead = tuple([a for a in self.agents if a in lost])

    def truncate(self) -> None:
        """End the episode here for everybody, as a limit that is no rule of the game does."""
        if not self._waiting:
            raise self._needs_reset("truncate")
        self._views, self._legals, self._infos = {}, {}, {}
        self._end_by_limit()
        self.agent_selection = self._dead[0]

    # -- the ledger of the AEC API -------------------------------------------------------------

    def _flags(self, agent: str) -> tuple[bool, bool]:
        """Return whether a seat is terminated, and truncated."""
        if agent not in self._dead:
            return False, False
        return self._given_flags.get(agent) or (not self._truncated, self._truncated)

    def _flag(self, given: Mapping[str, tuple[bool, bool]]) -> None:
        """Take the flags that a client gives to seats; who gets one leaves the game."""
        for agent, flags in given.items():
            if agent in self._dead and not any(flags):
                raise ValueError(
                    f"{agent} is done, and no flag brings it back; reset() begins the next episode"
                )
        flagged = {agent: flags for agent, flags in given.items() if any(flags)}
        self._given_flags = {**self._given_flags, **flagged}
        leavers = [agent for agent in flagged if agent not in self._dead]
        if not leavers:
            return
        selected = self.agent_selection
        if len(leavers) + len(self._dead) < len(self.agents):
            self._leave(leavers, "has left the game")
        else:
            self._over, self._pending = True, {}
        while self._pending and len(self._pending) == len(self._acting):
            self._advance()
        self._credit((), self._settle())
        if selected in self._dead:
            self.agent_selection = selected

    def _of_seats(self, given: Mapping[str, Any], *otherwise: Any) -> dict[str, Any]:
        """Return what a client gives to the seats that are alive, and a value for the others."""
        for agent in given:
            if agent not in self._index:
                raise self._not_to_act(agent)
        if otherwise:
            return {a: given.get(a, *otherwise) for a in self.agents}
        return {a: given[a] for a in self.agents if a in given}

    # What PettingZoo's wrappers call, where theirs would change what ours make when asked for.

    def _clear_rewards(self) -> None:
        self._rewards = {}

    def _deads_step_first(self) -> str:
        if self._dead:
            self.agent_selection = self._dead[0]
        return str(self.agent_selection)

    def _was_dead_step(self, action: Any) -> None:
        agent = self.agent_selection
        if action is not None:
            raise ValueError(f"{agent} is done: its only valid action is None, got {action!r}")
        self._bury((str(agent),))
        self._rewards = {}

    def _credit(self, actors: Iterable[str], rewards: Mapping[str, float]) -> None:
        cumulative = self._cumulative_rewards
        for agent in actors:
            cumulative[agent] = 0.0
        for agent, reward in rewards.items():
            cumulative[agent] += reward
        self._rewards = rewards

    def _bury(self, dead: Sequence[str]) -> None:
        if not dead:
            return
        self._infos = {}
        self.agents = [a for a in self.agents if a not in dead]
        self._cumulative_rewards = {a: self._cumulative_rewards[a] for a in self.agents}
        self._dead = tuple([a for a in self._dead if a not in dead])
        if self.agents:
            self.agent_selection = (self._dead or self._waiting)[0]

    # -- the seam: what seats see --------------------------------------------------------------

    def _view(self, agent: str) -> Any:
        if self._state is None:
            raise self._needs_reset("observe")
        if agent not in self._index:
            raise self._not_to_act(agent)
        view = self._views[agent] = self._state.seen_by(agent)
        return view

    def observe(self, agent: str, *, turn: bool = False) -> dict[str, Any]:
        if self._only_text:
            view = self._views.get(agent) or self._view(agent)
            return {"text": self._text(agent, view, not turn)}
        view = self._views.get(agent) or self._view(agent)
        if self.discrete and not turn:
            numbers = self.game.encode(view, agent) if self.observes == "text" else None
            if numbers is None:
                numbers = self._image(view, agent)
            legal = self._legals.get(agent) or self._legal(agent)
            return {"observation": numbers, "action_mask": self._mask(legal)}
        observation: dict[str, Any] = {}
        if self.observes != "image":
            observation["text"] = self._text(agent, view, not turn)
        if self.observes != "text":
            if turn:  # the words stand beside it, or else take its place where it is left out
                alt = "" if "text" in observation else self.game.describe(view, agent)
                observation["image"] = self._picture(view, agent, alt)
            else:
                observation["image"] = self._image(view, agent)
        return observation

    def info(self, agent: str, *, turn: bool = False) -> dict[str, Any]:
        legal = self._legals.get(agent) or self._legal(agent)
        if (
            self.discrete and not turn
        ):  # the same keys and shapes at all times, as tensors need them
            record = self._records.get(agent)
            count = 0 if record is None else record["count"]
            return {"to_act": np.bool_(agent in self._waiting), "invalid": np.int64(count)}
        info: dict[str, Any] = {"to_act": agent in self._waiting}
        if self._lists_moves:
            if self._bare:
                info["legal_actions"] = list(legal)
            else:
                info["legal_actions"] = [words.wrap(text, self.format) for text in legal]
            if self._number and not turn:
                info["action_mask"] = self._mask(legal)
        if agent in self._records:
            info["invalid"] = dict(self._records[agent])
        if self.observes == "image":
            info["text"] = self._text(agent, None, rules=not turn)
        if self._over:
            info.update(self.game.report(self._state))
        return info

    def _legal(self, agent: str) -> tuple[str, ...]:
        """Return the moves that a seat may make now; none for a seat that is not to act."""
        view = self._views.get(agent) or self._view(agent)
        if not self._lists_moves or agent not in self._waiting:
            return ()
        legal = self._legals[agent] = tuple(view.legal(agent))
        return legal

    def _mask(self, legal: tuple[str, ...]) -> np.ndarray:
        """Return which moves are legal; all are for a seat that is not to act: it is not heard."""
        if legal is not self._masked[0]:  # which is quicker to find out than to look up
            mask = self._masks.get(legal)
            if mask is None:
                if len(self._masks) > 1_000:
                    self._masks.clear()
                mask = np.full(len(self._number), 0 if legal else 1, np.int8)
                mask[[self._number[text] for text in legal]] = 1
                self._masks[legal] = mask
            self._masked = legal, mask
        copied: np.ndarray = self._masked[1].copy()
        return copied

    def rules(self, agent: str) -> str:
        text = self._told.get(agent)
        if text is None:
            parts = self._rules.get(agent)
            if parts is None:
                if agent not in self._index:
                    raise self._not_to_act(agent)
                legend = "" if self.observes == "text" else self._legend(agent)
                parts = self.game.rules(agent), words.instruction(self.format), legend
                self._rules[agent] = parts
            rules, *rest = parts
            brief = ""
            if self._briefs and self._state is not None:
                brief = self.game.brief(self._view(agent), agent)
            text = self._told[agent] = "\n".join(filter(None, (rules, brief, *rest)))
        return text

    def tools(self, agent: str) -> tuple[Any, ...]:
        if agent not in self._index:
            raise self._not_to_act(agent)
        return tuple(self.game.tools(agent))

    def _legend(self, agent: str) -> str:
        """Say what things look like in this theme, so that no other word has to name a colour."""
        from gem_ma.renderers import legend

        start = self.game.start(np.random.default_rng(0), {})
        scene = self._scene(start.seen_by(agent), agent)
        shown = legend(scene, self._theme or self._find_theme())
        return shown and f"In the picture: {shown}."

    def messages(self, agent: str) -> list[Message]:
        """Return what a seat has heard since its last reply."""
        if agent not in self._read:
            raise self._needs_reset("messages") if agent in self._index else self._not_to_act(agent)
        news = self._log[max(self._read[agent] - self._log_start, 0) :]
        return [message for message in news if message.to is None or agent in message.to]

    def _results(self, agent: str) -> tuple[str, ...]:
        return tuple([m.text for m in self.messages(agent) if m.role == "tool"])

    def _position(self, agent: str) -> Position | None:
        """Return what search starts from, if this seat sees everything and moves alone."""
        state = self._state
        if self.game.oracle or (
            self._lists_moves and self._views.get(agent) is state and not self._pending
        ):
            return Position(self.game, state)
        return None

    def _hear(self, messages: Iterable[Message]) -> None:
        log, lines = self._log, self._lines
        for message in messages:
            log.append(message)
            lines.append(str(message))
            if message[0] is not None:
                self._private = True
        if len(log) > self._log_limit:
            self._forget()

    def _forget(self) -> None:
        """Drop the messages that everybody has read."""
        read = min(self._read.values()) - self._log_start
        if read > len(self._log) // 2:
            del self._log[:read], self._lines[:read]
            self._log_start += read

    def _text(self, agent: str, view: S | None, rules: bool) -> str:
        read = self._read[agent]
        if self._private:
            news = [str(message) for message in self.messages(agent)]
        else:
            news = self._lines[read - self._log_start if read > 0 else 0 :]
        if view is None or (news and self.game.conversation):
            text = ""
        else:
            text = self.game.describe(view, agent)
        if news:
            text = "\n".join(news) + (f"\n\n{text}" if text else "")
        if rules and read < 0:
            text = self.rules(agent) + (f"\n\n{text}" if text else "")
        if len(text) * 4 > self.text_length:  # no character has more than four bytes
            text = fit(text, self.text_length)
        return text

    def scene(self, agent: str | None = None) -> Any:
        """Return the scene that a seat sees, or, without a seat, the whole game's."""
        return self._scene(self.game_state if agent is None else self._view(agent), agent)

    def picture(self, agent: str | None = None) -> Picture:
        """Return what a seat sees, or the whole game, as one object for every consumer."""
        view = self.game_state if agent is None else self._view(agent)
        return self._picture(view, agent, self.game.describe(view, agent))

    def _picture(self, view: S, agent: str | None, alt: str) -> Picture:
        from gem_ma.renderers import draw, png
        from gem_ma.talk.messages import Picture

        theme = self._theme or self._find_theme()
        scene = self._scene(view, agent), self.image_size, theme, self.image_unit
        return Picture(functools.partial(draw, *scene), alt, png=functools.partial(png.png, *scene))

    def _scene(self, view: S, agent: str | None) -> Any:
        scene = self.game.picture(view, agent)
        return Terminal(self.game.describe(view, agent)) if scene is None else scene

    def _image(self, view: S, agent: str | None) -> np.ndarray:
        from gem_ma.renderers import draw

        theme = self._theme or self._find_theme()
        size = self.image_size
        return draw(self._scene(view, agent), size, theme, self.image_unit, self._canvas)

    def _find_theme(self) -> Any:
        from gem_ma.renderers import theme

        self._theme = theme(self.theme)
        return self._theme

    # -- spaces --------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._space("observation", agent, self._observation_space)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._space("action", agent, self._action_space)

    def _space(
        self, kind: str, agent: str, make: Callable[[], spaces.Space[Any]]
    ) -> spaces.Space[Any]:
        space = self._spaces.get((kind, agent))
        if space is None:
            if agent not in self._index:
                raise self._not_to_act(agent)
            space = self._spaces[kind, agent] = make()
        return space

    def _observation_space(self) -> spaces.Space[Any]:
        from gem_ma.apis.spaces import UnicodeText

        width, height = self.image_size
        image = spaces.Box(0, 255, (height, width, 3), np.uint8)
        if self.discrete:
            numbers = self._encoding_space() if self.observes == "text" else None
            mask = spaces.Box(0, 1, (len(self._number),), np.int8)
            return spaces.Dict({"observation": numbers or image, "action_mask": mask})
        parts: dict[str, spaces.Space[Any]] = {}
        if self.observes != "image":
            parts["text"] = UnicodeText(self.text_length)
        if self.observes != "text":
            parts["image"] = image
        return spaces.Dict(parts)

    def _encoding_space(self) -> spaces.Box | None:
        agent = self.possible_agents[0]
        start = self.game.start(np.random.default_rng(0), {})
        sample = self.game.encode(start.seen_by(agent), agent)
        if sample is None:
            return None
        if sample.dtype.kind == "f":
            return spaces.Box(0, 1, sample.shape, sample.dtype.type)
        limits = np.iinfo(sample.dtype)
        return spaces.Box(limits.min, limits.max, sample.shape, sample.dtype.type)

    def _action_space(self) -> spaces.Space[Any]:
        from gem_ma.apis.spaces import UnicodeText

        if self.discrete:
            return spaces.Discrete(len(self._number))
        return UnicodeText(1 << 24, examples=[words.wrap(m, self.format) for m in self._moves])

    # -- for spectators ------------------------------------------------------------------------

    def state(self) -> np.ndarray:
        """Return what all seats together see, in the numbers of `Game.encode`, seat after seat."""
        if self._state is None:
            raise self._needs_reset("state")
        parts = [
            self.game.encode(self._views.get(agent) or self._view(agent), agent)
            for agent in self.possible_agents
        ]
        if any(part is None for part in parts):
            raise NotImplementedError(
                f"{self.id} has no numbers for what seats see (Game.encode); the game's own State "
                "is `game_state`"
            )
        return np.concatenate(parts)  # type: ignore[arg-type]

    def _state_space(self) -> spaces.Space[Any]:
        space = self._spaces.get(("state", ""))
        if space is None:
            seat = self._encoding_space()
            if seat is None:
                raise AttributeError(f"{self.id} has no state_space: its game has no numbers")
            low, high = (np.concatenate([end] * len(self._index)) for end in (seat.low, seat.high))
            space = self._spaces["state", ""] = spaces.Box(low, high, dtype=seat.dtype.type)
        return space

    def render(self, agent: str | None = None) -> Any:
        """Show the whole game, or the masked view of one seat, as `render_mode` says."""
        view = self.game_state if agent is None else self._view(agent)
        if self.render_mode == "rgb_array":
            return self._image(view, agent)
        if self.render_mode is None:
            raise ValueError("nothing to render to; make the environment with render_mode='ansi'")
        text = self.game.describe(view, agent)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """Release what the environment holds; reset begins again."""
        self._state, self._views, self._legals, self._infos = None, {}, {}, {}
        self._waiting = self._acting = ()

    # -- what makes it again -------------------------------------------------------------------

    @property
    def spec(self) -> Spec:
        """What makes this environment again: the game's class, its arguments and the Env's."""
        if self._spec is None:
            self._spec = spec_of(self)
        return self._spec

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        values = {name: _shallow(getattr(self, name)) for name in _EPISODE}
        rng = None if self._rng is None else dict(self._rng.bit_generator.state)
        return Snapshot(self.game, values, rng)

    def restore(self, snapshot: Snapshot) -> None:
        need(snapshot, Snapshot, "snapshot")
        if type(snapshot.game) is not type(self.game) or (
            snapshot.game._arguments != self.game._arguments
        ):
            raise ValueError(
                f"a snapshot of {type(snapshot.game).__name__}{snapshot.game._arguments} does not "
                f"fit {type(self.game).__name__}{self.game._arguments}"
            )
        for name, value in snapshot.values.items():
            setattr(self, name, _shallow(value))
        self._views, self._legals, self._infos = {}, {}, {}
        if self._briefs:
            self._told = {}
        self._lists_moves = hasattr(self._state, "legal")
        self._loses_seats = hasattr(self._state, "out")
        if snapshot.rng is not None:
            if self._rng is None:
                self._rng = np.random.Generator(np.random.PCG64(0))
            self._rng.bit_generator.state = snapshot.rng

    def _twin(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._core = twin
        twin._spaces, twin._moved, twin._told, twin._rng = {}, {}, {}, None
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            "_views": {},
            "_legals": {},
            "_infos": {},
            "_masks": {},
            "_masked": (None, None),
        }

    def __repr__(self) -> str:
        return f"<Env {self.id}>"


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    width, height = size
    if width < 1 or height < 1:
        raise ValueError(f"image_size={size}: expected a width and a height of 1 or more")
    return int(width), int(height)


def _shallow(value: Any) -> Any:
    return copy.copy(value) if isinstance(value, dict | list | set) else value


def fit(text: str, limit: int) -> str:
    """Cut bytes out of the middle of a text that is too long, and say so if there is room."""
    data = text.encode()
    if len(data) <= limit:
        return text
    mark = f"\n[... {len(data)} bytes in all, the middle is left out ...]\n"
    if limit < 2 * len(mark):
        return data[:limit].decode(errors="ignore")
    half = (limit - len(mark)) // 2
    return data[:half].decode(errors="ignore") + mark + data[-half:].decode(errors="ignore")


def spec_of(env: Env[Any]) -> Spec:
    """Return what makes an environment again, if it was made with a game's class as it stands."""
    game = type(env.game)
    positional, named = env.game._arguments
    takes = list(inspect.signature(game).parameters)
    kwargs = dict(zip(takes, positional, strict=False))
    kwargs |= named
    elsewhere = {"observe": env.observes, "actions": "discrete" if env.discrete else "text"}
    for name, one in inspect.signature(Env).parameters.items():
        if name in ("game", "id"):
            continue
        value = elsewhere[name] if name in elsewhere else getattr(env, name)
        own = name in env.game.env_defaults  # said always, as the game would have it another way
        if (own or value != one.default) and name not in kwargs:
            kwargs[name] = value
    kwargs = {name: list(v) if isinstance(v, tuple) else v for name, v in kwargs.items()}
    return Spec(env.id, f"{game.__module__}:{game.__qualname__}", kwargs)
