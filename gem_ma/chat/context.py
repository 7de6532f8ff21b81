"""Context: how much of a conversation an agent reads, in turns, pictures or tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self, TypeAlias

from gem_ma.chat.image_tokens import count_image_tokens
from gem_ma.chat.messages import ChatMessage, Picture, keep_images
from gem_ma.validation.arguments import check_type

SeatContexts: TypeAlias = "Context | str | Mapping[str, Context | str]"
"""Contexts of seats: a Context or its text, for all seats or for each by name."""


@dataclass(frozen=True, slots=True)
class Context:
    """Limits of a conversation; the rules and the present observation are always kept.

    Attributes:
        turns: The number of earlier turns (observation and reply) to keep; None: all.
        images: The number of latest different pictures to keep. Alt texts replace the others; of
            equal pictures the last is kept. None: keep every picture.
        tokens: The token budget of all messages; the oldest turns are dropped first. None: no
            budget.
        family: The model family that determines the token count of a picture.
        count: A function that returns the token count of a text; None: four bytes are one token.
    """

    turns: int | None = None
    images: int | None = None
    tokens: int | None = None
    family: str = "qwen2.5-vl"
    count: Callable[[str], int] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("turns", "images", "tokens"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 0):
                raise ValueError(f"{name}={value!r}: expected 0 or more, or None for no limit")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the context that a text such as "turns=4,images=2" names."""
        check_type(text, str, "context")
        settings: dict[str, Any] = {}
        known = {"turns", "images", "tokens", "family"}
        for part in text.replace("&", ",").split(","):
            name, _, value = part.partition("=")
            if name not in known or not value:
                raise ValueError(
                    f"context {text!r}: expected turns=, images=, tokens= or family=, got {part!r}"
                )
            if name != "family" and not value.isdecimal():
                raise ValueError(f"context {text!r}: {name} must be a whole number, got {value!r}")
            settings[name] = value if name == "family" else int(value)
        return cls(**settings)

    def __str__(self) -> str:
        parts = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name != "count" and value != one.default:
                parts.append(f"{one.name}={value}")
        return ",".join(parts)

    def apply(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Return the messages that the limits keep."""
        try:
            return self._select_messages(messages)
        except KeyError as error:
            raise ValueError(
                f"a message of the chat has no {error}; expected role and content in each"
            ) from None

    def _select_messages(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        start = 1 if messages and messages[0]["role"] == "system" else 0
        first = max(start, self._find_start(messages, start))
        while first > start and messages[first]["role"] == "tool":
            first -= 1  # a tool result needs its call
        kept = [*messages[:start], *messages[first:]]
        return kept if self.images is None else keep_images(kept, self.images, dedup=True)

    def _find_start(self, messages: Sequence[ChatMessage], start: int) -> int:
        """Return the index of the first kept message: after a reply, or `start`."""
        cut = len(messages)
        spent = (
            sum(self._count_tokens(message) for message in messages[:start]) if self.tokens else 0
        )
        kept = -1  # -1: the present turn is kept regardless of its cost
        for place in range(len(messages) - 1, start - 1, -1):
            if self.tokens is not None:
                spent += self._count_tokens(messages[place])
                if spent > self.tokens and kept >= 0:
                    return cut
            if place == start or messages[place - 1]["role"] == "assistant":
                cut, kept = place, kept + 1
                if kept == self.turns or (self.tokens is not None and spent > self.tokens):
                    return cut
        return start

    def _count_tokens(self, message: ChatMessage) -> int:
        parts = message["content"]
        cost = 4  # estimated tokens of the template around a message
        for part in [parts] if isinstance(parts, str) else parts:
            if isinstance(part, Picture):
                cost += count_image_tokens(part.width, part.height, self.family)
            elif self.count is not None:
                cost += self.count(str(part))
            else:
                cost += len(part.encode(errors="replace")) // 4 + 1
        return cost
