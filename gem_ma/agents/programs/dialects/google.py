"""Google's API `generateContent`, in which programs may ask the gateway."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from gem_ma.agents.programs.dialects.dialect import (
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
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

_FINISH_REASONS = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}
_ERROR_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_MODES = {"AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}
_MAX_SCHEMA_DEPTH = 40  # levels of a tool's schema in Google's own form


class GoogleDialect(Dialect):
    """A call of Google's `generateContent` or `streamGenerateContent`."""

    name = "google"

    def read_request(self) -> JSONObject:
        body, query = self.body, self.path.partition("?")[2]
        head, _, method = self.path.partition("?")[0].rpartition(":")
        self.is_stream = method == "streamGenerateContent"
        if self.is_stream and "alt=sse" not in query.split("&"):
            raise RequestError("a stream is sent as events: add ?alt=sse to the address")
        self._asked_model = head.partition("/models/")[2]
        if _get(body, "cachedContent"):
            raise RequestError("cachedContent: this gateway caches nothing; send the contents")
        config = read_object(_get(body, "generationConfig"), "generationConfig")
        thinking = read_object(_get(config, "thinkingConfig"), "thinkingConfig")
        self.wants_thoughts = _get(thinking, "includeThoughts") is True
        level = _get(thinking, "thinkingLevel")
        tools = _read_tools(body)
        messages = _read_contents(body)
        system = read_object(_get(body, "systemInstruction"), "systemInstruction")
        texts = [
            read_text(one.get("text"), "systemInstruction.text")
            for one in read_list(system.get("parts"), "systemInstruction.parts")
        ]
        if text := "\n\n".join(filter(None, texts)):
            messages.insert(0, {"role": "system", "content": text})
        return {
            "model": self._asked_model,
            "messages": messages,
            "max_tokens": _get(config, "maxOutputTokens"),
            "temperature": config.get("temperature"),
            "top_p": _get(config, "topP"),
            "top_k": _get(config, "topK"),
            "seed": config.get("seed"),
            "stop": _get(config, "stopSequences"),
            "presence_penalty": _get(config, "presencePenalty"),
            "frequency_penalty": _get(config, "frequencyPenalty"),
            "reasoning_effort": level.lower() if isinstance(level, str) else None,
            "response_format": _read_format(config),
            "tools": tools or None,
            "tool_choice": _read_choice(body) if tools else None,
            "stream": self.is_stream,
            "stream_options": {"include_usage": True} if self.is_stream else None,
        }

    def format_answer(self, answer: ModelAnswer) -> JSONObject:
        parts: list[Any] = []
        if answer.thoughts and self.wants_thoughts:
            parts.append({"text": answer.thoughts, "thought": True})
        if answer.text:
            parts.append({"text": answer.text})
        return self._make_end(answer, parts)

    def begin_stream(self) -> bytes:
        self._id = uuid.uuid4().hex
        return b""

    def format_piece(self, text: str, is_thought: bool) -> bytes:
        part = {"text": text, "thought": True} if is_thought else {"text": text}
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
        return encode_event({"candidates": [candidate], **self._describe()})

    def end_stream(self, answer: ModelAnswer) -> bytes:
        return encode_event(self._make_end(answer, []))

    def _describe(self) -> JSONObject:
        identity = getattr(self, "_id", None) or uuid.uuid4().hex
        return {"modelVersion": self._asked_model, "responseId": identity}

    def _make_end(self, answer: ModelAnswer, parts: list[Any]) -> JSONObject:
        """Return an answer with these parts and the tool calls, or the last one of a stream."""
        parts += [_make_function_call(call) for call in answer.tool_calls]
        candidate = {
            "content": {"role": "model", "parts": parts or [{"text": ""}]},
            "finishReason": _FINISH_REASONS.get(answer.finish_reason or "", "STOP"),
            "index": 0,
        }
        read, written = read_counts(answer.usage)
        usage = {
            "promptTokenCount": read,
            "candidatesTokenCount": written,
            "totalTokenCount": read + written,
        }
        return {"candidates": [candidate], "usageMetadata": usage, **self._describe()}

    @staticmethod
    def format_error(status: int, message: str) -> JSONObject:
        name = _ERROR_STATUS.get(status, "INTERNAL" if status >= 500 else "UNKNOWN")
        return {"error": {"code": status, "message": message, "status": name}}


def _get(values: JSONMapping, name: str) -> Any:
    """Return a field, which may be spelled in snake_case, as the API allows."""
    if name in values:
        return values[name]
    snake = "".join(f"_{one.lower()}" if one.isupper() else one for one in name)
    return values.get(snake)


def _read_contents(body: JSONMapping) -> list[JSONObject]:
    """Return the contents as messages of Chat Completions.

    Contents of the model that follow one another are the pieces of one stream. A result without an
    id belongs to the first call of the same name that has none yet.
    """
    messages: list[JSONObject] = []
    open_calls: list[tuple[str, str]] = []  # id and name
    contents = read_list(body.get("contents"), "contents")
    roles = [one.get("role") or "user" for one in contents]
    said: list[JSONMapping] = []  # by the model, so far
    for place, (role, content) in enumerate(zip(roles, contents, strict=True)):
        where = f"contents.{place}"
        parts = read_list(content.get("parts"), f"{where}.parts")
        if role == "model":
            said += parts
            if roles[place + 1 : place + 2] == ["model"]:
                continue
            message = _read_model_content(said, where, len(messages))
            said = []
            calls = message.get("tool_calls", ())
            open_calls = [(one["id"], one["function"]["name"]) for one in calls]
            messages.append(message)
        elif role in ("user", "function"):
            messages += _read_user_content(parts, where, open_calls)
        else:
            raise RequestError(f"{where}.role: expected user or model, got {role!r:.60}")
    return messages


def _read_model_content(parts: list[JSONMapping], where: str, number: int) -> JSONObject:
    texts: list[JSONMapping] = []
    calls: list[JSONObject] = []
    for part in parts:
        if (asked := _get(part, "functionCall")) is not None:
            asked = read_object(asked, f"{where}.functionCall")
            identity = read_text(asked.get("id"), f"{where}.id") or f"call_{number}_{len(calls)}"
            name = read_text(asked.get("name"), f"{where}.name")
            call = make_call(identity, name, read_object(asked.get("args"), f"{where}.args"))
            if signature := _get(part, "thoughtSignature"):
                signed = {"thought_signature": read_text(signature, f"{where}.thoughtSignature")}
                call["extra_content"] = {"google": signed}
            calls.append(call)
        elif not part.get("thought"):  # a server of Chat Completions gets no thoughts back
            texts.append(_read_part(part, where, only_text=True))
    text = "".join(str(one["text"]) for one in texts)
    message: JSONObject = {"role": "assistant", "content": text}
    return {**message, "tool_calls": calls} if calls else message


def _read_user_content(
    parts: list[JSONMapping], where: str, open_calls: list[tuple[str, str]]
) -> list[JSONObject]:
    results: list[JSONObject] = []
    said: list[JSONObject] = []
    for part in parts:
        result = _get(part, "functionResponse")
        if result is None:
            said.append(_read_part(part, where))
            continue
        result = read_object(result, f"{where}.functionResponse")
        name = read_text(result.get("name"), f"{where}.name")
        given = read_text(result.get("id"), f"{where}.id")
        found = next((one for one in open_calls if given in ("", one[0]) and one[1] == name), None)
        if found is not None:
            open_calls.remove(found)
        output = read_object(result.get("response"), f"{where}.response")
        identity = found[0] if found else given
        text = _format_result(output)
        results.append({"role": "tool", "tool_call_id": identity, "content": text})
        for one in read_list(result.get("parts"), f"{where}.parts"):  # tools give no pictures there
            said.append(_read_part(one, where))
    return results + ([{"role": "user", "content": join_parts(said)}] if said else [])


def _format_result(output: JSONMapping) -> str:
    """Return the response of a function as text: its only text, or the JSON of all of it."""
    if len(output) == 1:
        (name, value) = next(iter(output.items()))
        if name in ("output", "result", "error") and isinstance(value, str):
            return value
    return json.dumps(output, ensure_ascii=False)


def _read_part(part: JSONMapping, where: str, only_text: bool = False) -> JSONObject:
    """Return a text or a picture as a part of a message of Chat Completions."""
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    inline, file = _get(part, "inlineData"), _get(part, "fileData")
    for source in () if only_text else (inline, file):
        kind = _get(source, "mimeType") if isinstance(source, Mapping) else None
        if not isinstance(kind, str) or not kind.startswith("image/"):
            continue
        if source is file:
            return make_url_part(read_text(_get(file, "fileUri"), f"{where}.fileUri"))
        data = read_text(inline.get("data"), f"{where}.data")
        # The API takes either alphabet of base64.
        return make_image_part(kind, data.replace("-", "+").replace("_", "/"))
    names = ", ".join(map(str, part))[:60] or "an empty part"
    raise RequestError(
        f"{where}: this gateway passes on text, inlineData and fileData with an image, "
        f"functionCall and functionResponse, got {names}"
    )


def _read_tools(body: JSONMapping) -> list[JSONObject]:
    tools = []
    for place, tool in enumerate(read_list(body.get("tools"), "tools")):
        where = f"tools.{place}"
        others = [name for name, value in tool.items() if value is not None]
        others = [
            one for one in others if one not in ("functionDeclarations", "function_declarations")
        ]
        if others:
            raise RequestError(
                f"{where}: {others[0]!r:.60} is a tool of Google's own servers; pass "
                "functionDeclarations"
            )
        declared = read_list(_get(tool, "functionDeclarations"), f"{where}.functionDeclarations")
        for one in declared:
            schema = _get(one, "parametersJsonSchema")
            if schema is None:
                schema = _convert_schema(one.get("parameters"), _MAX_SCHEMA_DEPTH)
            parameters = read_object(schema, f"{where}.parameters")
            name = read_text(one.get("name"), f"{where}.name")
            about = read_text(one.get("description"), f"{where}.description")
            empty = {"type": "object", "properties": {}}
            tools.append(make_tool(name, about, parameters or empty))
    return tools


def _convert_schema(value: Any, depth: int) -> Any:
    """Return a schema in Google's form as JSON Schema: types in small letters, no nullable."""
    if not depth:
        raise RequestError("a schema is nested too deeply")
    if isinstance(value, list):
        return [_convert_schema(one, depth - 1) for one in value]
    if not isinstance(value, Mapping):
        return value
    out: JSONObject = {}
    for name, one in value.items():
        if name == "type" and isinstance(one, str):
            out["type"] = one.lower()
        elif name == "properties" and isinstance(one, Mapping):  # its keys are names of arguments
            out[name] = {key: _convert_schema(each, depth - 1) for key, each in one.items()}
        elif name in ("enum", "required", "default", "example", "const"):
            out[name] = one
        elif name not in ("nullable", "propertyOrdering", "property_ordering"):
            out["anyOf" if name == "any_of" else name] = _convert_schema(one, depth - 1)
    if value.get("nullable") is True and "type" in out:
        out["type"] = [out["type"], "null"]
    return out


def _read_choice(body: JSONMapping) -> str | JSONObject | None:
    config = read_object(_get(body, "toolConfig"), "toolConfig")
    calling = read_object(_get(config, "functionCallingConfig"), "functionCallingConfig")
    mode = calling.get("mode")
    if mode in (None, "MODE_UNSPECIFIED"):
        return None
    allowed = _get(calling, "allowedFunctionNames")
    if mode == "ANY" and isinstance(allowed, list) and len(allowed) == 1:
        name = read_text(allowed[0], "allowedFunctionNames")
        return {"type": "function", "function": {"name": name}}
    if not isinstance(mode, str) or mode not in _MODES:
        raise RequestError(f"mode: expected one of {', '.join(_MODES)}, got {mode!r:.60}")
    return _MODES[mode]


def _read_format(config: JSONMapping) -> JSONObject | None:
    if _get(config, "responseMimeType") != "application/json":
        return None
    schema = _get(config, "responseJsonSchema")
    if schema is None:
        schema = _convert_schema(_get(config, "responseSchema"), _MAX_SCHEMA_DEPTH)
    if schema is None:
        return {"type": "json_object"}
    schema = read_object(schema, "responseSchema")
    return {"type": "json_schema", "json_schema": {"name": "output", "schema": schema}}


def _make_function_call(call: JSONMapping) -> JSONObject:
    function = call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    identity = call.get("id")
    made = {"id": str(identity)} if identity else {}
    part: JSONObject = {
        "functionCall": {**made, "name": str(name or ""), "args": parse_call_object(call)}
    }
    signature: Any = call
    for key in ("extra_content", "google", "thought_signature"):
        signature = signature.get(key) if isinstance(signature, Mapping) else None
    return {**part, "thoughtSignature": signature} if isinstance(signature, str) else part
