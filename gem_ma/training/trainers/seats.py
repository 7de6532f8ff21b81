"""Seats for a trainer: the agents of all seats, or one seat for a trainer with a single agent."""

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
    """An environment, the agents of the other seats, and the seats that are trained."""

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
    """Return the assignment of seats; all seats that `others` does not play are trained.

    Args:
        function: the caller, for error messages.
        env: an id with `make`, its arguments, or an environment.
        seat: the trained seat, needed if `others` is one agent for all other seats.
        others: one agent, or a mapping from seat to agent.
        make: arguments of the environment.
    """
    env = factory.resolve_env(function, env, make)
    names = list(env.possible_agents)
    if seat is not None and seat not in names:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(names)}")
    if others is not None and not isinstance(others, Mapping):
        if seat is None:
            raise SeatError(
                f"others={others!r} plays all seats but one; pass that seat, such as "
                f"seat={names[0]!r}"
            )
        others = {name: others for name in names if name != seat}
    agents = dict(others or {})
    return SeatAssignment(env, agents, [name for name in names if name not in agents])


def make_seat(
    env: EnvSource, seat: str | None = None, others: SeatAgents | None = None, **make: Any
) -> AsyncSeat:
    """Return one seat of a new episode, for a trainer with a single agent.

    Args:
        env: an id with `make`, its arguments, or an environment.
        seat: the seat to return; None: the only one that `others` does not play.
        others: one agent for all other seats, or a mapping from seat to agent; each may be a spec
            string such as "random".
        **make: arguments of the environment, if `env` is an id.

    Raises:
        SeatError: `others` leaves no seat or several, or not `seat`.
    """
    table = assign_seats(make_seat, env, seat, others, make)
    if len(table.seats) != 1 or (seat is not None and seat not in table.seats):
        raise SeatError(
            f"expected one seat for the trainer, got {', '.join(table.seats) or 'none'}; pass "
            f"agents of the rest, such as "
            f"others={{{list(table.env.possible_agents)[-1]!r}: 'random'}}"
        )
    seats = table.env.seats(others=table.others)
    return next(iter(seats.values()))


class SyncSeat:
    """A synchronous view of a seat of `make_seat`, with the episode's total reward so far."""

    def __init__(self, seat: AsyncSeat):
        self.seat = seat
        self.reward = 0.0
        self.done = True

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> SeatOutcome:
        """Start an episode, and wait until the seat is to act or the episode is over."""
        self.reward = 0.0
        return self._apply_outcome(run_async(lambda: self.seat.reset(seed, options)))

    def step(self, reply: str, **fields: Any) -> SeatOutcome:
        """Reply; `fields` are attributes of Reply in addition to its text."""
        return self._apply_outcome(run_async(lambda: self.seat.step(Reply(reply, **fields))))

    def _apply_outcome(self, outcome: SeatOutcome) -> SeatOutcome:
        self.reward += outcome.reward
        self.done = outcome.turn is None
        return outcome
