"""Conversations of two seats: messages and tool calls, how they are read and how they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from gem_ma.engine.action_parsing import parse_call_arguments, parse_tool_calls, replace_surrogates
from gem_ma.game import InvalidMove, prefix_speaker
from gem_ma.validation.untrusted_json import parse_json


class Call(NamedTuple):
    name: object
    arguments: object
    result: str = ""
    after: int = 0  # number of messages before the call
    by: str = "assistant"


class Said(NamedTuple):
    who: str
    text: str


class TalkView(Protocol):
    """The part of a conversation that a seat sees: all messages, and its own tool calls."""

    @property
    def talk(self) -> Sequence[Said]: ...
    @property
    def calls(self) -> Sequence[Call]: ...


def read_reply(text: str, strict: bool = False) -> str | tuple[Call, ...]:
    """Return the tool calls in a reply, or else the reply as a message.

    Args:
        strict: read all text that is not JSON as a message, even if it looks like a tool call, and
            allow an empty message.
    """
    calls = parse_tool_calls(text) if "<tool_call>" in text else []
    if calls:
        payload: Any = [
            {"name": one["function"]["name"], "arguments": parse_call_arguments(one)}
            for one in calls
        ]
    elif text.lstrip()[:1] in ("{", "["):
        try:
            payload = parse_json(text)
        except ValueError:
            if '"name"' in text and not strict:
                raise InvalidMove("a tool call that is no JSON") from None
            return text
    else:
        return text
    payload = payload if isinstance(payload, list) else [payload]
    if not payload or not all(isinstance(one, dict) and "name" in one for one in payload):
        return text
    named = [Call(one["name"], one.get("arguments", one.get("kwargs", {}))) for one in payload]
    if named[0].name == "respond":  # the original's name for a message
        content = named[0].arguments.get("content") if isinstance(named[0].arguments, dict) else ""
        if not isinstance(content, str) or not (content or strict):
            raise InvalidMove("respond needs a content, which is a text")
        return replace_surrogates(content)
    return tuple(named)


def transcript(view: TalkView) -> str:
    """Return all messages and tool calls as text, in order."""
    return "\n".join(prefix_speaker(who, text) for who, text in turns(view))


def turns(view: TalkView) -> tuple[tuple[str, str], ...]:
    """Return (speaker, text) pairs: all messages, with a view's calls in their places."""
    messages: list[tuple[str, str]] = []
    calls = list(view.calls)
    for place in range(len(view.talk) + 1):
        while calls and calls[0].after == place:
            one = calls.pop(0)
            messages.append(("tool", f"{one.name}: {one.result}"))
        messages += [(who, text) for who, text in view.talk[place : place + 1]]
    return tuple(messages)
