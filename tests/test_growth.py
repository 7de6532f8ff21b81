"""No text makes the package take more time than its length allows: patterns, and what reads."""

import re

import growth
import pytest
from playable import CHAT_FORMS

from gem_ma import Message
from gem_ma.agents.wrappers import prompting
from gem_ma.chat import messages
from gem_ma.engine import action_parsing
from gem_ma.game import parse_choice, parse_number
from gem_ma.tools import python
from gem_ma.tools.function import function_tool

every_size = pytest.mark.parametrize(
    "sizes", [growth.SIZES, pytest.param(growth.LONGER, marks=pytest.mark.slow)], ids=max
)


@every_size
@pytest.mark.parametrize("module", growth.modules())
def test_every_pattern_of_the_package_takes_linear_time(module, sizes):
    faults = [growth.fault(use, sizes) for use in growth.uses(module)]
    assert [fault for fault in faults if fault] == []


BAD = {  # as they were, and what else is known to be slow
    "tool call": (r"<tool_call>(.*?)</tool_call>", re.DOTALL, "findall"),
    "fence": (r"```[ \t]*([\w+-]*)[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL, "findall"),
    "e-mail": (r"[\w.+-]+@[\w-]+\.[\w.]*\w", 0, "search"),
    "look ahead": (r"\bmodify (?!.*address)(?:the |items)?", re.I, "search"),
    "lines": (r"^(`{3,})\{.*?^\1\s*$", re.S | re.M, "sub"),
    "no end": (r".+?[.!?](?=\s|$)", re.DOTALL, "findall"),
    "blanks": (r"\s+$", 0, "sub"),
    "cubic": (r"a*b?a*b?a*c", 0, "fullmatch"),
    "exponential": (r"(?:a+)+b", 0, "fullmatch"),
}


@pytest.mark.parametrize(
    "sizes", [growth.LONG, pytest.param(growth.LONGER, marks=pytest.mark.slow)], ids=max
)
@pytest.mark.parametrize("name", BAD)
def test_a_pattern_that_backtracks_is_found_out(name, sizes):
    pattern, flags, method = BAD[name]
    assert growth.fault(growth.Use(name, re.compile(pattern, flags), (method,)), sizes)


def test_patterns_are_found_wherever_they_stand():
    found = {use.where: use for module in growth.modules() for use in growth.uses(module)}
    assert found["gem_ma.engine.action_parsing:_THINK_TAG"].methods == ("finditer",)
    assert found["gem_ma.tools.function:_INTEGER"].methods == ("fullmatch",)
    patterns = {use.pattern.pattern for module in growth.modules() for use in growth.uses(module)}
    assert {r"```abc[ \t]*\n(.*?)\n?```", r"\babc\b"} <= patterns  # of calls
    sources = [path.read_text(encoding="utf-8") for path in growth.ROOT.rglob("*.py")]
    assert len(patterns) > 0.7 * sum(len(re.findall(r"\bre\.[a-z]+\(", one)) for one in sources)


def _chats(text):
    chat = [{"role": "user", "content": text}]
    for form in CHAT_FORMS:
        form(chat)
    messages.unescape_placeholders(messages.escape_placeholders(text))


def _call(text):
    action_parsing.format_tool_calls([{"function": {"name": "a", "arguments": text}}])


@function_tool
def _tool(a: int, b: float, c: str) -> str:
    """Return the last."""
    return c


READERS = {
    **{
        f"extract {one}": lambda text, one=one: action_parsing.extract_action(text, one)
        for one in action_parsing.ACTION_FORMATS
    },
    "has_action": lambda text: [
        action_parsing.has_action(text, one) for one in action_parsing.ACTION_FORMATS
    ],
    "find_calls": action_parsing.parse_tool_calls,
    "first_calls": lambda text: action_parsing.truncate_tool_calls(text, 1),
    "call_text": _call,
    "without_thinking": action_parsing.strip_thinking,
    "choose": lambda text: parse_choice(text, ("a", "b")),
    "number": parse_number,
    "code of a call": lambda text: python._extract_code({"code": text}),
    "arguments": lambda text: _tool.call({"a": text, "b": text, "c": text}),
    "call as text": lambda text: prompting._parse_answer(text, {"a"}),
    "chats": _chats,
    "quoted": lambda text: str(Message(None, "a", text)),
}


@growth.lengths
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_text_is_read_in_a_moment(name, size, limit, ends):
    assert growth.slow(READERS[name], size, limit, ends) == []
