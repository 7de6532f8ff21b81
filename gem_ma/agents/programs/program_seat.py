"""The seat of a program: wait for turns and play replies, from any thread or event loop."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gem_ma.chat.turn import Turn

LAST_CALL = None  # in place of a reply: the answer of the last model call is the move


class NotYourTurn(RuntimeError):
    """Raised if a program plays when it is not its turn."""


class ProgramSeat:
    """One seat of one episode, from its first turn to the end.

        turn = seat.turn()
        while turn is not None:
            turn = seat.play(think(turn))

    A coroutine awaits `aturn` and `aplay`. A reply is a text, a message with tool calls, or None,
    which means the answer of the last model call.

    Args:
        name: The seat's name.
        address: The gateway's address for this seat only. Use it as the URL of a model's server:
            `OpenAI(base_url=seat.address, api_key="none")`.
    """

    def __init__(self, name: str, episode: str, address: str):
        self.name = name
        self.episode = episode
        self.address = address
        self.final_return: float | None = None  # the seat's return, once the episode is over
        self._turn_future: Future[Turn | None] = Future()
        self._reply_future: Future[Any] | None = None

    @property
    def root_address(self) -> str:
        """The address for clients of Anthropic and Google, which add the version themselves."""
        return self.address.rpartition("/")[0]

    def turn(self, timeout: float | None = None) -> Turn | None:
        """Wait for the seat's turn and return it, or None when the episode is over."""
        return self._turn_future.result(timeout)

    def play(self, reply: Any = LAST_CALL) -> Turn | None:
        """Reply to the turn; wait for the next turn and return it, or None at the end."""
        return self._submit_reply(reply).result()

    async def aturn(self) -> Turn | None:
        """Wait for the seat's turn, as a coroutine."""
        turn: Turn | None = await _wait_for_future(self._turn_future)
        return turn

    async def aplay(self, reply: Any = LAST_CALL) -> Turn | None:
        """Reply to the turn and wait for the next one, as a coroutine."""
        turn: Turn | None = await _wait_for_future(self._submit_reply(reply))
        return turn

    @property
    def is_due(self) -> bool:
        """Whether it is this seat's turn."""
        return self._reply_future is not None

    @property
    def current_turn(self) -> Turn | None:
        """The turn that the seat is to play now, or None."""
        future = self._turn_future
        return future.result() if self.is_due and future.done() else None

    def _submit_reply(self, reply: Any) -> Future[Turn | None]:
        said, self._reply_future = self._reply_future, None
        if said is None:
            over = self._turn_future.done() and self._turn_future.result() is None
            raise NotYourTurn("the episode is over" if over else f"it is not {self.name}'s turn")
        due = self._turn_future = Future()
        said.set_result(reply)
        return due

    def offer_turn(self, turn: Turn) -> Future[Any]:
        """Give the seat a turn, and return a future of its reply."""
        reply: Future[Any] = Future()
        self._reply_future = reply
        self._turn_future.set_result(turn)
        return reply

    def end(self, returned: float | None = None) -> None:
        """Tell the program that the episode is over."""
        self.final_return = returned
        said, self._reply_future = self._reply_future, None
        if said is not None:
            said.cancel()
            self._turn_future = Future()
        if not self._turn_future.done():
            self._turn_future.set_result(None)


async def _wait_for_future(future: Future[Any]) -> Any:
    """Await a future of another thread; cancelling the wait does not cancel the future."""
    return await asyncio.shield(asyncio.wrap_future(future))
