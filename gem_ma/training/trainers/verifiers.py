"""verifiers and prime-rl adapter: a taskset of starts, and an environment with a trace per seat.

Checked by tests/training against verifiers 0.4 (its `v1`) and a local endpoint.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gem_ma.apis import factory
from gem_ma.apis.async_seats import AsyncSeat, SeatLeftError
from gem_ma.chat.agent import AgentSource
from gem_ma.chat.messages import to_openai_chat

try:
    import pydantic
    import verifiers.v1 as vf
except ImportError as error:
    raise ImportError("this adapter needs verifiers: pip install verifiers==0.4.0") from error


class GameTaskData(vf.TaskData):
    """The start of an episode."""

    seed: int


class GameTask(vf.Task[GameTaskData]):
    """A row of the taskset. All seats share it; each seat adds its own rules as system prompt."""


class GameTaskset(vf.Taskset[GameTask, vf.TasksetConfig]):
    """An infinite taskset of starts, with the seeds 0, 1, 2 and so on."""

    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        """Yield a task for each seed."""
        number = 0
        while True:
            yield GameTask(GameTaskData(seed=number, prompt=None), self.config.task)
            number += 1


def make_env_class(
    env: str, others: Mapping[str, AgentSource] | None = None, **make: Any
) -> type[Any]:
    """Return a verifiers Env class for a game, in which each seat is an agent with its own trace.

    Export the class together with GameTaskset from a module: `__all__ = ["GameTaskset", "Game"]`.
    The module's name is the taskset's id.

    Args:
        env: id of the environment.
        others: from seat to the agent that plays it; these seats have no trace.
        **make: arguments of the environment.
    """
    given = dict(others or {})
    game = factory.resolve_env(make_env_class, env, make)
    names = [name for name in game.possible_agents if name not in given]
    # Seats become fields of the configuration: --env.x.model, --env.o.runtime.type and so on.
    roles = {name: (vf.AgentConfig, vf.AgentConfig(harness={"id": "null"})) for name in names}
    config: Any = pydantic.create_model("GameConfig", __base__=vf.EnvConfig, **roles)

    class Game(vf.Env[config]):
        async def run(self, task: Any, agents: Any) -> None:
            seats = game.seats(others=given)
            async with asyncio.TaskGroup() as group:
                for name, seat in seats.items():
                    group.create_task(_play_seat(seat, getattr(agents, name), task))

    return Game


def assign_advantages(episodes: Sequence[Any]) -> None:
    """Write advantages into the traces of episodes with the same start; seats are not mixed.

    The advantage of a turn's tokens is the return from this turn on, minus the mean return of the
    same seat in the other episodes. prime-rl uses the advantages that are in the traces. Its own
    algorithms (`hierarchical_grpo` without `episode_agents`, or `rae`) also compare seats
    separately, but with one advantage for each trace.
    """
    seats: dict[str, list[Any]] = {}
    for trace in (trace for episode in episodes for trace in episode.traces):
        if trace.agent.trainable and not trace.has_error:
            seats.setdefault(trace.agent.name, []).append(trace)
    for traces in seats.values():
        earned = [trace.info["turn_rewards"] for trace in traces]
        for trace, rewards in zip(traces, earned, strict=True):
            others = (sum(map(sum, earned)) - sum(rewards)) / max(len(traces) - 1, 1)
            turns = [node for node in trace.nodes if node.sampled]
            for number, node in enumerate(turns):
                worth = sum(rewards[number:]) - others
                node.advantages = [worth] * sum(node.mask)


async def _play_seat(seat: AsyncSeat, agent: Any, task: Any) -> None:
    """Play one seat until it has finished, and write the reward of each turn into its trace."""
    outcome = await seat.reset(task.data.seed)
    new = to_openai_chat(outcome.messages)
    rules = "\n\n".join(message["content"] for message in new if message["role"] == "system")
    task_with_rules = type(task)(task.data.model_copy(update={"system_prompt": rules}), task.config)
    rewards: list[float] = []
    async with agent.interaction(task_with_rules) as player:
        try:
            while outcome.turn is not None:
                seen = [message for message in new if message["role"] != "system"]
                segment = await player.turn(seen)
                if segment.terminated:  # a limit of verifiers: the agent no longer replies
                    seat.leave()
                    break
                outcome = await seat.step(segment.last_reply)
                rewards.append(outcome.reward)
                new = to_openai_chat(outcome.messages)
        except SeatLeftError:
            pass
        player.trace.info["turn_rewards"] = rewards
        player.trace.record_reward("game", sum(rewards))
