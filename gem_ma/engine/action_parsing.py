r"""Parsing of actions in replies: `\boxed{}`, `[..]`, `<answer>`, or the bare reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, SupportsInt, TypeAlias, get_args

from gem_ma.game import InvalidMove, clip_repr
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.validation.untrusted_json import check_json, parse_json

__all__ = [
    "ACTION_FORMATS",
    "RejectedReply",
    "extract_action",
    "format_action",
    "format_options",
    "make_instruction",
    "parse_call_arguments",
    "parse_call_name",
    "parse_tool_calls",
    "replace_surrogates",
    "strip_thinking",
]

SeatAction: TypeAlias = str | SupportsInt
"""A reply: a text, or the number of a move if actions are discrete."""
SeatActions: TypeAlias = Mapping[str, SeatAction]
ToolCall: TypeAlias = Mapping[str, Any]
"""A tool call in OpenAI's shape."""
ActionFormat = Literal["auto", "boxed", "bracket", "answer", "bare", "verbatim"]
ACTION_FORMATS: tuple[str, ...] = get_args(ActionFormat)

_CALL_START, _CALL_END = "<tool_call>", "</tool_call>"
_INSTRUCTIONS = {
    "auto": r"Send your action alone, or after some reasoning as \boxed{action}.",
    "boxed": r"Send your action as \boxed{action}; the last one counts.",
    "bracket": "Send your action as [action]; the last one counts.",
    "answer": "Send your action as <answer>action</answer>; the last one counts.",
    "bare": "",
    "verbatim": "",
}
ACTION_TEMPLATES = {"boxed": r"\boxed{%s}", "bracket": "[%s]", "answer": "<answer>%s</answer>"}

_THINK_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*\{")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_ANSWER = re.compile(r"<answer>", re.IGNORECASE)
_ANSWER_END = re.compile(r"</answer>", re.IGNORECASE)
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|texttt|mathrm|mathbf)\s*\{([^{}]*)\}")


class RejectedReply(str):
    """The reason why a reply is invalid, passed to the game in place of the reply."""

    __slots__ = ()


def make_instruction(format: str) -> str:
    """Return the sentence that tells a model how to send its action."""
    if format not in _INSTRUCTIONS:
        raise _make_format_error(format)
    return _INSTRUCTIONS[format]


def _make_format_error(format: object) -> ValueError:
    return ValueError(f"format={format!r}: expected one of {ACTION_FORMATS}")


def format_action(action: str, format: str) -> str:
    """Return a reply with `action` in this format."""
    template = ACTION_TEMPLATES.get(format)
    return template % action if template else action


def extract_action(reply: str, format: str = "auto", count: int | None = None) -> str:
    """Return the action text in a reply.

    Native tool calls are the action of a reply that has them: one as a JSON object, several as a
    list. "verbatim" keeps the spaces around a reply, which "bare" strips, and refuses tool calls
    with empty arguments.

    Args:
        reply: The reply, possibly with native tool calls.
        format: One of ACTION_FORMATS.
        count: The number of tool calls that count, native or as text; None: all.

    Raises:
        InvalidMove: The reply has no action in this format, or was cut off.
    """
    if type(reply) is not str and (calls := _find_native_calls(reply)):
        return format_tool_calls(
            calls if count is None else calls[:count], exact=format == "verbatim"
        )
    text = reply if count is None else truncate_tool_calls(reply, count)
    if text.isalnum() and (format == "auto" or format == "bare") and text.isascii():
        return text
    if not text.isascii():
        text = replace_surrogates(text)
    if "think" in text.lower():
        text = strip_thinking(text)
    if format == "auto":
        boxed = _find_last_match(_BOXED, text) if "\\" in text else -1
        answer = _find_last_match(_ANSWER, text) if "<" in text else -1
        format = "bare" if boxed == answer else "boxed" if boxed > answer else "answer"
    if format == "bare" or (format == "verbatim" and len(text) < len(reply)):  # without thoughts
        return text.strip()
    if format == "verbatim":
        return str(text)
    if format not in _PARSERS:
        raise _make_format_error(format)
    return _PARSERS[format](text).strip()


def _find_native_calls(reply: str) -> Sequence[ToolCall] | None:
    """Return the native tool calls of a reply, or raise InvalidMove for a RejectedReply."""
    check_type(reply, str, "reply")
    if isinstance(reply, RejectedReply):
        raise InvalidMove(str(reply))
    return getattr(reply, "tool_calls", None)


def has_action(text: str, format: str = "auto") -> bool:
    r"""Return whether a text marks an action: `[` for "bracket", else `\boxed` or `<answer>`."""
    check_type(text, str, "text")
    if format == "bracket":
        return "[" in text
    return any(_find_last_match(pattern, text) >= 0 for pattern in (_BOXED, _ANSWER))


def parse_tool_calls(text: str) -> list[JSONObject]:
    """Return the `<tool_call>` blocks of a model's reply as tool calls in OpenAI's shape."""
    calls: list[JSONObject] = []
    content = strip_thinking(text)
    for start, end in _find_call_spans(content, 0, len(content)):
        try:
            call = parse_json(content[start + len(_CALL_START) : end - len(_CALL_END)])
            name, arguments = call["name"], call.get("arguments", call.get("kwargs")) or {}
        except (ValueError, TypeError, KeyError, AttributeError):
            continue  # not a valid call, so it remains text
        function = {"name": name, "arguments": json.dumps(arguments)}
        calls.append({"id": f"call_{len(calls)}", "type": "function", "function": function})
    return calls


def truncate_tool_calls(text: str, count: int) -> str:
    """Return a text with only its first `count` tool calls and the text before and between them.

    The calls are `<tool_call>` blocks, or the text is a JSON list as `format_tool_calls` writes it.
    """
    ends = [
        end
        for part in _find_visible_spans(text)
        for start, end in _find_call_spans(text, *part)
        if parse_tool_calls(text[start:end])
    ]
    if ends:
        return text if len(ends) <= count else text[: ends[count - 1]]
    if text.lstrip()[:1] == "[":
        try:
            data = parse_json(text)
        except ValueError:
            return text
        if all(isinstance(one, dict) and "name" in one for one in data) and data[count:]:
            return json.dumps(data[0] if count == 1 else data[:count])
    return text


def format_tool_calls(calls: Sequence[ToolCall], *, exact: bool = False) -> str:
    """Return tool calls as JSON: {"name": ..., "arguments": ...}, or a list if there are several.

    Args:
        calls: Tool calls in OpenAI's shape.
        exact: Whether empty arguments are an error; if False, they count as {}.

    Raises:
        InvalidMove: The arguments of a call are not valid JSON.
    """
    plain = []
    for call in calls:
        name = parse_call_name(call)
        try:
            plain.append({"name": name, "arguments": parse_call_arguments(call, exact=exact)})
        except ValueError as error:
            raise InvalidMove(f"{name}: {error}") from None
    return json.dumps(plain[0] if len(plain) == 1 else plain)


def parse_call_name(call: object) -> str:
    """Return the function name of a tool call in OpenAI's shape, or "" if it has none."""
    name = _find_function(call).get("name")
    return replace_surrogates(name) if isinstance(name, str) else ""


def parse_call_arguments(call: object, *, exact: bool = False) -> Any:
    """Return the parsed arguments of a tool call in OpenAI's shape.

    Args:
        call: The tool call.
        exact: Whether empty arguments are an error; if False, they count as {}.

    Raises:
        ValueError: The arguments are not valid JSON, or are refused.
    """
    arguments = _find_function(call).get("arguments", "")
    if not arguments and not exact:
        return {}
    try:
        return parse_json(arguments) if isinstance(arguments, str) else check_json(arguments)
    except json.JSONDecodeError:
        raise ValueError(f"the arguments are no JSON: {clip_repr(str(arguments))}") from None
    except ValueError as error:
        raise ValueError(f"the arguments are refused: {error}") from None


def find_raw_arguments(call: object) -> str:
    """Return the unparsed arguments of a tool call, for arguments that are not valid JSON."""
    arguments = _find_function(call).get("arguments")
    return replace_surrogates(arguments) if isinstance(arguments, str) else ""


def _find_function(call: object) -> JSONMapping:
    function = call.get("function", call) if isinstance(call, Mapping) else None
    return function if isinstance(function, Mapping) else {}


def strip_thinking(text: str) -> str:
    """Remove think blocks, closed or not, and any text before a closing tag without opening."""
    return "".join(text[start:end] for start, end in _find_visible_spans(text))


def _find_visible_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each part of a text outside of think blocks."""
    spans: list[tuple[int, int]] = []
    inside, position = False, 0
    for tag in _THINK_TAG.finditer(text):
        if tag[1]:
            if not inside:
                spans.clear()
            inside, position = False, tag.end()
        elif not inside:
            spans.append((position, tag.start()))
            inside = True
    if not inside:
        spans.append((position, len(text)))
    return spans


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded, by question marks."""
    check_type(text, str, "text")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _find_call_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of `<tool_call>` blocks, in time linear in the length of the text."""
    while (begin := text.find(_CALL_START, start, end)) >= 0:
        closed = text.find(_CALL_END, begin + len(_CALL_START), end)
        if closed < 0:
            return
        start = closed + len(_CALL_END)
        yield begin, start


def _find_last_match(pattern: re.Pattern[str], text: str) -> int:
    """Return the end of the last match, or -1, searching backwards: a reply may have many matches.

    Matches do not overlap, and each begins with the same word.
    """
    if pattern is _ANSWER and not text.isascii():  # `lower` may change lengths, and misses letters
        ends = [match.end() for match in pattern.finditer(text)]
        return ends[-1] if ends else -1
    word, within = ("<answer>", text.lower()) if pattern is _ANSWER else ("\\boxed", text)
    place = len(text)
    while (place := within.rfind(word, 0, place)) >= 0:
        if match := pattern.match(text, place):
            return match.end()
    return -1


def _parse_boxed(text: str) -> str:
    start = _find_last_match(_BOXED, text)
    if start < 0:
        raise InvalidMove(r"no \boxed{...} in the reply")
    depth = 1
    for token in _BRACES.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return _LATEX_TEXT.sub(r"\1", text[start : token.start()])
    raise InvalidMove(r"the last \boxed{ is not closed: the reply was cut off")


def _parse_bracket(text: str) -> str:
    end = text.rfind("]")
    if text.rfind("[") > end:
        raise InvalidMove("the last [ is not closed: the reply was cut off")
    depth = 0
    for position in range(end, -1, -1):
        if text[position] == "]":
            depth += 1
        elif text[position] == "[":
            depth -= 1
            if depth == 0:
                return text[position + 1 : end]
    raise InvalidMove("no [...] in the reply")


def _parse_answer(text: str) -> str:
    start = _find_last_match(_ANSWER, text)
    if start < 0:
        raise InvalidMove("no <answer>...</answer> in the reply")
    end = _ANSWER_END.search(text, start)
    if end is None:
        raise InvalidMove("the last <answer> is not closed: the reply was cut off")
    return text[start : end.start()]


_PARSERS = {"boxed": _parse_boxed, "bracket": _parse_bracket, "answer": _parse_answer}


def format_options(options: Sequence[str], limit: int = 30) -> str:
    """Return the first `limit` options as one line, and the number of the others."""
    check_type(options, Sequence, "options")
    more = f", ... ({len(options) - limit} more)" if len(options) > limit else ""
    return ", ".join(options[:limit]) + more
