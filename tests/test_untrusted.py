"""A stranger's JSON: read within bounds, or refused by ValueError, and never anything else."""

import json
import math
import sys
import threading

import pytest

from gem_ma.untrusted import DEPTH, DIGITS, SIZE, checked, read_json

HOSTILE = {
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep lists, open": "[" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "rather deep": "[" * (DEPTH + 1) + "]" * (DEPTH + 1),
    "Infinity": "Infinity",
    "an exit of Infinity": '{"exit": Infinity}',
    "NaN": "[NaN]",
    "an overflow": "1e400",
    "minus an overflow": '{"a": -1e999}',
    "a giant": "9" * 400,
    "minus a giant": "-" + "9" * 5000,
    "a huge giant": "9" * 900_000,
    "too long": '"' + "a" * SIZE + '"',
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
    assert 0 < len(refused(read_json, HOSTILE[name])) < 200


def test_hostile_text_is_a_value_error_where_little_of_the_stack_is_left():
    seen = []

    def down(left):
        if left:
            return down(left - 1)
        for text in HOSTILE.values():
            refused(read_json, text)
        seen.append(True)
        return None

    thread = threading.Thread(target=down, args=(sys.getrecursionlimit() - 250,))
    thread.start()
    thread.join()
    assert seen


def test_what_is_within_bounds_is_what_json_says():
    for text in (
        '{"name": "a", "arguments": {"x": [1, 2.5, true, null, "\u00e9"]}}',
        "[" * DEPTH + "]" * DEPTH,
        "9" * DIGITS,
        "-" + "9" * DIGITS,
        "1e-400",
        '"\\ud83d\\ude00"',
    ):
        assert read_json(text) == json.loads(text) == read_json(text.encode())


def test_half_a_character_can_be_encoded_afterwards():
    value = read_json('{"\\ud800": ["a\\udfff", "\ud800"]}')
    assert value == {"?": ["a?", "?"]}
    json.dumps(value, ensure_ascii=False).encode()


def test_bounds_can_be_others():
    assert read_json("[[1]]", depth=2) == [[1]]
    with pytest.raises(ValueError, match="at most 1 "):
        read_json("[[1]]", depth=1)
    with pytest.raises(ValueError, match="at most 3 "):
        read_json("[1]1", size=3)
    assert read_json('"' + "a" * SIZE + '"', size=None)
    assert read_json("1" * 4000, digits=4000) == int("1" * 4000)


def test_values_of_another_parser_are_held_to_the_same():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    loop = {}
    loop["a"] = loop
    wrong = (deep, loop, math.nan, -math.inf, 10**DIGITS, {1: 2}, {"a": {3}}, object(), b"a", [1j])
    for value in wrong:
        assert refused(checked, value)
    given = {"a": [1, (2.5, None)], "b": True}
    assert checked(given) == {"a": [1, [2.5, None]], "b": True}
    assert checked(given) is not given
