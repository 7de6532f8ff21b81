"""The order, truncation and rewards of the rows of a trainer's batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.rollouts.episode import Episode
from gem_ma.training.trainer_rows import TrainerRow


def iter_seat_episodes(
    episodes: Sequence[Episode], seats: Sequence[str], copies: int
) -> Iterator[tuple[Episode, str]]:
    """Yield episodes and seats in batch order; each run of `copies` rows is one comparison group.

    A group is one seat in `copies` episodes with the same start. The groups of the other seats in
    the same episodes follow.
    """
    for start in range(0, len(episodes), copies):
        for seat in seats:
            for episode in episodes[start : start + copies]:
                yield episode, seat


def compute_token_rewards(row: TrainerRow) -> list[float]:
    """Return rewards for the tokens of a row: a turn's reward at its last token, 0 elsewhere."""
    rewards = [0.0] * len(row["ids"])
    for (_, end), reward in zip(row["spans"], row["rewards"], strict=True):
        rewards[end - 1] = reward
    return rewards


def find_row_end(row: TrainerRow, room: int) -> int:
    """Return the end of a row: the end of its last reply, or `room` tokens if that is less."""
    end: int = row["spans"][-1][1]
    if end > room and row["pictures"]:
        raise ValueError(
            f"{row['agent']} has {end} tokens, more than the limit of {room}, and a sequence with "
            "pictures cannot be cut: raise the limit, or shorten chats with context="
        )
    return min(end, room)


def make_pixel_inputs(tokens: ChatTokenizer, shown: Sequence[Any]) -> dict[str, Any] | None:
    """Return a row's pictures as inputs of the trained model, or None without pictures."""
    if not shown:
        return None
    look = tokens.processor.image_processor
    return dict(look(images=[one.to_pil() for one in shown], return_tensors="pt"))


def subtract_seat_means(returns: Sequence[float], seats: Sequence[str]) -> list[float]:
    """Return each return minus the mean return of its seat.

    This is for trainers that subtract the mean of a group with several seats. The results have mean
    0 over each seat and over the group, so each seat is compared only with itself.
    """
    means = {
        seat: sum(r for r, other in zip(returns, seats, strict=True) if other == seat)
        / seats.count(seat)
        for seat in set(seats)
    }
    return [value - means[seat] for value, seat in zip(returns, seats, strict=True)]


class CallBatcher:
    """Groups the async calls with one key that start in the same iteration of the event loop.

    Trainers request all samples of a prompt at once, but do not pass their number to each call.
    """

    def __init__(self) -> None:
        self._open_calls: dict[Any, tuple[list[None], asyncio.Future[Any]]] = {}

    async def join(self, key: Any, make: Callable[[int], Any]) -> tuple[int, Any]:
        """Return the index of this call in its group, and the result of `make(size of group)`."""
        loop = asyncio.get_running_loop()
        if key not in self._open_calls:
            self._open_calls[key] = [], loop.create_future()
            loop.call_soon(self._close, key, make)
        calls, made = self._open_calls[key]
        calls.append(None)
        number = len(calls) - 1
        return number, await asyncio.shield(made)

    def _close(self, key: Any, make: Callable[[int], Any]) -> None:
        calls, made = self._open_calls.pop(key)
        try:
            made.set_result(make(len(calls)))
        except Exception as error:  # noqa: BLE001 - it is for those who wait
            made.set_exception(error)
