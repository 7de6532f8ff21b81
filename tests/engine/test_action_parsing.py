"""Finding the action in a reply."""

import contextlib
import json
import time

import numpy as np
import pytest

from gem_ma import InvalidMove
from gem_ma.chat.reply import Reply
from gem_ma.engine import action_parsing
from gem_ma.engine.action_parsing import (
    ACTION_FORMATS,
    extract_action,
    format_action,
    format_options,
    has_action,
    make_instruction,
    parse_tool_calls,
    truncate_tool_calls,
)
from gem_ma.game import clip_repr, parse_choice, parse_number


@pytest.mark.parametrize(
    ("format", "reply", "action"),
    [
        ("auto", " 3 \n", "3"),
        ("auto", r"First \boxed{1}, no: \boxed{ 2 }.", "2"),
        ("auto", r"<answer>1</answer> or \boxed{2}", "2"),
        ("auto", r"\boxed{1} or <answer>2</answer>", "2"),
        ("auto", r"to box it, one writes \boxed", r"to box it, one writes \boxed"),
        ("auto", "[3]", "[3]"),
        ("auto", "a < b", "a < b"),
        ("boxed", r"\boxed{a {b} c}", "a {b} c"),
        ("boxed", r"\boxed{\{a\}}", r"\{a\}"),
        ("boxed", r"\boxed {3}", "3"),
        ("boxed", r"\boxed{\text{up}}", "up"),
        ("boxed", r"\boxed{\boxed{3}}", "3"),
        ("boxed", r"\boxed{}", ""),
        ("bracket", "I say [1], then [e2 e4]", "e2 e4"),
        ("bracket", "[[a] b]", "[a] b"),
        ("answer", "<answer>1</answer><ANSWER> 2 </Answer>", "2"),
        ("bare", r" \boxed{3} ", r"\boxed{3}"),
        ("verbatim", " \\boxed{3} \n", " \\boxed{3} \n"),
        ("verbatim", "", ""),
        ("verbatim", "<think>1</think>\n\n2 ", "2"),
        ("verbatim", "1\n<think>so", "1"),
        ("auto", "<think>[1] \\boxed{1}</think>\\boxed{2}", "2"),
        ("auto", "hidden </think> 2", "2"),
        ("auto", "<think>a <think> b</think> c</think> 2", "2"),
        ("auto", "1 <think>so be it", "1"),
        ("auto", "<Thinking>x</Thinking>\n2", "2"),
        ("auto", "we think 2", "we think 2"),
        ("auto", "a\ud800b", "a?b"),
        ("auto", "é\U0001f600", "é\U0001f600"),
    ],
)
def test_the_last_action_is_found(format, reply, action):
    assert extract_action(reply, format) == action


def test_actions_are_found_in_any_form_where_none_is_named():
    assert extract_action(r"It is high: \boxed{3}") == "3"
    assert extract_action("<answer>4</answer>") == "4"
    assert extract_action(" 5 ") == "5"


@pytest.mark.parametrize(
    ("format", "reply", "words"),
    [
        ("boxed", "3", "no .boxed"),
        ("boxed", r"\boxed{1} and \boxed{2", "cut off"),
        ("auto", r"\boxed{1} and \boxed{2", "cut off"),
        ("boxed", r"\boxed{\}", "cut off"),
        ("bracket", "3", r"no \[...\]"),
        ("bracket", "[1] [2", "cut off"),
        ("bracket", "3]", r"no \[...\]"),
        ("answer", "3", "no <answer>"),
        ("answer", "<answer>1</answer><answer>2", "cut off"),
        ("boxed", r"<think>\boxed{3}", "no .boxed"),
    ],
)
def test_a_reply_without_an_action_says_why(format, reply, words):
    with pytest.raises(InvalidMove, match=words):
        extract_action(reply, format)


@pytest.mark.parametrize("format", ACTION_FORMATS)
def test_what_is_wrapped_is_found_again(format):
    for action in ("3", "e2 e4", "a {b}", "é"):
        assert extract_action(format_action(action, format), format) == action
        assert isinstance(make_instruction(format), str)


@pytest.mark.parametrize("arguments", ["", None])
def test_only_verbatim_takes_no_empty_arguments(arguments):
    call = {"id": "1", "function": {"name": "look", "arguments": arguments}}
    reply = Reply("", tool_calls=[call])
    for format in set(ACTION_FORMATS) - {"verbatim"}:
        assert extract_action(reply, format) == '{"name": "look", "arguments": {}}'
    if arguments is None:
        assert extract_action(reply, "verbatim") == '{"name": "look", "arguments": null}'
    else:
        with pytest.raises(InvalidMove, match="look: the arguments are no JSON: ''"):
            extract_action(reply, "verbatim")


def test_of_native_calls_the_first_count():
    names = ("look", "go", "stop")
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in names]
    reply = Reply("", tool_calls=calls)
    for count, heard in ((None, names), (2, names[:2]), (1, names[:1])):
        action = json.loads(extract_action(reply, count=count))
        called = [action] if count == 1 else action
        assert tuple([one["name"] for one in called]) == heard


A, B, C = ('<tool_call>{"name": "%s"}</tool_call>' % name for name in "abc")  # noqa: UP031


@pytest.mark.parametrize(
    ("text", "first", "both"),
    [
        ("Well?", "Well?", "Well?"),
        ("", "", ""),
        (A, A, A),
        (f"x {A} y {B} z", f"x {A}", f"x {A} y {B} z"),
        (f"{A}{B}{C}", A, f"{A}{B}"),
        (f"{A}<tool_call>no</tool_call>{B} z", A, f"{A}<tool_call>no</tool_call>{B} z"),
        (f"{A} <tool_call>no</tool_call>", f"{A} <tool_call>no</tool_call>", None),
        (f"{A}</think>{B}{C}", f"{A}</think>{B}", f"{A}</think>{B}{C}"),
        (f"<think>{A}</think>{B} <think>{C}</think>{C}", f"<think>{A}</think>{B}", None),
        (f"{A}{B}<think>{C}", A, f"{A}{B}<think>{C}"),
        ('[{"name": "a"}, {"name": "b"}]', '{"name": "a"}', '[{"name": "a"}, {"name": "b"}]'),
        ('[{"name": "a"}]', '[{"name": "a"}]', '[{"name": "a"}]'),
        ('[{"name": "a"}, 2]', '[{"name": "a"}, 2]', '[{"name": "a"}, 2]'),
        ("[" * 100_000, "[" * 100_000, "[" * 100_000),
    ],
)
def test_a_text_with_its_first_calls_only(text, first, both):
    assert truncate_tool_calls(text, 1) == first
    assert truncate_tool_calls(text, 2) == (text if both is None else both)
    assert len(parse_tool_calls(first)) == min(len(parse_tool_calls(text)), 1)


@pytest.mark.parametrize("piece", ["<tool_call>", "</tool_call>", "<tool_call>{", A, f"{A}<think>"])
def test_calls_are_found_in_linear_time(piece):
    start = time.process_time()
    truncate_tool_calls(piece * (1_000_000 // len(piece)), 1)
    assert time.process_time() - start < 3  # a quadratic search takes minutes


@pytest.mark.parametrize("size", [1 << 18, pytest.param(1 << 20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("format", ACTION_FORMATS)
@pytest.mark.parametrize(
    "piece",
    ["x", "\\boxed{", "\\boxed ", "{", "}", "[", "]", "<answer>", "<think>", "</think>", "\\", " "],
)
def test_a_megabyte_takes_linear_time(format, piece, size):
    def seconds(size):
        reply = piece * (size // len(piece))
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            with contextlib.suppress(InvalidMove):
                extract_action(reply, format)
            best = min(best, time.process_time() - start)
        return best

    # Sixteen times the text: a quadratic search would take 256 times as long, some 20 s (or 1 s).
    assert seconds(size) < 100 * seconds(size >> 4) + 0.1


@pytest.mark.parametrize("text", ["Up", "up", " up. ", "`up`", "**UP**", "'up'", "$up$", "[up]"])
def test_choose_forgives_case_and_punctuation(text):
    assert parse_choice(text, ["up", "down"]) == "up"


def test_choose_gives_back_the_option_itself():
    assert parse_choice("3", range(5)) == 3
    assert parse_choice("(1)", ["(1)", "1"]) == "(1)"
    for text in ("7", "", "3 4", "x" * 10_000):
        with pytest.raises(InvalidMove) as error:
            parse_choice(text, range(5))
        assert len(str(error.value)) < 120


@pytest.mark.parametrize(("text", "n"), [("3", 3), (" 3. ", 3), ("-7", -7), ("+1", 1), ("007", 7)])
def test_number(text, n):
    assert parse_number(text) == n


@pytest.mark.parametrize("text", ["", "three", "3.5", "1e3", "\u0664", "9" * 5000, "3 4"])
def test_no_number(text):
    with pytest.raises(InvalidMove, match="is not a whole number"):
        parse_number(text)


def test_clip_and_listing_are_short():
    assert clip_repr("a\x00b") == r"'a\x00b'"
    assert len(clip_repr("x" * 1000)) < 70
    assert format_options(["a", "b"]) == "a, b"
    assert format_options([str(i) for i in range(100)], 3) == "0, 1, 2, ... (97 more)"


def test_the_last_mark_is_found_from_the_end():
    parts = [
        "\\boxed",
        "\\boxed{",
        "\\boxed \n{",
        "{",
        " ",
        "x",
        "<answer>",
        "<ANSWER>",
        "\u017f",
        "<an",
    ]
    parts += ["\u017f", "swer>", "<an\u017fwer>", "\\", "boxed{", "</answer>", "\u0130"]
    rng = np.random.default_rng(0)
    for _ in range(3_000):
        text = "".join(parts[i] for i in rng.integers(len(parts), size=rng.integers(1, 12)))
        for pattern in (action_parsing._BOXED, action_parsing._ANSWER):
            ends = [found.end() for found in pattern.finditer(text)]
            assert action_parsing._find_last_match(pattern, text) == (ends[-1] if ends else -1)


def test_an_action_is_marked_wherever_it_stands():
    assert has_action(r"\boxed{1}")
    assert has_action("so: <answer>1</answer>")
    assert not has_action("boxed 1")
    assert has_action("[1]", "bracket")
    assert not has_action("1", "bracket")
