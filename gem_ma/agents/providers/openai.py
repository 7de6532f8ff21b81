"""A model behind an OpenAI-compatible server: hosted, vLLM, SGLang, llama.cpp and so on."""

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

_MAX_CHOICES = 500  # of a schema; OpenAI refuses more
_CHOICE_FIELD = "reply"


@dataclass(repr=False, eq=False, kw_only=True)
class OpenAIAgent(ProviderAgent):
    """Reply by chat completions; the options of all providers are those of `ProviderAgent`.

    Attributes:
        logprobs: Ask for log-probabilities.
        token_ids: Ask vLLM for the token ids too, those of the prompt and all that were drawn: also
            of thoughts and calls that its parsers take out of the text.
        detail: Of pictures.
        guided: How the model is kept to the legal replies, where a turn lists them: "choice" by
            vLLM's `structured_outputs`, "json" by a `response_format` with a JSON schema, which
            OpenAI, SGLang and llama.cpp take; the reply is taken out of the JSON. None: it replies
            freely. More than 500 legal replies are not sent as a schema.
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
        """Return the request of a chat completion."""
        # OpenAI's newer models know only the newer name, other servers mostly the older.
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
        """Return the fields of structured outputs that leave some replies alone."""
        if self.guided == "choice":
            return {"structured_outputs": {"choice": list(choices)}}
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
        """Return what a chat completion says."""
        from gem_ma.agents.providers.chat_completions import parse_completion

        reply = parse_completion(content).to_reply()
        return reply if self.guided != "json" else _unwrap_choice(reply)

    def can_retry(self, error: Exception) -> bool:
        """Return False also where an account is empty, which has a status of those that pass."""
        return can_retry_openai(error) and super().can_retry(error)


def _unwrap_choice(reply: Reply) -> Reply:
    """Return a reply without the JSON around it; what is no such JSON stays as it is."""
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
    """Return False for an account without money, which OpenAI calls a rate limit."""
    return getattr(error, "code", None) != "insufficient_quota"
