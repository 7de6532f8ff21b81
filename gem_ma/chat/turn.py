"""Turn: the input of an agent when its seat is to act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gem_ma.chat.conversation import Conversation
from gem_ma.chat.messages import ChatMessage
from gem_ma.engine.observations import Observation
from gem_ma.game import SeatTool


class SearchPosition(NamedTuple):
    """The game and its state, from which an agent can search."""

    game: Any
    state: Any


@dataclass(frozen=True, slots=True)
class Turn:
    """The input of an agent when its seat is to act.

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
    rules: str  # the text of a system prompt
    observation: Observation  # "text" and/or "image" (a Picture), without the rules
    text: str  # the text for a model; with observe="image", only messages and notices
    legal: tuple[str, ...] | None = None  # legal replies; None: the game cannot list them
    tools: tuple[SeatTool, ...] = ()
    seed: int = 0  # differs for every turn of every seat of every episode
    number: int = 0  # how often the game has advanced
    first: bool = True  # whether the seat has not replied yet in this episode
    env_id: str = ""
    position: SearchPosition | None = None
    results: tuple[str, ...] = ()  # results of the game's tools since the last reply
    chat: Conversation | None = field(default=None, repr=False, compare=False)
    index: int = 0  # the number of the seat's replies in the chat
    calls: int | None = None  # the number of tool calls of a reply that count; None: all

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
