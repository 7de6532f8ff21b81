"""A stranger's JSON: read within bounds, or refused by ValueError, and never anything else."""

import json
import math
import sys
import threading

import packs
import pytest
from needed import Later
from playable import CHAT_FORMS, unless

import gem_ma
from gem_ma.chat.tokenization import format_reply
from gem_ma.engine.action_parsing import extract_action, parse_tool_calls
from gem_ma.game import InvalidMove
from gem_ma.rollouts.records import load_episodes, save_episodes
from gem_ma.rollouts.rollout import rollout
from gem_ma.tools import function_tool, with_tools
from gem_ma.validation.untrusted_json import (
    MAX_JSON_DEPTH,
    MAX_JSON_DIGITS,
    MAX_JSON_SIZE,
    check_json,
    parse_json,
)

talk = Later("gem_ma.envs.tau.talk")

describing = Later("gem_ma.envs.bridges.describing")

HOSTILE = {
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep lists, open": "[" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "rather deep": "[" * (MAX_JSON_DEPTH + 1) + "]" * (MAX_JSON_DEPTH + 1),
    "Infinity": "Infinity",
    "an exit of Infinity": '{"exit": Infinity}',
    "NaN": "[NaN]",
    "an overflow": "1e400",
    "minus an overflow": '{"a": -1e999}',
    "a giant": "9" * 400,
    "minus a giant": "-" + "9" * 5000,
    "a huge giant": "9" * 900_000,
    "too long": '"' + "a" * MAX_JSON_SIZE + '"',
    "nothing": "",
    "no JSON": "hello",
    "two": "{} {}",
    "no UTF-8": b"\xff\xfe\x00\x00",
    "no text": None,
    "a number": 7,
    "a zero byte": '"\x00"',
}


def refused(function, value):
    """Return what the ValueError says, and fail on any other outcome."""
    try:
        function(value)
    except ValueError as error:
        return str(error)
    raise AssertionError("it was read")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_a_value_error(name):
    assert 0 < len(refused(parse_json, HOSTILE[name])) < 200


def test_hostile_text_is_a_value_error_where_little_of_the_stack_is_left():
    seen = []

    def down(left):
        if left:
            return down(left - 1)
        for text in HOSTILE.values():
            refused(parse_json, text)
        seen.append(True)
        return None

    thread = threading.Thread(target=down, args=(sys.getrecursionlimit() - 250,))
    thread.start()
    thread.join()
    assert seen


def test_what_is_within_bounds_is_what_json_says():
    for text in (
        '{"name": "a", "arguments": {"x": [1, 2.5, true, null, "\u00e9"]}}',
        "[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH,
        "9" * MAX_JSON_DIGITS,
        "-" + "9" * MAX_JSON_DIGITS,
        "1e-400",
        '"\\ud83d\\ude00"',
    ):
        assert parse_json(text) == json.loads(text) == parse_json(text.encode())


def test_half_a_character_can_be_encoded_afterwards():
    value = parse_json('{"\\ud800": ["a\\udfff", "\ud800"]}')
    assert value == {"?": ["a?", "?"]}
    json.dumps(value, ensure_ascii=False).encode()


def test_bounds_can_be_others():
    assert parse_json("[[1]]", depth=2) == [[1]]
    with pytest.raises(ValueError, match="at most 1 "):
        parse_json("[[1]]", depth=1)
    with pytest.raises(ValueError, match="at most 3 "):
        parse_json("[1]1", size=3)
    assert parse_json('"' + "a" * MAX_JSON_SIZE + '"', size=None)
    assert parse_json("1" * 4000, digits=4000) == int("1" * 4000)


def test_values_of_another_parser_are_held_to_the_same():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    loop = {}
    loop["a"] = loop
    wrong = (
        deep,
        loop,
        math.nan,
        -math.inf,
        10**MAX_JSON_DIGITS,
        {1: 2},
        {"a": {3}},
        object(),
        b"a",
        [1j],
    )
    for value in wrong:
        assert refused(check_json, value)
    given = {"a": [1, (2.5, None)], "b": True}
    assert check_json(given) == {"a": [1, [2.5, None]], "b": True}
    assert check_json(given) is not given


VALUES = {  # as JSON, for where a value may stand
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "rather deep": "[" * 900 + "]" * 900,
    "Infinity": "Infinity",
    "NaN": "NaN",
    "an overflow": "1e400",
    "a giant": "1" + "0" * 400,
    "a huge giant": "9" * 100_000,
    "half a character": '"\\ud800"',
    "too long": '"' + "a" * MAX_JSON_SIZE + '"',
    "null": "null",
    "a list": "[1]",
}


def deep(levels):
    value = "x"
    for _ in range(levels):
        value = [value]
    return value


def calls(value):
    """Return replies that hold a value where a tool call has its parts, in both syntaxes."""
    for text in (
        f'{{"name": "look", "arguments": {{"what": {value}}}}}',
        f'{{"name": "look", "arguments": {value}}}',
        f'{{"name": {value}, "arguments": {{}}}}',
        value,
    ):
        yield f"<tool_call>{text}</tool_call>"
        yield f"<tool_call>{text}"
        yield text
    for given in (value, f'{{"what": {value}}}'):
        yield gem_ma.Reply(tool_calls=[{"function": {"name": "look", "arguments": given}}])
        yield gem_ma.Reply("text", tool_calls=[{"name": "look", "arguments": given}])


MALFORMED = (
    [None],
    [7],
    ["look"],
    [[]],
    [{}],
    [{"function": None}],
    [{"function": "look"}],
    [{"function": {"name": None, "arguments": None}}],
    [{"function": {"name": ["look"], "arguments": {}}}],
    [{"function": {"name": "look", "arguments": deep(5000)}}],
    [{"function": {"name": "look", "arguments": {"what": deep(5000)}}}],
    [{"function": {"name": "look", "arguments": {"what": math.nan}}}],
    [{"function": {"name": "look", "arguments": {"what": 10**400}}}],
    [{"function": {"name": "look", "arguments": {7: "x"}}}],
    [{"function": {"name": "\ud800", "arguments": {"\ud800": "\udfff"}}}],
    [{"id": None, "function": {"name": "look", "arguments": "\ud800"}}],
)
REPLIES = [
    *[reply for value in VALUES.values() for reply in calls(value)],
    *[gem_ma.Reply("text", tool_calls=one) for one in MALFORMED],
]


@function_tool
def look(what: str | int | list | dict = "") -> str:
    """Look at something."""
    return json.dumps(what, ensure_ascii=False)


def test_an_action_is_found_or_the_reply_is_refused():
    for reply in REPLIES:
        try:
            said, most = extract_action(reply), 10**7
        except InvalidMove as error:
            said, most = str(error), 300
        assert isinstance(said, str)
        assert len(said) < most
        for call in parse_tool_calls(reply):
            json.dumps(json.loads(call["function"]["arguments"]), ensure_ascii=False).encode()


def test_tools_answer_or_refuse():
    env = with_tools(gem_ma.make("game:TicTacToe-v0"), [look], result_length=300)
    for reply in REPLIES:
        env.reset(seed=0)
        env.submit({"x": reply})
        for text in env.turn("x").results:
            assert len(text) <= 400
            text.encode()
        if "x" in env.game_state.to_act():
            env.submit({"x": "4"})
            assert env.game_state.board[4] == "x"


@packs.needs("tau")
def test_tau_answers_or_refuses():
    for reply in REPLIES:
        try:
            found = talk.read_reply(extract_action(reply) or "x")
        except InvalidMove:
            continue
        assert isinstance(found, str | tuple)
    env = gem_ma.make("tau:shop")
    for reply in REPLIES:
        env.reset(seed=0)
        env.submit({"user": "Hello"})
        env.submit({"assistant": reply})
        env.observe("assistant")["text"].encode()


@packs.needs("bridges")
def test_spaces_of_other_libraries_are_read_or_refused():
    spaces = pytest.importorskip("gymnasium.spaces")
    for space in (
        spaces.Box(-math.inf, math.inf, (2,)),
        spaces.Dict(a=spaces.Discrete(3)),
        spaces.Tuple((spaces.Discrete(3), spaces.MultiBinary(2))),
        spaces.MultiDiscrete([3, 3]),
    ):
        for value in VALUES.values():
            for text in (value, f"[{value}, {value}]", f'{{"a": {value}}}'):
                with pytest.raises(InvalidMove):
                    describing.read(space, text)


@pytest.mark.parametrize("shape", [unless(i < 2, one) for i, one in enumerate(CHAT_FORMS)])
def test_a_conversation_with_it_has_every_shape(shape):
    for reply in REPLIES:
        said = {"role": "assistant", "content": reply}
        said["tool_calls"] = getattr(reply, "tool_calls", ())
        json.dumps(shape([{"role": "user", "content": "hello"}, said]))
        assert isinstance(format_reply(reply), str)


def test_episodes_are_played_recorded_and_read(tmp_path):
    env = with_tools(gem_ma.make("game:TicTacToe-v0"), [look], result_length=300)
    replies = iter([part for reply in REPLIES for part in (reply, *"0123456")])
    played = rollout(env, lambda turn: next(replies, "8"), 40, concurrency=1, seed=0)
    assert [episode.failure for episode in played] == [None] * 40
    path = tmp_path / "episodes.jsonl"
    save_episodes(played, path)
    assert len(list(load_episodes(path))) == 40
