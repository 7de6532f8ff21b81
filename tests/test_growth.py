"""No text makes the package take more time than its length allows: patterns, and what reads."""

import contextlib
import json
import re

import growth
import pytest

from gem_ma import InvalidMove, Message
from gem_ma.agents import RuleUser
from gem_ma.agents.around import llm_user, text_calls
from gem_ma.chat import messages
from gem_ma.chat.turn import Turn
from gem_ma.engine import action_parsing
from gem_ma.envs.bridges import describing
from gem_ma.envs.tasks import grading
from gem_ma.envs.tau import fidelity
from gem_ma.envs.tau.agents.assistants.airline import serve_passenger
from gem_ma.envs.tau.agents.assistants.desk import Task
from gem_ma.envs.tau.agents.assistants.reading import mentions, method
from gem_ma.envs.tau.agents.assistants.shop import serve_customer
from gem_ma.envs.tau.agents.users.person import Person
from gem_ma.envs.tau.agents.users.phrases import SETS, sounds
from gem_ma.envs.tau.agents.users.traits import Chance
from gem_ma.envs.tau.user_metrics import Talk, traits_shown
from gem_ma.envs.tau.wants.compiled import Wants, asked_for
from gem_ma.envs.tau.wants.wish import Wish
from gem_ma.tools import ToolError, python
from gem_ma.tools.function import function_tool

# -- patterns --------------------------------------------------------------------------------------


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


@every_size
@pytest.mark.parametrize("name", BAD)
def test_a_pattern_that_backtracks_is_found_out(name, sizes):
    pattern, flags, method = BAD[name]
    assert growth.fault(growth.Use(name, re.compile(pattern, flags), (method,)), sizes)


def test_patterns_are_found_wherever_they_stand():
    found = {use.where: use for module in growth.modules() for use in growth.uses(module)}
    assert found["gem_ma.engine.action_parsing:_THINK_TAG"].methods == ("finditer",)
    assert found["gem_ma.envs.tasks.grading:_NUMBER"].methods == ("fullmatch",)
    patterns = {use.pattern.pattern for module in growth.modules() for use in growth.uses(module)}
    assert {r"\bcancel", "a|b|c", r"```abc[ \t]*\n(.*?)\n?```"} <= patterns  # of a table, of calls
    sources = [path.read_text(encoding="utf-8") for path in growth.ROOT.rglob("*.py")]
    assert len(patterns) > 0.7 * sum(len(re.findall(r"\bre\.[a-z]+\(", one)) for one in sources)


# -- what reads texts of others --------------------------------------------------------------------

LETTERS = (" ", "\n", "\t", "a", "1", "1 ", "a ", "a\n", "a.", ".", ",", "-", "_", "*", "@", "a@")
MARKS = (
    *("[", "]", "[]", "[a", "(", ")", "{", "}", "{}", '"', "'", "\\", "\\\\", "<", ">", "`"),
    *("<think>", "</think>", "<think></think>", "<answer>", "</answer>", "<answer></answer>"),
    *("<tool_call>", "</tool_call>", "<tool_call>{", "<tool_call></tool_call>", '{"name":"a"}'),
    *("\\boxed{", "\\boxed{}", "\\boxed", "\\text{", "\\text{}", "\\text", "\\frac{1}{2}", "$"),
    *("```", "``` ", "```\n", "```python\n", "```python", "\n```", "\n``` "),
    *("\ud800", "\u00e9", "\u202e", "\x00", "\u4e00", "1,000", "1e9"),
    *("<image", "<|image_1", "<|vision_pad|", "[img ", "<image>"),
    *("a@a.", "a@a.a ", "modify ", "modify #W1234567 ", "name is Aa Aa ", "zip code ", "code is "),
    *(
        "I want ",
        ". I want ",
        "You want ",
        "{a}",
        "#W1234567. ",
        "?",
        "confirm? ",
        "anything else?",
    ),
    *("message:", "message: \n", "thought:", "thought:\n", "bad:", "bad\n", "ok\n", '"name": "a",'),
)
# A beginning, and what is repeated after it.
BEGUN = (
    *(("```", " "), ("```", "a"), ("```\n", "\n "), ("\\boxed{", "{"), ("\\boxed{", "}")),
    *(("\\boxed", " "), ("\\text{", " "), ("[", "]"), ("[", "["), ("a@a.", "."), ('"name"', " ")),
    *(("<image", " "), ("<think>", "</"), ("\\boxed{", "\\text{"), ("<tool_call>", "{")),
    *(("a:", " "), ("a (", " "), (". ", " "), ("modify ", "address "), ("zip code ", "1")),
)


def texts(size, ends=("",)):
    for begin, pump in (*(("", one) for one in (*LETTERS, *MARKS)), *BEGUN):
        for end in ends:
            yield begin + pump * ((size - len(begin)) // len(pump)) + end


def _desk(text):
    """Let an assistant that knows its task hear a text from the user."""
    items = [{"name": "a", "item_id": "1", "product_id": "2", "options": {"b": "c"}}]
    product = json.dumps({"variants": {"3": {"options": {"b": "d"}, "available": True}}})
    mentions(text, items)
    method({"paypal_1": {"source": "paypal"}}, text)
    known = {"payment_methods": {}, "orders": ["#W1234567"], "reservations": []}
    user = json.dumps({**known, "membership": "gold"})
    order = json.dumps({"items": items, "status": "pending", "address": {"city": "a"}})
    for serve, tool in (
        (serve_customer, "modify_pending_order_address"),
        (serve_customer, "modify_pending_order_items"),
        (serve_customer, "cancel_pending_order"),
        (serve_passenger, "update_reservation_flights"),
        (serve_passenger, "update_reservation_baggages"),
    ):
        run = serve(Task((tool,), ()), f"ada_adler_0001 ada@b.org {text}")
        said = next(run)
        for _ in range(6):
            told = '"reservation_id"' in said or "get_user" in said
            found = user if told else order if "get_order" in said else text
            found = product if "get_product" in said else found
            said = run.send("ada_adler_0001" if "find_user" in said else found)


def _user(text):
    """Let users by rule hear a text from the assistant, and read one as their task."""
    turn = Turn("user", f"Your task: {text}", {"text": text}, text)
    RuleUser().act([turn])
    asked_for(text, set())
    wish = Wish(
        "cancel_pending_order", "order #W1234567", "it", {"order": "It is a."}, marks=("a",)
    )
    wants = Wants({"zip": "12345"}, (wish,))
    ways = SETS["train"]
    begun = Person(wants, (), ("",), Chance({}), ways).reply()
    for heard in (text, f"{text}?", f"your zip, confirm?{text}", f"Shall I proceed?{text}"):
        Person(wants, (begun, begun), ("", text, heard), Chance({"typos": 1.0}), ways).reply()
    for name in ("forgot", "aside", "leave"):
        sounds(name).search(text)
    traits_shown(Talk((text, text), ("", text)), wants)


def _chats(text):
    chat = [{"role": "user", "content": text}]
    for shape in (messages.to_openai_chat, messages.to_openai_responses, messages.to_anthropic):
        shape(chat)
    messages.to_hf(chat)
    messages.to_verl_row(chat)
    messages.to_trl_row(chat)
    messages.unescape_placeholders(messages.escape_placeholders(text))


def _judge(text):
    fidelity.judge(text, [("assistant", text), ("user", text)], "user", 0.0)


def _call(text):
    action_parsing.format_tool_calls([{"function": {"name": "a", "arguments": text}}])


@function_tool
def _tool(a: int, b: float, c: str) -> str:
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
    "choose": lambda text: action_parsing.parse_choice(text, ("a", "b")),
    "number": action_parsing.parse_number,
    "exact": lambda text: (grading.exact(text, ("a",)), grading.f1(text, ("a", text))),
    "quick": lambda text: (grading.quick(text, "1"), grading.quick("x", text)),
    "program_in": grading.program_in,
    "same_output": lambda text: grading.same_output(text, "1.5 1.5"),
    "code of a call": lambda text: python._code({"code": text}),
    "arguments": lambda text: _tool.call({"a": text, "b": text, "c": text}),
    "message": lambda text: (llm_user._message(text), llm_user._objection(text)),
    "call as text": lambda text: text_calls._read(text, {"a"}),
    "facts": fidelity.facts,
    "judge": _judge,
    "user by rule": _user,
    "assistant": _desk,
    "chats": _chats,
    "quoted": lambda text: str(Message(None, "a", text)),
    "story": describing.story,
}


def _read(reader, text):
    with contextlib.suppress(InvalidMove, ToolError):
        reader(text)


def _slow(reader, size, limit, ends):
    """Return the texts of this size that take longer than allowed, and more than their length says.

    Four times as long, a text takes four times as much if reading is linear, 16 times if quadratic.
    """
    slow = []
    for text, part in zip(texts(size, ends), texts(size // 4, ends), strict=True):
        took = growth.seconds(lambda text=text: _read(reader, text), 1)
        if took > limit:
            took = growth.seconds(lambda text=text: _read(reader, text), 2)
        if took > limit and took > 8 * growth.seconds(lambda part=part: _read(reader, part), 3):
            slow.append(f"{took:.2f} s for {text[:30]!r}...")
    return slow


@pytest.mark.parametrize(
    ("size", "limit", "ends"),
    [
        (1 << 13, 0.06, ("",)),  # what is quadratic takes an eighth of a second and more
        pytest.param(1 << 14, 0.08, ("",), marks=pytest.mark.slow),  # and here half a second
        pytest.param(1 << 20, 2.0, ("!",), marks=pytest.mark.slow),  # most take far less
    ],
)
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_text_is_read_in_a_moment(name, size, limit, ends):
    assert _slow(READERS[name], size, limit, ends) == []
