"""A model behind Anthropic's Messages API."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from gem_ma.agents.providers.answers import count_usage, parse_answer
from gem_ma.agents.providers.base import ProviderAgent
from gem_ma.agents.providers.tool_calls import flatten_tool, make_tool_call
from gem_ma.agents.providers.transport import (
    ModelConnection,
    ModelEndpoint,
    RequestBody,
    ToolSchemas,
    open_sdk_connection,
)
from gem_ma.chat.messages import ChatInput, to_anthropic
from gem_ma.chat.reply import Reply
from gem_ma.validation.json_types import JSONObject

_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


@dataclass
class _Block:
    """A content block of a message."""

    type: str
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, object] | None = None


@dataclass
class _Message:
    content: list[_Block]
    stop_reason: str | None = None
    usage: dict[str, object] = field(default_factory=dict)


@dataclass(repr=False, eq=False, kw_only=True)
class AnthropicAgent(ProviderAgent):
    """An agent that asks Anthropic's Messages API; see `ProviderAgent` for common options.

    Attributes:
        max_tokens: Limit of a reply's tokens, including thoughts. The API requires a number.
        thinking: Limit of tokens for thoughts, less than max_tokens, or "adaptive" to let the model
            choose. None: no thoughts are asked for.
    """

    provider = "anthropic"
    takes_seed = False
    url_suffixes = ("/v1",)
    key: str = "ANTHROPIC_API_KEY"
    max_tokens: int | None = 8192
    thinking: int | str | None = None

    def connect(self, endpoint: ModelEndpoint) -> ModelConnection:
        """Open a client of the library `anthropic`."""
        import anthropic

        client = anthropic.AsyncAnthropic(
            base_url=endpoint.url,
            api_key=endpoint.key,
            max_retries=0,
            timeout=endpoint.timeout,
            http_client=endpoint.open_http(anthropic.DefaultAsyncHttpxClient),
        )
        create = client.messages.with_raw_response.create
        errors = anthropic.AnthropicError, anthropic.APIConnectionError
        # Not all models accept it, and not all releases of the library have it as an argument.
        more = {} if self.temperature is None else {"temperature": self.temperature}
        return open_sdk_connection(client, create, {**more, **(self.body or {})}, errors)

    def make_body(self, messages: ChatInput, tools: ToolSchemas, seed: int | None) -> RequestBody:
        """Return the request for a message."""
        system, chat = to_anthropic(messages)
        thinking: JSONObject = {"type": self.thinking}
        if isinstance(self.thinking, int):
            thinking = {"type": "enabled", "budget_tokens": self.thinking}
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": chat,
            "system": system or None,
            "thinking": None if self.thinking is None else thinking,
            "tools": [flatten_tool(tool, "input_schema") for tool in tools] or None,
        }

    def parse_reply(self, content: bytes) -> Reply:
        """Return a message as a reply."""
        answer = parse_answer(_Message, content, "message")
        prompt = "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"
        return Reply(
            "".join(block.text or "" for block in answer.content if block.type == "text"),
            finish_reason=_FINISH_REASONS.get(answer.stop_reason or "", answer.stop_reason),
            tool_calls=[
                make_tool_call(block.id, block.name, block.input)
                for block in answer.content
                if block.type == "tool_use"
            ],
            thinking_blocks=[
                {name: value for name, value in asdict(block).items() if value is not None}
                for block in answer.content
                if block.type in ("thinking", "redacted_thinking")
            ],
            usage=count_usage(answer.usage, prompt, completion=("output_tokens",)),
        )
