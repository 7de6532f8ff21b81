"""An agent that is a program: a function, a coroutine function or a command that plays a seat."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from gem_ma.agents.programs.command_process import run_command
from gem_ma.agents.programs.gateway import ModelGateway
from gem_ma.agents.programs.program_seat import ProgramSeat
from gem_ma.chat.agent import AgentSource
from gem_ma.chat.model_calls import ModelCall
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import format_tool_calls
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.json_types import JSONObject

_MAX_THREADS = 1024  # for plain functions, each in a thread
_CLEANUP_TIMEOUT = 15.0  # seconds for killing the processes that programs left


class ProgramFailed(RuntimeError):
    """Raised if a program ended, failed or made no move in time when its seat was to act."""


class ProgramAgent:
    """An agent that is a program, which plays its seat for a whole episode.

    Args:
        program: A function or a coroutine function that gets the seat (a ProgramSeat), or a command
            such as "python agent.py". A command is started for each seat, reads turns as lines of
            JSON and writes {"reply": ...}. None: clients of the gateway play the seats from
            outside.
        model: The server for the program's model calls, as URL or MODEL@URL, or an agent that
            answers them. None: no model can be called.
        seconds: Time limit of a turn.
        memory: Bytes that each process of a command may use; None: no limit.
        patience: Seconds for a program to end when its episode is over.
        **gateway: Options of the gateway that passes the calls on. `key` is the environment
            variable with the server's key, `token_ids=True` asks vLLM for token ids, and `timeout`
            is the number of seconds for an answer (600).
    """

    def __init__(
        self,
        program: Callable[[ProgramSeat], Any] | str | None,
        model: AgentSource | None = None,
        *,
        seconds: float = 600.0,
        memory: int | None = None,
        patience: float = 5.0,
        **gateway: Any,
    ):
        if seconds <= 0 or patience < 0 or (memory is not None and memory < 1):
            raise ValueError(
                f"seconds={seconds}, patience={patience}, memory={memory}: expected seconds > 0, "
                "patience >= 0, and memory >= 1 or None"
            )
        self.program = program
        self.gateway = ModelGateway(model, **gateway)
        self.seconds = seconds
        self.memory = memory
        self.patience = patience
        self._seats: dict[tuple[str, str], ProgramSeat] = {}
        self._tasks: dict[ProgramSeat, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._user_count = 0

    async def act(self, turns: list[Turn]) -> list[Reply]:
        async with self:
            return await asyncio.gather(*map(self._reply, turns))

    async def _reply(self, turn: Turn) -> Reply:
        seat = self._find_seat(turn)
        reply = asyncio.wrap_future(seat.offer_turn(turn))
        task = self._tasks.get(seat)
        waiting = {reply} if task is None else {reply, task}
        try:
            await asyncio.wait(waiting, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
            if not reply.done():
                raise ProgramFailed(self._explain_failure(seat, task))
        finally:
            if not reply.done():
                reply.cancel()
        packed, last = self.gateway.take_calls(seat)
        return make_program_reply(reply.result(), packed, last, seat.name)

    def _explain_failure(self, seat: ProgramSeat, task: asyncio.Task[None] | None) -> str:
        """Return the reason why a program has not played."""
        if task is None or not task.done():
            return f"{self!r} made no move of {seat.name} within {self.seconds:g} s"
        error = None if task.cancelled() else task.exception()
        how = f"failed: {type(error).__name__}: {error}" if error else "ended"
        return redact_secrets(f"{self!r} {how}, and {seat.name} was to act")

    def _find_seat(self, turn: Turn) -> ProgramSeat:
        """Return the seat of a turn; start its program at the first turn."""
        key = turn.episode, turn.seat
        seat = self._seats.get(key) if turn.episode else None
        if seat is None:
            seat = self._seats[key] = self.gateway.open_seat(turn.seat, turn.episode)
            if self.program is not None:
                task = asyncio.get_running_loop().create_task(self._run_program(seat))
                task.add_done_callback(_consume_exception)
                self._tasks[seat] = task
            self.on_seat_open(seat)
        return seat

    def on_seat_open(self, seat: ProgramSeat) -> None:
        """React to a new seat; a subclass may override this."""

    async def _run_program(self, seat: ProgramSeat) -> None:
        if isinstance(self.program, str):
            gateway = self.gateway
            await run_command(
                self.program, seat, self.memory, self.patience, gateway.key, gateway.has_model
            )
        elif inspect.iscoroutinefunction(self.program):
            await self.program(seat)
        else:
            assert self.program is not None
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._pool, self.program, seat)

    def on_episode_end(self, episode: Any) -> None:
        """Let the programs of an episode end, because the episode is over."""
        for name in episode.agents:
            seat = self._seats.pop((episode.id, name), None)
            if seat is not None:
                self._end_seat(seat, episode.returns.get(name))

    def _end_seat(self, seat: ProgramSeat, returned: float | None = None) -> None:
        seat.end(returned)
        task, loop = self._tasks.get(seat), self._loop
        if task is None or task.done() or loop is None:
            self._forget_seat(seat)
        else:
            loop.call_later(self.patience, _cancel_task, task)
            task.add_done_callback(lambda _: self._forget_seat(seat))

    def _forget_seat(self, seat: ProgramSeat) -> None:
        self._tasks.pop(seat, None)
        self.gateway.close_seat(seat)

    async def __aenter__(self) -> Self:
        if not self._user_count:
            self.gateway.__enter__()
            self._loop = asyncio.get_running_loop()
            self._pool = ThreadPoolExecutor(_MAX_THREADS)
        self._user_count += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._user_count -= 1
        if self._user_count:
            return
        seats, self._seats = list(self._seats.values()), {}
        for seat in seats:
            self._end_seat(seat)
        tasks = list(self._tasks.values())
        if tasks:
            await asyncio.wait(tasks, timeout=self.patience)
            for task in tasks:
                _cancel_task(task)
            await asyncio.wait(tasks, timeout=_CLEANUP_TIMEOUT)
        assert self._pool is not None
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._loop = self._pool = None
        self.gateway.__exit__()

    def __repr__(self) -> str:
        name = self.program if isinstance(self.program, str) else _format_program_name(self.program)
        return redact_secrets(f"ProgramAgent({name}, {self.gateway.model_label})")


def make_program_reply(
    answer: Any, packed: list[JSONObject], last: ModelCall | None, seat: str = "the seat"
) -> Reply:
    """Return a program's move as a reply, with the model calls that it made before.

    If the reply equals the last call's answer, it has the tokens of that call.
    """
    text, calls = _parse_program_answer(answer, last, seat)
    fields: JSONObject = {"calls": packed, "tool_calls": calls}
    if last is not None and (text, list(calls)) == (last.text, list(last.tool_calls)):
        fields |= {"token_ids": last.token_ids, "logprobs": last.logprobs}
        fields["finish_reason"] = last.finish_reason
    totals: dict[str, int] = {}
    for one in packed:
        for name, count in one.get("usage", {}).items():
            totals[name] = totals.get(name, 0) + count
    fields["usage"] = totals
    return Reply(text, **fields)


def _parse_program_answer(answer: Any, last: ModelCall | None, seat: str) -> tuple[str, Any]:
    """Return the text and the tool calls of a program's move."""
    if answer is None:
        if last is None:
            raise ProgramFailed(
                f"the program played None for {seat}, which stands for the reply of its last model "
                "call, but it made no model call; play a text"
            )
        return last.text, last.tool_calls
    if isinstance(answer, str):
        return answer, ()
    if isinstance(answer, Mapping):
        text, calls = answer.get("content") or "", answer.get("tool_calls") or ()
        if isinstance(text, str) and _are_tool_calls(calls):
            format_tool_calls(calls)
            return text, calls
    raise ProgramFailed(
        f"the program played a {type(answer).__name__} for {seat}: expected a text, a message with "
        "content and tool_calls, or None for the reply of the last model call"
    )


def _are_tool_calls(calls: object) -> bool:
    """Return whether a value has the shape of OpenAI's tool calls."""
    return isinstance(calls, list | tuple) and all(
        isinstance(one, Mapping) and isinstance(one.get("function"), Mapping) for one in calls
    )


def _cancel_task(task: asyncio.Task[None]) -> None:
    """Cancel a task, but only once, because its cleanup may take a while."""
    if not task.cancelling():
        task.cancel()


def _consume_exception(task: asyncio.Task[None]) -> None:
    """Retrieve a task's exception, because the task may never be awaited."""
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()


def _format_program_name(program: object) -> str:
    if program is None:
        return "outside"
    return str(getattr(program, "__qualname__", type(program).__name__))
