"""Match: plays one episode of a game and applies its rules, under every API."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Self

import numpy as np

from gem_ma.engine import action_parsing
from gem_ma.engine.action_parsing import SeatAction, SeatActions
from gem_ma.engine.config import EnvConfig, check_options
from gem_ma.engine.episode_state import EpisodeState
from gem_ma.engine.realtime import RealtimeClock, TimedMove
from gem_ma.engine.seeding import RNGMemory, make_rng, map_rng_memory, pick_option, seed_rng
from gem_ma.game import Game, InvalidMove, Message, RefusedMove, ResetOptions, S, SeatMoves

_MAX_REASON_LENGTH = 500  # characters of an InvalidMove that reach its seat


class ResetNeeded(RuntimeError):
    """A call needs an episode in progress, but none has begun or it is over."""


class SeatError(ValueError):
    """A call names a seat that does not exist or is not to act."""


class Match(EpisodeState, Generic[S]):
    """One episode of a game, from `reset` until no seat is waiting.

    `submit` takes replies. It calls `parse_actions`, then `advance` and `apply_transition` while
    the match `can_advance`, then `compute_rewards`. Only `advance` may block.
    """

    __slots__ = (
        "bare_format",
        "clock",
        "config",
        "game",
        "has_tell",
        "index",
        "legal_cache",
        "max_turns",
        "name",
        "rng",
        "rng_memory",
        "seats",
        "view_cache",
        "waiting_since",
        "zero_returns",
    )  # fmt: skip

    def __init__(self, game: Game[S], config: EnvConfig, name: str = ""):
        config.check_game(game)
        self.game = game
        self.config = config
        self.max_turns = math.inf if config.max_turns is None else config.max_turns
        self.clock: RealtimeClock | None = getattr(game, "clock", None)
        self.waiting_since = 0.0  # start of the present turn in monotonic seconds, with a clock
        # In a bare format the whole reply is the action.
        self.bare_format = config.format not in action_parsing.ACTION_TEMPLATES
        self.has_tell = type(game).tell is not Game.tell
        self.name = name or type(game).__name__
        self.seats = tuple(game.agents)
        self.index = {seat: i for i, seat in enumerate(self.seats)}
        self.zero_returns = dict.fromkeys(self.seats, 0.0)
        self.rng: np.random.Generator | None = None  # the game's generator, made when needed
        self.rng_memory: RNGMemory | None = None  # mapped at the second reset
        self.rng_state = None
        self.seed = 0
        self.reset_args = 0, {}
        self.state = None
        self.lists_moves = self.loses_seats = False
        self.waiting_seats = ()
        self._clear_episode()

    def _clear_episode(self) -> None:
        """Set all state to its values at the start of an episode."""
        self.turns = self.submit_count = self.log_start = 0
        self.acting_seats = self.departed_seats = ()
        self.pending_moves, self.last_moves, self.invalid_counts = {}, {}, {}
        self.invalid_replies, self.adjustments, self.spent_ticks = {}, {}, {}
        self.total_returns = self.zero_returns
        self.alive_seats = self.seats
        self.over = self.truncated = self.has_private = False
        self.read_counts = dict.fromkeys(self.seats, -1)
        self.message_log, self.log_lines, self.reply_history = [], [], []
        # Views and legal moves by seat, cached for one position.
        self.view_cache: dict[str, Any] = {}
        self.legal_cache: dict[str, tuple[str, ...]] = {}

    def reset(self, seed: int, options: ResetOptions | None = None) -> None:
        """Begin an episode, which the seed determines completely."""
        self.seed = seed
        if options:
            check_options(options, self.game.reset_options, self.name)
        if self.rng is not None and self.rng_memory is None:  # pays off from the second reset on
            self.rng_memory = map_rng_memory(self.rng)
        rng = self.rng or self._ensure_rng()
        seed_rng(rng, seed, self.rng_memory)
        state = self.game.start(rng, options or {})
        self.lists_moves = hasattr(state, "legal")
        self.loses_seats = hasattr(state, "out")
        if not self.lists_moves and self.config.invalid == "random":
            raise ValueError(
                f"{self.name} cannot list its legal moves, so invalid='random' has nothing to "
                "draw from; use 'retry', 'lose' or 'skip'"
            )
        self._clear_episode()
        self.reset_args = seed, options or {}
        self.state = state
        self.compute_rewards()
        if self.alive_seats != self.seats:
            raise RuntimeError(f"{self.name}: a seat is done right after start(); correct the game")

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        """Submit replies (texts or numbers of moves) of waiting seats, and return the rewards.

        A seat that is missing in the rewards earned 0.
        """
        self.parse_actions(replies)
        while self.pending_moves and len(self.pending_moves) == len(self.acting_seats):
            self.apply_transition(self.advance())
        return self.compute_rewards()

    def parse_actions(self, replies: SeatActions) -> None:
        """Parse replies: each becomes a pending move or is handled as invalid."""
        self.submit_count += 1
        leavers, read = [], self.game.read
        for seat in self.waiting_seats:
            if seat not in replies:
                continue
            reply = replies[seat]
            self.read_counts[seat] = self.log_start + len(self.message_log)
            self.invalid_replies.pop(seat, None)
            if self.clock:
                self._spend_time(seat, reply, self.clock)
            view = self.view_cache.get(seat)
            if view is None:
                view = self.view_cache[seat] = self.state.seen_by(seat)
            try:
                if type(reply) is str and self.bare_format and reply.isalnum() and reply.isascii():
                    move = read(reply, view, seat)  # a fast path without parsing
                else:
                    move = read(self.extract_action(reply, seat), view, seat)
            except InvalidMove as error:
                if not self._handle_invalid_reply(seat, view, str(error)[:_MAX_REASON_LENGTH]):
                    leavers.append(seat)
                continue
            if self.clock:
                move = TimedMove(move, self.spent_ticks.pop(seat))
            self.pending_moves[seat] = self.last_moves[seat] = move
        if leavers:
            self.forfeit_seats(leavers)

    def _spend_time(self, seat: str, reply: SeatAction, clock: RealtimeClock) -> None:
        spent = clock.count_ticks(reply, time.monotonic() - self.waiting_since)
        self.spent_ticks[seat] = self.spent_ticks.get(seat, 0) + spent

    @property
    def can_advance(self) -> bool:
        """Whether all acting seats have a pending move, so that the game can advance."""
        return bool(self.pending_moves) and len(self.pending_moves) == len(self.acting_seats)

    def advance(self) -> S | RefusedMove:
        """Return the state after the pending moves, changing only the game's generator."""
        moves = self.pending_moves
        if len(moves) > 1:  # in the order of the seats
            moves = self.pending_moves = {seat: moves[seat] for seat in self.acting_seats}
        try:
            return self.game.advance(self.state, moves, self.rng or self._ensure_rng())
        except RefusedMove as error:
            return error

    def apply_transition(self, after: Any) -> None:
        """Apply the return value of `advance`, and post the messages about the moves."""
        before, moves = self.state, self.pending_moves
        self.pending_moves = {}
        if isinstance(after, RefusedMove):
            self._handle_refused_move(moves, after)
            return
        self.state = after
        self.turns += 1
        if self.invalid_counts:
            self.invalid_counts = {}
        messages = self.game.tell(before, moves, after) if self.has_tell else None
        if messages is None:
            log = self.message_log
            for seat, move in moves.items():
                if move is None:
                    log.append(Message(None, "game", f"{seat} lost its turn."))
                else:
                    log.append(Message(None, seat, str(move)))
            if len(log) > 2 * len(self.seats) + 2:
                self._trim_log()
        elif messages:
            self.post_messages(messages)

    def compute_rewards(self) -> Mapping[str, float]:
        """Update the acting and the done seats; return the rewards since the last call."""
        self.view_cache, self.legal_cache = {}, {}
        if self.clock:
            self.waiting_since = time.monotonic()
        state, alive = self.state, self.alive_seats
        acting = () if self.over else state.to_act()
        if not acting or self.turns >= self.max_turns:
            if not self.over:
                self.truncated = bool(acting or getattr(state, "truncated", False))
            self._end_episode()
        else:
            self.acting_seats = acting
            if self.loses_seats or self.departed_seats:
                self._remove_finished_seats()
            if self.pending_moves:
                acting = tuple([seat for seat in acting if seat not in self.pending_moves])
            self.waiting_seats = acting
        totals, paid = state.returns(), self.total_returns
        if self.adjustments:
            adjust = self.adjustments
            totals = {seat: value + adjust.get(seat, 0.0) for seat, value in totals.items()}
        if totals == paid:
            return {}
        self.total_returns = totals
        return {seat: float(totals[seat] - paid[seat]) for seat in alive}

    def truncate(self) -> None:
        """Truncate the episode for all seats, like a limit outside the rules of the game."""
        if not self.waiting_seats:
            raise self.make_reset_error("truncate")
        self.view_cache, self.legal_cache = {}, {}
        self.truncated = True
        self._end_episode()

    def remove_seats(self, seats: Sequence[str]) -> Mapping[str, float]:
        """Remove seats at a client's request; without any seat left, the episode ends."""
        if len(seats) < len(self.alive_seats):
            self.forfeit_seats(seats, "has left the game")
        else:
            self.over, self.pending_moves = True, {}
        while self.can_advance:
            self.apply_transition(self.advance())
        return self.compute_rewards()

    def close(self) -> None:
        """Discard the episode, as if none had begun."""
        self.state, self.view_cache, self.legal_cache = None, {}, {}
        self.waiting_seats = self.acting_seats = ()

    def _end_episode(self) -> None:
        self.over = True
        self.alive_seats = self.acting_seats = self.waiting_seats = ()

    def _remove_finished_seats(self) -> None:
        """Mark seats as done that left or whose return is final while others continue."""
        lost = set(self.state.out()) if self.loses_seats else set()
        lost.update(self.departed_seats)
        if any(seat in lost for seat in self.alive_seats):
            self.alive_seats = tuple([seat for seat in self.alive_seats if seat not in lost])

    def extract_action(self, reply: SeatAction, seat: str) -> str:
        """Return the action text in a reply of a seat, or raise InvalidMove."""
        game = self.game
        if isinstance(reply, str):
            return action_parsing.extract_action(reply, self.config.format, game.max_tool_calls)
        move = (game.moves or ())[int(reply)]
        # Here `read` may accept moves that the mask excludes.
        if game.legal_is_partial and move not in game.name_moves(self.list_legal_moves(seat)):
            raise InvalidMove(f"{int(reply)} is not a move here: the mask leaves it out")
        return move

    def _handle_invalid_reply(self, seat: str, view: Any, reason: str) -> bool:
        config = self.config
        policy = config.invalid
        self.last_moves.pop(seat, None)
        count = self.invalid_counts[seat] = self.invalid_counts.get(seat, 0) + 1
        if config.penalty:
            self.adjustments[seat] = self.adjustments.get(seat, 0.0) - config.penalty
        record = {"reason": reason, "count": count, "policy": policy}
        self.invalid_replies[seat] = record
        legal = view.legal(seat) if self.lists_moves else ()
        notice = f"Invalid: {reason}."
        if policy == "lose" or (policy == "retry" and count > config.max_invalid):
            record["forfeit"] = True
            self._notify(seat, notice)
            return False
        if policy == "retry":
            left = config.max_invalid - count
            tries = "the last try" if left == 0 else f"{left + 1} tries left"
            if legal and config.legal == "show" and self.game.notices_list_legal:
                notice += f" Legal: {action_parsing.format_options(legal)}."
            self._notify(seat, f"{notice} Try again ({tries}).")
            return True
        if policy == "skip":
            move = self.game.skip(view, seat)
            self._notify(seat, f"{notice} The turn is lost.")
        else:
            text = pick_option(legal, self.seed, self.turns, self.index[seat])
            move = self.game.read(text, view, seat)
            self._notify(seat, f"{notice} Played at random instead: {text}.")
        if self.clock:
            move = TimedMove(move, self.spent_ticks.pop(seat))
        self.pending_moves[seat] = self.last_moves[seat] = move
        return True

    def _handle_refused_move(self, moves: SeatMoves, error: RefusedMove) -> None:
        """Handle a move that `advance` refused like an invalid reply in `parse_actions`."""
        ((seat, _),) = moves.items()
        if seat in self.invalid_replies:  # the substitute of an invalid reply must be legal
            raise error
        if not self._handle_invalid_reply(
            seat, self.make_view(seat), str(error)[:_MAX_REASON_LENGTH]
        ):
            self.forfeit_seats([seat])

    def forfeit_seats(
        self, seats: Sequence[str], how: str = "forfeits: its reply was invalid"
    ) -> None:
        """Let seats leave: the game continues without them, or ends in `compute_rewards`."""
        state = self.state
        self.departed_seats = (*self.departed_seats, *seats)
        for seat in seats:
            self._notify(None, f"{seat} {how}.")
            after = self.game.forfeit(state, seat, self.rng or self._ensure_rng())
            if after is not None:
                state = after
                continue
            self.over = True
            if len(self.seats) > 1:
                self.adjustments[seat] = self.adjustments.get(seat, 0.0) - 1.0
            if self.game.zero_sum and len(self.seats) == 2:
                for opponent in self.seats:
                    if opponent not in seats:
                        self.adjustments[opponent] = self.adjustments.get(opponent, 0.0) + 1.0
        self.state = state
        self.acting_seats = state.to_act()
        self.pending_moves = {
            s: move for s, move in self.pending_moves.items() if s in self.acting_seats
        }

    def post_tool_results(self, seat: str, messages: Iterable[Message]) -> None:
        """Record a reply that called a tool instead of moving, and post the results."""
        self.submit_count += 1
        self.read_counts[seat] = self.log_start + len(self.message_log)
        self.invalid_replies.pop(seat, None)
        self.last_moves.pop(seat, None)
        self.post_messages(messages)

    def post_messages(self, messages: Iterable[Message]) -> None:
        """Post messages to seats."""
        log = self.message_log
        for message in messages:
            log.append(message)
            if message[0] is not None:
                self.has_private = True
        if len(log) > 2 * len(self.seats) + 2:
            self._trim_log()

    def _notify(self, seat: str | None, text: str) -> None:
        self.post_messages([Message(None if seat is None else (seat,), "game", text)])

    def _trim_log(self) -> None:
        """Drop messages that all seats have read, if these are more than half of the log."""
        read = min(self.read_counts.values()) - self.log_start
        if read > len(self.message_log) // 2:
            del self.message_log[:read], self.log_lines[:read]
            self.log_start += read

    def list_messages(self, seat: str) -> list[Message]:
        """Return the messages to a seat since its last reply."""
        if seat not in self.index:
            raise self.make_seat_error(seat)
        if self.state is None:
            raise self.make_reset_error("messages")
        news = self.message_log[max(self.read_counts[seat] - self.log_start, 0) :]
        return [message for message in news if message.to is None or seat in message.to]

    def format_messages(self, seat: str) -> list[str]:
        """Return the messages to a seat since its last reply, as texts."""
        if self.has_private:
            return [str(message) for message in self.list_messages(seat)]
        lines = self.log_lines
        if len(lines) < len(self.message_log):
            lines += map(str, self.message_log[len(lines) :])
        read = self.read_counts[seat]
        return lines[read - self.log_start if read > 0 else 0 :]

    def make_view(self, seat: str) -> Any:
        """Return a seat's view of the position."""
        view = self.view_cache.get(seat)
        if view is None:
            if self.state is None:
                raise self.make_reset_error("observe")
            if seat not in self.index:
                raise self.make_seat_error(seat)
            view = self.view_cache[seat] = self.state.seen_by(seat)
        return view

    def list_legal_moves(self, seat: str) -> tuple[str, ...]:
        """Return the legal moves of a seat; empty for a seat that is not to act."""
        legal = self.legal_cache.get(seat)
        if legal is None:
            view = self.view_cache.get(seat) or self.make_view(seat)
            listed = self.lists_moves and seat in self.waiting_seats
            legal = self.legal_cache[seat] = tuple(view.legal(seat)) if listed else ()
        return legal

    def check_replies(self, replies: SeatActions) -> None:
        """Raise unless these are replies of waiting seats."""
        if not self.waiting_seats:
            raise self.make_reset_error("submit")
        if not replies:
            raise SeatError(f"got no reply; to act: {', '.join(self.waiting_seats)}")
        for seat in replies:
            if seat not in self.waiting_seats:
                raise self.make_seat_error(seat)

    def make_reset_error(self, what: str) -> ResetNeeded:
        """Return the error for a call that needs an episode in progress."""
        if self.state is None:
            return ResetNeeded(f"{what}: no episode has begun; call reset() first")
        return ResetNeeded(f"{what}: the episode is over; call reset() to begin the next")

    def make_seat_error(self, seat: object) -> SeatError:
        """Return the error for a seat that does not exist or is not to act."""
        if seat not in self.index:
            return SeatError(f"no seat {seat!r}; the seats are {', '.join(self.seats)}")
        return SeatError(f"{seat} is not to act now; to act: {', '.join(self.waiting_seats)}")

    def snapshot(self) -> EpisodeState:
        """Return a snapshot of the episode; it shares immutable data and so copies little."""
        (point := EpisodeState()).copy_from(self)
        if self.rng is not None:
            point.rng_state = dict(self.rng.bit_generator.state)
        return point

    def restore(self, point: EpisodeState) -> None:
        """Return to a snapshot of a match of the same game."""
        self.copy_from(point)
        self.view_cache, self.legal_cache = {}, {}
        if self.rng is not None and self.rng_state is not None:
            self.rng.bit_generator.state = self.rng_state
            self.rng_state = None

    def copy(self) -> Self:
        """Return an independent match at the same point."""
        twin = object.__new__(type(self))
        for name in Match.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.rng = twin.rng_memory = None
        twin.restore(self.snapshot())
        return twin

    def redraw_chance(self, seed: int) -> None:
        """Seed the game's generator for all random events from here on."""
        self.seed = seed
        if self.state is not None:
            seed_rng(self._ensure_rng(), seed)
            self.reply_history.append(int(seed))

    def _ensure_rng(self) -> np.random.Generator:
        """Return the game's generator, and make it if there is none."""
        if self.rng is None:
            self.rng = make_rng()
            if self.rng_state is not None:
                self.rng.bit_generator.state = self.rng_state
                self.rng_state = None
        return self.rng
