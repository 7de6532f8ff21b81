"""GameVector: many games that are stepped together, with all their seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gem_ma.apis.vector.backends import BackendChannel, check_list
from gem_ma.apis.vector.sub_envs import GameSubEnv
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import SeatAction
from gem_ma.game import Info, ResetOptions
from gem_ma.validation.arguments import check_type


class TurnBatch(NamedTuple):
    """The result of a step of a GameVector.

    Attributes:
        indices: By seat, the indices of the games in which the seat is to act.
        turns: By seat, its turns: `turns[seat][k]` belongs to the game `indices[seat][k]`.
        rewards: By seat, an array with the reward in each game.
        terminated: For each game, whether it ended at this step by its rules.
        truncated: For each game, whether it ended at this step by a limit outside the rules.
        reports: From index to `Game.report`, for games that ended at this step.
    """

    indices: dict[str, np.ndarray]
    turns: dict[str, list[Turn]]
    rewards: dict[str, np.ndarray]
    terminated: np.ndarray
    truncated: np.ndarray
    reports: dict[int, Info]


class GameVector:
    """Many games with all their seats; the turns of one seat in all games form one list.

        batch = vector.reset(seed=0)
        while True:
            replies = {seat: agent.act(turns) for seat, turns in batch.turns.items()}
            batch = vector.step(replies)

    A game advances once all of its seats that are to act have replied, which may take several
    steps. A seat that is missing in `replies` has the same turn in the next batch.
    """

    def __init__(
        self,
        slots: Sequence[GameSubEnv],
        backend: str,
        autoreset: str,
        workers: int | None,
        timeout: float | None,
    ):
        self.channel = BackendChannel(slots, backend, workers, timeout)
        self.num_envs = len(slots)
        self.autoreset = autoreset
        names = [seat for slot in slots for seat in slot.env.match.seats]
        self.possible_agents = list(dict.fromkeys(names))
        self._turns: dict[int, dict[str, Turn]] = {}
        self._ended: set[int] = set()

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        options: ResetOptions | None = None,
        indices: Iterable[int] | None = None,
    ) -> TurnBatch:
        """Begin episodes in the games `indices` (None: all); an int seeds game i with seed + i."""
        seeds = self.channel.make_seeds(seed)
        check_type(options, (Mapping, type(None)), "options", "a dict or None")
        return self._run_jobs(
            "reset", {i: (seeds[i], options) for i in self.channel.check_free(indices)}
        )

    def step(self, replies: Mapping[str, Sequence[SeatAction]]) -> TurnBatch:
        """Submit replies: for each seat a list with a reply to each of its turns in the batch."""
        self.channel.check_free()
        places = self._group_by_seat()
        actions_by_env: dict[int, dict[str, SeatAction]] = {}
        check_type(replies, Mapping, "replies", "a dict of lists by seat")
        for seat, answers in replies.items():
            if seat not in places:
                known = ", ".join(places) or "none: reset() begins an episode"
                raise ValueError(f"no game waits for seat {seat!r}; those to act are {known}")
            answers = check_list(answers, len(places[seat]), f"replies of {seat}")
            for index, answer in zip(places[seat], answers, strict=True):
                self.channel.check_reply(index, seat, answer)
                actions_by_env.setdefault(index, {})[seat] = answer
        again = self._ended if self.autoreset == "next" else ()
        arguments: dict[int, tuple[object, ...]] = {index: ({},) for index in again}
        arguments |= {index: (answers,) for index, answers in actions_by_env.items()}
        return self._run_jobs("step", arguments)

    def _group_by_seat(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for index in sorted(self._turns):
            for seat in self._turns[index]:
                places.setdefault(seat, []).append(index)
        return places

    def _run_jobs(self, method: str, arguments: Mapping[int, tuple[object, ...]]) -> TurnBatch:
        self.channel.send(method, arguments)
        moments = self.channel.receive(len(arguments)) if arguments else {}
        rewards = {seat: np.zeros(self.num_envs) for seat in self.possible_agents}
        terminated, truncated = np.zeros((2, self.num_envs), np.bool_)
        reports = {}
        for index, moment in moments.items():
            self._turns[index] = moment.turns
            for seat, reward in moment.rewards.items():
                rewards[seat][index] = reward
            terminated[index], truncated[index] = moment.terminated, moment.truncated
            if moment.terminated or moment.truncated:
                reports[index] = moment.report
        self._ended = {index for index, turns in self._turns.items() if not turns}
        places = self._group_by_seat()
        return TurnBatch(
            {seat: np.array(which) for seat, which in places.items()},
            {seat: [self._turns[i][seat] for i in which] for seat, which in places.items()},
            rewards,
            terminated,
            truncated,
            reports,
        )

    def close(self) -> None:
        """Close all games and stop their backend."""
        self.channel.close()

    def __enter__(self) -> GameVector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "channel"):  # `__init__` succeeded
            self.close()
