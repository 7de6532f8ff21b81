"""One file for each trainer that brings its own idea of an environment, and what they share.

Each imports its trainer when it is imported itself, and nothing here imports them. They may import
what training may, and never each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gem_ma.apis import making
from gem_ma.apis.seats import Outcome, Seat
from gem_ma.match.match import SeatError
from gem_ma.talk.loops import run_async
from gem_ma.talk.reply import Reply


def sit(env: Any, seat: str | None = None, others: Any = None, **make: Any) -> Seat:
    """Return one seat at a new table, for a trainer that knows one agent.

    env: an id with `make`, its arguments, or an environment. seat: may be left out where others
    leave one. others: one agent for all other seats, or a mapping from seat to agent; each may be a
    spec string such as "random".
    """
    env = making.made_for(sit, env, make)
    names = list(env.possible_agents)
    if seat is not None and seat not in names:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(names)}")
    if others is not None and not isinstance(others, Mapping):
        if seat is None:
            raise SeatError(f"others={others!r} plays all but one: say seat={names[0]!r}")
        others = {name: others for name in names if name != seat}
    seats: dict[str, Seat] = env.seats(others=others)
    if len(seats) != 1 or (seat is not None and seat not in seats):
        raise SeatError(
            f"this trainer knows one agent, and {', '.join(seats)} wait for one; "
            f"others= plays the rest: others={{{names[-1]!r}: 'random'}}"
        )
    return next(iter(seats.values()))


class Solo:
    """A seat of `sit` without await: what it gained at each call, and what it earned in all."""

    def __init__(self, seat: Seat):
        self.seat = seat
        self.reward = 0.0
        self.done = True

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Outcome:
        """Begin an episode."""
        self.reward = 0.0
        return self._came(run_async(lambda: self.seat.reset(seed, options)))

    def step(self, reply: str, **fields: Any) -> Outcome:
        """Reply; `fields` is what a Reply holds beside its text."""
        return self._came(run_async(lambda: self.seat.step(Reply(reply, **fields))))

    def _came(self, outcome: Outcome) -> Outcome:
        self.reward += outcome.reward
        self.done = outcome.turn is None
        return outcome
