"""Match: the referee of one play of one game, under every view of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Self

import numpy as np

from gem_ma.game import Game, InvalidMove, Message, Refused, S
from gem_ma.match import actions
from gem_ma.match.clock import Clock, Thought
from gem_ma.match.config import EnvConfig, check_options
from gem_ma.match.point import Point
from gem_ma.match.seeding import pick, reseed

_REASON = 500  # characters of an InvalidMove that reach its seat


class ResetNeeded(RuntimeError):
    """The episode has not begun, or is over."""


class SeatError(ValueError):
    """A seat that does not exist, or is not to act, was addressed."""


class Match(Point, Generic[S]):
    """One play of one game, from `begin` until nobody is waited for.

    Whoever is waited for hands in replies by `submit`, which is `take`, `advance` and `arrive` as
    long as moves are `due`, and `settle`. Of these only `advance` may wait for something outside.
    """

    __slots__ = (
        "asking", "bare", "clock", "config", "game", "index", "legals", "name", "rng", "seats",
        "tells", "views",
    )  # fmt: skip

    def __init__(self, game: Game[S], config: EnvConfig, name: str = ""):
        config.check_game(game)
        self.game = game
        self.config = config
        self.clock: Clock | None = getattr(game, "clock", None)
        self.asking = 0.0  # since when seats are waited for, with a clock
        self.bare = config.format not in actions.WRAPPED  # an action is a reply as it stands
        self.tells = type(game).tell is not Game.tell
        self.name = name or type(game).__name__
        self.seats = tuple(game.agents)
        self.index = {seat: i for i, seat in enumerate(self.seats)}
        self.rng: Any = None  # the game's Generator, made when it is needed
        self.chance = None
        self.seed = 0
        self.origin = 0, {}
        self.state = None
        self.lists_moves = self.loses_seats = False
        self.waiting = ()
        self._clear()

    def _clear(self) -> None:
        """Put everything to where an episode begins."""
        seats = self.seats
        self.turns = self.asked = self.start = 0
        self.acting = self.left = ()
        self.pending, self.moved, self.bad, self.refused, self.adjust = {}, {}, {}, {}, {}
        self.thought = {}
        self.paid = dict.fromkeys(seats, 0.0)
        self.alive = seats
        self.over = self.truncated = self.private = False
        self.heard = dict.fromkeys(seats, -1)
        self.log, self.lines, self.past = [], [], []
        # Made once for each position, by seat, and asked for more than once.
        self.views: dict[str, Any] = {}
        self.legals: dict[str, tuple[str, ...]] = {}

    # -- from the beginning to the end ---------------------------------------------------------

    def begin(self, seed: int, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; the seed decides all of it."""
        self.seed = seed
        check_options(options or {}, self.game.reset_options, self.name)
        rng = self._generator()
        reseed(rng, seed)
        state = self.game.start(rng, options or {})
        self.lists_moves = hasattr(state, "legal")
        self.loses_seats = hasattr(state, "out")
        if not self.lists_moves and self.config.invalid == "random":
            raise ValueError(
                f"{self.name} cannot list its legal moves, so invalid='random' has nothing to "
                "draw from; use 'retry', 'lose' or 'skip'"
            )
        self._clear()
        self.origin = seed, options or {}
        self.state = state
        self.settle()
        if self.alive != self.seats:
            raise RuntimeError(
                f"{self.name} is over before anybody could move; this game is broken"
            )

    def submit(self, replies: Mapping[str, Any]) -> Mapping[str, float]:
        """Take replies of seats that are waited for; return what that earns the seats.

        A reply is a text, or the number of a move in `Game.moves`. Who is not named in what is
        returned earned nothing.
        """
        self.take(replies)
        while self.pending and len(self.pending) == len(self.acting):
            self.arrive(self.advance())
        return self.settle()

    def take(self, replies: Mapping[str, Any]) -> None:
        """Read replies: each becomes a move that is pending, or is refused."""
        self.asked += 1
        leavers, read = [], self.game.read
        for seat in self.waiting:
            if seat not in replies:
                continue
            reply = replies[seat]
            self.heard[seat] = self.start + len(self.log)
            self.refused.pop(seat, None)
            if self.clock:
                self._spend_time(seat, reply, self.clock)
            view = self.views.get(seat)
            if view is None:
                view = self.views[seat] = self.state.seen_by(seat)
            try:
                if type(reply) is str and self.bare and reply.isalnum() and reply.isascii():
                    move = read(reply, view, seat)  # as it stands: quicker than to extract it
                else:
                    move = read(self.action(reply), view, seat)
            except InvalidMove as error:
                if not self._take_invalid(seat, view, str(error)[:_REASON]):
                    leavers.append(seat)
                continue
            if self.clock:
                move = Thought(move, self.thought.pop(seat))
            self.pending[seat] = self.moved[seat] = move
        if leavers:
            self.leave(leavers)

    def _spend_time(self, seat: str, reply: Any, clock: Clock) -> None:
        spent = clock.ticks(reply, time.monotonic() - self.asking)
        self.thought[seat] = self.thought.get(seat, 0) + spent

    @property
    def due(self) -> bool:
        """Whether everybody whom the game waits for has a move pending, so that it can advance."""
        return bool(self.pending) and len(self.pending) == len(self.acting)

    def advance(self) -> S | Refused:
        """Return what the pending moves lead to; this changes nothing but the game's rng."""
        moves = self.pending
        if len(moves) > 1:  # in whatever order they came
            moves = self.pending = {seat: moves[seat] for seat in self.acting}
        try:
            return self.game.advance(self.state, moves, self.rng or self._generator())
        except Refused as error:
            return error

    def arrive(self, after: Any) -> None:
        """Take what `advance` returned, and tell the seats."""
        before, moves = self.state, self.pending
        self.pending = {}
        if isinstance(after, Refused):
            self._refuse(moves, after)
            return
        self.state = after
        self.turns += 1
        if self.bad:
            self.bad = {}
        told = self.game.tell(before, moves, after) if self.tells else None
        if told is None:
            log = self.log
            for seat, move in moves.items():
                if move is None:
                    log.append(Message(None, "game", f"{seat} lost its turn."))
                else:
                    log.append(Message(None, seat, str(move)))
            if len(log) > 2 * len(self.seats) + 2:
                self._forget()
        elif told:
            self.hear(told)

    def settle(self) -> Mapping[str, float]:
        """Find who is to act, who is done, and what everybody has earned since the last time."""
        self.views, self.legals = {}, {}
        if self.clock:
            self.asking = time.monotonic()
        state, alive = self.state, self.alive
        acting = self.acting = () if self.over else state.to_act()
        if not acting:
            if not self.over:
                self.truncated = bool(getattr(state, "truncated", False))
            self._end()
        elif self.config.max_turns is not None and self.turns >= self.config.max_turns:
            acting = ()
            self.truncated = True
            self._end()
        elif self.loses_seats or self.left:
            self._lose()
        if self.pending:
            acting = tuple([seat for seat in acting if seat not in self.pending])
        self.waiting = acting
        totals, paid = state.returns(), self.paid
        if self.adjust:
            adjust = self.adjust
            totals = {seat: value + adjust.get(seat, 0.0) for seat, value in totals.items()}
        if totals == paid:
            return {}
        self.paid = totals
        return {seat: float(totals[seat] - paid[seat]) for seat in alive}

    def truncate(self) -> None:
        """End the episode here for everybody, as a limit that is no rule of the game does."""
        if not self.waiting:
            raise self.needs_reset("truncate")
        self.views, self.legals = {}, {}
        self.truncated = True
        self._end()

    def dismiss(self, seats: Sequence[str]) -> Mapping[str, float]:
        """Let seats leave that somebody else takes out; without them all, the episode ends here."""
        if len(seats) < len(self.alive):
            self.leave(seats, "has left the game")
        else:
            self.over, self.pending = True, {}
        while self.due:
            self.arrive(self.advance())
        return self.settle()

    def close(self) -> None:
        """Let go of the episode, as if none had begun."""
        self.state, self.views, self.legals = None, {}, {}
        self.waiting = self.acting = ()

    def _end(self) -> None:
        self.over = True
        self.alive = self.acting = self.waiting = ()

    def _lose(self) -> None:
        """Let the seats be done whose return is final while others play on."""
        lost = set(self.state.out()) if self.loses_seats else set()
        lost.update(self.left)
        if any(seat in lost for seat in self.alive):
            self.alive = tuple([seat for seat in self.alive if seat not in lost])

    # -- replies -------------------------------------------------------------------------------

    def action(self, reply: Any) -> str:
        """Return the action text in a reply, or raise InvalidMove."""
        if not isinstance(reply, str):
            return self._numbered(int(reply))
        return actions.extract(reply, self.config.format, self.game.calls_at_once)

    def _numbered(self, number: int) -> str:
        moves = self.game.moves or ()
        if not 0 <= number < len(moves):
            raise InvalidMove(f"{number} is not a move; the moves are 0 to {len(moves) - 1}")
        return moves[number]

    def _take_invalid(self, seat: str, view: Any, reason: str) -> bool:
        config = self.config
        policy = config.invalid
        self.moved.pop(seat, None)
        count = self.bad[seat] = self.bad.get(seat, 0) + 1
        if config.penalty:
            self.adjust[seat] = self.adjust.get(seat, 0.0) - config.penalty
        record = {"reason": reason, "count": count, "policy": policy}
        self.refused[seat] = record
        legal = view.legal(seat) if self.lists_moves else ()
        notice = f"Invalid: {reason}."
        if policy == "lose" or (policy == "retry" and count > config.max_invalid):
            record["forfeit"] = True
            self._notify(seat, notice)
            return False
        if policy == "retry":
            left = config.max_invalid - count
            tries = "the last try" if left == 0 else f"{left + 1} tries left"
            if legal and config.legal == "show":
                notice += f" Legal: {actions.listing(legal)}."
            self._notify(seat, f"{notice} Try again ({tries}).")
            return True
        if policy == "skip":
            move = self.game.skip(view, seat)
            self._notify(seat, f"{notice} The turn is lost.")
        else:
            text = pick(legal, self.seed, self.turns, self.index[seat])
            move = self.game.read(text, view, seat)
            self._notify(seat, f"{notice} Played at random instead: {text}.")
        if self.clock:
            move = Thought(move, self.thought.pop(seat))
        self.pending[seat] = self.moved[seat] = move
        return True

    def _refuse(self, moves: Mapping[str, Any], error: Refused) -> None:
        """Treat a move that only `advance` could find illegal as `_take` treats others."""
        ((seat, _),) = moves.items()
        if seat in self.refused:  # what stands for an invalid reply has to be legal
            raise error
        if not self._take_invalid(seat, self.view(seat), str(error)[:_REASON]):
            self.leave([seat])

    def leave(self, seats: Sequence[str], how: str = "forfeits: its reply was invalid") -> None:
        """Let seats leave: the game goes on without them, or ends, as `settle` finds."""
        state = self.state
        self.left = (*self.left, *seats)
        for seat in seats:
            self._notify(None, f"{seat} {how}.")
            after = self.game.forfeit(state, seat, self.rng or self._generator())
            if after is not None:
                state = after
                continue
            self.over = True
            if len(self.seats) > 1:
                self.adjust[seat] = self.adjust.get(seat, 0.0) - 1.0
            if self.game.zero_sum and len(self.seats) == 2:
                for opponent in self.seats:
                    if opponent not in seats:
                        self.adjust[opponent] = self.adjust.get(opponent, 0.0) + 1.0
        self.state = state
        self.acting = state.to_act()
        self.pending = {s: move for s, move in self.pending.items() if s in self.acting}

    # -- what seats hear -----------------------------------------------------------------------

    def answer(self, seat: str, messages: Iterable[Message]) -> None:
        """Take a reply that was no move, and let the seat hear what it led to."""
        self.asked += 1
        self.heard[seat] = self.start + len(self.log)
        self.refused.pop(seat, None)
        self.moved.pop(seat, None)
        self.hear(messages)

    def hear(self, messages: Iterable[Message]) -> None:
        """Let the seats hear messages."""
        log = self.log
        for message in messages:
            log.append(message)
            if message[0] is not None:
                self.private = True
        if len(log) > 2 * len(self.seats) + 2:
            self._forget()

    def _notify(self, seat: str | None, text: str) -> None:
        self.hear([Message(None if seat is None else (seat,), "game", text)])

    def _forget(self) -> None:
        """Drop the messages that everybody has read."""
        read = min(self.heard.values()) - self.start
        if read > len(self.log) // 2:
            del self.log[:read], self.lines[:read]
            self.start += read

    def messages(self, seat: str) -> list[Message]:
        """Return what a seat has heard since its last reply."""
        if seat not in self.index:
            raise self.not_to_act(seat)
        if self.state is None:
            raise self.needs_reset("messages")
        news = self.log[max(self.heard[seat] - self.start, 0) :]
        return [message for message in news if message.to is None or seat in message.to]

    def news(self, seat: str) -> list[str]:
        """Return what a seat has heard since its last reply, as it is shown."""
        if self.private:
            return [str(message) for message in self.messages(seat)]
        lines = self.lines
        if len(lines) < len(self.log):
            lines += map(str, self.log[len(lines) :])
        read = self.heard[seat]
        return lines[read - self.start if read > 0 else 0 :]

    # -- what a seat may know ------------------------------------------------------------------

    def view(self, seat: str) -> Any:
        """Return the position as a seat may know it."""
        view = self.views.get(seat)
        if view is None:
            if self.state is None:
                raise self.needs_reset("observe")
            if seat not in self.index:
                raise self.not_to_act(seat)
            view = self.views[seat] = self.state.seen_by(seat)
        return view

    def legal(self, seat: str) -> tuple[str, ...]:
        """Return the moves that a seat may make now; none for a seat that is not to act."""
        legal = self.legals.get(seat)
        if legal is None:
            view = self.views.get(seat) or self.view(seat)
            listed = self.lists_moves and seat in self.waiting
            legal = self.legals[seat] = tuple(view.legal(seat)) if listed else ()
        return legal

    def check(self, replies: Any) -> None:
        """Raise unless these are replies of seats that are waited for."""
        if not self.waiting:
            raise self.needs_reset("submit")
        if not replies:
            raise SeatError(f"got no reply; to act: {', '.join(self.waiting)}")
        for seat in replies:
            if seat not in self.waiting:
                raise self.not_to_act(seat)

    def needs_reset(self, what: str) -> ResetNeeded:
        """Return the error for a call that an episode has to be under way for."""
        if self.state is None:
            return ResetNeeded(f"{what}: no episode has begun; call reset() first")
        return ResetNeeded(f"{what}: the episode is over; call reset() to begin the next")

    def not_to_act(self, seat: Any) -> SeatError:
        """Return the error for a seat that is addressed and does not exist, or is not to act."""
        if seat not in self.index:
            return SeatError(f"no seat {seat!r}; the seats are {', '.join(self.seats)}")
        return SeatError(f"{seat} is not to act now; to act: {', '.join(self.waiting)}")

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> Point:
        """Return this point of the episode; it shares everything and copies next to nothing."""
        point = Point()
        point.take_over(self)
        if self.rng is not None:
            point.chance = self.rng.bit_generator.state
        return point

    def restore(self, point: Point) -> None:
        """Go back to a point of a match of the same game."""
        self.take_over(point)
        self.views, self.legals = {}, {}
        if self.rng is not None and self.chance is not None:
            self.rng.bit_generator.state = self.chance
            self.chance = None

    def twin(self) -> Self:
        """Return a match of its own at the same point."""
        twin = object.__new__(type(self))
        for name in Match.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.rng = None
        twin.restore(self.snapshot())
        return twin

    def redraw(self, seed: int) -> None:
        """Let everything that is drawn from here on follow from another seed."""
        self.seed = seed
        if self.state is not None:
            reseed(self._generator(), seed)
            self.past.append(int(seed))

    def _generator(self) -> np.random.Generator:
        """Return the game's generator, made if there is none."""
        if self.rng is None:
            self.rng = np.random.Generator(np.random.PCG64(0))
            if self.chance is not None:
                self.rng.bit_generator.state = self.chance
                self.chance = None
        rng: np.random.Generator = self.rng
        return rng
