"""What an author of a game has to know: Game, State, InvalidMove and Message."""

from __future__ import annotations

import abc
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from typing_extensions import TypeVar

__all__ = [
    "Game",
    "InvalidMove",
    "Message",
    "RefusedMove",
    "State",
    "VerbatimMessage",
    "prefix_speaker",
]


class InvalidMove(ValueError):
    """A reply that is no legal move; the message is shown to the seat that sent it."""


class RefusedMove(InvalidMove):
    """A move that `read` could not know to be illegal, found out by `advance`."""


class Message(NamedTuple):
    """Words delivered to some seats: `role` is "game", "tool", or the seat that speaks."""

    to: tuple[str, ...] | None  # None: everybody
    role: str
    text: str

    def __str__(self) -> str:
        """Return the text as a reader gets it, every line of a speaker marked as the speaker's."""
        role, text = self.role, self.text
        if role == "game":
            return text
        return f"{role}: {text}" if text.isprintable() else prefix_speaker(role, text)


class VerbatimMessage(Message):
    """A message that its readers get as it stands, with nothing that says who speaks."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.text


def prefix_speaker(speaker: str, text: str) -> str:
    """Prefix every line of `text` with its speaker, so that nobody can forge another's words."""
    if not isinstance(text, str):
        raise TypeError(f"text={text!r}: expected str, got {type(text).__name__}")
    return "\n".join(f"{speaker}: {line}" for line in text.splitlines() or [""])


@runtime_checkable
class State(Protocol):
    """One position of one game: a frozen value.

    Two more methods where they apply: `legal(agent)` lists the action texts that are legal now for
    that seat, and `out()` names the seats whose return is final while others play on. A last state
    whose attribute `truncated` is true was reached by a limit that is no rule of the game.
    """

    def to_act(self) -> tuple[str, ...]:
        """Return the seats to move now: one, several at the same time, or none when it is over."""

    def returns(self) -> Mapping[str, float]:
        """Return what each seat has earned since the start."""

    def seen_by(self, agent: str) -> Self:
        """Return this state with all that `agent` may not know blanked out."""


S = TypeVar("S", bound=State, default=Any)
T = TypeVar("T")
# A field of a State that is a T wherever a rule asks for it, and None before it is there or in the
# view of a seat that may not know it.
Maybe: TypeAlias = T | Any

ResetOptions: TypeAlias = Mapping[str, Any]
"""What `reset` hands to `Game.start`."""
SeatMoves: TypeAlias = Mapping[str, Any]
"""Moves by seat, each of the type that the game's `read` returns."""
Info: TypeAlias = dict[str, Any]
"""What is told beside an observation, and what a game reports at the end."""


class ToolDescription(Protocol):
    """A tool that says by a JSON schema, in OpenAI's form, how it is called."""

    @property
    def schema(self) -> Mapping[str, Any]: ...


SeatTool: TypeAlias = ToolDescription | Mapping[str, Any]
"""A tool of a seat: one that says its schema, or the schema itself."""


class Game(abc.ABC, Generic[S]):
    """The rules of a game and how they are told; knows no API, no model and no pixels.

    `agent` is always a seat's name; in `describe` and `picture` it may be None, which stands for
    a spectator who sees everything. A view is what `State.seen_by(agent)` returned.
    """

    agents: tuple[str, ...]
    moves: Sequence[str] | None = None  # every action text there is, where that list is fixed
    unlisted_moves = ""  # why it is not, as the error for actions="discrete" says it
    legal_is_partial = False  # `read` takes more than `legal` lists; a number is one of these
    simultaneous = False  # in every position all seats act that are not out, and may make any move
    zero_sum = False  # with two seats: a forfeit pays the opponent what it costs
    conversation = False  # what seats are told says all: `describe` stands where there is no news
    realtime = False  # `advance` is a unit of time, in which who still thinks does what `skip` says
    blocking = False  # `advance` is slow or remote and belongs into a worker
    oracle = False  # a Turn's position is there for players who know the answers, secrets or not
    max_tool_calls: int | None = None  # tool calls of one reply that count; the rest is dropped
    env_defaults: Mapping[str, Any] = MappingProxyType({})  # arguments of Env that it would have
    reset_options: tuple[str, ...] = ()  # that `start` reads; where some are named, no other passes

    encoding_space: Any = None  # the Box of what `encode` returns, where that is no usual one

    init_args: tuple[tuple[object, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        game = super().__new__(cls)
        game.init_args = args, kwargs  # a game pickles as its class and these
        return game

    def __init__(self) -> None:  # so that an argument which nobody takes is a TypeError
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

        Where one seat acts it may raise Refused, and the seat has made an invalid reply.
        """

    def skip(self, view: S, agent: str) -> Any:
        """Return the move that stands for a lost turn."""
        raise NotImplementedError

    def forfeit(self, state: S, agent: str, rng: np.random.Generator) -> S | None:
        """Return the state after `agent` has left the game, or None to end the game there.

        When the game ends there, the leaver loses 1 if it had opponents, and the opponent wins 1
        in a zero-sum game of two. A game of three or more returns a state and goes on.
        """
        return None

    @abc.abstractmethod
    def rules(self, agent: str) -> str:
        """Return what a seat is told once, before its first turn."""

    def brief(self, view: S, agent: str) -> str:
        """Return what a seat is told once about this episode, after the rules: its task."""
        return ""

    @abc.abstractmethod
    def describe(self, view: S, agent: str | None) -> str:
        """Return the current view in words."""

    def tell(self, before: S, moves: SeatMoves, after: S) -> Sequence[Message] | None:
        """Return what the seats hear of a transition, or None for every move, told to everyone."""
        return None

    def picture(self, view: S, agent: str | None) -> object:
        """Return the current view as a Scene, or None to show `describe` as a screen of text."""
        return None

    def encode(self, view: S, agent: str) -> np.ndarray | None:
        """Return the view as numbers of a fixed shape, or None.

        They are in 0..1 if they are floats, and anything if they are whole, unless `numbers` says
        otherwise.
        """
        return None

    def name_moves(self, legal: Sequence[str]) -> Sequence[str]:
        """Return the action texts in `moves` that stand for these legal ones, in their order.

        `read` takes both for the same. Where the list of all texts would be long, `moves` may have
        shorter ones, which mean something by the view, such as the first card of a hand.
        """
        return legal

    def tools(self, agent: str) -> Collection[SeatTool]:
        """Return the tools that the game itself gives to a seat."""
        return ()

    def report(self, state: S) -> Info:
        """Return what every seat's `info` says when the episode is over."""
        return {}


def _rebuild_game(cls: type[Game], args: tuple[object, ...], kwargs: dict[str, Any]) -> Game:
    return cls(*args, **kwargs)
