"""Tinker adapter: the seats of a game as a group of the cookbook's environments.

All seats that `others` does not play are trained, each with a separate trajectory. The cookbook's
trainer trains one model on all seats. To train a separate model for each seat, use
`rollout_seat_policies` and `make_datums`.

Checked by tests/training against tinker-cookbook 0.5.8, with a stand-in for the service.
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
    """One seat of a game, with a renderer of the cookbook.

    A reply that the renderer cannot parse is passed to the game unchanged, since the other seats
    wait for it. The game then decides whether it is valid.

    Args:
        seat: the seat to play.
        renderer: a renderer of the cookbook, which makes prompts and parses replies.
        seed: decides the start of the game.
        max_tokens: limit of a chat's length. A seat whose chat is longer leaves, and the game ends
            for all seats. None: no limit.
    """

    def __init__(self, seat: AsyncSeat, renderer: Any, seed: int, max_tokens: int | None = None):
        self.seat = seat
        self.renderer = renderer
        self.seed = seed
        self.max_tokens = max_tokens
        self.messages: list[Any] = []

    async def initial_observation(self) -> Any:
        """Wait for the other seats to start; return the seat's observation at its first turn."""
        outcome = await self.seat.reset(self.seed)
        if outcome.turn is None:  # the game ended before the seat's first turn
            return types.InitialObservationOverflow(outcome.reward)
        return self._observe(outcome), self.renderer.get_stop_sequences()

    async def step(self, action: list[int], *, extra: Any = None) -> types.StepResult:
        """Reply, and wait until this seat is to act again or has finished."""
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
                "use a vision-language model with its renderer, or observe='text'"
            )
        self.messages += to_hf(outcome.messages)
        return self.renderer.build_generation_prompt(self.messages)

    def _finish(self, reward: float, **metrics: float) -> types.StepResult:
        stop = self.renderer.get_stop_sequences()
        return types.StepResult(reward, True, tinker.ModelInput.empty(), stop, dict(metrics))


@dataclass
class GameGroupBuilder(types.EnvGroupBuilder):
    """Games with the same start, with an environment for each trained seat of each game.

    The cookbook compares all trajectories of a group, but seats have different expected returns.
    The mean return of each seat is therefore subtracted, so that a seat is compared only with
    itself. The metric `return` is the return before subtraction.

    Attributes:
        env: id of the environment.
        renderer: a renderer, or a function that makes one.
        seed: decides the start of all games.
        games: how many games to play.
        others: from seat to the agent that plays it; the other seats are trained.
        make: arguments of the environment.
        max_tokens: limit of a chat's length; None: no limit.
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
        """Return for each trajectory a reward that subtracts its seat's mean, and its metrics."""
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
    """A data set of game groups, each with a new start.

    Args:
        batches: number of batches.
        groups: number of groups in a batch.
        seed: decides the starts.
        **games: the other arguments of GameGroupBuilder.
    """

    def __init__(self, batches: int, groups: int, *, seed: int = 0, **games: Any):
        self.batches, self.groups, self.seed, self.games = batches, groups, seed, games

    def get_batch(self, index: int) -> Sequence[GameGroupBuilder]:
        """Return the groups of a batch."""
        return [
            GameGroupBuilder(seed=derive_seed(self.seed, index, number), **self.games)
            for number in range(self.groups)
        ]

    def __len__(self) -> int:
        return self.batches


async def rollout_seat_policies(
    games: GameGroupBuilder, policies: Mapping[str, Any]
) -> dict[str, list[types.Trajectory]]:
    """Play games with a separate policy in each seat, and return the trajectories by seat.

    Args:
        games: the games to play.
        policies: from seat to a TokenCompleter, such as the cookbook's TinkerTokenCompleter.
    """
    envs = await games.make_envs()
    playing = [do_single_rollout(policies[env.seat.name], env) for env in envs]
    trajectories: dict[str, list[types.Trajectory]] = {}
    for env, trajectory in zip(envs, await asyncio.gather(*playing), strict=True):
        trajectories.setdefault(env.seat.name, []).append(trajectory)
    return trajectories


def make_datums(trajectories: Sequence[types.Trajectory]) -> list[tinker.Datum]:
    """Return training data from a seat's trajectories in games with the same start.

    The advantage of a turn's tokens is the return from this turn on, minus the mean return of the
    other trajectories. In contrast, the cookbook's trainer has one advantage for each trajectory.
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
