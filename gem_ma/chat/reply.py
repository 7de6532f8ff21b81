"""Reply: what an agent says, and what its model told about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gem_ma.engine import action_parsing
from gem_ma.engine.action_parsing import ToolCall
from gem_ma.validation.json_types import JSONMapping, JSONObject


class Reply(str):
    """A reply: the text, and what the model told about it. It is an action anywhere.

    Args:
        tool_calls: in OpenAI's shape; with any, they are the action and the text beside them is
            not.
        calls: of models, by a program that made its move after them (see
            `gem_ma.chat.model_calls`).
        prompt_ids: of the tokens that the model was given, where a server told them; empty where it
            told those of the reply alone.
        token_ids: of the tokens that were drawn; empty where the model was not asked.
        logprobs: of the tokens, as the model gave them after the temperature was applied, and
            before anything else was (top_p for example): what a trainer computes again.
        allowed_ids: for each token those that it was drawn from, where decoding was guided; its
            log-probability is the one among them.
        policy_version: after so many updates the model that drew it was, where it learns while it
            plays.
        thinking_blocks: what the model thought beside the text, in the shape of its provider, which
            wants some of it back, unchanged.
    """

    __slots__ = (
        "allowed_ids",
        "calls",
        "finish_reason",
        "latency",
        "logprobs",
        "policy_version",
        "prompt_ids",
        "thinking_blocks",
        "token_ids",
        "tool_calls",
        "usage",
    )

    calls: Sequence[JSONMapping]
    prompt_ids: Sequence[int] | None
    token_ids: Sequence[int] | None
    logprobs: Sequence[float] | None
    allowed_ids: Sequence[Sequence[int]] | None
    finish_reason: str | None
    tool_calls: Sequence[ToolCall]
    thinking_blocks: Sequence[JSONMapping]
    usage: Mapping[str, int]
    latency: float | None
    policy_version: int | None

    def __new__(
        cls,
        text: str = "",
        *,
        token_ids: Sequence[int] | None = None,
        logprobs: Sequence[float] | None = None,
        finish_reason: str | None = None,
        tool_calls: Sequence[ToolCall] = (),
        usage: Mapping[str, int] | None = None,
        latency: float | None = None,
        calls: Sequence[JSONMapping] = (),
        thinking_blocks: Sequence[JSONMapping] = (),
        allowed_ids: Sequence[Sequence[int]] | None = None,
        prompt_ids: Sequence[int] | None = None,
        policy_version: int | None = None,
    ) -> Reply:
        self = super().__new__(cls, text)
        self.prompt_ids = prompt_ids
        self.token_ids = token_ids
        self.logprobs = logprobs
        self.finish_reason = finish_reason
        self.tool_calls = tool_calls
        self.usage = usage or {}
        self.latency = latency
        self.calls = calls
        self.thinking_blocks = thinking_blocks
        self.allowed_ids = allowed_ids
        self.policy_version = policy_version
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_reply, (str(self), self.fields())

    def fields(self) -> JSONObject:
        """Return what the model told beside the text, and nothing that it did not tell."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        meaningful_when_empty = "prompt_ids", "token_ids"
        return {
            name: value
            for name, value in fields.items()
            if value is not None and (value not in ((), [], {}) or name in meaningful_when_empty)
        }


def _rebuild_reply(text: str, fields: JSONObject) -> Reply:
    return Reply(text, **fields)


def with_latency(reply: str, seconds: float) -> Reply:
    """Return a reply that says how long it took."""
    fields = reply.fields() if isinstance(reply, Reply) else {}
    copy = (type(reply) if isinstance(reply, Reply) else Reply)(reply, **fields)
    if hasattr(reply, "__dict__"):
        vars(copy).update(vars(reply))
    copy.latency = seconds
    return copy


def truncate_reply_calls(reply: str, count: int | None) -> str:
    """Return a reply without the tool calls behind its first few, in whatever form it has them."""
    if count is None:
        return reply
    text = action_parsing.truncate_tool_calls(reply, count)
    calls = getattr(reply, "tool_calls", None) or ()
    if text == reply and len(calls) <= count:
        return reply
    fields = reply.fields() if isinstance(reply, Reply) else {}
    if text != reply:  # what was drawn spells more than this: the first ids are those of the text
        dropped = "prompt_ids", "logprobs", "allowed_ids"
        fields = {name: fields[name] for name in fields if name not in dropped}
    if calls:
        fields["tool_calls"] = calls[:count]
    if not isinstance(reply, Reply):
        return Reply(text, **fields)
    cut = type(reply)(text, **fields)
    if hasattr(reply, "__dict__"):  # what a kind of Reply keeps beside the fields
        vars(cut).update(vars(reply))
    return cut
