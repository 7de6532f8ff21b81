"""Replay: recorded moves are played again, step by step, and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from gem_ma.apis.session import Session
from gem_ma.chat.conversation import Step
from gem_ma.chat.turn import Turn
from gem_ma.validation.json_types import JSONMapping, JSONObject

# Simultaneous replies by seat, or the seed with which chance was redrawn.
RecordedMove: TypeAlias = JSONMapping | int


class ReplayError(AssertionError):
    """Raised if a replay differs from the record."""


class ReplayableRecord(Protocol):
    """The part of a record that a replay needs."""

    seed: int
    options: JSONObject
    steps: list[Step]
    redrawn: list[tuple[int, int]]
    begun: int


class ReplayedMove(NamedTuple):
    """A recorded move that is about to be played again."""

    number: int  # index of the first step
    steps: Sequence[Step]  # as they were recorded
    turns: Mapping[str, Turn]  # turns in the replay


def replay_moves(session: Session, moves: Iterable[RecordedMove]) -> Iterator[dict[str, Turn]]:
    """Play moves in an episode that was reset; yield the turns that each move replies to.

    A move is applied when the next one is requested.
    """
    for move in moves:
        if isinstance(move, int):
            session.env.match.redraw_chance(move)
            continue
        yield {seat: session.turn(seat) for seat in move}
        session.step(move)


def replay(
    session: Session,
    record: ReplayableRecord,
    find_difference: Callable[[Turn, Step], str] | None = None,
) -> Iterator[ReplayedMove]:
    """Replay a record from its reset; yield every move just before it is applied.

    Args:
        session: The session to play in, such as `Session(make(record.spec))`.
        record: The episode.
        find_difference: Returns how a turn differs from the record, or "" if it does not. None:
            turns may differ, and the episode may end sooner.

    Raises:
        ReplayError: Other seats are to act, or a turn differs.
    """
    at = 0
    session.reset(record.seed, record.options or None)
    moves = list_moves(record)
    for turns in replay_moves(session, _check_seats(session, record, moves, bool(find_difference))):
        steps = record.steps[at : at + len(turns)]
        for step in steps:
            if find_difference and (difference := find_difference(turns[step.agent], step)):
                raise ReplayError(f"step {at}, {step.agent}: {difference}")
        yield ReplayedMove(at, steps, turns)
        if any(step.reply is None for step in steps):  # the episode failed here
            return
        at += len(turns)


def _check_seats(
    session: Session, record: ReplayableRecord, moves: Iterable[RecordedMove], strict: bool
) -> Iterator[RecordedMove]:
    """Yield the moves of a record, or raise ReplayError if other seats are to act.

    Unless `strict`, an episode may end before its record does.
    """
    at = 0
    for move in moves:
        if not isinstance(move, int):
            waiting, seats = session.env.match.waiting_seats, list(move)
            if not waiting and not strict:
                return
            # In steps before the rollout, some seats may have replied before others of their round.
            expected = [seat for seat in waiting if seat in move or at >= record.begun]
            if expected != seats:
                due = ", ".join(waiting) or "nobody"
                raise ReplayError(
                    f"step {at}: {due} is to act, but in the record {', '.join(seats)} acts"
                )
            at += len(move)
        yield move


def list_moves(record: ReplayableRecord, until: int | None = None) -> list[RecordedMove]:
    """Return the moves before a step of a record, by the step's index, or all moves if it is None.

    Simultaneous steps stay together.
    """
    steps = record.steps
    count = len(steps) if until is None else max(0, min(until, len(steps)))
    if count < len(steps):
        count = next(at for at, one in enumerate(steps) if one.number == steps[count].number)
    moves: list[Any] = []
    number = None
    for at, step in enumerate(steps[:count]):
        if step.number != number:
            moves += [seed for place, seed in record.redrawn if place == at]
            moves.append({})
            number = step.number
        moves[-1][step.agent] = step.reply
    return moves
