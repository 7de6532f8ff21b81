"""Realtime games: games whose world continues while their seats think."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Self

import numpy as np

from gem_ma.game import Game, Info, InvalidMove, Message, ResetOptions, S, SeatMoves, SeatTool

CLOCK_UNITS = ("tokens", "seconds")
_BYTES_PER_TOKEN = 4  # estimate for replies without a token count
_MAX_TICKS = 10_000  # maximum ticks of one reply
_MAX_MESSAGES = 20  # maximum messages about the ticks between two turns


class RealtimeClock(NamedTuple):
    """The length of a tick, in tokens of a reply or in seconds."""

    unit: str
    tick_length: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the clock of a text such as "tokens:20" or "seconds:0.5"."""
        unit, _, number = text.partition(":") if isinstance(text, str) else ("", "", "")
        try:
            each = float(number)
        except ValueError:
            each = 0.0
        if unit not in CLOCK_UNITS or not 0 < each < math.inf:
            raise ValueError(
                f"clock={text!r}: expected the length of a tick, such as 'tokens:20' or 'seconds:1'"
            )
        return cls(unit, each)

    def __str__(self) -> str:
        return f"{self.unit}:{self.tick_length:g}"

    def count_ticks(self, reply: object, seconds: float) -> int:
        """Return the ticks of a reply, at least 1; `seconds` counts if it has no latency."""
        if self.unit == "seconds":
            latency = getattr(reply, "latency", None)
            spent = seconds if latency is None else latency
        else:
            spent = count_reply_tokens(reply)
        return min(max(1, math.ceil(spent / self.tick_length)), _MAX_TICKS)


def count_reply_tokens(reply: object) -> int:
    """Return the number of tokens of a reply, as reported by its model or one per four bytes."""
    ids = getattr(reply, "token_ids", None)
    if ids is not None:
        return len(ids)
    used = getattr(reply, "usage", None) or {}
    if "completion_tokens" in used:  # includes hidden thoughts
        return int(used["completion_tokens"])
    return (
        math.ceil(len(reply.encode(errors="replace")) / _BYTES_PER_TOKEN)
        if isinstance(reply, str)
        else 1
    )


class TimedMove(NamedTuple):
    """A move that is made `ticks` ticks after its seat's turn began; None is a lost turn."""

    text: str | None
    ticks: int

    def __str__(self) -> str:
        return str(self.text)


class RealtimeState(NamedTuple):
    """A position of a realtime game, with the moves of seats that are still thinking.

    Attributes:
        world: The state of the game without its clock.
        time: Ticks since the start.
        due: The thinking seats, each with the tick at which it moves, and its move as text.
        news: The messages since the last position.
    """

    world: Any
    time: int = 0
    due: tuple[tuple[str, int, str | None], ...] = ()
    news: tuple[Message, ...] = ()

    def to_act(self) -> tuple[str, ...]:
        thinking = [seat for seat, _, _ in self.due]
        return tuple([seat for seat in self.world.to_act() if seat not in thinking])

    def returns(self) -> Mapping[str, float]:
        returns: Mapping[str, float] = self.world.returns()
        return returns

    def out(self) -> Collection[str]:
        return self.world.out() if hasattr(self.world, "out") else ()

    def seen_by(self, agent: str) -> RealtimeState:
        return RealtimeState(self.world.seen_by(agent), self.time)

    def legal(self, agent: str) -> Sequence[str]:
        moves: Sequence[str] = self.world.legal(agent)
        return moves

    @property
    def truncated(self) -> bool:
        return bool(getattr(self.world, "truncated", False))


def unwrap_realtime(game: Game) -> Game:
    """Return a game without its clock."""
    return game.game if isinstance(game, RealtimeGame) else game


class RealtimeGame(Game[RealtimeState], Generic[S]):
    """A game whose world continues while its seats think; see `Game.realtime`."""

    def __init__(self, game: Game[S], clock: str):
        if not game.realtime:
            raise ValueError(
                f"clock={clock!r}: {type(game).__name__} is not a realtime game (Game.realtime is "
                "False); leave clock out"
            )
        self.game = game
        self.clock = RealtimeClock.parse(clock)
        self.agents = game.agents
        self.moves = game.moves
        self.unlisted_moves = game.unlisted_moves
        self.legal_is_partial = game.legal_is_partial
        self.notices_list_legal = game.notices_list_legal
        self.zero_sum = game.zero_sum
        self.blocking = game.blocking
        self.names_points = game.names_points
        self.oracle = game.oracle
        self.env_defaults = game.env_defaults
        self.reset_options = game.reset_options
        self.encoding_space = game.encoding_space
        self.max_tool_calls = game.max_tool_calls

    def start(self, rng: np.random.Generator, options: ResetOptions) -> RealtimeState:
        return RealtimeState(self.game.start(rng, options))

    def read(self, text: str, view: RealtimeState, agent: str) -> str:
        self.game.read(text, view.world, agent)
        return text

    def name_moves(self, legal: Sequence[str]) -> Sequence[str]:
        return self.game.name_moves(legal)

    def skip(self, view: RealtimeState, agent: str) -> None:
        return None

    def advance(
        self, state: RealtimeState, moves: SeatMoves, rng: np.random.Generator
    ) -> RealtimeState:
        """Advance tick by tick until a seat has made its move and can act again."""
        world, time, news = state.world, state.time, []
        due = list(state.due)
        for seat, move in moves.items():
            text, ticks = move if isinstance(move, TimedMove) else (move, 1)
            due.append((seat, time + ticks, text))
        while world.to_act():
            time += 1
            now = {seat: text for seat, when, text in due if when <= time}
            due = [one for one in due if one[0] not in now]
            due_moves: dict[str, Any] = {}
            for seat in world.to_act():
                due_moves[seat], messages = self._read_due_move(world, seat, now)
                news += messages
            after = self.game.advance(world, due_moves, rng)
            news += self._collect_messages(world, due_moves, now, after)
            world = after
            if any(seat in now for seat in world.to_act()):
                break
        return RealtimeState(world, time, tuple(due), tuple(news[-_MAX_MESSAGES:]))

    def _read_due_move(
        self, world: Any, seat: str, now: Mapping[str, str | None]
    ) -> tuple[Any, list[Message]]:
        """Return the move of a seat at this tick, and a message if its move is now illegal."""
        view, text = world.seen_by(seat), now.get(seat)
        if text is None:
            return self.game.skip(view, seat), []
        try:
            return self.game.read(text, view, seat), []
        except InvalidMove as error:  # it was legal when the seat replied
            late = Message((seat,), "game", f"{text[:60]!r} came too late: {error}.")
            return self.game.skip(view, seat), [late]

    def _collect_messages(
        self, before: Any, made: SeatMoves, now: Mapping[str, str | None], after: Any
    ) -> Sequence[Message]:
        messages = self.game.tell(before, made, after)
        if messages is not None:
            return messages
        return [Message(None, seat, str(move)) for seat, move in made.items() if now.get(seat)]

    def forfeit(
        self, state: RealtimeState, agent: str, rng: np.random.Generator
    ) -> RealtimeState | None:
        after = self.game.forfeit(state.world, agent, rng)
        if after is None:
            return None
        return state._replace(world=after, due=tuple([d for d in state.due if d[0] != agent]))

    def rules(self, agent: str) -> str:
        each = f"{self.clock.tick_length:g} {self.clock.unit}"
        what = "your reply has" if self.clock.unit == "tokens" else "you take"
        return (
            f"{self.game.rules(agent)}\n\nTime does not wait for you: a tick goes by for every "
            f"{each} that {what}, one at least, and what you do happens after them. Until then "
            "you do nothing, and the others go on."
        )

    def brief(self, view: RealtimeState, agent: str) -> str:
        return self.game.brief(view.world, agent)

    def describe(self, view: RealtimeState, agent: str | None) -> str:
        return self.game.describe(view.world, agent)

    def tell(
        self, before: RealtimeState, moves: Mapping[str, TimedMove], after: RealtimeState
    ) -> Sequence[Message] | None:
        return after.news

    def picture(self, view: RealtimeState, agent: str | None) -> object:
        return self.game.picture(view.world, agent)

    def encode(self, view: RealtimeState, agent: str) -> np.ndarray | None:
        return self.game.encode(view.world, agent)

    def tools(self, agent: str) -> Collection[SeatTool]:
        return self.game.tools(agent)

    def report(self, state: RealtimeState) -> Info:
        return {**self.game.report(state.world), "time": state.time}
