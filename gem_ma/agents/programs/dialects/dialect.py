"""The base class of dialects, and the checks of requests that they share."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from gem_ma.engine.action_parsing import find_raw_arguments, parse_call_arguments
from gem_ma.game import clip_repr
from gem_ma.validation.json_types import JSONMapping, JSONObject

THOUGHT_FIELDS = ("reasoning", "reasoning_content")  # of a message, by server


class RequestError(ValueError):
    """An error in a program's request; its message is sent to the program."""


class ModelAnswer(NamedTuple):
    """The answer of a model, read from one of Chat Completions.

    Attributes:
        text: The text.
        thoughts: The model's thoughts as text.
        thoughts_field: The field of the message that had the thoughts, so that they can go back.
        thinking_blocks: Thoughts in the form of the provider that signed them.
        tool_calls: Tool calls in OpenAI's form.
        finish_reason: Why the model stopped, in OpenAI's words.
        stop: The stop sequence that ended the text, if the server tells it.
        usage: Numbers of tokens.
    """

    text: str = ""
    thoughts: str = ""
    thoughts_field: str = ""
    thinking_blocks: Sequence[JSONMapping] = ()
    tool_calls: Sequence[JSONMapping] = ()
    finish_reason: str | None = None
    stop: str | None = None
    usage: Mapping[str, int] = {}


class Dialect(ABC):
    """One call of a program in a dialect: its request, and the answer in the same dialect.

    Args:
        body: The request.
        path: The path and the query of the request.

    Attributes:
        chat_body: The request as one of Chat Completions.
        is_stream: Whether the program asked for a stream.
        wants_thoughts: Whether the program asked for thoughts.
        thoughts_field: The field of the server's messages that has the thoughts of a stream.
    """

    name: ClassVar[str]

    def __init__(self, body: JSONMapping, path: str):
        self.body = body
        self.path = path
        self.is_stream = False
        self.wants_thoughts = False
        self.thoughts_field = ""
        self.chat_body = {
            name: value for name, value in self.read_request().items() if value is not None
        }

    @abstractmethod
    def read_request(self) -> JSONObject:
        """Return the request as one of Chat Completions, or raise RequestError.

        It also sets `is_stream` and `wants_thoughts`.
        """

    @abstractmethod
    def format_answer(self, answer: ModelAnswer) -> JSONObject:
        """Return a whole answer."""

    @abstractmethod
    def begin_stream(self) -> bytes:
        """Return the events before the first piece of a text."""

    @abstractmethod
    def format_piece(self, text: str, is_thought: bool) -> bytes:
        """Return the events for a piece of a text, or of a thought."""

    @abstractmethod
    def end_stream(self, answer: ModelAnswer) -> bytes:
        """Return the events after the last piece, with tool calls, which are sent as a whole."""

    def stream_answer(self, answer: ModelAnswer) -> bytes:
        """Return the events of a whole answer."""
        events = self.begin_stream()
        if answer.thoughts and self.wants_thoughts:
            events += self.format_piece(answer.thoughts, True)
        if answer.text:
            events += self.format_piece(answer.text, False)
        return events + self.end_stream(answer)

    def encode_error(self, status: int, message: str) -> bytes:
        """Return the event of an error in a stream that has begun."""
        return encode_event(self.format_error(status, message))

    @staticmethod
    @abstractmethod
    def format_error(status: int, message: str) -> JSONObject:
        """Return the body of an error."""


def read_list(value: object, name: str) -> list[JSONMapping]:
    """Return a list of objects, or raise RequestError; None is an empty list."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        return value
    raise RequestError(f"{name}: expected a list of objects, got {clip_repr(repr(value))}")


def read_object(value: object, name: str) -> JSONMapping:
    """Return an object, or raise RequestError; None is an empty object."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    raise RequestError(f"{name}: expected an object, got {clip_repr(repr(value))}")


def read_text(value: object, name: str) -> str:
    """Return a text, or raise RequestError; None is an empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise RequestError(f"{name}: expected a text, got {clip_repr(repr(value))}")


def read_type(value: JSONMapping) -> str:
    """Return the type of a block of content."""
    return str(value.get("type") or "")[:60]


def make_image_part(media_type: str, data: str) -> JSONObject:
    """Return a picture in base64 as a part of a message."""
    return make_url_part(f"data:{media_type};base64,{data}")


def make_url_part(url: str) -> JSONObject:
    """Return a picture at a URL as a part of a message."""
    return {"type": "image_url", "image_url": {"url": url}}


def join_parts(parts: Sequence[JSONMapping]) -> str | list[JSONMapping]:
    """Return the content of a message: a text, or a list of parts if one is a picture."""
    if all(part["type"] == "text" for part in parts):
        return "\n\n".join(str(part["text"]) for part in parts)
    return list(parts)


def make_call(identity: str, name: str, arguments: JSONMapping) -> JSONObject:
    """Return a tool call of a program's history in OpenAI's form."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": identity, "type": "function", "function": function}


def make_tool(name: str, description: str, parameters: JSONMapping) -> JSONObject:
    """Return the schema of a tool in OpenAI's form."""
    function: JSONObject = {"name": name}
    if description:
        function["description"] = description
    return {"type": "function", "function": {**function, "parameters": parameters}}


def parse_call_object(call: JSONMapping) -> JSONObject:
    """Return the arguments of a model's tool call as an object, whatever the model wrote."""
    try:
        arguments = parse_call_arguments(call)
    except ValueError:
        arguments = find_raw_arguments(call)
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def encode_event(data: JSONMapping, kind: str = "") -> bytes:
    """Return an event of a stream."""
    head = f"event: {kind}\n" if kind else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def read_counts(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of tokens that a model read and wrote; 0 if they are not told."""
    return int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
