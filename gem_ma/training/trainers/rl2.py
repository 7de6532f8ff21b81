"""RL2 adapter: seats of games as the functions of the file that `rollout.env_path` names.

RL2 0.0.2 requests all samples of a prompt at once. They are the seats of games with the same start:
two trained seats and `responses_per_prompt` 8 give four games. RL2's REINFORCE compares all samples
of a prompt, so each seat's mean return is subtracted in its last reward. To know the mean, a seat
waits until all games of its prompt are over. A chat is one growing sequence: each drawn reply is
followed by the text that the chat template writes after a reply.

RL2 is not imported. Checked by tests/training against its own loop and its advantages.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from gem_ma.apis.factory import EnvSource
from gem_ma.chat.agent import SeatAgents
from gem_ma.chat.messages import ChatMessage, to_hf
from gem_ma.chat.tokenization import render_behind_reply
from gem_ma.training.trainers.batches import CallBatcher, subtract_seat_means
from gem_ma.training.trainers.seats import assign_seats
from gem_ma.validation.json_types import JSONObject


class RL2Env:
    """The functions `reset` and `step` of RL2 for a game.

    The game's limit of turns must be below RL2's `max_turns`. All seats that `others` does not play
    are trained.

    Args:
        env: an environment or an id.
        seat: the seat to train; None: all that `others` does not play.
        others: from seat to the agent that plays it.
        render: renders chat messages as text, such as the chat template of the model's tokenizer
            with `tokenize=False, add_generation_prompt=True`.
        end: the text after a reply that RL2's actions already contain, such as the end token.
        compare: whether to subtract each seat's mean return: True for REINFORCE, False for GAE,
            which has a critic.
        **make: arguments of `make`, if `env` is an id.
    """

    def __init__(
        self,
        env: EnvSource,
        seat: str | None = None,
        others: SeatAgents | None = None,
        *,
        render: Callable[[Sequence[ChatMessage]], str],
        end: str = "",
        compare: bool = True,
        **make: Any,
    ):
        self.table = assign_seats(RL2Env, env, seat, others, make)
        self.render, self.end, self.compare = render, end, compare
        self.samples = CallBatcher()

    async def reset(self, extra_info: JSONObject) -> tuple[str, JSONObject]:
        """Start a sample of a prompt, which is a seat of a game.

        Args:
            extra_info: the row of the data set, with `seed` and optionally `options`.
        """
        key = json.dumps(extra_info, sort_keys=True, default=str)
        number, places = await self.samples.join(key, self._make_samples)
        place = places[number]
        outcome = await place.seat.reset(extra_info.get("seed"), extra_info.get("options"))
        place.take(outcome)
        return self.render(place.messages), {**extra_info, "place": place}

    async def step(self, state: str, action: str, extra_info: JSONObject) -> JSONObject:
        """Reply, and wait until this seat is to act again or has finished."""
        place, reward = extra_info["place"], 0.0
        if not place.done:
            place.messages.append({"role": "assistant", "content": action})
            place.take(await place.seat.step(action))
        reward, place.owed = place.owed, 0.0
        score, text = reward, state + action
        if place.done and self.compare and len(self.table.seats) > 1:
            reward += await place.compute_adjustment()
        elif not place.done:
            behind = place.render_behind_reply(self.render)
            if behind is None:
                text = self.render(place.messages)
            else:
                text += behind.removeprefix(self.end)
        return {
            "next_state": text,
            "reward": reward,
            "score": score,
            "done": place.done,
            "extra_info": extra_info,
        }

    def _make_samples(self, samples: int) -> list[_SeatSample]:
        seats = self.table.seats
        games, rest = divmod(samples, len(seats))
        if rest:
            raise ValueError(
                f"got {samples} samples per prompt for games with the seats {', '.join(seats)}: "
                f"responses_per_prompt must be a multiple of {len(seats)}"
            )
        tables = [self.table.env.seats(others=self.table.others) for _ in range(games)]
        group = _SampleGroup()
        places = [_SeatSample(table[name], name, group) for name in seats for table in tables]
        group.places = places
        return places


class _SampleGroup:
    """The samples of one prompt, and an event that is set when all are finished."""

    def __init__(self) -> None:
        self.places: list[_SeatSample] = []
        self.over = asyncio.Event()


class _SeatSample:
    """One sample: a seat, its chat and its rewards."""

    def __init__(self, seat: Any, name: str, group: _SampleGroup):
        self.seat, self.name, self.group = seat, name, group
        self.messages: list[ChatMessage] = []
        self.total, self.owed, self.done = 0.0, 0.0, False

    def render_behind_reply(self, render: Callable[[Sequence[ChatMessage]], str]) -> str | None:
        """Return the text from the last reply to the start of the next, or None if unknown."""
        replies = [i for i, one in enumerate(self.messages) if one["role"] == "assistant"]
        first, new = self.messages[: replies[0]], self.messages[replies[-1] + 1 :]
        return render_behind_reply(render, first, new)

    def take(self, outcome: Any) -> None:
        self.messages += to_hf([one for one in outcome.messages if one["role"] != "assistant"])
        self.owed += outcome.reward
        self.total += outcome.reward
        self.done = outcome.turn is None
        if all(place.done for place in self.group.places):
            self.group.over.set()

    async def compute_adjustment(self) -> float:
        """Return the number to add to the last reward, to subtract the seat's mean return."""
        await self.group.over.wait()
        places = self.group.places
        above = subtract_seat_means([one.total for one in places], [one.name for one in places])
        return above[places.index(self)] - self.total
