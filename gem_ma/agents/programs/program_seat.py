"""A seat as a program has it: turns to wait for, and replies to play, from any thread or loop."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gem_ma.chat.turn import Turn

LAST_CALL = None  # in place of a reply: what the last call of a model said is the move


class NotYourTurn(RuntimeError):
    """A move was played that nobody waits for."""


class ProgramSeat:
    """One seat of one episode, from its first turn to the end.

        turn = seat.turn()
        while turn is not None:
            turn = seat.play(think(turn))

    A coroutine awaits `aturn` and `aplay`. A reply is a text, a message with tool calls, or None,
    which stands for what the last call of a model said.

    Args:
        name: of the seat.
        address: of the gateway, for this seat alone; it takes the place of a server's in whatever
            calls models: `OpenAI(base_url=seat.address, api_key="none")`.
    """

    def __init__(self, name: str, episode: str, address: str):
        self.name = name
        self.episode = episode
        self.address = address
        self.final_return: float | None = None  # what the seat has earned, once it is over
        self._turn_future: Future[Turn | None] = Future()
        self._reply_future: Future[Any] | None = None

    def turn(self, timeout: float | None = None) -> Turn | None:
        """Wait for the seat's turn, and return it, or None when the episode is over."""
        return self._turn_future.result(timeout)

    def play(self, reply: Any = LAST_CALL) -> Turn | None:
        """Reply to the turn; wait for the next one, and return it, or None at the end."""
        return self._submit_reply(reply).result()

    async def aturn(self) -> Turn | None:
        """Wait for the seat's turn as a coroutine."""
        turn: Turn | None = await _wait_for_future(self._turn_future)
        return turn

    async def aplay(self, reply: Any = LAST_CALL) -> Turn | None:
        """Reply to the turn, and wait for the next one, as a coroutine."""
        turn: Turn | None = await _wait_for_future(self._submit_reply(reply))
        return turn

    @property
    def is_due(self) -> bool:
        """Whether it is this seat's turn."""
        return self._reply_future is not None

    def _submit_reply(self, reply: Any) -> Future[Turn | None]:
        said, self._reply_future = self._reply_future, None
        if said is None:
            over = self._turn_future.done() and self._turn_future.result() is None
            raise NotYourTurn("the episode is over" if over else f"it is not {self.name}'s turn")
        due = self._turn_future = Future()
        said.set_result(reply)
        return due

    def offer_turn(self, turn: Turn) -> Future[Any]:
        """Let it be the seat's turn, and return what its reply will be."""
        reply: Future[Any] = Future()
        self._reply_future = reply
        self._turn_future.set_result(turn)
        return reply

    def end(self, returned: float | None = None) -> None:
        """Let the episode be over."""
        self.final_return = returned
        said, self._reply_future = self._reply_future, None
        if said is not None:
            said.cancel()
            self._turn_future = Future()
        if not self._turn_future.done():
            self._turn_future.set_result(None)


async def _wait_for_future(future: Future[Any]) -> Any:
    """Wait for a future of any thread, and leave it as it is where waiting is given up."""
    return await asyncio.shield(asyncio.wrap_future(future))
