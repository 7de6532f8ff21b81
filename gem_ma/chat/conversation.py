"""The conversation of one seat with an environment: its steps, and their messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, overload

from gem_ma.chat.messages import ChatMessage
from gem_ma.chat.reply import truncate_reply_calls
from gem_ma.engine.action_parsing import ToolCall
from gem_ma.engine.observations import Observation
from gem_ma.game import SeatTool
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    from gem_ma.chat.context import Context


class TurnContent(Protocol):
    """The attributes of a Turn that a conversation keeps."""

    @property
    def seat(self) -> str: ...
    @property
    def rules(self) -> str: ...
    @property
    def tools(self) -> tuple[SeatTool, ...]: ...
    @property
    def observation(self) -> Observation: ...
    @property
    def text(self) -> str: ...
    @property
    def results(self) -> tuple[str, ...]: ...
    @property
    def calls(self) -> int | None: ...


@dataclass(slots=True)
class Step:
    """One turn of a seat: its observation, its reply, and the results."""

    agent: str  # the seat
    number: int  # steps with the same number were taken together
    observation: Observation
    text: str
    results: tuple[str, ...] = ()
    calls: int | None = None  # the number of tool calls of the reply that count; None: all
    reply: str | None = None  # None: not yet there
    move: str | None = None  # the move as the game read it; None: no move
    reward: float = 0.0  # the seat's rewards until its next turn
    invalid: JSONMapping | None = None
    seconds: float = field(default=0.0, compare=False)  # the time that the reply took

    @property
    def counted_reply(self) -> str | None:
        """The reply as in the conversation: without tool calls that do not count."""
        return None if self.reply is None else truncate_reply_calls(self.reply, self.calls)


class Conversation:
    """The conversation of one seat; it grows at its end, and makes each message once, on demand."""

    __slots__ = (
        "_messages",
        "_prompt_ends",
        "context",
        "episode",
        "rules",
        "salt",
        "seat",
        "steps",
        "tools",
    )

    def __init__(
        self,
        seat: str,
        *,
        rules: str = "",
        episode: str = "",
        context: Context | None = None,
        salt: int = 0,
    ):
        self.seat = seat
        self.episode = episode
        self.context = context
        self.salt = salt  # distinguishes the seeds of turns in episodes with equal seeds
        self.rules = rules
        self.tools: tuple[SeatTool, ...] = ()
        self.steps: list[Step] = []
        self._messages: list[ChatMessage] = []
        self._prompt_ends: list[int] = []  # the number of messages before each step's reply

    def copy(self) -> Conversation:
        """Return an independent copy of this conversation."""
        arguments = {"rules": self.rules, "episode": self.episode, "context": self.context}
        other = Conversation(self.seat, **arguments, salt=self.salt)  # type: ignore[arg-type]
        other.tools, other.steps = self.tools, [replace(step) for step in self.steps]
        return other

    @property
    def reply_count(self) -> int:
        """The number of steps with a reply; only the last step can lack one."""
        steps = self.steps
        return len(steps) - (1 if steps and steps[-1].reply is None else 0)

    def add_turn(self, turn: TurnContent, number: int) -> None:
        """Add a step that waits for its reply."""
        steps, ends = self.steps, self._prompt_ends
        if steps and steps[-1].reply is None:  # a new turn before a reply replaces the step
            steps.pop()
            if len(ends) > len(steps):
                ends.pop()
                del self._messages[ends[-1] + 1 if ends else int(bool(self.rules)) :]
        self.rules, self.tools = turn.rules, turn.tools
        seen = turn.observation, turn.text, turn.results, turn.calls
        steps.append(Step(turn.seat, number, *seen))

    def build_messages(self, index: int | None = None) -> Sequence[ChatMessage]:
        """Return the messages that step `index` replies to; None: the whole uncut conversation."""
        if index is None:
            self._extend_messages(len(self.steps))
            return MessagePrefix(self._messages, len(self._messages))
        self._extend_messages(index + 1)
        messages = MessagePrefix(self._messages, self._prompt_ends[index])
        return messages if self.context is None else self.context.apply(messages)

    def _extend_messages(self, count: int) -> None:
        """Make the messages of the first `count` steps, and of the replies that are there."""
        messages, ends = self._messages, self._prompt_ends
        if not messages and self.rules:
            messages.append({"role": "system", "content": self.rules})
        for number in range(len(ends), count):
            self._add_reply(number - 1)
            calls = messages[-1].get("tool_calls", ()) if number else ()
            messages.extend(_build_messages(self.steps[number], calls))
            ends.append(len(messages))
        self._add_reply(len(ends) - 1)

    def _add_reply(self, number: int) -> None:
        """Make the message of a step's reply, unless it exists or there is no reply."""
        if number < 0 or len(self._messages) > self._prompt_ends[number]:
            return
        reply = self.steps[number].counted_reply
        if reply is not None:
            message: JSONObject = {"role": "assistant", "content": reply}
            for name in ("tool_calls", "thinking_blocks"):
                if value := getattr(reply, name, None):
                    message[name] = value
            self._messages.append(message)


class MessagePrefix(Sequence[ChatMessage]):
    """A view of the first messages of a conversation, which may have grown since."""

    __slots__ = ("_all", "_length")

    def __init__(self, messages: list[ChatMessage], length: int):
        self._all = messages
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> ChatMessage: ...
    @overload
    def __getitem__(self, index: slice) -> list[ChatMessage]: ...
    def __getitem__(self, index: int | slice) -> ChatMessage | list[ChatMessage]:
        if isinstance(index, slice):
            return [self._all[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(f"no message {index}; the conversation has {self._length} messages")
        return self._all[index % self._length]

    def __eq__(self, other: object) -> bool:
        return (
            list(self) == list(other) if isinstance(other, MessagePrefix | list) else NotImplemented
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def make_tool_schemas(tools: Iterable[SeatTool]) -> list[JSONMapping]:
    """Return the schemas of tools in OpenAI's form."""
    return [tool if isinstance(tool, Mapping) else tool.schema for tool in tools]


CALL_NOT_RUN = "This call was not run."
SHARED_RESULT = "This call has no result of its own: see the first."


def _build_messages(step: Step, calls: Sequence[ToolCall]) -> list[JSONObject]:
    """Return the messages of a step's observation, with tool messages for the previous calls."""
    from gem_ma.chat.messages import find_tool_pictures, make_content
    from gem_ma.game import Message

    text, messages = step.text, []
    apart = [picture for result in step.results for picture in find_tool_pictures(result)]
    if calls:
        results = list(step.results)
        if results and len(results) <= len(calls):
            for result in results:  # each is in its own message, so remove it from the text
                result_text = str(Message(None, "tool", result))
                text = "" if text == result else text.replace(result_text, "", 1).strip("\n")
            results += [CALL_NOT_RUN] * (len(calls) - len(results))
        else:
            results, text = [text, *[SHARED_RESULT] * (len(calls) - 1)], ""
        for call, result in zip(calls, results, strict=True):
            name = call.get("function", call).get("name")
            said: str | tuple[object, ...] = (
                (str(result), *beside) if (beside := find_tool_pictures(result)) else result
            )
            apart = [] if beside else apart  # pictures are all with their results, or none
            message = {"role": "tool", "tool_call_id": call.get("id", ""), "content": said}
            messages.append({**message, "name": name} if name else message)
    parts = (*apart, *make_content({"image": step.observation.get("image"), "text": text}))
    if parts or not messages:
        whole = parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts
        messages.append({"role": "user", "content": whole or ""})
    return messages
