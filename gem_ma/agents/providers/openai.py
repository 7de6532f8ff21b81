"""A model behind an OpenAI-compatible server: OpenAI, vLLM, SGLang, llama.cpp and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gem_ma.agents.providers.base import ProviderAgent
from gem_ma.agents.providers.transport import (
    ModelConnection,
    ModelEndpoint,
    RequestBody,
    ToolSchemas,
    open_sdk_connection,
)
from gem_ma.chat.messages import ChatInput, to_openai_chat
from gem_ma.chat.reply import Reply
from gem_ma.validation.untrusted_json import parse_json

_MAX_CHOICES = 500  # values in a schema; OpenAI refuses more
_CHOICE_FIELD = "reply"


@dataclass(repr=False, eq=False, kw_only=True)
class OpenAIAgent(ProviderAgent):
    """An agent that asks for chat completions; see `ProviderAgent` for common options.

    Attributes:
        logprobs: Ask for log-probabilities.
        token_ids: Ask vLLM for token ids as well: those of the prompt and all sampled ones,
            including thoughts and calls that its parsers remove from the text.
        detail: Detail of pictures, as OpenAI's API names it.
        guided: How the reply is restricted to the legal ones, if a turn lists them. "choice" uses
            vLLM's `structured_outputs`. "json" uses a `response_format` with a JSON schema, which
            OpenAI, SGLang and llama.cpp support; the reply is taken out of the JSON. None: no
            restriction. More than 500 legal replies are not sent as a schema.
    """

    provider = "openai"
    key: str = "OPENAI_API_KEY"
    logprobs: bool = False
    token_ids: bool = False
    detail: str = "auto"
    guided: Literal["choice", "json"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.guided not in ("choice", "json", None):
            raise ValueError(f"guided={self.guided!r}: expected 'choice', 'json' or None")
        if self.guided == "choice" and self.base_url is None:
            raise ValueError("guided='choice' is an option of vLLM: OpenAI takes guided='json'")

    def connect(self, endpoint: ModelEndpoint) -> ModelConnection:
        """Open a client of the library `openai`."""
        import openai

        client = open_openai_client(endpoint)
        more = {"return_token_ids": True} if self.token_ids else {}
        return open_sdk_connection(
            client,
            client.chat.completions.with_raw_response.create,
            {**more, **(self.body or {})},
            (openai.OpenAIError, openai.APIConnectionError),
        )

    def make_body(self, messages: ChatInput, tools: ToolSchemas, seed: int | None) -> RequestBody:
        """Return the request for a chat completion."""
        # OpenAI's newer models accept only the newer name; most other servers know the older name.
        limit = "max_completion_tokens" if self.base_url is None else "max_tokens"
        return {
            "model": self.model,
            "messages": to_openai_chat(messages, detail=self.detail),
            "temperature": self.temperature,
            limit: self.max_tokens,
            "seed": seed,
            "logprobs": self.logprobs or self.token_ids or None,
            "tools": list(tools) or None,
        }

    def make_choice_fields(self, choices: Sequence[str]) -> RequestBody:
        """Return the fields for structured outputs that restrict the reply to these texts."""
        if self.guided == "choice":
            return {"extra_body": {"structured_outputs": {"choice": list(choices)}}}
        if self.guided is None or len(choices) > _MAX_CHOICES:
            return {}
        schema = {
            "type": "object",
            "properties": {_CHOICE_FIELD: {"type": "string", "enum": list(choices)}},
            "required": [_CHOICE_FIELD],
            "additionalProperties": False,
        }
        form = {"name": _CHOICE_FIELD, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}

    def parse_reply(self, content: bytes) -> Reply:
        """Return a chat completion as a reply."""
        from gem_ma.agents.providers.chat_completions import parse_completion

        reply = parse_completion(content).to_reply()
        return reply if self.guided != "json" else _unwrap_choice(reply)

    def can_retry(self, error: Exception) -> bool:
        """Return False also for an account without credit, although its status allows retries."""
        return can_retry_openai(error) and super().can_retry(error)


def _unwrap_choice(reply: Reply) -> Reply:
    """Return a reply without the JSON around it; other texts are returned unchanged."""
    try:
        choice = parse_json(str(reply))
    except ValueError:
        return reply
    if not (isinstance(choice, dict) and isinstance(choice.get(_CHOICE_FIELD), str)):
        return reply
    return Reply(choice[_CHOICE_FIELD], **reply.fields())


def open_openai_client(endpoint: ModelEndpoint) -> Any:
    """Return an asynchronous client of the library `openai`."""
    import openai

    return openai.AsyncOpenAI(
        base_url=endpoint.url,
        api_key=endpoint.key,
        max_retries=0,
        timeout=endpoint.timeout,
        http_client=endpoint.open_http(openai.DefaultAsyncHttpxClient),
    )


def can_retry_openai(error: Exception) -> bool:
    """Return False for an account without credit, which OpenAI reports as a rate limit."""
    return getattr(error, "code", None) != "insufficient_quota"
