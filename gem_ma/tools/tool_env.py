"""ToolEnv: tools for any seat of any environment. A reply that calls tools is not a move."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from gem_ma.apis.aec import AECEnv
from gem_ma.chat.messages import ToolOutput, find_tool_pictures
from gem_ma.chat.reply import truncate_reply_calls
from gem_ma.chat.tracing import trace_tool_call
from gem_ma.engine.action_parsing import (
    RejectedReply,
    SeatActions,
    has_action,
    parse_call_arguments,
    parse_call_name,
    parse_tool_calls,
    strip_thinking,
)
from gem_ma.engine.match import SeatError
from gem_ma.engine.observations import cut_middle
from gem_ma.game import Info, Message, SeatTool, clip_repr
from gem_ma.tools.loading import load_tools
from gem_ma.tools.tool import Tool, ToolError
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping
from gem_ma.validation.spec_strings import parse_seat_specs
from gem_ma.wrappers import TextWrapper

_CALL_FORM = '<tool_call>{"name": ..., "arguments": {...}}</tool_call>'

_ToolRequest: TypeAlias = tuple[str, JSONMapping | str]
"""The name of a tool, and its arguments or a description of their error."""


def with_tools(env: AECEnv, tools: Any, **limits: Any) -> ToolEnv:
    """Return an environment with tools for its seats.

    Args:
        env: the environment.
        tools: tools, functions or spec strings, as ToolEnv takes them.
        **limits: the keyword arguments of ToolEnv.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.tools import with_tools
        >>> def add(a: int, b: int) -> int:
        ...     "Return the sum of two numbers."
        ...     return a + b
        >>> env = with_tools(gem_ma.make("game:GuessTheNumber-v0-easy"), add)
        >>> env.reset(seed=0)
        >>> env.step('<tool_call>{"name": "add", "arguments": {"a": 1, "b": 4}}</tool_call>')
        >>> env.turn(env.possible_agents[0]).results
        ('5',)
    """
    return ToolEnv(env, tools, **limits)


class ToolCallRecord(NamedTuple):
    """A call of a tool by a seat, with its result."""

    name: str
    arguments: JSONMapping | str  # a text describes the error in them
    result: str


class ToolEnv(TextWrapper):
    """A wrapper that answers tool calls: the seat reads the results and then replies again.

    A reply calls tools natively or by `<tool_call>` blocks. A tool with `fence_language`
    is also called by fenced blocks of that language, if no action follows them.

    Pictures that a tool returns are in the chat of a seat that observes pictures. Other seats, and
    records in files, have their descriptions.

    Args:
        env: the environment.
        tools: tools, functions and spec strings (see `gem_ma.tools.load_tools`): one or a list for
            all seats, or a mapping from seat to these. A text may contain several specs, separated
            by commas. SEAT= before a spec gives the tool to that seat only:
            "python,x=search:docs".
        max_calls: calls that a seat may make between two moves; a reply that exceeds the limit is
            invalid.
        max_calls_per_episode: calls that a seat may make in an episode; None: no limit.
        reward: reward of a seat for a successful call.
        error_reward: reward of a seat for a failed call.
        result_length: maximum bytes of a result; a longer one is cut in the middle.
    """

    memory: (
        Mapping[str, tuple[int, tuple[ToolCallRecord, ...]]] | None
    )  # by seat: number of calls since the last move, and all calls

    def __init__(
        self,
        env: AECEnv,
        tools: Any,
        *,
        max_calls: int = 8,
        max_calls_per_episode: int | None = None,
        reward: float = 0.0,
        error_reward: float = 0.0,
        result_length: int = 10_000,
    ):
        super().__init__(env)
        if env.observation_builder.discrete:
            raise SeatError("tools need actions='text', got an environment with actions='discrete'")
        seats = list(env.match.seats)
        seat_tools = _assign_tools(tools, seats)
        loaded_tools = {
            one: load_tools(one) for _, one in seat_tools if isinstance(one, str)
        }  # load each spec only once
        self._tools: dict[str, dict[str, Tool]] = {seat: {} for seat in seats}
        for seat, tools_by_name in self._tools.items():
            sources = [one for seat_name, one in seat_tools if seat_name in ("", seat)]
            tool_lists = (
                loaded_tools[one] if isinstance(one, str) else load_tools(one) for one in sources
            )
            for tool in chain.from_iterable(tool_lists):
                if tool.name in tools_by_name:
                    raise ValueError(
                        f"tools of {seat}: two have the same name: {tool.name}; rename one"
                    )
                tools_by_name[tool.name] = tool
        for name, limit in (("max_calls", max_calls), ("result_length", result_length)):
            if limit < 1:
                raise ValueError(f"{name}={limit}: expected 1 or more")
        self.max_calls = max_calls
        self.max_calls_per_episode = max_calls_per_episode
        self.reward, self.error_reward = reward, error_reward
        self.result_length = result_length

    @property
    def blocking(self) -> bool:
        """Whether a step may be slow, because of the environment or a tool."""
        tools = [tool for seat_tools in self._tools.values() for tool in seat_tools.values()]
        return super().blocking or any(getattr(tool, "blocking", False) for tool in tools)

    @property
    def metadata(self) -> Info:
        """The environment's metadata. With several seats, tool calls make it not parallelizable.

        A seat that calls a tool acts again, so the seats no longer act in rounds.
        """
        inner = self.env.metadata
        alone = len(self.match.seats) == 1
        return {**inner, "is_parallelizable": alone and inner["is_parallelizable"]}

    def tools(self, agent: str) -> tuple[SeatTool, ...]:
        return (*super().tools(agent), *self._tools[agent].values())

    def rules(self, agent: str) -> str:
        inner = super().rules(agent)
        tools = self._tools[agent].values()
        if not tools:
            return inner
        lines = [
            "Before your action you may call tools, one or several in a reply without an action, "
            f"each as {_CALL_FORM}. You get what they say and reply again.",
            *map(_format_signature, tools),
        ]
        return f"{inner}\n" + "\n".join(lines)

    def transform_text(self, agent: str, text: str, *, turn: bool) -> str:
        check_type(text, str, "text")
        inner = super().rules(agent)
        if turn or self.match.read_counts[agent] >= 0 or not text.startswith(inner):
            return text
        return self.rules(agent) + text[len(inner) :]

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        match = self.match
        moves: dict[str, Any] = {}
        calls: dict[str, list[_ToolRequest]] = {}
        check_type(replies, Mapping, "replies")
        for agent, action in replies.items():
            reply = (
                truncate_reply_calls(action, match.game.max_tool_calls)
                if isinstance(action, str)
                else action
            )
            requests = self._find_calls(agent, reply) if agent in match.waiting_seats else []
            if not requests:
                moves[agent] = reply
            elif refusal := self._check_limits(agent, len(requests)):
                moves[agent] = RejectedReply(refusal)
            else:
                calls[agent] = requests
        tool_rewards = {
            agent: self._make_calls(agent, requests) for agent, requests in calls.items()
        }
        rewards: Mapping[str, float] = super().submit(moves) if moves or not calls else {}
        if self.memory:
            movers = [agent for agent in moves if agent in match.last_moves]  # the move was valid
            self.memory = {
                **self.memory,
                **{a: (0, self.memory.get(a, (0, ()))[1]) for a in movers},
            }
        if any(tool_rewards.values()):
            rewards = {
                agent: rewards.get(agent, 0.0) + tool_rewards.get(agent, 0.0)
                for agent in self.core.agents
            }
        return rewards

    def _find_calls(self, agent: str, reply: Any) -> list[_ToolRequest]:
        """Return the tool calls in a reply, or none if it calls only the game's own tools."""
        tools = self._tools[agent]
        if not tools or not isinstance(reply, str):
            return []
        native = getattr(reply, "tool_calls", None)
        if native:
            calls = [_parse_call(call) for call in native]
        elif "<tool_call>" in reply or "```" in reply:
            calls = self._parse_text_calls(agent, strip_thinking(reply))
        else:
            return []
        others = {_get_tool_name(tool) for tool in super().tools(agent)}
        if others and not any(name in tools for name, _ in calls):
            return []  # the game's own tools
        return calls

    def _parse_text_calls(self, agent: str, text: str) -> list[_ToolRequest]:
        """Return the tool calls in the text of a reply, in order."""
        if "<tool_call>" in text:
            calls = [_parse_call(call) for call in parse_tool_calls(text)]
            return calls or [("", f"that is no tool call; the form is {_CALL_FORM}")]
        calls = []
        for name, tool in self._tools[agent].items():
            language = getattr(tool, "fence_language", None)
            if language is None:
                continue
            blocks = list(re.finditer(rf"```{language}[ \t]*\n(.*?)\n?```", text, re.DOTALL))
            if blocks and not has_action(
                text[blocks[-1].end() :], self.observation_builder.config.format
            ):
                argument = next(iter(tool.schema["function"]["parameters"]["properties"]))
                calls += [(name, {argument: block[1]}) for block in blocks]
        return calls

    def _check_limits(self, agent: str, count: int) -> str:
        """Return a message if `count` more calls would exceed a limit, or an empty text."""
        recent_count, past_calls = (self.memory or {}).get(agent, (0, ()))
        if recent_count + count > self.max_calls:
            return f"only {self.max_calls} tool calls are allowed before an action; send an action"
        total = self.max_calls_per_episode
        if total is not None and len(past_calls) + count > total:
            return f"only {total} tool calls are allowed in all; send an action"
        return ""

    def _make_calls(self, agent: str, calls: Sequence[_ToolRequest]) -> float:
        """Make calls in order, post the results to the seat, and return the total reward."""
        tools, memory = self._tools[agent], dict(self.memory or {})
        others = [
            _get_tool_name(tool) for tool in super().tools(agent)
        ]  # the game's own tools, which this wrapper does not answer
        recent_count, past_calls = memory.get(agent, (0, ()))
        total_reward, messages = 0.0, []
        for name, arguments in calls:
            try:
                if not isinstance(arguments, Mapping):
                    raise ToolError(str(arguments))
                if name not in tools and name in others:
                    raise ToolError(f"{name} was not run: call it in a reply of its own")
                if name not in tools:
                    names = ", ".join([*tools, *others])
                    raise ToolError(f"no tool {clip_repr(name)}; the tools are {names}")
                earlier = [
                    (record.arguments, record.result)
                    for record in past_calls
                    if record.name == name
                ]
                with trace_tool_call(agent, name, arguments) as keep:
                    result = tools[name].call(arguments, earlier)
                    keep(result)
                total_reward += self.reward
            except ToolError as error:
                result = f"Error: {error}"
                total_reward += self.error_reward
            pictures = (
                find_tool_pictures(result)
                if self.observation_builder.config.observe != "text"
                else ()
            )
            result = cut_middle(str(result), self.result_length)
            result = ToolOutput(result, pictures) if pictures else result
            past_calls = (*past_calls, ToolCallRecord(name, arguments, result))
            messages.append(Message((agent,), "tool", result))
        memory[agent] = recent_count + len(calls), past_calls
        self.memory = memory
        self.match.post_tool_results(agent, messages)
        self.core.sync_aec_state()
        return total_reward


def _assign_tools(tools: Any, seats: Sequence[str]) -> list[tuple[str, Any]]:
    """Return pairs of a seat, or "" for all seats, and a tool or spec string."""
    by_seat = tools if isinstance(tools, Mapping) else {None: tools}
    assignments: list[tuple[str, Any]] = []
    for seat, several in by_seat.items():
        if seat not in (None, *seats):
            raise SeatError(f"tools: no seat {seat!r}; the seats are {', '.join(seats)}")
        for one in several if isinstance(several, list | tuple) else [several]:
            specs = parse_seat_specs(one, seats) if isinstance(one, str) else [("", one)]
            assignments += [(seat_name or seat or "", source) for seat_name, source in specs]
    return assignments


def _parse_call(call: object) -> _ToolRequest:
    """Return the name of a call in OpenAI's format, and its arguments or their error."""
    name = parse_call_name(call)
    try:
        arguments = parse_call_arguments(call)
    except ValueError as error:
        return name, str(error)
    if not isinstance(arguments, Mapping):
        return name, f"the arguments must be a JSON object, got {clip_repr(json.dumps(arguments))}"
    return name, arguments


def _get_tool_name(tool: Any) -> str:
    """Return the name of a tool, or of a schema in OpenAI's format."""
    return str(tool["function"]["name"] if isinstance(tool, Mapping) else tool.name)


def _format_signature(tool: Tool) -> str:
    """Return a one-line description of a tool, for models that read no schemas."""
    function = tool.schema["function"]
    parameters = function.get("parameters", {}).get("properties", {})
    return f"- {tool.name}({', '.join(parameters)}): {function.get('description', '')}"
