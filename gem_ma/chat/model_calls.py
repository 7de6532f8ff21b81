"""Records of the model calls that a program in a seat made before its move."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gem_ma.chat.messages import ChatMessage
from gem_ma.engine.action_parsing import ToolCall
from gem_ma.game import SeatTool
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    from gem_ma.chat.conversation import Step

_LOOKBACK = 8  # latest calls that are searched for one that a new call continues
_MAX_URL_LENGTH = 200  # characters of a picture's URL that a record keeps


class ModelCall(NamedTuple):
    """One call of a model: its messages, its reply, and data from the server.

    Attributes:
        prompt_ids: Token ids of the prompt, from the server; None: not reported.
        token_ids: Token ids of the reply, from the server; None if they are missing.
        logprobs: Log-probabilities of `token_ids`; None if they are missing.
        thoughts: The model's thoughts, if its server returns them apart from the text.
    """

    messages: tuple[ChatMessage, ...] = ()
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    prompt_ids: tuple[int, ...] | None = None
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    tools: tuple[SeatTool, ...] = ()
    finish_reason: str | None = None
    usage: Mapping[str, int] = {}
    latency: float = 0.0
    thoughts: str = ""

    def to_message(self) -> JSONObject:
        """Return the model's reply as a chat message."""
        message: JSONObject = {"role": "assistant", "content": self.text}
        return {**message, "tool_calls": list(self.tool_calls)} if self.tool_calls else message

    def join_ids(self) -> tuple[int, ...] | None:
        """Return the ids of prompt and reply as one sequence, or None if one is missing."""
        if self.prompt_ids is None or self.token_ids is None:
            return None
        return self.prompt_ids + self.token_ids


class CallHistory:
    """The model calls of one seat in an episode, packed as additions to earlier calls."""

    def __init__(self) -> None:
        self.calls: list[ModelCall] = []

    def pack(self, call: ModelCall) -> JSONObject:
        """Add a call, and return it in the form of a record.

        `of` is the index of an earlier call. This call begins with the first `same` ids and the
        first `kept` messages of that call, reply included; only the rest is stored. Tools are
        omitted if they equal those of the previous call.
        """
        of, same, kept = self._find_prefix(call)
        packed: JSONObject = {"of": of, "same": same, "kept": kept} if of is not None else {}
        packed["messages"] = [_strip_pictures(one) for one in call.messages[kept:]]
        if call.prompt_ids is not None:
            packed["prompt_ids"] = list(call.prompt_ids[same:])
        for name in ("token_ids", "logprobs", "tool_calls"):
            if value := getattr(call, name):
                packed[name] = list(value)
        for name in ("text", "thoughts", "finish_reason", "latency"):
            if value := getattr(call, name):
                packed[name] = value
        if call.usage:
            packed["usage"] = dict(call.usage)
        if call.tools != (self.calls[-1].tools if self.calls else ()):
            packed["tools"] = list(call.tools)
        self.calls.append(call)
        return packed

    def unpack(self, packed: JSONMapping) -> ModelCall:
        """Add a call from its form in a record, and return the complete call."""
        of = packed.get("of")
        before = ModelCall() if of is None else self.calls[of]
        ids, whole = packed.get("prompt_ids"), before.join_ids() or ()
        fields = {
            "messages": (*_build_chat(before)[: packed.get("kept", 0)], *packed["messages"]),
            "prompt_ids": None if ids is None else (*whole[: packed.get("same", 0)], *ids),
            "tools": packed.get("tools", self.calls[-1].tools if self.calls else ()),
        }
        for name in ("token_ids", "logprobs", "tool_calls", "tools"):
            if name in packed:
                fields[name] = tuple(packed[name])
        for name in ("text", "thoughts", "finish_reason", "latency", "usage"):
            if name in packed:
                fields[name] = packed[name]
        self.calls.append(ModelCall(**fields))
        return self.calls[-1]

    def _find_prefix(self, call: ModelCall) -> tuple[int | None, int, int]:
        """Return the earlier call with the longest common beginning, and its ids and messages."""
        best: tuple[int | None, int, int] = None, 0, 0
        for of in range(len(self.calls) - 1, max(len(self.calls) - 1 - _LOOKBACK, -1), -1):
            before = self.calls[of]
            same = _count_common(before.join_ids() or (), call.prompt_ids or ())
            kept = _count_common(_build_chat(before), call.messages)
            if (same, kept) > best[1:]:
                best = of, same, kept
        return best


def unpack_calls(steps: Iterable[Step]) -> list[list[ModelCall]]:
    """Return, for each step of one seat, the model calls that led to its reply."""
    history = CallHistory()
    return [
        [history.unpack(one) for one in getattr(step.reply, "calls", None) or ()] for step in steps
    ]


def _build_chat(call: ModelCall) -> tuple[ChatMessage, ...]:
    return (*call.messages, call.to_message()) if call.messages else ()


def _count_common(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the length of the common beginning of two sequences."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:  # equal up to `low`, different before `high`
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _strip_pictures(message: ChatMessage) -> JSONMapping:
    """Return a message with hashes in place of the bytes of its pictures."""
    parts = message.get("content")
    if not isinstance(parts, list):
        return message
    return {**message, "content": [_strip_image_bytes(part) for part in parts]}


def _strip_image_bytes(part: object) -> object:
    if not isinstance(part, Mapping):
        return part
    image = part.get("image_url")
    if isinstance(image, Mapping):
        return {**part, "image_url": {**image, "url": _shorten_url(image.get("url"))}}
    return {**part, "image_url": _shorten_url(image)} if image else part


def _shorten_url(url: object) -> object:
    if not isinstance(url, str) or len(url) <= _MAX_URL_LENGTH:
        return url
    digest = hashlib.sha256(url.encode()).hexdigest()
    return f"{url.partition(',')[0][:60]},sha256:{digest}"
