"""What passes between an environment and an agent: Turn, Reply, Conversation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload, runtime_checkable

from gem_ma.match import actions
from gem_ma.match.seeding import mix

if TYPE_CHECKING:
    from gem_ma.talk.context import Context


class Position(NamedTuple):
    """Where search starts: in a game of perfect information."""

    game: Any
    state: Any


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent gets when a seat of some episode is to act."""

    seat: str
    rules: str  # what a system prompt says
    observation: Mapping[str, Any]  # "text" and/or "image" (a Picture), without the rules
    text: str  # what a model reads; beside the image it holds messages and notices only
    legal: tuple[str, ...] | None = None  # replies that are legal now, where they can be listed
    tools: tuple[Any, ...] = ()
    seed: int = 0  # differs for every turn of every seat of every episode
    number: int = 0  # how often the game has advanced
    first: bool = True  # this seat has not replied yet in this episode
    env_id: str = ""
    position: Position | None = None
    results: tuple[str, ...] = ()  # what the game's tools said since the last reply
    chat: Conversation | None = field(default=None, repr=False, compare=False)
    index: int = 0  # how many replies of this seat are in the chat
    calls: int | None = None  # how many tool calls of the reply count; None: all

    @property
    def episode(self) -> str:
        """What names the episode in its run, or nothing outside of a run."""
        return "" if self.chat is None else self.chat.episode

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """This seat's chat so far: rules, what it saw, its replies; cut as its context says.

        Without a chat (outside of rollouts) it is the rules and what the seat sees now.
        """
        if self.chat is not None:
            return self.chat.messages(self.index)
        alone = Conversation(self.seat)
        alone.hear(self, 0)
        return alone.messages(0)


class Reply(str):
    """A reply: the text, and what the model told about it. It is an action anywhere.

    tool_calls: in OpenAI's shape; with any, they are the action and the text beside them is not.
    logprobs: of the tokens, as the model gave them after the temperature was applied, and before
        anything else was (top_p for example): what a trainer computes again.
    """

    __slots__ = (
        "finish_reason",
        "latency",
        "logprobs",
        "token_ids",
        "tool_calls",
        "usage",
    )

    token_ids: Sequence[int] | None
    logprobs: Sequence[float] | None
    finish_reason: str | None
    tool_calls: Sequence[Any]
    usage: Mapping[str, int]
    latency: float | None

    def __new__(
        cls,
        text: str = "",
        *,
        token_ids: Sequence[int] | None = None,
        logprobs: Sequence[float] | None = None,
        finish_reason: str | None = None,
        tool_calls: Sequence[Any] = (),
        usage: Mapping[str, int] | None = None,
        latency: float | None = None,
    ) -> Reply:
        self = super().__new__(cls, text)
        self.token_ids = token_ids
        self.logprobs = logprobs
        self.finish_reason = finish_reason
        self.tool_calls = tool_calls
        self.usage = usage or {}
        self.latency = latency
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _reply, (str(self), self.fields())

    def fields(self) -> dict[str, Any]:
        """Return what the model told beside the text, and nothing that it did not tell."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value not in (None, (), [], {})}


def _reply(text: str, fields: dict[str, Any]) -> Reply:
    return Reply(text, **fields)


def first_calls(reply: str, count: int | None) -> str:
    """Return a reply without the tool calls behind its first few, in whatever form it has them."""
    if count is None:
        return reply
    text = actions.first_calls(reply, count)
    calls = getattr(reply, "tool_calls", None) or ()
    if text == reply and len(calls) <= count:
        return reply
    fields = reply.fields() if isinstance(reply, Reply) else {}
    if text != reply:  # what was drawn spells more than this
        fields = {name: fields[name] for name in fields if name not in ("token_ids", "logprobs")}
    if calls:
        fields["tool_calls"] = calls[:count]
    if not isinstance(reply, Reply):
        return Reply(text, **fields)
    cut = type(reply)(text, **fields)
    if hasattr(reply, "__dict__"):  # what a kind of Reply keeps beside the fields
        vars(cut).update(vars(reply))
    return cut


@runtime_checkable
class Agent(Protocol):
    """Turns in, replies out. Stateless: one object can sit in any number of episodes at once.

    A rollout calls a plain `act` with all turns that wait for it, and an `async def act` once for
    each turn, all at the same time. With `blocking = True` a plain one is called in a thread.
    """

    def act(self, turns: list[Turn]) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Return one reply for each turn, or an awaitable of them."""


_OBJECT = re.compile(r"<((?:[\w.]|<locals>)+) object at 0x[0-9a-fA-F]+>")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def name_of(agent: Any) -> str:
    """Return what stands for an agent in records: its repr, less what differs by process.

    Whatever in it has no `__repr__` is called by its module and class.
    """
    return _ADDRESS.sub("", _OBJECT.sub(r"\1", repr(agent)))


def ask(agent: Agent, turns: list[Turn]) -> list[str]:
    """Return the agent's replies, whether it is written as a function or as a coroutine."""
    answer = agent.act(turns)
    return checked(agent, turns, _wait_for(answer) if inspect.isawaitable(answer) else answer)


async def ask_async(agent: Agent, turns: list[Turn]) -> list[str]:
    """Return the agent's replies without holding up the loop: one that blocks has a thread."""
    if getattr(agent, "blocking", False) and not inspect.iscoroutinefunction(agent.act):
        import asyncio

        answer: Any = await asyncio.to_thread(agent.act, turns)
    else:
        answer = agent.act(turns)
    return checked(agent, turns, await answer if inspect.isawaitable(answer) else answer)


def checked(agent: Agent, turns: list[Turn], answer: Sequence[str]) -> list[str]:
    """Return the replies, if there is one for each turn."""
    if isinstance(answer, str):
        raise TypeError(f"{agent!r} gave a str; expected a list of {len(turns)}, one for each turn")
    replies = list(answer)
    if len(replies) != len(turns):
        raise ValueError(f"{agent!r} got {len(turns)} turns and gave {len(replies)} replies")
    return replies


def _wait_for(answer: Awaitable[Sequence[str]]) -> Sequence[str]:
    async def wait() -> Sequence[str]:
        return await answer

    replies: Sequence[str] = run_async(wait)
    return replies


def run_async(main: Any) -> Any:
    """Run a coroutine function to its end, also where a loop runs in this thread already."""
    import asyncio  # only when an agent is a coroutine: importing it is slow
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    loops = []

    def run() -> Any:
        with asyncio.Runner() as runner:
            loops.append(runner.get_loop())
            return runner.run(main())

    def cancel() -> None:
        for task in asyncio.all_tasks(loops[0]):
            task.cancel()

    with ThreadPoolExecutor(1) as pool:  # as in a notebook
        running = pool.submit(run)
        try:
            return running.result()
        except KeyboardInterrupt:
            loops[0].call_soon_threadsafe(cancel)
            raise


def pick(options: Sequence[str], *numbers: int) -> str:
    """Return one of the options, chosen by the numbers alone."""
    return options[mix(*numbers) % len(options)]


@dataclass(slots=True)
class Step:
    """One seat's turn: what it saw, what it said, what became of it."""

    agent: str  # the seat
    number: int  # steps with the same number were taken together
    observation: Mapping[str, Any]
    text: str
    results: tuple[str, ...] = ()
    calls: int | None = None  # how many tool calls of the reply counted; None: all
    reply: str | None = None  # None as long as it is awaited
    move: str | None = None  # as the game read it; None: no move
    reward: float = 0.0  # until this seat's next turn
    invalid: Mapping[str, Any] | None = None
    seconds: float = field(default=0.0, compare=False)  # waited for the reply

    @property
    def heard(self) -> str | None:
        """The reply as the chat holds it: without tool calls that did not count."""
        return None if self.reply is None else first_calls(self.reply, self.calls)


class Conversation:
    """One seat's chat: grows at its end, and makes each message once, when it is asked for."""

    __slots__ = (
        "_ends",
        "_messages",
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
        self.salt = salt  # makes the seeds of turns differ where the game's seed is the same
        self.rules = rules
        self.tools: tuple[Any, ...] = ()
        self.steps: list[Step] = []
        self._messages: list[Mapping[str, Any]] = []
        self._ends: list[int] = []  # of the messages before each step's reply

    @property
    def answered(self) -> int:
        """How many steps have a reply; a step without one can only be the last."""
        steps = self.steps
        return len(steps) - (1 if steps and steps[-1].reply is None else 0)

    def hear(self, turn: Turn, number: int) -> None:
        """Add a step that waits for its reply."""
        steps, ends = self.steps, self._ends
        if steps and steps[-1].reply is None:  # asked again before it replied
            steps.pop()
            if len(ends) > len(steps):
                ends.pop()
                del self._messages[ends[-1] + 1 if ends else int(bool(self.rules)) :]
        self.rules, self.tools = turn.rules, turn.tools
        seen = turn.observation, turn.text, turn.results, turn.calls
        steps.append(Step(turn.seat, number, *seen))

    def messages(self, index: int | None = None) -> Sequence[Mapping[str, Any]]:
        """Return what the seat reads at its step `index`, or without one the whole chat, uncut."""
        if index is None:
            self._extend(len(self.steps))
            return Messages(self._messages, len(self._messages))
        self._extend(index + 1)
        messages = Messages(self._messages, self._ends[index])
        return messages if self.context is None else self.context.apply(messages)

    def _extend(self, count: int) -> None:
        """Make the messages of the first steps, and of every reply that is there."""
        messages, ends = self._messages, self._ends
        if not messages and self.rules:
            messages.append({"role": "system", "content": self.rules})
        for number in range(len(ends), count):
            self._said(number - 1)
            calls = messages[-1].get("tool_calls", ()) if number else ()
            messages.extend(_seen(self.steps[number], calls))
            ends.append(len(messages))
        self._said(len(ends) - 1)

    def _said(self, number: int) -> None:
        """Make the message of a step's reply, unless it is made or there is none."""
        if number < 0 or len(self._messages) > self._ends[number]:
            return
        reply = self.steps[number].heard
        if reply is not None:
            calls = getattr(reply, "tool_calls", None)
            message: dict[str, Any] = {"role": "assistant", "content": reply}
            self._messages.append({**message, "tool_calls": calls} if calls else message)


class Messages(Sequence[Mapping[str, Any]]):
    """The beginning of a chat that may have grown since."""

    __slots__ = ("_all", "_length")

    def __init__(self, messages: list[Mapping[str, Any]], length: int):
        self._all = messages
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mapping[str, Any]]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._all[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(f"message {index} of {self._length}")
        return self._all[index % self._length]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Messages | list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def schemas(tools: Sequence[Any]) -> list[Any]:
    """Return tools as schemas in OpenAI's form, which some of them are already."""
    return [tool if isinstance(tool, Mapping) else tool.schema for tool in tools]


NOT_RUN = "This call was not run."
TOGETHER = "This call has no result of its own: see the first."


def _seen(step: Step, calls: Sequence[Any]) -> list[dict[str, Any]]:
    """Return what a seat saw, as the answers to its tool calls if it made any."""
    from gem_ma.game import Message
    from gem_ma.talk.messages import content

    text, messages = step.text, []
    if calls:
        results = list(step.results)
        if results and len(results) <= len(calls):
            for result in results:  # each stands alone in its own message
                shown = str(Message(None, "tool", result))
                text = "" if text == result else text.replace(shown, "", 1).strip("\n")
            results += [NOT_RUN] * (len(calls) - len(results))
        else:
            results, text = [text, *[TOGETHER] * (len(calls) - 1)], ""
        for call, result in zip(calls, results, strict=True):
            name = call.get("function", call).get("name")
            message = {"role": "tool", "tool_call_id": call.get("id", ""), "content": result}
            messages.append({**message, "name": name} if name else message)
    parts = content({"image": step.observation.get("image"), "text": text})
    if parts or not messages:
        whole = parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts
        messages.append({"role": "user", "content": whole or ""})
    return messages


def plain(value: Any) -> Any:
    """Return a value as JSON brings it back; what JSON does not know becomes text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):  # numpy's
        return value.tolist()
    return str(value)
