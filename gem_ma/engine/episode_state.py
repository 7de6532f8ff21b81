"""EpisodeState: the complete state of an episode, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gem_ma.engine.action_parsing import SeatAction
from gem_ma.game import Info, Message, ResetOptions


class EpisodeState:
    """The complete state of an episode, in slots that are copied together."""

    __slots__ = (
        "acting_seats",
        "adjustments",
        "alive_seats",
        "departed_seats",
        "has_private",
        "invalid_counts",
        "invalid_replies",
        "last_moves",
        "lists_moves",
        "log_lines",
        "log_start",
        "loses_seats",
        "message_log",
        "over",
        "pending_moves",
        "read_counts",
        "reply_history",
        "reset_args",
        "rng_state",
        "seed",
        "spent_ticks",
        "state",
        "submit_count",
        "total_returns",
        "truncated",
        "turns",
        "waiting_seats",
    )

    seed: int
    reset_args: tuple[int, ResetOptions]  # the seed and the options of the reset
    # All replies as submitted, and the seeds of `redraw_chance`, in their order.
    reply_history: list[dict[str, SeatAction] | int]
    state: Any  # None before the first episode
    lists_moves: bool  # whether the state has `legal`
    loses_seats: bool  # whether the state has `out`
    turns: int  # how often the game has advanced
    submit_count: int  # how often replies were submitted
    acting_seats: tuple[str, ...]  # the seats that move in this position
    waiting_seats: tuple[str, ...]  # the acting seats that have not replied yet
    pending_moves: dict[str, Any]  # the moves of the acting seats that have replied
    last_moves: dict[str, Any]  # each seat's last move
    invalid_counts: dict[str, int]  # invalid replies in a row
    invalid_replies: dict[str, Info]  # why a seat's last reply was refused
    adjustments: dict[str, float]  # forfeits and penalties
    total_returns: Mapping[str, float]  # returns so far, adjustments included
    spent_ticks: dict[str, int]  # ticks spent on invalid replies of this turn, with a clock
    alive_seats: tuple[str, ...]  # seats that are not done
    departed_seats: tuple[str, ...]  # seats that are done because they left
    over: bool
    truncated: bool  # over because of a limit outside the rules
    read_counts: dict[str, int]  # how many messages a seat has read; -1 before its first reply
    message_log: list[Message]
    log_lines: list[str]  # the first messages of the log, as they are shown
    has_private: bool  # whether some messages of the log are not for all seats
    log_start: int  # the number of messages dropped from the start of the log
    rng_state: Mapping[str, object] | None  # of a copy: the state of the game's generator

    def copy_from(self, other: EpisodeState) -> None:
        """Take over all values of another state, with copies of the mutable ones."""
        for name in EpisodeState.__slots__:
            setattr(self, name, getattr(other, name))
        self.pending_moves, self.last_moves = self.pending_moves.copy(), self.last_moves.copy()
        self.invalid_counts, self.invalid_replies = (
            self.invalid_counts.copy(),
            self.invalid_replies.copy(),
        )
        self.adjustments, self.read_counts = self.adjustments.copy(), self.read_counts.copy()
        self.spent_ticks = self.spent_ticks.copy()
        self.message_log, self.log_lines = self.message_log.copy(), self.log_lines.copy()
        self.reply_history = self.reply_history.copy()
