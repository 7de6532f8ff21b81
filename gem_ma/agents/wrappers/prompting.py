"""Assistants of TAU-bench other than native tool calls: calls as text, and few-shot examples."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

from gem_ma.agents.wrappers.agent_wrapper import (
    AgentWrapper,
    copy_chat_before,
    replace_rules,
    select_fields,
    sum_usage,
)
from gem_ma.chat.conversation import Step, make_tool_schemas
from gem_ma.chat.messages import ChatMessage
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import format_tool_calls, parse_call_name, strip_thinking
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import Message, clip_repr
from gem_ma.validation.json_types import JSONMapping
from gem_ma.validation.untrusted_json import check_json, parse_json

RESPOND_TOOL = "respond"
_OUTPUT_MARK = "Tool output: "

_INSTRUCTIONS = """# How you reply
Each reply of yours is one action. Write it like this, and nothing below it:
{form}

A program reads what follows "Action:", so it has to be valid JSON. The name is that of one of the
tools above, with the arguments that it takes, or "respond", whose one argument "content" is what
you would otherwise reply: what you say to the other side, say. What a tool gives is sent to you
after the words "Tool output:"; nobody else reads it. Make up no argument: look it up, or ask.

Suppose there was this tool:
{tool}
and somebody asked when the next ferry to Gozo leaves after nine in the evening. A good reply is
{call}

and, once you have read "Tool output: 21:45",
{answer}

Keep to the rules above, be of help, and write valid JSON."""
_EXAMPLE_TOOL = {
    "type": "function",
    "function": {
        "name": "next_ferry",
        "description": "Look up when the next ferry leaves.",
        "parameters": {
            "type": "object",
            "properties": {
                "to": {"type": "string", "description": "The island it goes to."},
                "after": {"type": "string", "description": "A time of the day, such as 07:30."},
            },
            "required": ["to", "after"],
        },
    },
}
_EXAMPLE_CALL = {"name": "next_ferry", "arguments": {"to": "Gozo", "after": "21:00"}}
_EXAMPLE_RESPONSE = {
    "name": RESPOND_TOOL,
    "arguments": {"content": "The next ferry to Gozo leaves at 21:45."},
}
_ACTION_FORM = '{"name": <of a tool, or "respond">, "arguments": {<its arguments>}}'

_MARKER = re.compile(r"^[^\w\n]*action[*_` ]*:[*_` \t]*", re.I | re.M)
_THOUGHT = re.compile(r"^[^\w\n]*thought[*_` ]*:[*_` \t]*\n?.*(?:\n|\Z)", re.I | re.M)
_LABEL = re.compile(r"^[^\w\n]*(?:thought|action)[*_` ]*:[*_` \t]*|```\w*|Action:", re.I | re.M)
_CALL_START = re.compile(r"""\{\s*["'](?:name|arguments)["']\s*:""")
_JSON_START = re.compile(r"\s*(?:```\w*\s*)?(?=\{)")
_BARE_CALL = re.compile(r"[\s`*]*(\w+)[ \t]*[({]")
_UNKNOWN_NAME = "Action"  # the name of a call whose name cannot be read
_THINK_OPEN, _THINK_CLOSE = "<think>\n", "\n</think>\n\n"
_JSON_DECODER = json.JSONDecoder(strict=False)  # models write line breaks inside strings


class ActAgent(AgentWrapper):
    """An agent that calls tools in text, as `act` of TAU-bench does.

    The rules list the tools, and the agent inside gets no native tools. It writes "Action:" and a
    call in JSON, with or without a code fence, and the wrapper makes that call. A call of `respond`
    is a message to the other side. A text that was clearly meant as a call but is no valid JSON is
    an invalid call, which the other side never reads. Any other text is a message. If a seat has no
    tools, the reply of the agent inside is returned as it is.

    The reply keeps the text around the call. The thought before a message becomes a think block.
    The reply has no token ids, because the recorded chat differs from the one that the model read.

    Args:
        agent: The agent inside: an agent, a function of a Turn or a spec string.
    """

    thinks = False

    def run_calls(self, turn: Turn) -> Generator[Turn, str, str]:
        """Yield the turn with the tools in its rules, and return a call or a message."""
        if not turn.tools:
            return (yield turn)
        answer = yield _make_text_turn(turn, self._make_rules(turn))
        names = {parse_call_name(one) for one in make_tool_schemas(turn.tools)}
        reply = _parse_answer(answer, names)
        reply.finish_reason = select_fields(answer, "finish_reason").get("finish_reason")
        return sum_usage([answer], reply)

    def _make_rules(self, turn: Turn) -> str:
        how = _INSTRUCTIONS.format(
            form=self._format_action(
                _ACTION_FORM, "<one line of reasoning: what you know, and what is next>"
            ),
            tool=json.dumps(_EXAMPLE_TOOL),
            call=self._format_action(
                json.dumps(_EXAMPLE_CALL), "Nine in the evening is 21:00; I look it up."
            ),
            answer=self._format_action(
                json.dumps(_EXAMPLE_RESPONSE), "That is the answer, so I say it."
            ),
        )
        listed = json.dumps(make_tool_schemas(turn.tools), ensure_ascii=False)
        return f"{turn.rules}\n\n# Tools\n{listed}\n\n{how}"

    def _format_action(self, action: str, thought: str) -> str:
        return f"Thought:\n{thought}\nAction:\n{action}" if self.thinks else f"Action:\n{action}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.agent!r})"


class ReactAgent(ActAgent):
    """An agent that writes a thought before each call in text, as `react` of TAU-bench does.

    It is an ActAgent with a thought before each action. The thought stays in the agent's chat and
    in the record. No other seat reads it.
    """

    thinks = True


class FewShotAgent(AgentWrapper):
    """An agent that reads example conversations after its rules, as `few-shot` of TAU-bench does.

    It calls tools natively. The reply has no token ids, because the recorded chat differs from the
    one that the model read.

    Args:
        agent: The agent that reads the examples: an agent, a function of a Turn or a spec string.
        examples: The conversations, or a file of JSON lines. Each is a text, or an object with
            `messages` of a chat or with a text in `messages_display`, as in TAU-bench.
        shots: Number of examples to show, drawn for each episode.
    """

    def __init__(self, agent: Any, examples: str | Sequence[str] = "", shots: int = 5):
        super().__init__(agent)
        self.file = examples if isinstance(examples, str) else ""
        self.examples = tuple(_load_examples(examples) if isinstance(examples, str) else examples)
        self.shots = shots
        if not 1 <= shots <= len(self.examples):
            where = self.file or "examples="
            raise ValueError(
                f"shots={shots}: expected at least 1, and at most as many as there are examples; "
                f"{where} has {len(self.examples)}"
            )

    def run_calls(self, turn: Turn) -> Generator[Turn, str, str]:
        """Yield the turn with examples after its rules, and return the answer."""
        name = crc32(turn.episode.encode())
        order = sorted(range(len(self.examples)), key=lambda place: derive_seed(name, place))
        examples = [self.examples[place] for place in order[: self.shots]]
        shown = [f"Example {number}:\n{text}" for number, text in enumerate(examples, 1)]
        answer = yield replace_rules(turn, "\n\n".join([turn.rules, *shown]))
        return sum_usage(
            [answer], Reply(answer, **select_fields(answer, "finish_reason", "tool_calls"))
        )

    def __repr__(self) -> str:
        return f"FewShotAgent({self.agent!r}, {self.file!r}, shots={self.shots})"


def _make_text_turn(turn: Turn, rules: str) -> Turn:
    """Return a turn without tools, with a chat in which calls and their results are plain text."""
    chat = copy_chat_before(turn)
    chat.steps = [
        replace(
            step, reply=_format_reply(step), text=_mark_results(step.text, step.results), calls=None
        )
        for step in chat.steps
    ]
    text, seen = _mark_results(turn.text, turn.results), turn.observation
    new_turn = replace(
        turn,
        rules=rules,
        observation={**seen, "text": text} if "text" in seen else seen,
        text=text,
        tools=(),
        calls=None,
        chat=chat,
        index=len(chat.steps),
    )
    chat.add_turn(new_turn, turn.number)
    return new_turn


def _mark_results(text: str, results: Sequence[str]) -> str:
    """Return the text of an observation with the results of calls marked as such."""
    for result in results:
        result_text = str(Message(None, "tool", result))
        text = "" if text == result else text.replace(result_text, "", 1).strip("\n")
    return "\n\n".join([*(_OUTPUT_MARK + result for result in results), *filter(None, [text])])


def _format_reply(step: Step) -> str:
    """Return an earlier reply in the requested text form."""
    reply = "" if step.counted_reply is None else step.counted_reply
    if calls := getattr(reply, "tool_calls", None):
        if reply.strip():
            return str(reply)
        return "\n".join(f"Action:\n{json.dumps(one.get('function', one))}" for one in calls)
    head, _, message = reply.rpartition(_THINK_CLOSE)
    thought, message = head.rpartition(_THINK_OPEN)[2], strip_thinking(message)
    function = {"name": RESPOND_TOOL, "arguments": {"content": message}}
    action = f"Action:\n{json.dumps(function, ensure_ascii=False)}" if message else ""
    return "\n".join(filter(None, [f"Thought:\n{thought}" if thought else "", action]))


def _parse_answer(answer: str, names: Collection[str]) -> Reply:
    """Return the model's answer as a reply: a tool call, or a message."""
    said = strip_thinking(answer)
    part = _extract_action(said)
    bare = _BARE_CALL.match(part)
    if bare and bare[1] in names:  # for example look_up(id=1)
        return _make_call_reply(answer, _UNKNOWN_NAME, part)
    found = _CALL_START.search(part)
    begin = (
        found.start() if found else begins.end() if (begins := _JSON_START.match(part)) else None
    )
    if begin is None:
        message = _THOUGHT.sub("", part).strip()
        return _make_message_reply(answer, said, message, said.rfind(message))
    try:
        value, _ = _JSON_DECODER.raw_decode(part, begin)
        call = check_json(value)
    except (ValueError, RecursionError):
        return _make_call_reply(answer, _UNKNOWN_NAME, part[begin:])
    name = call.get("name")
    if not isinstance(name, str):
        return _make_call_reply(answer, _UNKNOWN_NAME, "")
    if name == RESPOND_TOOL and isinstance(content := _get_content(call), str):
        return _make_message_reply(answer, said, content, len(said) - len(part) + begin)
    return _make_call_reply(
        answer, name, json.dumps(call["arguments"]) if "arguments" in call else ""
    )


def _extract_action(said: str) -> str:
    """Return the text after the last "Action:", or the whole text if there is none."""
    *_, part = _MARKER.split(said)
    if part != said or _CALL_START.search(said):
        return part
    return said.rpartition("Action:")[2]


def _get_content(call: JSONMapping) -> Any:
    arguments = call.get("arguments")
    return arguments.get("content") if isinstance(arguments, dict) else None


def _make_call_reply(answer: str, name: str, arguments: str) -> Reply:
    """Return the answer as a call. A call without valid JSON arguments is refused later."""
    function = {"name": name, "arguments": arguments}
    return Reply(answer, tool_calls=[{"id": "call_0", "type": "function", "function": function}])


def _make_message_reply(answer: str, said: str, message: str, place: int) -> Reply:
    """Return a message; the text before `place` becomes its thought."""
    thought = _LABEL.sub("", said[:place] if place >= 0 else said).strip()
    if message == said.strip() or not said.strip():
        return Reply(answer)
    hidden = answer.removesuffix(said) if answer.endswith(said) else ""
    return Reply(
        f"{hidden}{_THINK_OPEN}{thought}{_THINK_CLOSE}{message}" if thought else hidden + message
    )


def _load_examples(file: str) -> list[str]:
    """Return the conversations in a file as texts."""
    if not file:
        raise ValueError("expected examples=FILE, with a conversation in each line, as JSON")
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"examples={file}: {why}") from None
    calls = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                calls.append(_format_example(parse_json(line)))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise ValueError(
                    f"examples={file}, line {number}: expected JSON: a text, or a table with "
                    f"messages or messages_display, got {clip_repr(line)}"
                ) from None
    return calls


def _format_example(example: Any) -> str:
    """Return an example as text."""
    if isinstance(example, str):
        return example
    if isinstance(text := example.get("messages_display"), str):
        return text
    return "\n".join(
        line for message in example["messages"] for line in _list_message_lines(message)
    )


def _list_message_lines(message: ChatMessage) -> Iterator[str]:
    """Yield the lines of a chat message; skip the rules, which the agent reads anyway."""
    role, content, calls = message["role"], message["content"], message.get("tool_calls") or ()
    if role != "system" and content:
        yield f"{role}: {content}"
    for call in calls:
        yield f"{role}: {format_tool_calls([call])}"
