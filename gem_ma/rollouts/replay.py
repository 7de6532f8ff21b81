"""The replayer: recorded moves played again, step by step, and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from gem_ma.apis.session import Session
from gem_ma.chat.conversation import Step
from gem_ma.chat.turn import Turn
from gem_ma.validation.json_types import JSONMapping, JSONObject

# Replies by seat that were handed in together, or the seed with which chance was redrawn.
RecordedMove: TypeAlias = JSONMapping | int


class ReplayError(AssertionError):
    """An episode did not happen again as it was recorded."""


class ReplayableRecord(Protocol):
    """What of a record is played again."""

    seed: int
    options: JSONObject
    steps: list[Step]
    redrawn: list[tuple[int, int]]
    begun: int


class ReplayedMove(NamedTuple):
    """What is about to be handed in again."""

    number: int  # of the first of the steps
    steps: Sequence[Step]  # as they were recorded
    turns: Mapping[str, Turn]  # as they are asked now


def replay_moves(session: Session, moves: Iterable[RecordedMove]) -> Iterator[dict[str, Turn]]:
    """Play moves again in an episode that has begun; yield the turns that each move replies to.

    A move is handed in when the next one is asked for.
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
    """Play a record again from its reset; yield every move just before it is handed in.

    Args:
        session: What it is played in, such as `Session(make(record.spec))`.
        record: The episode.
        find_difference: Says how a turn differs from what was recorded, or nothing if it does
            not; None: turns may differ, and the episode may end sooner.

    Raises:
        ReplayError: The turns are those of others, or differ.
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
        if any(step.reply is None for step in steps):  # the record ends here: it failed
            return
        at += len(turns)


def _check_seats(
    session: Session, record: ReplayableRecord, moves: Iterable[RecordedMove], strict: bool
) -> Iterator[RecordedMove]:
    """Yield the moves of a record, or raise ReplayError where other seats are to act.

    Unless strict, an episode that is over sooner is no error.
    """
    at = 0
    for move in moves:
        if not isinstance(move, int):
            waiting, seats = session.env.match.waiting_seats, list(move)
            if not waiting and not strict:
                return
            # By hand some seats may have replied before the others of their round.
            expected = [seat for seat in waiting if seat in move or at >= record.begun]
            if expected != seats:
                due = ", ".join(waiting) or "nobody"
                raise ReplayError(f"step {at}: {due} is to act, not {', '.join(seats)}")
            at += len(move)
        yield move


def list_moves(record: ReplayableRecord, until: int | None = None) -> list[RecordedMove]:
    """Return what led to the step of a record with this number, or to its end.

    Steps that were taken together stay together.
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
