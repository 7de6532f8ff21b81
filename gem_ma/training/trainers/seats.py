"""Seats for a trainer: who sits where, and one seat for a trainer that knows one agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.async_seats import AsyncSeat, SeatOutcome
from gem_ma.apis.factory import EnvSource
from gem_ma.chat.agent import AgentSource, SeatAgents
from gem_ma.chat.event_loops import run_async
from gem_ma.chat.reply import Reply
from gem_ma.engine.config import EnvOptions
from gem_ma.engine.match import SeatError
from gem_ma.game import ResetOptions


class SeatAssignment(NamedTuple):
    """An environment, who is given, and the seats that are trained."""

    env: AECEnv
    others: dict[str, AgentSource]
    seats: list[str]


def assign_seats(
    function: Callable[..., object],
    env: EnvSource,
    seat: str | None,
    others: SeatAgents | None,
    make: EnvOptions,
) -> SeatAssignment:
    """Return who sits where: `seat` is trained, or without it every seat that others leave."""
    env = factory.resolve_env(function, env, make)
    names = list(env.possible_agents)
    if seat is not None and seat not in names:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(names)}")
    if others is not None and not isinstance(others, Mapping):
        if seat is None:
            raise SeatError(f"others={others!r} plays all but one: say seat={names[0]!r}")
        others = {name: others for name in names if name != seat}
    agents = dict(others or {})
    return SeatAssignment(env, agents, [name for name in names if name not in agents])


def make_seat(
    env: EnvSource, seat: str | None = None, others: SeatAgents | None = None, **make: Any
) -> AsyncSeat:
    """Return one seat at a new table, for a trainer that knows one agent.

    Args:
        env: an id with `make`, its arguments, or an environment.
        seat: may be left out where others leave one.
        others: one agent for all other seats, or a mapping from seat to agent; each may be a spec
            string such as "random".
    """
    table = assign_seats(make_seat, env, seat, others, make)
    if len(table.seats) > 1 or (seat is not None and seat not in table.seats):
        raise SeatError(
            f"this trainer knows one agent, and {', '.join(table.seats)} wait for one; "
            f"others= plays the rest: others={{{list(table.env.possible_agents)[-1]!r}: 'random'}}"
        )
    seats = table.env.seats(others=table.others)
    return next(iter(seats.values()))


class SyncSeat:
    """A seat of `make_seat` without await: what each call gained, and what it earned in all."""

    def __init__(self, seat: AsyncSeat):
        self.seat = seat
        self.reward = 0.0
        self.done = True

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> SeatOutcome:
        """Begin an episode."""
        self.reward = 0.0
        return self._apply_outcome(run_async(lambda: self.seat.reset(seed, options)))

    def step(self, reply: str, **fields: Any) -> SeatOutcome:
        """Reply; `fields` is what a Reply holds beside its text."""
        return self._apply_outcome(run_async(lambda: self.seat.step(Reply(reply, **fields))))

    def _apply_outcome(self, outcome: SeatOutcome) -> SeatOutcome:
        self.reward += outcome.reward
        self.done = outcome.turn is None
        return outcome
