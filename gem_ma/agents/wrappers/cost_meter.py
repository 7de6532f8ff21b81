"""What replies cost, and a limit of what the replies of a run may cost together."""

from __future__ import annotations

import math
import threading
from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from gem_ma.agents.wrappers.agent_wrapper import AgentWrapper
from gem_ma.chat.agent import Agent, AgentSource, format_agent_name, get_traits
from gem_ma.chat.conversation import Step
from gem_ma.chat.reply import Reply, count_tokens
from gem_ma.validation.arguments import check_each
from gem_ma.validation.endpoints import redact_secrets

if TYPE_CHECKING:
    from gem_ma.chat.turn import Turn

TokenPrices: TypeAlias = "tuple[float, float] | Mapping[str, tuple[float, float]]"
"""Prices of a million tokens that are read, and written: one pair, or a pair for each model."""


class CostLimitReached(RuntimeError):
    """Raised if the replies of a run have cost as much as allowed.

    Attributes:
        episodes: The episodes that came to an end before. Those that were running are dropped.
    """

    episodes: list[Any]


def price_tokens(tokens: tuple[int, int], price: tuple[float, float]) -> float:
    """Return the cost of tokens that were read and written; prices are for a million tokens."""
    return (tokens[0] * price[0] + tokens[1] * price[1]) / 1e6


def find_model_name(agent: object) -> str:
    """Return the model name of an agent, or of an agent inside it; "" if there is none."""
    while agent is not None:
        for name in (getattr(agent, "model", None), getattr(agent, "name", None)):
            if isinstance(name, str):
                return name
        agent = getattr(agent, "agent", None)
    return ""


class CostMeter:
    """A sum of what replies cost, shared by the agents that it wraps.

    A reply from a cache costs nothing here, although its record shows the price of its tokens.

    Args:
        limit: The sum at which agents are not asked any more, but raise CostLimitReached, a
            RuntimeError, which ends a rollout; its `episodes` are those that came to an end. None:
            no limit. Replies that are on their way at that moment are still paid.

    Attributes:
        spent: The cost until now, in the currency of the prices.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.agents import CostMeter
        >>> meter = CostMeter()
        >>> def model(turn):
        ...     return gem_ma.Reply(turn.legal[0], usage={"prompt_tokens": 500})
        >>> agents = [meter.wrap(model, (2.0, 8.0)), "random"]
        >>> (episode,) = gem_ma.rollout("game:KuhnPoker-v0", agents, seed=0)
        >>> episode.steps[0].reply.cost
        0.001
    """

    def __init__(self, limit: float | None = None):
        if limit is not None and not 0 < limit < math.inf:
            raise ValueError(f"limit={limit}: expected a number above 0, or None")
        self.limit = limit
        self.spent = 0.0
        self._lock = threading.Lock()  # agents may reply in threads

    def wrap(
        self, agent: AgentSource, price: tuple[float, float] | None = None, name: str = ""
    ) -> Agent:
        """Return an agent whose replies have a `cost` and count towards the limit.

        Args:
            agent: The agent.
            price: The prices of a million tokens that it reads and writes. None: those of the
                agent itself, such as `OpenAIAgent(prices=)`.
            name: Its name in records; "": that of the agent, or its spec string.
        """
        return _MeteredAgent(agent, self, price, name)

    def check(self) -> None:
        """Raise CostLimitReached if nothing more may be asked."""
        if self.limit is not None and self.spent >= self.limit:
            raise CostLimitReached(
                f"max_cost={self.limit:g} is reached: replies have cost {self.spent:.4f}; a higher "
                "limit continues"
            )

    def add(self, reply: object) -> None:
        """Add the cost of a reply, unless it came from a cache."""
        cost = getattr(reply, "cost", None)
        if cost is not None and not getattr(reply, "cached", None):
            with self._lock:
                self.spent += cost

    def add_steps(self, steps: Iterable[Step]) -> None:
        """Add what the replies in records cost."""
        for step in check_each(steps, Step, "steps"):
            self.add(step.reply)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a CostMeter adds up the replies of one process, and agents of a Ray actor reply in "
            "another; play with workers=N, or without a meter"
        )


class _MeteredAgent(AgentWrapper):
    """An agent whose replies are priced, and that is not asked beyond the limit of a meter."""

    def __init__(
        self, agent: AgentSource, meter: CostMeter, price: tuple[float, float] | None, name: str
    ):
        super().__init__(agent)
        self.meter = meter
        self.price = price
        own_name = redact_secrets(agent) if isinstance(agent, str) else ""
        self.shown_name = name or own_name or format_agent_name(self.agent)
        _, self.prefers_single_turns, _, self.seats = get_traits(self.agent)

    def run_calls(self, turn: Turn) -> Generator[Turn, str, str]:
        """Yield the turn if the limit allows it, and return the reply with its cost."""
        self.meter.check()
        reply = yield turn
        if self.price is not None:
            reply = self._add_cost(reply, self.price)
        self.meter.add(reply)
        return reply

    def _add_cost(self, reply: str, price: tuple[float, float]) -> str:
        tokens = count_tokens(reply)
        if self.meter.limit is not None and not any(tokens) and find_model_name(self.agent):
            raise ValueError(
                f"{self!r} does not report the tokens of a reply, so max_cost={self.meter.limit:g} "
                "cannot be kept; leave max_cost= out, or the price of this agent"
            )
        priced = reply if isinstance(reply, Reply) else Reply(reply)
        priced.cost = price_tokens(tokens, price)
        return priced

    def __repr__(self) -> str:
        return self.shown_name
