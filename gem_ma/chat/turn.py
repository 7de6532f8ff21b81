"""Turn: what an agent gets when its seat is to act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gem_ma.chat.conversation import Conversation
from gem_ma.chat.messages import ChatMessage
from gem_ma.engine.observations import Observation
from gem_ma.game import SeatTool


class SearchPosition(NamedTuple):
    """Where search starts: in a game of perfect information."""

    game: Any
    state: Any


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent gets when a seat of some episode is to act."""

    seat: str
    rules: str  # what a system prompt says
    observation: Observation  # "text" and/or "image" (a Picture), without the rules
    text: str  # what a model reads; beside the image it holds messages and notices only
    legal: tuple[str, ...] | None = None  # replies that are legal now, where they can be listed
    tools: tuple[SeatTool, ...] = ()
    seed: int = 0  # differs for every turn of every seat of every episode
    number: int = 0  # how often the game has advanced
    first: bool = True  # this seat has not replied yet in this episode
    env_id: str = ""
    position: SearchPosition | None = None
    results: tuple[str, ...] = ()  # what the game's tools said since the last reply
    chat: Conversation | None = field(default=None, repr=False, compare=False)
    index: int = 0  # how many replies of this seat are in the chat
    calls: int | None = None  # how many tool calls of the reply count; None: all

    @property
    def episode(self) -> str:
        """What names the episode in its run, or nothing outside of a run."""
        return "" if self.chat is None else self.chat.episode

    @property
    def messages(self) -> Sequence[ChatMessage]:
        """This seat's chat so far: rules, what it saw, its replies; cut as its context says.

        Without a chat (outside of rollouts) it is the rules and what the seat sees now.
        """
        if self.chat is not None:
            return self.chat.build_messages(self.index)
        alone = Conversation(self.seat)
        alone.add_turn(self, 0)
        return alone.build_messages(0)
