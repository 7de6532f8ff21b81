"""Every tool of every domain of tau2-bench, called with arguments of any type and size."""

import json
import time

import numpy as np
import pytest

import gem_ma
from gem_ma import Reply
from gem_ma.envs.registry import MissingRequirement

IDS = ["tau2:mock", "tau2:phone", "tau2:airline", "tau2:retail", "tau2:telecom", "tau2:banking"]
RETRIEVALS = [("tau2:banking", {"retrieval": name}) for name in ("bm25_grep", "alltools")]
VALUES = (
    *(None, True, -1, 0, 1.5, 1e308, -1e308, 10**200, 2**63, float("nan"), float("inf"), "", " "),
    *("x" * 20_000, "\ud800", "\x00", "0", "-1", "1e999", "nan", "2024-99-99", "2024-02-30"),
    *("9" * 400, "__class__", "../../etc/passwd", "(1+2)*9**9**9", "1/0", "(" * 5000, "a@b", "#"),
    *([], {}, [None], [[]], [{}], ["x"] * 3000, [1, "a", {}], {"a": {"b": []}}, {"__class__": 1}),
)


def draw_calls(env, seat, rng):
    """Yield a call of each tool with each argument in turn wrong, too many, or none."""
    for tool in env.game.tools(seat):
        function = tool["function"] if "function" in tool else tool.schema["function"]
        names = list(function["parameters"].get("properties", ()))
        wrong = [VALUES[rng.integers(len(VALUES))] for _ in names]
        yield function["name"], dict(zip(names, wrong, strict=True))
        yield function["name"], {name: VALUES[rng.integers(len(VALUES))] for name in names[:1]}
        yield function["name"], {"no_such": 1, **dict.fromkeys(names, "x")}
        yield function["name"], [VALUES[rng.integers(len(VALUES))]]


def spell(name, arguments, rng):
    """Return a call as a text or as a client's library gives it."""
    if rng.random() < 0.5:
        return json.dumps({"name": name, "arguments": arguments})
    said = arguments if rng.random() < 0.3 else json.dumps(arguments)
    function = {"name": name, "arguments": said}
    return Reply("", tool_calls=[{"id": "1", "type": "function", "function": function}])


@pytest.mark.parametrize(("id", "options"), [*((id, {}) for id in IDS), *RETRIEVALS])
def test_no_tool_raises_or_takes_long(id, options):
    """A wrong call is an answer of the tool or an invalid reply, and answers have bounds."""
    if missing := gem_ma.spec(id).list_missing():
        pytest.skip(f"{missing[0]}: gem-ma data tau2-bench")
    rng = np.random.default_rng(0)
    try:
        env = gem_ma.make(id, invalid="retry", max_invalid=10_000, **options)
    except MissingRequirement as error:
        pytest.skip(str(error))
    called = 0
    for who in env.possible_agents:
        env.reset(seed=0)
        for name, arguments in list(draw_calls(env, who, rng)):
            for _ in range(20):
                if not env.core.to_act:
                    env.reset(seed=int(rng.integers(1000)))
                if env.agent_selection == who:
                    break
                env.step("Hello.")
            else:
                raise AssertionError(f"{who} is never to act")
            begun = time.thread_time()
            env.step(spell(name, arguments, rng))
            assert time.thread_time() - begun < 2.0, (name, str(arguments)[:200])
            called += 1
            if env.core.to_act:
                text = env.turn(env.agent_selection).text
                assert len(text) < 200_000, (name, str(arguments)[:200])
                text.encode()
    assert called >= 8
    env.close()
