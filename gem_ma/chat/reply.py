"""Reply: the text of an agent's reply, with data from its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gem_ma.engine import action_parsing
from gem_ma.engine.action_parsing import ToolCall
from gem_ma.validation.json_types import JSONMapping, JSONObject


class Reply(str):
    """A reply: its text, with data from the model. It can be used as an action like any str.

    Args:
        text: The text of the reply.
        token_ids: Ids of the sampled tokens; empty if the model was not called. None: unknown.
        logprobs: Log-probabilities of the tokens after the temperature and before other changes
            such as top_p, as a trainer recomputes them.
        finish_reason: Why the model stopped, as its server reports it.
        tool_calls: Tool calls in OpenAI's shape. If there are any, they are the action, and the
            text is not.
        usage: Numbers of tokens as the server reports them, such as "completion_tokens".
        latency: The time that the reply took, in seconds.
        calls: The model calls of a program before its move, packed: `gem_ma.chat.unpack_calls`
            returns them.
        thinking_blocks: Thoughts of the model in the shape of its provider, which may require some
            of them back unchanged.
        allowed_ids: For guided decoding: for each token the ids that it was sampled from. Its
            log-probability is relative to these.
        prompt_ids: Ids of the prompt from the server; empty if it reported only those of the reply.
        policy_version: The number of updates of the sampling model, if it learns while it plays.
        cost: The price of its tokens, if prices are known.
        cached: True if it came from a cache of replies, so that nothing was paid for it.

    Examples:
        >>> import gem_ma
        >>> def agent(turn):
        ...     return gem_ma.Reply("check", token_ids=[17], logprobs=[-0.25])
        >>> (episode,) = gem_ma.rollout("game:KuhnPoker-v0", agent, seed=0)
        >>> episode.steps[0].reply, episode.steps[0].reply.logprobs
        ('check', [-0.25])
    """

    __slots__ = (
        "allowed_ids",
        "cached",
        "calls",
        "cost",
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
    cost: float | None
    cached: bool | None

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
        cost: float | None = None,
        cached: bool | None = None,
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
        self.cost = cost
        self.cached = cached
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_reply, (str(self), self.fields())

    def fields(self) -> JSONObject:
        """Return the data in addition to the text, without missing values."""
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
    """Return a copy of a reply with its latency in seconds."""
    fields = reply.fields() if isinstance(reply, Reply) else {}
    copy = (type(reply) if isinstance(reply, Reply) else Reply)(reply, **fields)
    if hasattr(reply, "__dict__"):
        vars(copy).update(vars(reply))
    copy.latency = seconds
    return copy


def count_tokens(reply: object) -> tuple[int, int]:
    """Return the numbers of tokens that a reply read and wrote; 0 if it does not report them."""
    usage = getattr(reply, "usage", None) or {}
    ids = getattr(reply, "token_ids", None) or ()
    return int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", len(ids)))


def truncate_reply_calls(reply: str, count: int | None) -> str:
    """Return a reply with only its first `count` tool calls, native or as text; None: all."""
    if count is None:
        return reply
    text = action_parsing.truncate_tool_calls(reply, count)
    calls = getattr(reply, "tool_calls", None) or ()
    if text == reply and len(calls) <= count:
        return reply
    fields = reply.fields() if isinstance(reply, Reply) else {}
    if text != reply:  # the token ids stay, but only the first of them spell the new text
        dropped = "prompt_ids", "logprobs", "allowed_ids"
        fields = {name: fields[name] for name in fields if name not in dropped}
    if calls:
        fields["tool_calls"] = calls[:count]
    if not isinstance(reply, Reply):
        return Reply(text, **fields)
    cut = type(reply)(text, **fields)
    if hasattr(reply, "__dict__"):  # additional attributes of a subclass
        vars(cut).update(vars(reply))
    return cut
