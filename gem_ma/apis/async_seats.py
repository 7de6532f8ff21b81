"""Seats of one shared episode, each with its own async `reset` and `step`.

They let trainers that know only one agent play several seats of a game at once, or one seat among
other agents.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gem_ma.apis.base_env import BaseEnv
from gem_ma.apis.session import Session
from gem_ma.chat.agent import AgentSource, ask_agent_async, check_agent_seat
from gem_ma.chat.messages import ChatMessage
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import SeatAction, SeatActions
from gem_ma.engine.match import SeatError
from gem_ma.game import Info, ResetOptions

if TYPE_CHECKING:
    import asyncio  # slow to import, and needed only when a seat is used


class SeatLeftError(RuntimeError):
    """Another seat left the shared episode before the game was over."""


class SeatOutcome(NamedTuple):
    """The result of a reply, up to the seat's next turn or its end."""

    turn: Turn | None  # the seat's next turn; None when it is done
    messages: Sequence[ChatMessage]  # new messages in its conversation since its last reply
    reward: float  # its rewards since its last turn, from the moves of all seats
    terminated: bool
    truncated: bool
    info: Info


class AsyncSeat:
    """One seat of a shared episode; all seats of an episode use the same event loop."""

    def __init__(self, table: SharedEpisode, name: str):
        self._table = table
        self.name = name

    async def reset(
        self, seed: int | None = None, options: ResetOptions | None = None
    ) -> SeatOutcome:
        """Wait until all seats of the shared episode call `reset`; return this seat's first turn.

        It is enough that one seat passes a seed and options. If several do, they must be equal.
        """
        return await self._table.reset(self.name, seed, options)

    async def step(self, reply: SeatAction) -> SeatOutcome:
        """Submit a reply, and wait until this seat is to act again or is done."""
        return await self._table.step(self.name, reply)

    def leave(self) -> None:
        """End the episode for all seats; the calls that wait raise SeatLeftError."""
        self._table.leave(self.name)

    def __repr__(self) -> str:
        return f"<Seat {self.name} of {self._table.env!r}>"


class SharedEpisode:
    """An environment with its async seats, and the agents that play its other seats."""

    def __init__(self, env: BaseEnv, others: Mapping[str, AgentSource] | None = None):
        from gem_ma.agents.loading import load_agent

        self.env = env.copy()
        names = self.env.match.seats
        for name in others or {}:
            if name not in names:
                raise SeatError(f"others: no seat {name!r}; the seats are {', '.join(names)}")
        self.others = {
            name: check_agent_seat(load_agent(one), name) for name, one in (others or {}).items()
        }
        self.seats = {name: AsyncSeat(self, name) for name in names if name not in self.others}
        if not self.seats:
            raise SeatError(f"others play all seats of {self.env.core.id}; leave one of them out")
        self.session = Session(self.env)
        self.waiting: dict[str, asyncio.Future[SeatOutcome]] = {}
        self.reset_requests: dict[str, tuple[int | None, ResetOptions | None]] = {}
        self.replies: dict[str, SeatAction] = {}  # replies of this round, until it is complete
        self.pending_rewards: dict[str, float] = {}
        self.end_flags: dict[str, tuple[bool, bool]] = {}

    async def reset(self, name: str, seed: int | None, options: ResetOptions | None) -> SeatOutcome:
        if self.waiting.keys() - self.reset_requests.keys():
            playing = ", ".join(self.waiting.keys() - self.reset_requests.keys())
            raise SeatError(
                f"reset: the episode is not over for {playing}; play it to its end, or call leave()"
            )
        self.reset_requests[name] = seed, options
        future = self._create_future(name)
        if len(self.reset_requests) == len(self.seats):
            await self._share_errors(self._begin_episode())
        return await self._await_outcome(name, future)

    async def step(self, name: str, reply: SeatAction) -> SeatOutcome:
        match = self.env.match
        if name not in match.waiting_seats:
            raise (
                match.make_seat_error(name)
                if match.waiting_seats
                else match.make_reset_error("step")
            )
        self.env.check_reply(name, reply)  # before any seat waits for its result
        future = self._create_future(name)
        self.replies[name] = reply
        await self._share_errors(self._advance())
        return await self._await_outcome(name, future)

    def leave(self, name: str) -> None:
        self.reset_requests = {}
        waiting, self.waiting = self.waiting, {}
        for other, future in waiting.items():
            if other != name and not future.done():
                future.set_exception(
                    SeatLeftError(f"{name} left the episode; call reset() on all seats to go on")
                )
        self.env.close()

    def _create_future(self, name: str) -> asyncio.Future[SeatOutcome]:
        import asyncio

        if name in self.waiting:
            raise SeatError(f"{name} still waits for its last call; await that call first")
        future = self.waiting[name] = asyncio.get_running_loop().create_future()
        return future

    async def _await_outcome(self, name: str, future: asyncio.Future[SeatOutcome]) -> SeatOutcome:
        import asyncio

        try:
            return await future
        except asyncio.CancelledError:
            self.leave(name)
            raise

    async def _share_errors(self, work: Awaitable[object]) -> None:
        """Await `work`, and raise its error in all seats that wait."""
        try:
            await work
        except BaseException as error:
            waiting, self.waiting, self.reset_requests = self.waiting, {}, {}
            for future in waiting.values():
                if isinstance(error, Exception):
                    future.set_exception(error)
                    future.exception()  # mark as retrieved, so that asyncio does not log it
                else:
                    future.cancel()
            raise

    async def _begin_episode(self) -> None:
        requests, self.reset_requests = self.reset_requests, {}
        seeds = {seed for seed, _ in requests.values() if seed is not None}
        options = [options for _, options in requests.values() if options is not None]
        if len(seeds) > 1 or any(other != options[0] for other in options[1:]):
            raise SeatError(
                "reset: the seats must ask for one seed and the same options, got (seed, options) "
                f"of each seat: {requests}"
            )
        self.session = Session(self.env)
        self.session.reset(seeds.pop() if seeds else None, options[0] if options else None)
        self.pending_rewards = dict.fromkeys(self.env.match.seats, 0.0)
        self.end_flags = {}
        self.replies = {name: await self._ask_other(name) for name in self._list_due_others()}
        await self._advance()

    async def _advance(self) -> None:
        """Play all complete rounds, then resume the seats that act next or are done."""
        match = self.env.match
        while match.waiting_seats and all(name in self.replies for name in match.waiting_seats):
            self._submit({name: self.replies[name] for name in match.waiting_seats})
            self.replies = {name: await self._ask_other(name) for name in self._list_due_others()}
        for name in list(self.waiting):
            if name in self.end_flags or (name in match.waiting_seats and name not in self.replies):
                self._deliver_outcome(name)

    def _submit(self, replies: SeatActions) -> None:
        for name, reward in self.session.step(replies).items():
            self.pending_rewards[name] += reward
        core = self.env.core
        for name in self.env.match.seats:
            if name not in self.end_flags and any(flags := core.get_end_flags(name)):
                self.end_flags[name] = flags

    def _list_due_others(self) -> list[str]:
        return [name for name in self.env.match.waiting_seats if name in self.others]

    async def _ask_other(self, name: str) -> str:
        (reply,) = await ask_agent_async(self.others[name], [self.session.turn(name)])
        return reply

    def _deliver_outcome(self, name: str) -> None:
        chat, turn = self.session.conversations[name], None
        before = len(chat.build_messages())
        if name not in self.end_flags:
            turn = self.session.turn(name)
        new = list(chat.build_messages())[before:]
        reward, self.pending_rewards[name] = self.pending_rewards[name], 0.0
        info = self.env.info(name, turn=True)
        future = self.waiting.pop(name)
        if not future.done():
            future.set_result(
                SeatOutcome(turn, new, reward, *self.end_flags.get(name, (False, False)), info)
            )
