"""The interface of games: Game, State, Message and InvalidMove, and how a game reads a move."""

from __future__ import annotations

import abc
import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, cast, runtime_checkable

import numpy as np
from typing_extensions import TypeVar

__all__ = [
    "Game",
    "InvalidMove",
    "Message",
    "RefusedMove",
    "State",
    "VerbatimMessage",
    "clip_repr",
    "parse_choice",
    "parse_number",
    "prefix_speaker",
]

T = TypeVar("T")

_PUNCTUATION = " \t\r\n.,;:!?\"'`*$()[]<>"


class InvalidMove(ValueError):
    """A reply that is not a legal move; its seat is shown the message of the exception."""


class RefusedMove(InvalidMove):
    """A move that `read` accepts and only `advance` finds to be illegal."""


class Message(NamedTuple):
    """A text for some or all seats; `role` is "game", "tool", or the speaking seat."""

    to: tuple[str, ...] | None  # None: all seats
    role: str
    text: str

    def __str__(self) -> str:
        """Return the text as seats read it: each line of a speaker starts with its name."""
        role, text = self.role, self.text
        if role == "game":
            return text
        return f"{role}: {text}" if text.isprintable() else prefix_speaker(role, text)


class VerbatimMessage(Message):
    """A message that seats read unchanged, without the name of its speaker."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.text


def prefix_speaker(speaker: str, text: str) -> str:
    """Prefix each line of `text` with its speaker, so that no seat can forge another's words."""
    _check_text(text)
    return "\n".join(f"{speaker}: {line}" for line in text.splitlines() or [""])


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"text={text!r}: expected str, got {type(text).__name__}")


def parse_choice(text: str, options: Collection[T]) -> T:
    """Return the option that `text` names, ignoring case and surrounding punctuation."""
    if text in options:
        return cast(T, text)
    _check_text(text)
    by_name = {str(option).casefold(): option for option in options}
    for name in (text.casefold(), text.strip(_PUNCTUATION).casefold()):
        if name in by_name:
            return by_name[name]
    raise InvalidMove(f"{clip_repr(text)} is not a legal move")


def parse_number(text: str) -> int:
    """Return the integer that `text` spells, ignoring surrounding punctuation."""
    if type(text) is str and text.isdecimal() and text.isascii() and len(text) < 19:
        return int(text)
    _check_text(text)
    digits = text.strip(_PUNCTUATION)
    if len(digits) > 18 or not re.fullmatch(r"[+-]?[0-9]+", digits):
        raise InvalidMove(f"{clip_repr(text)} is not a whole number")
    return int(digits)


def clip_repr(text: str, limit: int = 60) -> str:
    """Return the repr of `text`, cut to `limit` characters, for error messages."""
    return repr(text if len(text) <= limit else text[:limit] + "...")


@runtime_checkable
class State(Protocol):
    """One position of a game, as a frozen value.

    A state may have two more methods. `legal(agent)` lists the legal action texts of that seat.
    `out()` names the seats whose return is final while the other seats continue. A final state may
    have a true attribute `truncated`: then a limit outside the rules ended the game.
    """

    def to_act(self) -> tuple[str, ...]:
        """Return the seats that move now: one, several at once, or none if the game is over."""

    def returns(self) -> Mapping[str, float]:
        """Return the total return of each seat since the start."""

    def seen_by(self, agent: str) -> Self:
        """Return this state without the information that is hidden from `agent`."""


S = TypeVar("S", bound=State, default=Any)
# The type of a State's field that is None until it is set, and None in views that hide it. Rules
# read the field only while it is a T, so Any saves a check for None.
Maybe: TypeAlias = T | Any

ResetOptions: TypeAlias = Mapping[str, Any]
"""The options that `reset` passes to `Game.start`."""
SeatMoves: TypeAlias = Mapping[str, Any]
"""Moves by seat, each of the type that the game's `read` returns."""
Info: TypeAlias = dict[str, Any]
"""Data in addition to an observation, and the report of a finished game."""


class ToolDescription(Protocol):
    """A tool with a JSON schema of its call, in OpenAI's form."""

    @property
    def schema(self) -> Mapping[str, Any]: ...


SeatTool: TypeAlias = ToolDescription | Mapping[str, Any]
"""A tool of a seat: an object with a schema, or the schema itself."""


class Game(abc.ABC, Generic[S]):
    """The rules of a game and the texts for its seats, independent of APIs, models and pixels.

    `agent` is the name of a seat. In `describe` and `picture` it may be None, which means a
    spectator who sees everything. A view is the return value of `State.seen_by(agent)`.

    Examples:
        >>> from typing import NamedTuple
        >>> import gem_ma
        >>> from gem_ma.game import parse_choice
        >>> class Coin(NamedTuple):
        ...     side: str
        ...     guess: str = ""
        ...     def to_act(self): return () if self.guess else ("player",)
        ...     def returns(self): return {"player": float(self.guess == self.side)}
        ...     def seen_by(self, agent): return self._replace(side="hidden")
        >>> class GuessTheCoin(gem_ma.Game):
        ...     agents = ("player",)
        ...     def start(self, rng, options): return Coin(str(rng.choice(["heads", "tails"])))
        ...     def read(self, text, view, agent): return parse_choice(text, ("heads", "tails"))
        ...     def advance(self, state, moves, rng): return state._replace(guess=moves["player"])
        ...     def rules(self, agent): return "Guess a coin. Reply with heads or tails."
        ...     def describe(self, view, agent): return f"The coin is {view.side}."
        >>> env = gem_ma.Env(GuessTheCoin())
        >>> episodes = gem_ma.rollout(env, lambda turn: "tails", 4, seed=4)
        >>> [episode.returns["player"] for episode in episodes]
        [0.0, 1.0, 1.0, 0.0]
    """

    agents: tuple[str, ...]
    moves: Sequence[str] | None = None  # all action texts of the game; None: there is no fixed list
    unlisted_moves = ""  # why `moves` is None, for the error message of actions="discrete"
    legal_is_partial = False  # `read` accepts moves that `legal` omits; numbers mean listed ones
    notices_list_legal = True  # the notice of an invalid reply lists `legal`
    simultaneous = False  # in every position all remaining seats act, and any move is allowed
    zero_sum = False  # with two seats: the opponent of a forfeit gains the lost amount
    conversation = False  # messages say everything: `describe` is shown only if there are none
    realtime = False  # `advance` is one tick; seats that are still thinking make the `skip` move
    blocking = False  # `advance` is slow or remote, so it runs in a worker
    names_points = False  # replies name points of the picture, which a photo of it would move
    oracle = False  # a Turn has its position even if the game hides information, for oracle agents
    max_tool_calls: int | None = None  # tool calls per reply; the rest is dropped; None: all count
    env_defaults: Mapping[str, Any] = MappingProxyType({})  # this game's defaults of Env's options
    reset_options: tuple[str, ...] = ()  # options that `start` reads; if any are named, only these

    encoding_space: Any = None  # the Box of `encode`; None: the usual one, see there

    init_args: tuple[tuple[object, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        game = super().__new__(cls)
        game.init_args = args, kwargs  # a game is pickled as its class and its arguments
        return game

    def __init__(self) -> None:  # an unknown argument raises TypeError
        super().__init__()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_game, (type(self), *self.init_args)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    @abc.abstractmethod
    def start(self, rng: np.random.Generator, options: ResetOptions) -> S:
        """Return the first state of an episode."""

    @abc.abstractmethod
    def read(self, text: str, view: S, agent: str) -> Any:
        """Turn an action text into a legal move, or raise InvalidMove."""

    @abc.abstractmethod
    def advance(self, state: S, moves: SeatMoves, rng: np.random.Generator) -> S:
        """Return the state after all seats of `state.to_act()` have made these moves.

        If only one seat acts, this may raise RefusedMove; the reply then counts as invalid.
        """

    def skip(self, view: S, agent: str) -> Any:
        """Return the move that is made for a seat that loses its turn."""
        raise NotImplementedError

    def forfeit(self, state: S, agent: str, rng: np.random.Generator) -> S | None:
        """Return the state after `agent` has left the game, or None to end the game.

        If the game ends, the leaving seat loses 1 if it has opponents, and the opponent wins 1
        in a zero-sum game of two. A game of three or more returns a state and continues.
        """
        return None

    @abc.abstractmethod
    def rules(self, agent: str) -> str:
        """Return the rules as a seat reads them once, before its first turn."""

    def brief(self, view: S, agent: str) -> str:
        """Return the task of a seat in this episode, shown once after the rules."""
        return ""

    @abc.abstractmethod
    def describe(self, view: S, agent: str | None) -> str:
        """Return a description of the current view in words."""

    def tell(self, before: S, moves: SeatMoves, after: S) -> Sequence[Message] | None:
        """Return the messages about a transition; None: every move is announced to all seats."""
        return None

    def picture(self, view: S, agent: str | None) -> object:
        """Return the current view as a scene, or None to draw the text of `describe`."""
        return None

    def fit_image(self, width: int, height: int) -> Self:
        """Return this game for pictures of this size, for games whose replies name points."""
        return self

    def encode(self, view: S, agent: str) -> np.ndarray | None:
        """Return the view as an array of a fixed shape, or None if the game has no encoding.

        Floats are between 0 and 1 and integers have any value of their type, unless
        `encoding_space` gives other bounds.
        """
        return None

    def name_moves(self, legal: Sequence[str]) -> Sequence[str]:
        """Return the entry of `moves` for each of these legal action texts, in the same order.

        `read` accepts both texts and returns the same move. `moves` may name moves relative to the
        view, such as the first card of a hand, to keep its list short.
        """
        return legal

    def tools(self, agent: str) -> Collection[SeatTool]:
        """Return the tools that the game offers to a seat."""
        return ()

    def report(self, state: S) -> Info:
        """Return the entries that are added to every seat's `info` when the episode is over."""
        return {}


def _rebuild_game(cls: type[Game], args: tuple[object, ...], kwargs: dict[str, Any]) -> Game:
    return cls(*args, **kwargs)
