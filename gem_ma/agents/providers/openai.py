"""A model behind an OpenAI-compatible server: hosted, vLLM, SGLang, llama.cpp and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


@dataclass(repr=False, eq=False, kw_only=True)
class OpenAIAgent(ProviderAgent):
    """Reply by chat completions; the options of all providers are those of `ProviderAgent`.

    Attributes:
        logprobs: Ask for log-probabilities.
        token_ids: Ask vLLM for the token ids too, those of the prompt and all that were drawn: also
            of thoughts and calls that its parsers take out of the text.
        detail: Of pictures.
    """

    provider = "openai"
    key: str = "OPENAI_API_KEY"
    logprobs: bool = False
    token_ids: bool = False
    detail: str = "auto"

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

    def parse_reply(self, content: bytes) -> Reply:
        """Return what a chat completion says."""
        from gem_ma.agents.providers.chat_completions import parse_completion

        return parse_completion(content).to_reply()

    def can_retry(self, error: Exception) -> bool:
        """Return False also where an account is empty, which has a status of those that pass."""
        return can_retry_openai(error) and super().can_retry(error)


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
