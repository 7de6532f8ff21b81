"""An agent made from a function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gem_ma.chat.turn import Turn

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class FunctionAgent:
    """An agent that replies with the value of a function of a Turn.

    Args:
        function: A plain function, or a coroutine function, which is awaited for all turns at once.
        workers: Threads in which a plain function is called, for a function that waits for a
            server. 0: no threads.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.agents import FunctionAgent
        >>> async def first_move(turn):  # may await the reply of a server
        ...     return turn.legal[0]
        >>> (episode,) = gem_ma.rollout("game:KuhnPoker-v0", FunctionAgent(first_move), seed=0)
        >>> [step.reply for step in episode.steps]
        ['check', 'check']
    """

    def __init__(self, function: Callable[[Turn], str | Awaitable[str]], workers: int = 0):
        if workers < 0:
            raise ValueError(f"workers={workers}: expected 0 or more")
        call = type(function).__call__  # an object that is called like a function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
        if workers and self._is_async:
            raise ValueError(
                f"workers={workers}: {_format_function_name(function)} is a coroutine function, "
                "which needs no threads; leave workers out"
            )
        self.prefers_single_turns = not (workers or self._is_async)
        self.function: Callable[[Turn], Any] = function
        self.workers = workers
        self._pool: ThreadPoolExecutor | None = None
        self._choose_act()

    def _choose_act(self) -> None:
        """Set `act` to the method that suits the function: a coroutine function if it waits."""
        self.act: Callable[[list[Turn]], Any] = self._act_directly
        if self.workers:
            self.act = self._act_in_threads
        elif self._is_async:
            self.act = self._act_async

    def _act_directly(self, turns: list[Turn]) -> list[str]:
        return [*map(self.function, turns)]

    async def _act_async(self, turns: list[Turn]) -> Sequence[str]:
        return await _gather_replies([self.function(turn) for turn in turns])

    async def _act_in_threads(self, turns: list[Turn]) -> Sequence[str]:
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers)
        loop, pool = asyncio.get_running_loop(), self._pool
        return await _gather_replies([loop.run_in_executor(pool, self.function, t) for t in turns])

    def __getstate__(self) -> dict[str, object]:
        state = {**self.__dict__, "_pool": None}
        del state["act"]  # it is bound to this agent
        return state

    def __setstate__(self, state: Mapping[str, object]) -> None:
        self.__dict__.update(state)
        self._choose_act()

    def __repr__(self) -> str:
        workers = f", workers={self.workers}" if self.workers else ""
        return f"FunctionAgent({_format_function_name(self.function)}{workers})"


async def _gather_replies(calls: list[Any]) -> Sequence[str]:
    import asyncio  # imported only when it is needed, because importing it is slow

    replies: list[str] = await asyncio.gather(*calls)
    return replies


def _format_function_name(function: Any) -> str:
    """Return a name of a function that is the same in every process."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"
