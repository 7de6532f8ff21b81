"""Replies in a shop: every form of a tool call."""

import pytest

from gem_ma.envs.tau.talk import Call, read_reply


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "calculate", "arguments": {"expression": "1"}}',
        '{"name": "calculate", "kwargs": {"expression": "1"}}',
        '<tool_call>{"name": "calculate", "arguments": {"expression": "1"}}</tool_call>',
        'Hm. <tool_call>\n{"name": "calculate", "kwargs": {"expression": "1"}}\n</tool_call>',
        '[{"name": "calculate", "arguments": {"expression": "1"}}]',
    ],
)
def test_every_form_of_a_tool_call(text):
    assert read_reply(text) == (Call("calculate", {"expression": "1"}),)
