"""An agent that replies as one of several agents."""

from __future__ import annotations

import bisect
import inspect
import itertools
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from gem_ma.chat.agent import (
    Agent,
    ask_agent,
    ask_agent_async,
    get_traits,
    notify_episode_end,
    notify_rollout_end,
)
from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import derive_seed
from gem_ma.validation.arguments import check_each

_DRAW_SALT = 0x317  # makes these draws independent of those of the agents inside


class MixtureAgent:
    """An agent that replies as one of several agents, drawn by the seeds.

    Args:
        agents: Agents, functions of a Turn or spec strings.
        weights: Relative frequency of each agent; None: all equal.
        per: "turn" draws an agent for every turn; "episode" draws one for each seat of an episode.
        seed: Changes the draws.
    """

    def __init__(
        self,
        agents: Sequence[Any],
        weights: Sequence[float] | None = None,
        per: Literal["turn", "episode"] = "turn",
        seed: int = 0,
    ):
        from gem_ma.agents.loading import load_agent

        if isinstance(agents, str) or not agents:
            raise ValueError(f"expected a list of one agent or more, got {agents!r}")
        if per not in ("turn", "episode"):
            raise ValueError(f"per={per!r}: expected 'turn' or 'episode'")
        self.agents: list[Agent] = [load_agent(agent) for agent in agents]
        self.weights = tuple(weights) if weights is not None else (1,) * len(self.agents)
        if len(self.weights) != len(self.agents):
            raise ValueError(
                f"got {len(self.agents)} agents and {len(self.weights)} weights; expected one "
                "weight for each agent"
            )
        total = sum(self.weights)
        if min(self.weights) < 0 or not 0 < total < float("inf"):
            raise ValueError(
                f"weights={self.weights}: expected numbers of at least 0, and one of them above 0"
            )
        self.per = per
        self.seed = seed
        self._cumulative_weights = [part / total for part in itertools.accumulate(self.weights)]
        self._is_async = any(inspect.iscoroutinefunction(agent.act) for agent in self.agents)

    @classmethod
    def epsilon(cls, agent: Any, probability: float, seed: int = 0) -> Self:
        """Return a mixture that plays a random legal move with this probability."""
        if not 0 <= probability <= 1:
            raise ValueError(f"probability={probability}: expected 0 to 1")
        return cls([agent, "random"], [1 - probability, probability], seed=seed)

    @property
    def blocking(self) -> bool:
        """Whether an agent inside blocks."""
        return any(get_traits(agent).blocking for agent in self.agents)

    @property
    def seats(self) -> tuple[str, ...] | None:
        """The seats that all agents inside are made for; None: any seat."""
        seats_by_agent = [
            one for agent in self.agents if (one := get_traits(agent).seats) is not None
        ]
        return (
            tuple(seat for seat in seats_by_agent[0] if all(seat in one for one in seats_by_agent))
            if seats_by_agent
            else None
        )

    def on_episode_end(self, episode: object) -> None:
        """Pass the end of an episode on to the agents inside."""
        for agent in self.agents:
            notify_episode_end(agent, episode)

    def on_rollout_end(self) -> None:
        """Pass the end of a rollout on to the agents inside."""
        for agent in self.agents:
            notify_rollout_end(agent)

    @property
    def act(self) -> Callable[[list[Turn]], Any]:
        """Return the method that replies: a coroutine function if an agent inside has one."""
        return self._act_async if self._is_async else self._act

    def _act(self, turns: list[Turn]) -> list[str]:
        parts = self.group_turns(turns)
        answers = [ask_agent(self.agents[i], [turns[n] for n in part]) for i, part in parts.items()]
        return _merge_replies(parts, answers)

    async def _act_async(self, turns: list[Turn]) -> list[str]:
        import asyncio  # imported only when it is needed, because importing it is slow

        parts = self.group_turns(turns)
        calls = [
            ask_agent_async(self.agents[i], [turns[n] for n in part]) for i, part in parts.items()
        ]
        return _merge_replies(parts, await asyncio.gather(*calls))

    def group_turns(self, turns: list[Turn]) -> dict[int, list[int]]:
        """Return the indices of the turns that each drawn agent replies to."""
        parts: dict[int, list[int]] = {}
        for place, turn in enumerate(check_each(turns, Turn, "turns")):
            share = derive_seed(self.seed, _DRAW_SALT, self._find_draw_key(turn)) / (1 << 63)
            # Rounding may make a share 1. A weight of 0 must never be drawn.
            drawn = min(
                bisect.bisect_right(self._cumulative_weights, share),
                bisect.bisect_left(self._cumulative_weights, 1),
            )
            parts.setdefault(drawn, []).append(place)
        return parts

    def _find_draw_key(self, turn: Turn) -> int:
        if self.per == "turn":
            return turn.seed
        if not turn.episode:
            raise ValueError(
                f"per='episode' needs a rollout: this turn of {turn.seat} has no id of an episode; "
                "use per='turn'"
            )
        return zlib.crc32(f"{turn.episode}/{turn.seat}".encode())

    async def __aenter__(self) -> Self:
        for agent in self.agents:
            if hasattr(agent, "__aenter__"):
                await agent.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        for agent in reversed(self.agents):
            if hasattr(agent, "__aexit__"):
                await agent.__aexit__(*error)

    def __repr__(self) -> str:
        return (
            f"MixtureAgent({self.agents!r}, weights={self.weights}, per={self.per!r}, "
            f"seed={self.seed})"
        )


def _merge_replies(parts: dict[int, list[int]], answers: Sequence[Sequence[str]]) -> list[str]:
    replies = {
        place: reply
        for part, answer in zip(parts.values(), answers, strict=True)
        for place, reply in zip(part, answer, strict=True)
    }
    return [replies[place] for place in sorted(replies)]
