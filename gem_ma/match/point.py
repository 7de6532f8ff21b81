"""Point: a point of an episode, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gem_ma.game import Message


class Point:
    """A point of an episode: all that it consists of, in slots that are copied as a whole."""

    __slots__ = (
        "acting",
        "adjust",
        "alive",
        "asked",
        "bad",
        "chance",
        "heard",
        "left",
        "lines",
        "lists_moves",
        "log",
        "loses_seats",
        "moved",
        "origin",
        "over",
        "paid",
        "past",
        "pending",
        "private",
        "refused",
        "seed",
        "start",
        "state",
        "thought",
        "truncated",
        "turns",
        "waiting",
    )

    seed: int
    origin: tuple[int, Mapping[str, Any]]  # the seed and the options that it began with
    past: list[Any]  # what was played: replies, as they were given, and seeds of redrawn chance
    state: Any  # None before the first episode
    lists_moves: bool  # whether the state has `legal`
    loses_seats: bool  # whether it has `out`
    turns: int  # how often the game has advanced
    asked: int  # how often replies came in
    acting: tuple[str, ...]  # whom the game waits for, in this position
    waiting: tuple[str, ...]  # those of them who have not replied yet
    pending: dict[str, Any]  # the moves of those who have
    moved: dict[str, Any]  # each seat's last move
    bad: dict[str, int]  # invalid replies in a row
    refused: dict[str, dict[str, Any]]  # why a seat's last reply was refused
    adjust: dict[str, float]  # forfeits and penalties
    paid: Mapping[str, float]  # all that was earned until now
    thought: dict[str, int]  # ticks that went into invalid replies, with a clock
    alive: tuple[str, ...]  # who is not done
    left: tuple[str, ...]  # who is done by leaving
    over: bool
    truncated: bool  # over by a limit that is no rule
    heard: dict[str, int]  # how much of the log; -1 before the first reply
    log: list[Message]
    lines: list[str]  # the first messages of the log as they are shown
    private: bool  # some of them are not for everybody
    start: int  # how many messages were dropped before the log
    chance: dict[str, Any] | None  # where the game's random numbers stand, of a copy

    def take_over(self, other: Point) -> None:
        """Become the point that another one is; what both could change is copied."""
        for name in Point.__slots__:
            setattr(self, name, getattr(other, name))
        self.pending, self.moved = self.pending.copy(), self.moved.copy()
        self.bad, self.refused = self.bad.copy(), self.refused.copy()
        self.adjust, self.heard = self.adjust.copy(), self.heard.copy()
        self.thought = self.thought.copy()
        self.log, self.lines = self.log.copy(), self.lines.copy()
        self.past = self.past.copy()
