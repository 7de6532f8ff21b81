"""An agent in the place of a model's server: it answers the model calls of programs."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import inspect
import io
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gem_ma.agents.loading import AGENT_SPECS, load_agent
from gem_ma.agents.programs.dialects.dialect import RequestError, read_list, read_text
from gem_ma.chat.agent import Agent, AgentSource, ask_agent, ask_agent_async, format_agent_name
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.messages import ChatMessage, Picture
from gem_ma.chat.reply import Reply
from gem_ma.validation.endpoints import parse_model_url, redact_secrets
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    from gem_ma.chat.turn import Turn

_MAX_PIXELS = 1 << 24  # pixels of a picture
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


def load_model(model: AgentSource | None) -> Any:
    """Return the URL of a server unchanged, or the agent that a spec string or a value stands for.

    A text is an agent's if it begins with the name of one, or names one in a file, as in
    FILE.py:NAME.
    """
    if not isinstance(model, str):
        return None if model is None else load_agent(model)
    head = model.partition("?")[0]
    name = head.partition(":")[0]
    if name in AGENT_SPECS.known or ".py:" in head:
        return load_agent(model)
    if model:
        parse_model_url(model)
    return model or None


class AgentFailed(RuntimeError):
    """Raised if the agent behind a gateway did not answer."""


class CallConversation(Conversation):
    """The messages of one model call, in the place of a seat's conversation."""

    __slots__ = ("call_messages",)

    def __init__(self, seat: str, messages: Sequence[ChatMessage], episode: str):
        super().__init__(seat, episode=episode)
        self.call_messages = messages

    def build_messages(self, index: int | None = None) -> Sequence[ChatMessage]:
        """Return the messages of the call."""
        return self.call_messages


class AgentModel:
    """An agent that answers requests of Chat Completions.

    The agent gets the turn of the seat whose program asks, with the messages and the tools of the
    request in place of the seat's own. An agent with a plain `act` answers in a thread, one batch
    at a time.
    """

    def __init__(self, agent: Agent):
        self.agent = agent
        self.label = redact_secrets(format_agent_name(agent))
        self._is_async = inspect.iscoroutinefunction(agent.act)
        self._waiting: list[tuple[Turn, asyncio.Future[str]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def answer(self, body: JSONMapping, turn: Turn | None, number: int) -> JSONObject:
        """Return a chat completion.

        Args:
            body: The request.
            turn: The turn that the program's seat is to play; None: it is not its turn.
            number: The number of calls of this seat before, which changes the seed.

        Raises:
            RequestError: The request has no messages, or something that no agent reads.
            AgentFailed: The agent raised an error.
        """
        asked = await asyncio.to_thread(make_call_turn, body, turn, number)  # pictures take long
        try:
            if self._is_async:
                (reply,) = await ask_agent_async(self.agent, [asked])
            else:
                reply = await self._ask_in_thread(asked)
        except Exception as error:
            why = redact_secrets(f"{type(error).__name__}: {error}")[:1000]
            raise AgentFailed(f"{self.label} failed: {why}") from error
        return make_completion(reply, self.label)

    async def _ask_in_thread(self, turn: Turn) -> str:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._answer_batches())
        return await future

    async def _answer_batches(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                replies = await asyncio.to_thread(ask_agent, self.agent, [one for one, _ in batch])
            except Exception as error:  # noqa: BLE001 - raised where it is waited for
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), reply in zip(batch, replies, strict=True):
                if not future.done():
                    future.set_result(reply)


def make_call_turn(body: JSONMapping, turn: Turn | None, number: int) -> Turn:
    """Return the turn of an agent that answers a model call."""
    from gem_ma.chat.turn import Turn

    messages = [
        _read_message(message, f"messages.{place}")
        for place, message in enumerate(read_list(body.get("messages"), "messages"))
    ]
    if not messages:
        raise RequestError("messages: expected at least one message")
    seat, episode = ("", "") if turn is None else (turn.seat, turn.episode)
    parts = next((one["content"] for one in reversed(messages) if one["role"] == "user"), "")
    parts = [parts] if isinstance(parts, str) else parts
    text = "\n".join(part for part in parts if isinstance(part, str))
    pictures = tuple(part for part in parts if isinstance(part, Picture))
    observation: Any = {"text": text} | ({"image": pictures} if pictures else {})
    rules = "\n\n".join(str(one["content"]) for one in messages if one["role"] == "system")
    begun = turn or Turn(seat, rules, observation, text)
    return replace(
        begun,
        rules=rules,
        observation=observation,
        text=text,
        tools=tuple(read_list(body.get("tools"), "tools")),
        results=(),
        calls=None,
        seed_numbers=(begun.seed, number),
        chat=CallConversation(seat, messages, episode),
        index=0,
    )


def _read_message(message: JSONMapping, where: str) -> JSONObject:
    role = message.get("role")
    kept = {name: message[name] for name in ("tool_calls", "thinking_blocks") if message.get(name)}
    for name, value in kept.items():
        read_list(value, f"{where}.{name}")
    if role == "tool":
        kept["tool_call_id"] = read_text(message.get("tool_call_id"), f"{where}.tool_call_id")
    elif role not in _ROLES:
        raise RequestError(f"{where}.role: expected one of {', '.join(_ROLES)}, tool")
    content = message.get("content")
    parts = content if content is None or isinstance(content, str) else _read_parts(content, where)
    if role != "user" and any(isinstance(part, Picture) for part in parts or ()):
        raise RequestError(f"{where}: an agent reads pictures in messages of the role user only")
    return {"role": _ROLES.get(str(role), "tool"), "content": parts or "", **kept}


def _read_parts(content: object, where: str) -> list[str | Picture]:
    parts: list[str | Picture] = []
    for part in read_list(content, f"{where}.content"):
        image = part.get("image_url")
        if image is not None:
            url = image.get("url") if isinstance(image, Mapping) else image
            parts.append(_read_picture(read_text(url, f"{where}.image_url"), where))
        else:
            parts.append(read_text(part.get("text"), f"{where}.text"))
    return parts


def _read_picture(url: str, where: str) -> Picture:
    """Return the picture of a data URL, or raise RequestError."""
    from PIL import Image

    head, _, data = url.partition(",")
    if head.startswith("data:image/") and head.endswith(";base64"):
        with contextlib.suppress(
            OSError,
            ValueError,
            SyntaxError,
            Image.DecompressionBombError,
            Image.DecompressionBombWarning,
        ):
            file = io.BytesIO(base64.b64decode(data))
            image = Image.open(file, formats=_IMAGE_FORMATS)
            if image.width * image.height <= _MAX_PIXELS:
                return Picture.from_array(np.asarray(image.convert("RGB")))
    raise RequestError(
        f"{where}: expected a picture as base64 (PNG, JPEG, WEBP or GIF, at most {_MAX_PIXELS} "
        "pixels); an agent follows no URL"
    )


def make_completion(reply: str, model: str) -> JSONObject:
    """Return an agent's reply as a chat completion, with its token ids as vLLM returns them."""
    fields = reply if isinstance(reply, Reply) else Reply(reply)
    message: JSONObject = {"role": "assistant", "content": str(reply)}
    calls = [
        one if one.get("id") else {**one, "id": f"call_{uuid.uuid4().hex[:24]}"}
        for one in fields.tool_calls
    ]
    if calls:
        message["tool_calls"] = calls
    thoughts = [
        one.get("thinking") or one.get("text")
        for one in fields.thinking_blocks
        if isinstance(one.get("thinking") or one.get("text"), str)
    ]
    if thoughts:
        message["reasoning"] = "\n\n".join(map(str, thoughts))
    if fields.thinking_blocks:
        message["thinking_blocks"] = list(fields.thinking_blocks)
    finish = fields.finish_reason or ("tool_calls" if calls else "stop")
    choice: JSONObject = {"index": 0, "message": message, "finish_reason": finish}
    answer: JSONObject = {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [choice],
        "usage": dict(fields.usage) or {"prompt_tokens": 0, "completion_tokens": 0},
    }
    if fields.token_ids:
        choice["token_ids"] = list(fields.token_ids)
        answer["prompt_token_ids"] = list(fields.prompt_ids or ()) or None
    if fields.logprobs:
        choice["logprobs"] = {"content": [{"logprob": one} for one in fields.logprobs]}
    return answer


def make_chunks(answer: JSONMapping) -> list[JSONObject]:
    """Return a chat completion as the chunks of a stream."""
    (choice,) = answer["choices"]
    message = choice["message"]
    calls = [{**one, "index": place} for place, one in enumerate(message.get("tool_calls", ()))]
    delta = {**message, "tool_calls": calls} if calls else message
    base = {**answer, "object": "chat.completion.chunk"}
    del base["usage"]
    first = {"index": 0, "delta": delta, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [
        {**base, "choices": [first]},
        {**base, "choices": [last]},
        {**base, "choices": [], "usage": answer["usage"]},
    ]
