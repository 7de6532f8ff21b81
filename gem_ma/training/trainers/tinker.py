"""Tinker: the seats of a game as a group of the cookbook's environments.

All seats of a game that nobody else plays are trained, each with a trajectory of its own: together
by the cookbook's own trainer, or each by a model of its own, with `apart` and `make_datums`.
Checked by tests/training against tinker-cookbook 0.5.8, and a stand-in of the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.apis import factory
from gem_ma.apis.async_seats import AsyncSeat, SeatLeftError, SeatOutcome
from gem_ma.chat.agent import AgentSource
from gem_ma.chat.messages import list_pictures, to_hf
from gem_ma.engine.config import EnvOptions
from gem_ma.engine.seeding import derive_seed
from gem_ma.training.trainers.batches import subtract_seat_means

try:
    import tinker
    from tinker_cookbook.rl import types
    from tinker_cookbook.rl.data_processing import trajectory_to_data
    from tinker_cookbook.rl.rollouts import do_single_rollout
except ImportError as error:
    raise ImportError("this adapter needs Tinker: pip install tinker-cookbook==0.5.8") from error


class SeatEnv(types.Env):
    """One seat, read and answered through a renderer of the cookbook.

    A reply that the renderer cannot parse goes to the game as it is: to judge it is the game's
    business, and the other seats wait for it.

    Args:
        max_tokens: of a chat; a seat whose chat has more leaves, and the game ends for all.
    """

    def __init__(self, seat: AsyncSeat, renderer: Any, seed: int, max_tokens: int | None = None):
        self.seat = seat
        self.renderer = renderer
        self.seed = seed
        self.max_tokens = max_tokens
        self.messages: list[Any] = []

    async def initial_observation(self) -> Any:
        """Wait for the other seats to begin; return what this one sees when it is to act."""
        outcome = await self.seat.reset(self.seed)
        if outcome.turn is None:  # over before it came to act
            return types.InitialObservationOverflow(outcome.reward)
        return self._observe(outcome), self.renderer.get_stop_sequences()

    async def step(self, action: list[int], *, extra: Any = None) -> types.StepResult:
        """Reply, and wait until this seat is to act again or is done."""
        message, _ = self.renderer.parse_response(action)
        self.messages.append(message)
        try:
            outcome = await self.seat.step(_join_text(message["content"]))
        except SeatLeftError:
            return self._finish(0.0, left=1.0)
        if outcome.turn is None:
            return self._finish(outcome.reward, truncated=float(outcome.truncated))
        observation = self._observe(outcome)
        if self.max_tokens is not None and observation.length > self.max_tokens:
            self.seat.leave()
            return self._finish(outcome.reward, too_long=1.0)
        stop = self.renderer.get_stop_sequences()
        return types.StepResult(outcome.reward, False, observation, stop)

    def _observe(self, outcome: SeatOutcome) -> Any:
        if (
            list_pictures(outcome.messages)
            and getattr(self.renderer, "image_processor", None) is None
        ):
            raise ValueError(
                f"a {type(self.renderer).__name__} has no image processor and takes no pictures; "
                "use a model that sees with its renderer, or observe='text'"
            )
        self.messages += to_hf(outcome.messages)
        return self.renderer.build_generation_prompt(self.messages)

    def _finish(self, reward: float, **metrics: float) -> types.StepResult:
        stop = self.renderer.get_stop_sequences()
        return types.StepResult(reward, True, tinker.ModelInput.empty(), stop, dict(metrics))


@dataclass
class GameGroupBuilder(types.EnvGroupBuilder):
    """Games from the same start; an environment for each seat of each that `others` does not play.

    The cookbook compares all trajectories of a group with each other. Seats are not worth the
    same, so each seat's mean is taken off here, and what is left compares a seat with itself; the
    metric `return` has what was earned.

    Attributes:
        renderer: a renderer, or a function that makes one.
    """

    env: str
    renderer: Any
    seed: int
    games: int
    others: dict[str, AgentSource] = field(default_factory=dict)
    make: EnvOptions = field(default_factory=dict)
    max_tokens: int | None = None

    async def make_envs(self) -> Sequence[SeatEnv]:
        """Return an environment for each seat of each game."""
        env = factory.make(self.env, **self.make)
        renderer = self.renderer() if callable(self.renderer) else self.renderer
        return [
            SeatEnv(seat, renderer, self.seed, self.max_tokens)
            for _ in range(self.games)
            for seat in env.seats(others=self.others).values()
        ]

    async def compute_group_rewards(
        self, trajectory_group: list[types.Trajectory], env_group: Sequence[types.Env]
    ) -> list[tuple[float, types.Metrics]]:
        """Take its seat's mean off each trajectory."""
        names = [env.seat.name for env in env_group]
        returns = [sum(one.reward for one in t.transitions) for t in trajectory_group]
        above = subtract_seat_means(returns, names) if len(set(names)) > 1 else returns
        return [
            (left - value, {"return": value, f"return/{name}": value})
            for name, value, left in zip(names, returns, above, strict=True)
        ]

    def logging_tags(self) -> list[str]:
        """Return the id of the environment."""
        return [self.env]


class GameDataset(types.RLDataset):
    """As many batches of Games as asked for, each from new starts; takes what Games takes."""

    def __init__(self, batches: int, groups: int, *, seed: int = 0, **games: Any):
        self.batches, self.groups, self.seed, self.games = batches, groups, seed, games

    def get_batch(self, index: int) -> Sequence[GameGroupBuilder]:
        """Return a batch."""
        return [
            GameGroupBuilder(seed=derive_seed(self.seed, index, number), **self.games)
            for number in range(self.groups)
        ]

    def __len__(self) -> int:
        return self.batches


async def rollout_seat_policies(
    games: GameGroupBuilder, policies: Mapping[str, Any]
) -> dict[str, list[types.Trajectory]]:
    """Play games in which each seat has a policy of its own; return each seat's trajectories.

    Args:
        policies: from seat to a TokenCompleter, such as the cookbook's TinkerTokenCompleter.
    """
    envs = await games.make_envs()
    playing = [do_single_rollout(policies[env.seat.name], env) for env in envs]
    trajectories: dict[str, list[types.Trajectory]] = {}
    for env, trajectory in zip(envs, await asyncio.gather(*playing), strict=True):
        trajectories.setdefault(env.seat.name, []).append(trajectory)
    return trajectories


def make_datums(trajectories: Sequence[types.Trajectory]) -> list[tinker.Datum]:
    """Return what a seat's model is trained on: its trajectories in games from one start.

    A turn's tokens have what came from this turn on, less what the others earned in all. The
    cookbook's trainer has one number for a trajectory.
    """
    returns = [sum(one.reward for one in t.transitions) for t in trajectories]
    data: list[tinker.Datum] = []
    for trajectory, total in zip(trajectories, returns, strict=True):
        others = (sum(returns) - total) / max(len(returns) - 1, 1)
        worth: list[float] = []
        to_go = total
        for one in trajectory.transitions:
            worth += [to_go - others] * len(one.ac.tokens)
            to_go -= one.reward
        left = iter(worth)
        for datum in trajectory_to_data(trajectory, 1.0):
            inputs = dict(datum.loss_fn_inputs)
            mask = inputs.pop("mask").tolist()
            own = [next(left) if said else 0.0 for said in mask]
            inputs["advantages"] = tinker.TensorData(data=own, dtype="float32", shape=[len(own)])
            data.append(tinker.Datum(model_input=datum.model_input, loss_fn_inputs=inputs))
    return data


def _join_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")
