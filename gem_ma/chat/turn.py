"""Turn: the input of an agent when its seat is to act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gem_ma.chat.conversation import Conversation
from gem_ma.chat.messages import ChatMessage
from gem_ma.engine.observations import Observation
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import SeatTool


class SearchPosition(NamedTuple):
    """The game and its state, from which an agent can search; it is a Turn's `position`."""

    game: Any
    state: Any


@dataclass(frozen=True, slots=True)
class Turn:
    """The input of an agent when its seat is to act.

    Attributes:
        seat: The seat.
        rules: The text of a system prompt.
        observation: "text", "image" (a Picture) or both, without the rules.
        text: The text for a model; with observe="image", only messages and notices.
        legal: The legal replies; None: the game cannot list them.
        tools: The tools that the seat may call.
        seed_numbers: The numbers from which `seed` is derived, when an agent reads it.
        number: How often the game has advanced.
        first: Whether the seat has not replied yet in this episode.
        env_id: The id of the environment.
        position: The position of the game, if the seat sees all of it and acts alone; None: not.
        results: Results of the game's tools since the last reply.
        chat: The seat's conversation; None: outside of a rollout.
        index: The number of the seat's replies in the chat.
        calls: The number of tool calls of a reply that count; None: all.

    Examples:
        >>> import gem_ma
        >>> env = gem_ma.make("game:KuhnPoker-v0")
        >>> env.reset(seed=0)
        >>> turn = env.turn("first")
        >>> turn.text
        'Cards: first Q, second ?. Betting: none yet.'
        >>> turn.legal
        ('check', 'bet')
        >>> [message["role"] for message in turn.messages]
        ['system', 'user']
    """

    seat: str
    rules: str
    observation: Observation
    text: str
    legal: tuple[str, ...] | None = None
    tools: tuple[SeatTool, ...] = ()
    seed_numbers: tuple[int, ...] = ()
    number: int = 0
    first: bool = True
    env_id: str = ""
    position: SearchPosition | None = None
    results: tuple[str, ...] = ()
    chat: Conversation | None = field(default=None, repr=False, compare=False)
    index: int = 0
    calls: int | None = None

    @property
    def seed(self) -> int:
        """A seed for the agent, which differs for every turn of every seat of every episode."""
        return derive_seed(*self.seed_numbers)

    @property
    def episode(self) -> str:
        """The name of the episode in its run, or "" outside of a run."""
        return "" if self.chat is None else self.chat.episode

    @property
    def messages(self) -> Sequence[ChatMessage]:
        """The seat's conversation so far (rules, observations, replies), cut to its context.

        Without a chat (outside of rollouts), only the rules and the present observation.
        """
        if self.chat is not None:
            return self.chat.build_messages(self.index)
        alone = Conversation(self.seat)
        alone.add_turn(self, 0)
        return alone.build_messages(0)
