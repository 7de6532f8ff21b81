"""Recording of model calls from answers, whole or as event streams, of three OpenAI endpoints."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gem_ma.agents.programs.dialects.dialect import THOUGHT_FIELDS, ModelAnswer
from gem_ma.chat.model_calls import ModelCall
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.validation.untrusted_json import parse_json

MAX_RECORD_DEPTH = 100  # levels of nesting of requests and answers
_ESCAPED_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
# Fields that the gateway adds to a request; their values are removed from the program's answer.
ADDED_FIELDS: Mapping[str, JSONMapping] = {
    "chat/completions": {"logprobs": True, "return_token_ids": True},
    "completions": {"logprobs": 0, "return_token_ids": True},
    "responses": {},
}


class CallRecorder:
    """A recorder of one call: it reads the answer as it passes, and returns the call at its end."""

    def __init__(self, endpoint: str, body: JSONMapping):
        self.endpoint = endpoint
        self.body = body
        self.start = time.monotonic()
        self.is_complete = False  # whether the last event was read
        self.text: list[str] = []
        self.thoughts: list[str] = []
        self.thoughts_field = ""  # of the message; its name differs by server
        self.thinking_blocks: tuple[JSONMapping, ...] = ()
        self.stop: str | None = None
        self.calls: dict[int, JSONObject] = {}
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.prompt: Any = None
        self.finish: str | None = None
        self.usage: JSONMapping = {}

    def record_answer(self, answer: JSONMapping) -> None:
        """Read a whole answer."""
        if self.endpoint == "responses":
            self._record_response(answer)
            return
        choice = _get_first_choice(answer)
        message = _as_mapping(choice.get("message"))
        self.text.append(str(message.get("content") or choice.get("text") or ""))
        self._record_thoughts(message)
        for place, call in enumerate(_as_list(message.get("tool_calls"))):
            self.calls[place] = dict(_as_mapping(call))
        self._record_tokens(answer, choice)

    def _record_response(self, answer: JSONMapping) -> None:
        for item in map(_as_mapping, _as_list(answer.get("output"))):
            if item.get("type") == "message":
                self.text += [
                    str(_as_mapping(p).get("text") or "") for p in _as_list(item.get("content"))
                ]
            if item.get("type") == "function_call":
                function = {"name": item.get("name"), "arguments": item.get("arguments")}
                call = {"id": item.get("call_id"), "type": "function", "function": function}
                self.calls[len(self.calls)] = call
        used = _as_mapping(answer.get("usage"))
        names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
        self.usage = {names.get(name, name): value for name, value in used.items()}
        self.finish = answer.get("status")

    def _record_thoughts(self, message: JSONMapping) -> None:
        for field in THOUGHT_FIELDS:
            if (thought := message.get(field)) and isinstance(thought, str):
                self.thoughts.append(thought)
                self.thoughts_field = field
                break
        blocks = _as_list(message.get("thinking_blocks"))
        self.thinking_blocks += tuple(one for one in blocks if isinstance(one, Mapping))

    def _record_tokens(self, answer: JSONMapping, choice: JSONMapping) -> None:
        prompt = answer.get("prompt_token_ids") or choice.get("prompt_token_ids")
        self.prompt = prompt or self.prompt
        self.ids += [one for one in _as_list(choice.get("token_ids")) if type(one) is int]
        logprobs = _as_mapping(choice.get("logprobs"))
        tokens = _as_list(logprobs.get("content")) or _as_list(logprobs.get("token_logprobs"))
        for one in tokens:
            value = one.get("logprob") if isinstance(one, Mapping) else one
            if isinstance(value, int | float):
                self.logprobs.append(float(value))
        self.finish = choice.get("finish_reason") or self.finish
        stop = choice.get("stop_reason")  # vLLM: the stop sequence, or the id of a token
        self.stop = stop if isinstance(stop, str) else self.stop
        self.usage = _as_mapping(answer.get("usage")) or self.usage

    def record_event(self, data: str, token_ids: bool = False) -> JSONObject | None:
        """Read the data of an event, and return the part of it that the program asked for.

        Args:
            data: The event's data.
            token_ids: Whether the gateway added fields to the request.
        """
        if data.strip() == "[DONE]":
            self.is_complete = True
            return None
        try:
            chunk = parse_object(data)
        except ValueError:
            return None
        if self.endpoint == "responses":
            if chunk.get("type") in ("response.completed", "response.incomplete"):
                self.is_complete = True
                self._record_response(_as_mapping(chunk.get("response")))
            return chunk
        choice = _get_first_choice(chunk)
        delta = _as_mapping(choice.get("delta"))
        self.text.append(str(delta.get("content") or choice.get("text") or ""))
        self._record_thoughts(delta)
        for call in map(_as_mapping, _as_list(delta.get("tool_calls"))):
            self._add_call_piece(call)
        self._record_tokens(chunk, choice)
        return remove_added_fields(chunk, self.body) if token_ids else chunk

    def _add_call_piece(self, piece: JSONMapping) -> None:
        """Add a piece of a tool call to the pieces that came before."""
        place = piece.get("index")
        place = place if type(place) is int else max(len(self.calls) - 1, 0)
        call = self.calls.setdefault(place, {"type": "function", "function": {}})
        function, more = call["function"], _as_mapping(piece.get("function"))
        for name in ("id", "extra_content"):  # Google's servers sign thoughts in the latter
            if piece.get(name):
                call[name] = piece[name]
        if more.get("name"):
            function["name"] = more["name"]
        function["arguments"] = function.get("arguments", "") + str(more.get("arguments") or "")

    def make_answer(self) -> ModelAnswer:
        """Return what a program is told, once the whole answer was read."""
        return ModelAnswer(
            text="".join(self.text),
            thoughts="".join(self.thoughts),
            thoughts_field=self.thoughts_field,
            thinking_blocks=self.thinking_blocks,
            tool_calls=tuple(self.calls.values()),
            finish_reason=self.finish if isinstance(self.finish, str) else None,
            stop=self.stop,
            usage=self._count_usage(),
        )

    def _count_usage(self) -> dict[str, int]:
        return {n: v for n, v in self.usage.items() if type(v) is int and 0 <= v <= 1 << 53}

    def make_call(self) -> ModelCall:
        """Return the call, once the whole answer was read."""
        prompt = self.prompt
        whole = isinstance(prompt, list) and all(type(one) is int for one in prompt)
        return ModelCall(
            messages=tuple(
                filter(None, map(_as_mapping, extract_messages(self.endpoint, self.body)))
            ),
            text="".join(self.text),
            tool_calls=tuple(self.calls.values()),
            prompt_ids=tuple(prompt) if whole else None,
            token_ids=tuple(self.ids) or None,
            logprobs=tuple(self.logprobs) or None,
            tools=tuple(_as_list(self.body.get("tools"))),
            finish_reason=self.finish if isinstance(self.finish, str) else None,
            usage=self._count_usage(),
            thoughts="".join(self.thoughts),
            latency=time.monotonic() - self.start,
        )


def extract_messages(endpoint: str, body: JSONMapping) -> Sequence[Any]:
    """Return the prompt of a request as chat messages."""
    if endpoint == "chat/completions":
        return _as_list(body.get("messages"))
    prompt = body.get("input") if endpoint == "responses" else body.get("prompt")
    messages = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    instructions = body.get("instructions")
    return (
        [{"role": "system", "content": instructions}, *messages]
        if isinstance(instructions, str)
        else messages
    )


def remove_added_fields(answer: JSONMapping, body: JSONMapping) -> JSONObject:
    """Return an answer without the fields that the program did not ask for."""
    kept = dict(answer)
    ids, logprobs = body.get("return_token_ids"), body.get("logprobs")
    if not ids:
        kept.pop("prompt_token_ids", None)
    if (ids and logprobs) or not _as_list(kept.get("choices")):
        return kept
    gone = [] if ids else ["token_ids", "prompt_token_ids"]
    gone += [] if logprobs else ["logprobs"]
    kept["choices"] = [
        {name: value for name, value in _as_mapping(one).items() if name not in gone}
        for one in kept["choices"]
    ]
    return kept


def parse_object(content: bytes | str) -> JSONObject:
    """Parse a JSON object, with "?" for lone surrogates, or raise ValueError."""
    data = parse_json(content, size=None, depth=MAX_RECORD_DEPTH)
    if not isinstance(data, dict):
        raise ValueError(f"expected an object, got {type(data).__name__}")
    return data


def encode_object(answer: JSONMapping) -> bytes:
    """Encode an answer as JSON."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def has_escaped_half(content: bytes) -> bool:
    """Return whether JSON text contains an escaped surrogate, alone or as part of a pair."""
    return _ESCAPED_HALF.search(content) is not None


def _get_first_choice(answer: JSONMapping) -> JSONMapping:
    choices = _as_list(answer.get("choices"))
    return _as_mapping(choices[0]) if choices else {}


def _as_mapping(value: object) -> JSONMapping:
    return value if isinstance(value, Mapping) else {}


def _as_list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
