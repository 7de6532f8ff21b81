"""A model behind Google's Gemini API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from gem_ma.agents.providers.answers import count_usage, parse_answer
from gem_ma.agents.providers.base import ProviderAgent
from gem_ma.agents.providers.errors import BadAnswer
from gem_ma.agents.providers.tool_calls import flatten_tool, make_tool_call
from gem_ma.agents.providers.transport import (
    ModelConnection,
    ModelEndpoint,
    RequestBody,
    ToolSchemas,
)
from gem_ma.chat.messages import ChatInput, to_gemini
from gem_ma.chat.reply import Reply
from gem_ma.validation.json_types import JSONObject

_FINISH_REASONS = {"STOP": "stop", "MAX_TOKENS": "length"}
_FILTERS = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}


@dataclass
class _Part:  # field names of the API
    text: str = ""
    thought: bool = False
    functionCall: dict[str, object] | None = None  # noqa: N815
    thoughtSignature: str | None = None  # noqa: N815


@dataclass
class _Candidate:
    content: dict[str, list[_Part] | str] = field(default_factory=dict)  # parts and role
    finishReason: str = "BLOCKLIST"  # noqa: N815


@dataclass
class _Answer:
    candidates: list[_Candidate] = field(default_factory=list)
    promptFeedback: JSONObject | None = None  # noqa: N815 - of a prompt that is blocked
    usageMetadata: dict[str, object] = field(default_factory=dict)  # noqa: N815


@dataclass(repr=False, eq=False, kw_only=True)
class GeminiAgent(ProviderAgent):
    """An agent that asks Google's `generateContent`; see `ProviderAgent` for common options.

    Attributes:
        thinking: Limit of tokens for thoughts, or a level such as "low"; None: the model's default.
    """

    provider = "google"
    url_suffixes = ("/v1", "/v1beta")
    key: str = "GEMINI_API_KEY"
    thinking: int | str | None = None

    def connect(self, endpoint: ModelEndpoint) -> ModelConnection:
        """Open a client of the library `google-genai`."""
        import google.genai as genai
        import httpx2

        http = endpoint.open_http(httpx2.AsyncClient)
        options = genai.types.HttpOptions(base_url=endpoint.url, httpx_async_client=http)
        client = genai.Client(vertexai=False, api_key=endpoint.key, http_options=options)

        async def send(body: RequestBody) -> bytes:
            load = genai.types.Content.model_validate_json  # it decodes base64 as JSON contains it
            contents = [load(json.dumps(one)) for one in body["contents"]]
            answer = await client.aio.models.generate_content(**body | {"contents": contents})
            return bytes(answer.sdk_http_response.body, "utf-8")

        errors = genai.errors.APIError, httpx2.HTTPError
        return ModelConnection(send, http.aclose, errors, (httpx2.TransportError,))

    def make_body(self, messages: ChatInput, tools: ToolSchemas, seed: int | None) -> RequestBody:
        """Return the arguments of `generate_content`."""
        system, contents = to_gemini(messages)
        level = "thinkingBudget" if isinstance(self.thinking, int) else "thinkingLevel"
        thinking = {"includeThoughts": True, level: self.thinking}
        declared = [flatten_tool(tool, "parameters_json_schema") for tool in tools]
        config = {
            "system_instruction": system or None,
            "temperature": self.temperature,
            "max_output_tokens": self.max_tokens,
            "seed": seed,
            "thinking_config": None if self.thinking is None else thinking,
            "tools": [{"function_declarations": declared}] if declared else None,
            "http_options": {"extra_body": dict(self.body)} if self.body else None,
            "should_return_http_response": True,
        }
        return {"model": self.model, "contents": contents, "config": config}

    def parse_reply(self, content: bytes) -> Reply:
        """Return the first candidate as a reply. A blocked prompt has none, and is a refusal."""
        answer = parse_answer(_Answer, content, "answer of generateContent")
        if not answer.candidates and answer.promptFeedback is None:
            raise BadAnswer(f"neither candidates nor promptFeedback in {content[:200]!r}")
        first = (*answer.candidates, _Candidate())[0]
        parts = [one for one in first.content.get("parts", ()) if isinstance(one, _Part)]
        calls = [
            make_tool_call(
                call.get("id"), call.get("name"), call.get("args"), part.thoughtSignature
            )
            for part in parts
            if (call := part.functionCall)
        ]
        reason = "content_filter" if first.finishReason in _FILTERS else first.finishReason.lower()
        reason = "tool_calls" if calls else _FINISH_REASONS.get(first.finishReason, reason)
        read = "promptTokenCount", "toolUsePromptTokenCount"
        written = "candidatesTokenCount", "thoughtsTokenCount"
        return Reply(
            "".join(part.text for part in parts if not part.thought),
            finish_reason=reason,
            tool_calls=calls,
            thinking_blocks=[{"thought": True, "text": one.text} for one in parts if one.thought],
            usage=count_usage(answer.usageMetadata, read, written),
        )
