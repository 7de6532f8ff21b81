"""What a server's answer says, whole or as a stream of events, in the shapes of three endpoints."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gem_ma.chat.model_calls import ModelCall
from gem_ma.validation.untrusted_json import check_json

DEPTH = 100  # of what is asked and said, as far as it is kept
# What the gateway asks for beside what the program did, and the program is not given.
ADDED: Mapping[str, Mapping[str, Any]] = {
    "chat/completions": {"logprobs": True, "return_token_ids": True},
    "completions": {"logprobs": 0, "return_token_ids": True},
    "responses": {},
}


class Listener:
    """Hears an answer as it passes by, and says at its end what the call was."""

    def __init__(self, endpoint: str, body: Mapping[str, Any]):
        self.endpoint = endpoint
        self.body = body
        self.start = time.monotonic()
        self.over = False  # the last event was heard
        self.text: list[str] = []
        self.calls: dict[int, dict[str, Any]] = {}
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.prompt: Any = None
        self.finish: str | None = None
        self.usage: Mapping[str, Any] = {}

    def hear(self, answer: Mapping[str, Any]) -> None:
        """Hear all of it."""
        if self.endpoint == "responses":
            self._response(answer)
            return
        choice = _first(answer)
        message = _map(choice.get("message"))
        self.text.append(str(message.get("content") or choice.get("text") or ""))
        for place, call in enumerate(_list(message.get("tool_calls"))):
            self.calls[place] = dict(_map(call))
        self._tokens(answer, choice)

    def _response(self, answer: Mapping[str, Any]) -> None:
        for item in map(_map, _list(answer.get("output"))):
            if item.get("type") == "message":
                self.text += [str(_map(p).get("text") or "") for p in _list(item.get("content"))]
            if item.get("type") == "function_call":
                function = {"name": item.get("name"), "arguments": item.get("arguments")}
                call = {"id": item.get("call_id"), "type": "function", "function": function}
                self.calls[len(self.calls)] = call
        used = _map(answer.get("usage"))
        names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
        self.usage = {names.get(name, name): value for name, value in used.items()}
        self.finish = answer.get("status")

    def _tokens(self, answer: Mapping[str, Any], choice: Mapping[str, Any]) -> None:
        prompt = answer.get("prompt_token_ids") or choice.get("prompt_token_ids")
        self.prompt = prompt or self.prompt
        self.ids += [one for one in _list(choice.get("token_ids")) if type(one) is int]
        told = _map(choice.get("logprobs"))
        tokens = _list(told.get("content")) or _list(told.get("token_logprobs"))
        for one in tokens:
            value = one.get("logprob") if isinstance(one, Mapping) else one
            if isinstance(value, int | float):
                self.logprobs.append(float(value))
        self.finish = choice.get("finish_reason") or self.finish
        self.usage = _map(answer.get("usage")) or self.usage

    def event(self, data: str) -> dict[str, Any] | None:
        """Hear the data of an event; return it without what nobody but us asked for."""
        if data.strip() == "[DONE]":
            self.over = True
            return None
        try:
            chunk = reading(data)
        except ValueError:
            return None
        if self.endpoint == "responses":
            if chunk.get("type") in ("response.completed", "response.incomplete"):
                self.over = True
                self._response(_map(chunk.get("response")))
            return dict(chunk)
        choice = _first(chunk)
        delta = _map(choice.get("delta"))
        self.text.append(str(delta.get("content") or choice.get("text") or ""))
        for call in map(_map, _list(delta.get("tool_calls"))):
            self._piece(call)
        self._tokens(chunk, choice)
        return without_added(chunk, self.body)

    def _piece(self, piece: Mapping[str, Any]) -> None:
        """Add a piece of a tool call to what is there of it."""
        place = piece.get("index")
        place = place if type(place) is int else max(len(self.calls) - 1, 0)
        call = self.calls.setdefault(place, {"type": "function", "function": {}})
        function, more = call["function"], _map(piece.get("function"))
        if piece.get("id"):
            call["id"] = piece["id"]
        if more.get("name"):
            function["name"] = more["name"]
        function["arguments"] = function.get("arguments", "") + str(more.get("arguments") or "")

    def call(self) -> ModelCall:
        """Return the call, now that all of its answer was heard."""
        counted = {n: v for n, v in self.usage.items() if type(v) is int and 0 <= v <= 1 << 53}
        prompt = self.prompt
        whole = isinstance(prompt, list) and all(type(one) is int for one in prompt)
        return ModelCall(
            messages=_kept(filter(None, map(_map, messages_of(self.endpoint, self.body)))),
            text="".join(self.text).encode("utf-8", "replace").decode(),
            tool_calls=_kept(self.calls.values()),
            prompt_ids=tuple(prompt) if whole else None,
            token_ids=tuple(self.ids) or None,
            logprobs=tuple(self.logprobs) or None,
            tools=_kept(_list(self.body.get("tools"))),
            finish_reason=self.finish if isinstance(self.finish, str) else None,
            usage=counted,
            latency=time.monotonic() - self.start,
        )


def messages_of(endpoint: str, body: Mapping[str, Any]) -> Sequence[Any]:
    """Return what a request asks, as messages of a chat."""
    if endpoint == "chat/completions":
        return _list(body.get("messages"))
    asked = body.get("input") if endpoint == "responses" else body.get("prompt")
    found = asked if isinstance(asked, list) else [{"role": "user", "content": asked}]
    told = body.get("instructions")
    return [{"role": "system", "content": told}, *found] if isinstance(told, str) else found


def without_added(answer: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer without what the program did not ask for."""
    kept = dict(answer)
    ids, logprobs = body.get("return_token_ids"), body.get("logprobs")
    if not ids:
        kept.pop("prompt_token_ids", None)
    if (ids and logprobs) or not _list(kept.get("choices")):
        return kept
    gone = [] if ids else ["token_ids", "prompt_token_ids"]
    gone += [] if logprobs else ["logprobs"]
    kept["choices"] = [
        {name: value for name, value in _map(one).items() if name not in gone}
        for one in kept["choices"]
    ]
    return kept


def reading(content: bytes | str) -> Mapping[str, Any]:
    """Return what is an object in JSON, or raise ValueError."""
    try:
        found = json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError(f"expected an object, got {type(found).__name__}")
    return found


def written(answer: Mapping[str, Any]) -> bytes:
    """Return the bytes of an answer."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def _kept(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return what can stand in a record of some values."""
    try:
        return tuple(check_json(list(values), depth=DEPTH))
    except ValueError:
        return ()


def _first(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = _list(answer.get("choices"))
    return _map(choices[0]) if choices else {}


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
