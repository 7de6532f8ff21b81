"""Anthropic's Messages API, in which programs may ask the gateway."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from gem_ma.agents.programs.dialects.dialect import (
    THOUGHT_FIELDS,
    Dialect,
    ModelAnswer,
    RequestError,
    encode_event,
    join_parts,
    make_call,
    make_image_part,
    make_tool,
    make_url_part,
    parse_call_object,
    read_counts,
    read_list,
    read_object,
    read_text,
    read_type,
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

_STOP_REASONS = {"length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_TOOL_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


class AnthropicDialect(Dialect):
    """A call of Anthropic's Messages API."""

    name = "anthropic"

    def read_request(self) -> JSONObject:
        body = self.body
        self.is_stream = body.get("stream") is True
        self._asked_model = read_text(body.get("model"), "model")
        thinking = read_object(body.get("thinking"), "thinking")
        self.wants_thoughts = thinking.get("type") not in (None, "disabled")
        self._blocks = 0  # blocks of a stream that have begun
        self._open_block = ""  # the type of the last one, if it has not ended
        messages: list[JSONObject] = []
        if system := _read_system(body.get("system")):
            messages.append({"role": "system", "content": system})
        for place, message in enumerate(read_list(body.get("messages"), "messages")):
            messages += _read_message(message, f"messages.{place}")
        tools = [
            _read_tool(tool, f"tools.{place}")
            for place, tool in enumerate(read_list(body.get("tools"), "tools"))
        ]
        output = read_object(body.get("output_config"), "output_config")
        choice = read_object(body.get("tool_choice"), "tool_choice")
        return {
            "model": self._asked_model,
            "messages": messages,
            "max_tokens": body.get("max_tokens"),
            "temperature": body.get("temperature"),
            "top_p": body.get("top_p"),
            "top_k": body.get("top_k"),
            "stop": body.get("stop_sequences"),
            "reasoning_effort": output.get("effort"),
            "response_format": _read_format(output.get("format")),
            "tools": tools or None,
            "tool_choice": _read_choice(choice) if tools and choice else None,
            "parallel_tool_calls": False if choice.get("disable_parallel_tool_use") else None,
            "stream": self.is_stream,
            "stream_options": {"include_usage": True} if self.is_stream else None,
        }

    def format_answer(self, answer: ModelAnswer) -> JSONObject:
        content = self._make_thoughts(answer) if self.wants_thoughts else []
        if answer.text or not answer.tool_calls:
            content.append({"type": "text", "text": answer.text})
        content += [_make_tool_use(call) for call in answer.tool_calls]
        read, written = read_counts(answer.usage)
        return {
            **self._make_head(),
            "content": content,
            **_make_stop(answer),
            "usage": {"input_tokens": read, "output_tokens": written},
        }

    def _make_head(self) -> JSONObject:
        identity = f"msg_{uuid.uuid4().hex}"
        about = {"id": identity, "type": "message", "role": "assistant"}
        return {**about, "model": self._asked_model}

    def _make_thoughts(self, answer: ModelAnswer) -> list[Any]:
        """Return the blocks of the thoughts; the signature says which field they came in."""
        blocks = [one for one in answer.thinking_blocks if _is_signed(one)]
        if blocks or not answer.thoughts:
            return list(blocks)
        thought = {"type": "thinking", "thinking": answer.thoughts}
        return [{**thought, "signature": answer.thoughts_field}]

    def begin_stream(self) -> bytes:
        usage = {"input_tokens": 0, "output_tokens": 0}
        empty: JSONObject = {
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        message = {**self._make_head(), **empty}
        return _encode({"type": "message_start", "message": message})

    def format_piece(self, text: str, is_thought: bool) -> bytes:
        kind = "thinking" if is_thought else "text"
        events = b""
        if self._open_block != kind:
            block = {"type": kind, kind: ""} | ({"signature": ""} if is_thought else {})
            events = self._end_block() + self._encode_start(block)
            self._open_block = kind
        return events + self._encode_delta({"type": f"{kind}_delta", kind: text})

    def end_stream(self, answer: ModelAnswer) -> bytes:
        events = self._end_block()
        if not self._blocks and not answer.tool_calls:
            events += self._encode_block({"type": "text", "text": ""})
        for call in answer.tool_calls:
            events += self._encode_block(_make_tool_use(call))
        return events + self._encode_end(answer)

    def stream_answer(self, answer: ModelAnswer) -> bytes:
        blocks = self.format_answer(answer)["content"]
        events = b"".join(map(self._encode_block, blocks))
        return self.begin_stream() + events + self._encode_end(answer)

    def _encode_end(self, answer: ModelAnswer) -> bytes:
        read, written = read_counts(answer.usage)
        usage = {"input_tokens": read, "output_tokens": written}
        events = _encode({"type": "message_delta", "delta": _make_stop(answer), "usage": usage})
        return events + _encode({"type": "message_stop"})

    def _encode_block(self, block: JSONMapping) -> bytes:
        """Return the events of a whole block."""
        kind = block["type"]
        if kind == "tool_use":
            text = json.dumps(block["input"], ensure_ascii=False)
            start = self._encode_start({**block, "input": {}})
            delta = self._encode_delta({"type": "input_json_delta", "partial_json": text})
            return start + delta + self._encode_stop()
        if kind in ("text", "thinking"):
            self.thoughts_field = block.get("signature", "")
            return self.format_piece(block[kind], kind == "thinking") + self._end_block()
        return self._encode_start(block) + self._encode_stop()

    def _encode_start(self, block: JSONMapping) -> bytes:
        self._blocks += 1
        index = self._blocks - 1
        return _encode({"type": "content_block_start", "index": index, "content_block": block})

    def _encode_delta(self, delta: JSONMapping) -> bytes:
        return _encode({"type": "content_block_delta", "index": self._blocks - 1, "delta": delta})

    def _encode_stop(self) -> bytes:
        return _encode({"type": "content_block_stop", "index": self._blocks - 1})

    def _end_block(self) -> bytes:
        """Return the events that end the block of pieces that is open, if there is one."""
        kind, self._open_block = self._open_block, ""
        if kind == "thinking":  # signed by the field that it came in, or by who thought it
            delta = {"type": "signature_delta", "signature": self.thoughts_field}
            return self._encode_delta(delta) + self._encode_stop()
        return self._encode_stop() if kind else b""

    def encode_error(self, status: int, message: str) -> bytes:
        return _encode(self.format_error(status, message))

    @staticmethod
    def format_error(status: int, message: str) -> JSONObject:
        kind = _ERROR_TYPES.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


def _encode(event: JSONMapping) -> bytes:
    return encode_event(event, str(event["type"]))


def _is_signed(block: JSONMapping) -> bool:
    """Return whether a block of thoughts is one of Anthropic's."""
    if block.get("type") == "thinking":
        return all(isinstance(block.get(name), str) for name in ("thinking", "signature"))
    return block.get("type") == "redacted_thinking" and isinstance(block.get("data"), str)


def _make_tool_use(call: JSONMapping) -> JSONObject:
    function = call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    identity = call.get("id") or f"toolu_{uuid.uuid4().hex[:24]}"
    about = {"type": "tool_use", "id": str(identity), "name": str(name or "")}
    return {**about, "input": parse_call_object(call)}


def _make_stop(answer: ModelAnswer) -> JSONObject:
    reason = _STOP_REASONS.get(answer.finish_reason or "", "end_turn")
    if answer.tool_calls and reason == "end_turn":
        reason = "tool_use"
    if answer.stop is not None and reason == "end_turn":
        reason = "stop_sequence"
    return {"stop_reason": reason, "stop_sequence": answer.stop}


def _read_system(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    blocks = read_list(value, "system")
    return "\n\n".join(read_text(block.get("text"), "system") for block in blocks)


def _read_blocks(content: object, where: str) -> list[JSONMapping]:
    """Return the blocks of a content, which may be a text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return read_list(content, f"{where}.content")


def _read_message(message: JSONMapping, where: str) -> list[JSONObject]:
    """Return a message as messages of Chat Completions: results of tools are apart there."""
    role = message.get("role")
    blocks = _read_blocks(message.get("content"), where)
    if role == "assistant":
        return [_read_assistant(blocks, where)]
    if role not in ("user", "system"):
        raise RequestError(f"{where}.role: expected user, assistant or system, got {role!r:.60}")
    results: list[JSONObject] = []
    parts: list[JSONObject] = []
    for block in blocks:
        if read_type(block) != "tool_result":
            parts.append(_read_part(block, where))
            continue
        said = [_read_part(one, where) for one in _read_blocks(block.get("content"), where)]
        text = join_parts([one for one in said if one["type"] == "text"])
        identity = read_text(block.get("tool_use_id"), f"{where}.tool_use_id")
        results.append({"role": "tool", "tool_call_id": identity, "content": text})
        parts += [one for one in said if one["type"] != "text"]  # tools give no pictures there
    return results + ([{"role": role, "content": join_parts(parts)}] if parts else [])


def _read_assistant(blocks: list[JSONMapping], where: str) -> JSONObject:
    texts: list[JSONMapping] = []
    calls, signed = [], []
    thoughts: JSONObject = {}
    for block in blocks:
        kind = read_type(block)
        if kind == "tool_use":
            identity = read_text(block.get("id"), f"{where}.id")
            name = read_text(block.get("name"), f"{where}.name")
            calls.append(make_call(identity, name, read_object(block.get("input"), where)))
        elif kind in ("thinking", "redacted_thinking"):
            if (field := block.get("signature")) in THOUGHT_FIELDS:
                thoughts[field] = read_text(block.get("thinking"), f"{where}.thinking")
            elif _is_signed(block):
                signed.append(block)
        else:
            texts.append(_read_part(block, where, only_text=True))
    message: JSONObject = {"role": "assistant", "content": join_parts(texts), **thoughts}
    if calls:
        message["tool_calls"] = calls
    if signed:
        message["thinking_blocks"] = signed
    return message


def _read_part(block: JSONMapping, where: str, only_text: bool = False) -> JSONObject:
    """Return a text or a picture as a part of a message of Chat Completions."""
    kind, source = read_type(block), block.get("source")
    if kind == "text":
        return {"type": "text", "text": read_text(block.get("text"), f"{where}.text")}
    if isinstance(source, Mapping) and not only_text:
        if kind == "image" and source.get("type") == "base64":
            data = read_text(source.get("data"), f"{where}.data")
            return make_image_part(read_text(source.get("media_type"), where), data)
        if kind == "image" and source.get("type") == "url":
            return make_url_part(read_text(source.get("url"), f"{where}.url"))
        if kind == "document" and source.get("type") == "text":
            return {"type": "text", "text": read_text(source.get("data"), f"{where}.data")}
    raise RequestError(
        f"{where}: this gateway passes on text, image (base64 or url), document (text), tool_use, "
        f"tool_result and thinking, got {kind!r}"
    )


def _read_tool(tool: JSONMapping, where: str) -> JSONObject:
    if tool.get("type") not in (None, "custom"):
        raise RequestError(
            f"{where}: {read_type(tool)!r} is a tool of Anthropic's own servers; pass tools with "
            "name and input_schema"
        )
    schema = read_object(tool.get("input_schema"), f"{where}.input_schema")
    name = read_text(tool.get("name"), f"{where}.name")
    return make_tool(name, read_text(tool.get("description"), f"{where}.description"), schema)


def _read_choice(choice: JSONMapping) -> str | JSONObject:
    if choice.get("type") == "tool":
        name = read_text(choice.get("name"), "tool_choice.name")
        return {"type": "function", "function": {"name": name}}
    found = _TOOL_CHOICES.get(read_type(choice))
    if found is None:
        raise RequestError(f"tool_choice: expected auto, any, tool or none, got {choice!r:.60}")
    return found


def _read_format(value: object) -> JSONObject | None:
    form = read_object(value, "output_config.format")
    if not form:
        return None
    schema = read_object(form.get("schema"), "output_config.format.schema")
    return {"type": "json_schema", "json_schema": {"name": "output", "schema": schema}}
