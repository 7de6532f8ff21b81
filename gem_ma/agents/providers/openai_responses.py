"""A model behind OpenAI's Responses API, which returns the model's reasoning in encrypted form."""

from __future__ import annotations

from dataclasses import dataclass

from gem_ma.agents.providers.answers import count_usage, parse_answer
from gem_ma.agents.providers.base import ProviderAgent
from gem_ma.agents.providers.errors import BadAnswer
from gem_ma.agents.providers.openai import can_retry_openai, open_openai_client
from gem_ma.agents.providers.tool_calls import flatten_tool, make_tool_call
from gem_ma.agents.providers.transport import (
    ModelConnection,
    ModelEndpoint,
    RequestBody,
    ToolSchemas,
    open_sdk_connection,
)
from gem_ma.chat.messages import ChatInput, to_openai_responses
from gem_ma.chat.reply import Reply


@dataclass
class _Item:
    """An item of the output: a message, a call or reasoning."""

    type: str
    content: list[dict[str, object]] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    id: str | None = None
    summary: list[dict[str, object]] | None = None
    encrypted_content: str | None = None


@dataclass
class _Response:
    output: list[_Item]
    status: str | None = None
    incomplete_details: dict[str, object] | None = None
    usage: dict[str, object] | None = None


@dataclass(repr=False, eq=False, kw_only=True)
class OpenAIResponsesAgent(ProviderAgent):
    """An agent that asks OpenAI's Responses API; the server stores no response.

    See `ProviderAgent` for common options.

    Attributes:
        reasoning: Effort of reasoning, such as "low". The encrypted reasoning is sent back with
            later requests. None: the model's default, and no reasoning is returned.
        detail: Detail of pictures, as OpenAI's API names it.
    """

    provider = "openai"
    takes_seed = False
    key: str = "OPENAI_API_KEY"
    reasoning: str | None = None
    detail: str = "auto"

    def connect(self, endpoint: ModelEndpoint) -> ModelConnection:
        """Open a client of the library `openai`."""
        import openai

        client = open_openai_client(endpoint)
        create = client.responses.with_raw_response.create
        errors = openai.OpenAIError, openai.APIConnectionError
        return open_sdk_connection(client, create, self.body, errors)

    def make_body(self, messages: ChatInput, tools: ToolSchemas, seed: int | None) -> RequestBody:
        """Return the request for a response."""
        function = {"type": "function", "strict": False}  # schemas are strict by default
        thinks = self.reasoning is not None
        return {
            "model": self.model,
            "input": to_openai_responses(messages, detail=self.detail),
            "store": False,
            "temperature": self.temperature,
            "max_output_tokens": self.max_tokens,
            "tools": [function | flatten_tool(tool) for tool in tools] or None,
            "reasoning": {"effort": self.reasoning, "summary": "auto"} if thinks else None,
            "include": ["reasoning.encrypted_content"] if thinks else None,
        }

    def parse_reply(self, content: bytes) -> Reply:
        """Return a response as a reply."""
        answer = parse_answer(_Response, content, "response")
        if answer.status == "failed":
            raise BadAnswer(f"the server answered with status 'failed': {content[:200]!r}")
        texts = [
            str(part.get("text") or part.get("refusal") or "")
            for item in answer.output
            for part in item.content or ()
            if item.type == "message"
        ]
        calls = [
            make_tool_call(item.call_id, item.name, item.arguments)
            for item in answer.output
            if item.type == "function_call"
        ]
        reasoning = [
            {"type": "reasoning", "id": item.id, "summary": item.summary or []}
            | {"encrypted_content": item.encrypted_content}
            for item in answer.output
            if item.type == "reasoning"
        ]
        why = str((answer.incomplete_details or {}).get("reason", ""))
        finish = why.replace("max_output_tokens", "length") or ("tool_calls" if calls else "stop")
        return Reply(
            "".join(texts),
            finish_reason=finish,
            tool_calls=calls,
            thinking_blocks=reasoning,
            usage=count_usage(answer.usage, ("input_tokens",), ("output_tokens",)),
        )

    def can_retry(self, error: Exception) -> bool:
        """Return False also for an account without credit, although its status allows retries."""
        return can_retry_openai(error) and super().can_retry(error)
