"""The schema of a chat completion, and its conversion to a reply."""

from __future__ import annotations

from typing import Annotated, Any

from gem_ma.agents.providers.answers import parse_answer, select_counts
from gem_ma.agents.providers.errors import BadAnswer
from gem_ma.chat.reply import Reply
from gem_ma.validation.extras import require_extra

with require_extra("openai"):
    from pydantic import BaseModel, ConfigDict, Field, JsonValue

Count = Annotated[int, Field(strict=True, ge=0, le=1 << 53)]


class _Open(BaseModel):
    """A model that keeps unknown fields, because servers want some of them back."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue]


class _Function(_Open):
    name: str
    arguments: str | dict[str, JsonValue] | None = None


class _Call(_Open):
    id: str | None = None
    type: str | None = None
    function: _Function


class _Message(BaseModel):
    content: str | None = None
    tool_calls: list[_Call] | None = None
    # Thoughts, under the present name and an earlier one.
    reasoning: JsonValue = None
    reasoning_content: JsonValue = None


class _Token(BaseModel):
    # Rounding makes some values slightly positive.
    logprob: Annotated[float, Field(strict=True, le=0.01, allow_inf_nan=False)]


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: Annotated[str, Field(max_length=100)] | None = None
    logprobs: _Logprobs | None = None
    token_ids: list[Count] | None = None


class _Usage(_Open):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None


class Completion(BaseModel):
    """A chat completion, with the fields that are used."""

    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Usage | None = None
    prompt_token_ids: list[Count] | None = None

    def to_reply(self) -> Reply:
        """Return the completion as a reply."""
        choice = self.choices[0]
        message = choice.message
        tokens = (choice.logprobs and choice.logprobs.content) or []
        thought = message.reasoning or message.reasoning_content
        calls: list[Any] = [one.model_dump(exclude_unset=True) for one in message.tool_calls or ()]
        return Reply(
            message.content or "",
            prompt_ids=None if choice.token_ids is None else self.prompt_token_ids or (),
            token_ids=choice.token_ids,
            logprobs=[token.logprob for token in tokens] or None,
            finish_reason=choice.finish_reason,
            tool_calls=calls or (),
            thinking_blocks=[{"text": thought}] if thought and isinstance(thought, str) else (),
            usage=select_counts(self.usage and self.usage.model_dump()),
        )


def parse_completion(content: bytes) -> Completion:
    """Return the chat completion in the bytes of an answer.

    Raises:
        BadAnswer: The bytes are no chat completion, or say that the server failed.
    """
    completion = parse_answer(Completion, content, "chat completion")
    if completion.choices[0].finish_reason == "error":
        raise BadAnswer(f"the server answered with finish_reason 'error': {content[:200]!r}")
    return completion
