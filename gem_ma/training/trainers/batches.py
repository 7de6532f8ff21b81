"""Rows of a batch as trainers order them, cut them and reward them."""

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
    """Yield who comes where in a batch in which `copies` in a row are compared with each other.

    These are one seat from one start; the groups of the other seats from the same games follow.
    """
    for start in range(0, len(episodes), copies):
        for seat in seats:
            for episode in episodes[start : start + copies]:
                yield episode, seat


def compute_token_rewards(row: TrainerRow) -> list[float]:
    """Return for each token of a row what its turn earned, which stands at the turn's end."""
    rewards = [0.0] * len(row["ids"])
    for (_, end), reward in zip(row["spans"], row["rewards"], strict=True):
        rewards[end - 1] = reward
    return rewards


def find_row_end(row: TrainerRow, room: int) -> int:
    """Return where a row ends: with its last reply, or where `room` cuts it."""
    end: int = row["spans"][-1][1]
    if end > room and row["pictures"]:
        raise ValueError(
            f"{row['agent']} has {end} tokens, and cutting them at {room} would cut its pictures: "
            "allow for more, or say context="
        )
    return min(end, room)


def make_pixel_inputs(tokens: ChatTokenizer, shown: Sequence[Any]) -> dict[str, Any] | None:
    """Return a row's pictures as the model that is trained takes them."""
    if not shown:
        return None
    look = tokens.processor.image_processor
    return dict(look(images=[one.to_pil() for one in shown], return_tensors="pt"))


def subtract_seat_means(returns: Sequence[float], seats: Sequence[str]) -> list[float]:
    """Return by how much each return is above the mean of its seat.

    For trainers that compare all of a group: the mean of what is left is 0 over seats and group
    alike, so that they take nothing away, and each seat is compared with itself.
    """
    means = {
        seat: sum(r for r, other in zip(returns, seats, strict=True) if other == seat)
        / seats.count(seat)
        for seat in set(seats)
    }
    return [value - means[seat] for value, seat in zip(returns, seats, strict=True)]


class CallBatcher:
    """Calls that belong together: those for one key that begin in one turn of the event loop.

    Trainers ask for all samples of a prompt at once, and tell none of them how many they are.
    """

    def __init__(self) -> None:
        self._open_calls: dict[Any, tuple[list[None], asyncio.Future[Any]]] = {}

    async def join(self, key: Any, make: Callable[[int], Any]) -> tuple[int, Any]:
        """Return which of the calls this is, and what `make` made of their number."""
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
