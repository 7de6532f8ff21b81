"""EpisodeState: a point of an episode, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gem_ma.engine.action_parsing import SeatAction
from gem_ma.game import Info, Message, ResetOptions


class EpisodeState:
    """A point of an episode: all that it consists of, in slots that are copied as a whole."""

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
    reset_args: tuple[int, ResetOptions]  # the seed and the options that it began with
    # what was played: replies, as they were given, and seeds of redrawn chance
    reply_history: list[dict[str, SeatAction] | int]
    state: Any  # None before the first episode
    lists_moves: bool  # whether the state has `legal`
    loses_seats: bool  # whether it has `out`
    turns: int  # how often the game has advanced
    submit_count: int  # how often replies came in
    acting_seats: tuple[str, ...]  # whom the game waits for, in this position
    waiting_seats: tuple[str, ...]  # those of them who have not replied yet
    pending_moves: dict[str, Any]  # the moves of those who have
    last_moves: dict[str, Any]  # each seat's last move
    invalid_counts: dict[str, int]  # invalid replies in a row
    invalid_replies: dict[str, Info]  # why a seat's last reply was refused
    adjustments: dict[str, float]  # forfeits and penalties
    total_returns: Mapping[str, float]  # all that was earned until now
    spent_ticks: dict[str, int]  # ticks that went into invalid replies, with a clock
    alive_seats: tuple[str, ...]  # who is not done
    departed_seats: tuple[str, ...]  # who is done by leaving
    over: bool
    truncated: bool  # over by a limit that is no rule
    read_counts: dict[str, int]  # how much of the log; -1 before the first reply
    message_log: list[Message]
    log_lines: list[str]  # the first messages of the log as they are shown
    has_private: bool  # some of them are not for everybody
    log_start: int  # how many messages were dropped before the log
    rng_state: Mapping[str, object] | None  # where the game's random numbers stand, of a copy

    def copy_from(self, other: EpisodeState) -> None:
        """Become the point that another one is; what both could change is copied."""
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
