"""Conversations to train on: the chats of the seats that are asked for."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from gem_ma.chat.messages import ChatMessage
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.transcripts import join_thoughts, to_plain_json
from gem_ma.validation.json_types import JSONObject


def list_chats(
    episodes: Iterable[Episode], seats: Collection[str] | None
) -> Iterator[tuple[Episode, str]]:
    """Yield each episode that did not fail with each seat that replied in it.

    Raises:
        ValueError: No episode has one of the seats.
    """
    unseen = set(seats or ())
    known: dict[str, None] = {}
    for episode in episodes:
        unseen -= set(episode.agents)
        known |= dict.fromkeys(episode.agents)
        replied = {step.agent for step in episode.steps if step.reply is not None}
        for seat in episode.agents if episode.failure is None else ():
            if seat in replied and (seats is None or seat in seats):
                yield episode, seat
    if unseen:
        missing = ", ".join(sorted(unseen))
        raise ValueError(f"no episode has the seats {missing}; the seats are {', '.join(known)}")


def list_replies(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages of replies."""
    return [message for message in messages if message["role"] == "assistant"]


def add_thoughts(shaped: Iterable[JSONObject], messages: Sequence[ChatMessage]) -> None:
    """Add the thoughts of each reply to its message in OpenAI's form, as `reasoning_content`."""
    replies = iter(list_replies(messages))
    for message in shaped:
        if message["role"] == "assistant" and (thoughts := join_thoughts(next(replies))):
            message["reasoning_content"] = thoughts


def list_tools(episode: Episode, seat: str) -> list[Any]:
    """Return the schemas of a seat's tools, without what no UTF-8 can hold."""
    tools: list[Any] = to_plain_json(episode.tools.get(seat, []))
    return tools


def dump_line(value: Any) -> str:
    """Return a value as a line of JSON that every reader of UTF-8 can read."""
    return json.dumps(to_plain_json(value)) + "\n"
