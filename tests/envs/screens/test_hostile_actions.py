"""Actions in the forms of four computer-use models, with arguments of any type and size."""

import json
import time

import numpy as np
import pytest

import gem_ma
from gem_ma import Reply

IDS = ("screens:typing", "screens:terminal", "screens:spreadsheet", "screens:dragging")
VALUES = (
    *(None, True, -1, 0, 1.5, 1e9, -1e300, 10**200, float("nan"), float("inf"), "", "left", "e1"),
    *(
        "x" * 100_000,
        "\ud800",
        "\x00\x1b[2J",
        "$(reboot)",
        "../../etc/passwd",
        "'); drop",
        "9" * 400,
    ),
    *([], {}, [None], [1, 2], [1, 2, 3], [[1, 2], [3, 4]], [1e999, 0], [True, False], ["1", "2"]),
    *(
        {"x": 1},
        {"x": 10, "y": 10},
        {"x": {}, "y": []},
        {"action": {"action": "click"}},
        ["ctrl", 5],
    ),
)
ACTIONS = (
    *("click", "left_click", "double_click", "triple_click", "right_click", "hover", "mouse_move"),
    *("drag", "left_click_drag", "scroll", "type", "key", "keypress", "hotkey", "hold_key", "wait"),
    *("screenshot", "answer", "terminate", "no such thing", "x" * 100_000, "\ud800", ""),
)
FIELDS = (
    *("action", "type", "name", "coordinate", "point", "position", "start_coordinate", "path", "x"),
    *("y", "from", "to", "text", "content", "key", "keys", "button", "ref", "scroll_direction"),
    *("scroll_amount", "direction", "scroll_y", "dy", "pixels", "arguments", "input", "no"),
)


def say_anthropic(given):
    function = {"name": "computer", "arguments": json.dumps(given)}
    return Reply("", tool_calls=[{"id": "a", "type": "function", "function": function}])


def say_openai(given):
    return json.dumps({"type": given.get("action"), **given})


def say_qwen(given):
    call = {"name": "computer_use", "arguments": given}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


def say_ui_tars(given):
    inside = ", ".join(f"{name}='{value}'" for name, value in given.items() if name != "action")
    return f"Thought: so.\nAction: {given.get('action')}({inside})"


def draw(rng):
    """Return the arguments of an action, some of them no such thing."""
    given = {"action": ACTIONS[rng.integers(len(ACTIONS))]}
    if rng.random() < 0.7:
        given["coordinate"] = [int(rng.integers(600)), int(rng.integers(450))]
    for _ in range(rng.integers(1, 4)):
        given[FIELDS[rng.integers(len(FIELDS))]] = VALUES[rng.integers(len(VALUES))]
    return given


@pytest.mark.parametrize("say", [say_anthropic, say_openai, say_qwen, say_ui_tars])
def test_no_action_raises_or_takes_long(say):
    """What is no action is told in a few words, and the episode goes on; what is one is done."""
    rng = np.random.default_rng(0)
    told, done = 0, 0
    for id in IDS:
        env = gem_ma.make(id, invalid="skip", observe="text")
        env.reset(seed=0)
        for _ in range(120):
            if not env.core.to_act:
                env.reset(seed=int(rng.integers(1000)))
            seat, said = env.agent_selection, say(draw(rng))
            begun = time.thread_time()
            env.step(said)
            assert time.thread_time() - begun < 2.0, said[:200]
            if reason := env.info(seat).get("invalid"):
                told += 1
                assert len(str(reason)) < 2000, str(reason)[:300]
                json.dumps(reason, ensure_ascii=False).encode()
            else:
                done += 1
        env.close()
    assert told > 50
    assert done > 20
