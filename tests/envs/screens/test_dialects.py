"""Models behind a chat server, each in the form of computer use that it was trained on."""

import json
import re
import tomllib
from collections import Counter
from importlib import resources

import pytest
from needed import needed
from stub_server import StubServer

import gem_ma
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.cli.main import main
from gem_ma.envs.screens.dialects import DIALECTS as TOLD
from gem_ma.evaluation import suites
from gem_ma.rollouts.records import load_episodes

needed("openai", install="'gem-ma[openai]'")


def called(name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}


# What each says where it wants to click at a place, and what it says in the end.
DIALECTS = {
    "anthropic": lambda x, y: called("computer", {"action": "left_click", "coordinate": [x, y]}),
    "openai": lambda x, y: json.dumps({"type": "click", "button": "left", "x": x, "y": y}),
    "qwen": lambda x, y: (
        '<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", '
        f'"coordinate": [{x}, {y}]}}}}\n</tool_call>'
    ),
    "ui-tars": lambda x, y: f"Thought: This one.\nAction: click(start_box='({x},{y})')",
}


def seen(messages):
    """Return the words since the last reply: of the user, or of what a tool has returned."""
    last = max((n for n, one in enumerate(messages) if one["role"] == "assistant"), default=0)
    given = [one["content"] for one in messages[last + 1 :]]
    parts = [[{"text": one}] if isinstance(one, str) else one for one in given]
    return "\n".join(part.get("text", "") for one in parts for part in one)


def looking(say):
    """Return a model that clicks on the first thing that its task names, where it sees that."""

    def answer(body, attempt):
        first, last = body["messages"][0]["content"], seen(body["messages"])
        task = first.partition("Task: ")[2].partition("\n")[0]
        for name in re.findall(r'"([^"]+)"', task):
            found = re.search(rf'\[e\d+\] \w+ "{name}"(?!, focused).*? at \((\d+), (\d+)\)', last)
            if found:
                return say(*map(int, found.groups()))
        return say(2, 440)

    return answer


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_is_understood_in_its_own_form(dialect, tmp_path):
    with StubServer(looking(DIALECTS[dialect])) as server:
        ran = main([
            "eval", "screens:buttons", "--tasks", "5", "--observe", "both", "--set", "difficulty=0",
            "--agents", f"openai:m@{server.url}", "--out", str(tmp_path / "out"),
        ])  # fmt: skip
    assert ran == 0
    found = [one for path in (tmp_path / "out").rglob("*.jsonl") for one in load_episodes(path)]
    assert [one.report["done"] for one in found] == [True] * 5
    assert {step.invalid for one in found for step in one.steps} == {None}


# What a model writes into the arguments of its tool, for each of them.
VALUES = {
    "coordinate": [40, 60], "start_coordinate": [100, 200], "x": 40, "y": 60, "button": "left",
    "path": [{"x": 100, "y": 200}, {"x": 40, "y": 60}], "scroll_direction": "down",
    "scroll_amount": 3, "scroll_y": 120, "pixels": -120, "text": "a", "keys": ["ctrl", "a"],
}  # fmt: skip
KINDS = {"click", "double", "right", "drag", "hover", "scroll", "type", "key", "wait"}


@pytest.mark.parametrize("dialect", TOLD)
def test_what_a_dialect_tells_is_what_is_read(dialect):
    env = gem_ma.make("screens:typing", dialect=dialect, observe="image", difficulty=0)
    env.reset(seed=0)
    turn, game = env.turn("player"), env.game
    said = []
    for tool in make_tool_schemas(turn.tools):
        function = tool["function"]
        assert f"the tool {function['name']}." in turn.rules
        properties = dict(function["parameters"]["properties"])
        (which,) = function["parameters"]["required"]
        values = {name: VALUES[name] for name in properties if name != which}
        for action in properties[which]["enum"]:
            for button in properties.get("button", {}).get("enum", ["left"]):
                given = {**values, "button": button, which: action}
                said.append(json.dumps({"name": function["name"], "arguments": given}))
    if dialect == "ui-tars":
        lines = [one for one in turn.rules.splitlines() if one.startswith("Action: ")]
        said += [f"Thought: so.\n{one.replace('x,y', '40,60')}" for one in lines]
    moves = [game.read(one, env.match.state, "player") for one in said]
    assert {one.kind for one in moves} >= KINDS
    assert {one.at for one in moves if one.kind in ("click", "double", "right")} == {(40, 60)}
    assert {one.to[1] > 0 for one in moves if one.kind == "scroll"} == {True}
    assert "click(x, y)" not in turn.rules  # which is our grammar
    assert "boxed" not in turn.text


def test_a_dialect_that_nobody_speaks_is_refused():
    with pytest.raises(ValueError, match=r"dialect='gemini': expected one of .*'ui-tars'"):
        gem_ma.make("screens:typing", dialect="gemini")


def write_suite(path, ids=None, difficulties=None, **changes):
    """Write the suite of the package, where something is said with that in place of its own."""
    file = resources.files("gem_ma.envs.screens") / "suites" / "screens.toml"
    told = tomllib.loads(file.read_text("utf-8"))
    (entry,), defaults = told["entry"], told["defaults"]
    arguments = {**defaults["arguments"], **changes}
    lines = [f"arguments.{name} = {json.dumps(value)}" for name, value in arguments.items()]
    lines.append(f"vary.difficulty = {difficulties or defaults['vary']['difficulty']}")
    lines.append(f"id = {json.dumps(ids or entry['id'])}")
    path.write_text("\n".join(["[[entry]]", *lines, ""]))
    return str(path)


def test_the_suite_shows_pictures_and_sends_a_tool(tmp_path):
    bodies = []

    def answer(body, attempt):
        bodies.append(body)
        return called("computer", {"action": "wait"})

    suite = write_suite(tmp_path / "one.toml", ids=["screens:buttons"], difficulties=[0])
    with StubServer(answer) as server:
        ran = main([
            "eval", "--suite", suite, "--tasks", "1",
            "--agents", f"openai:m@{server.url}", "--out", str(tmp_path / "out"),
        ])  # fmt: skip
    assert ran == 0
    assert {one["function"]["name"] for body in bodies for one in body["tools"]} == {"computer"}
    for body in bodies:
        last = body["messages"][-1]["content"]
        assert [part["type"] for part in last if part["type"] != "text"] == ["image_url"]
        assert not re.search(r"\[e\d+\]", seen(body["messages"]))  # the tree of widgets


@pytest.mark.slow
def test_the_whole_suite(tmp_path):
    # With the tree of widgets, too, and a few turns: who does not find it waits for ever.
    suite = write_suite(tmp_path / "read.toml", observe="both", max_turns=10)
    with StubServer(looking(DIALECTS["anthropic"]), keep=False) as server:
        ran = main([
            "eval", "--suite", suite, "--tasks", "1",
            "--agents", f"openai:m@{server.url}", "--out", str(tmp_path / "out"),
        ])  # fmt: skip
    assert ran == 0
    found = [one for path in (tmp_path / "out").rglob("*.jsonl") for one in load_episodes(path)]
    assert set(Counter(one.spec.id for one in found).values()) == {3}  # difficulties
    assert {one.spec.id for one in found} == {
        one.id for one in suites.load_suite("screens").entries
    }
    assert [one.failure for one in found if one.failure] == []
    assert {step.invalid for one in found for step in one.steps} == {None}
    assert sum(one.report["done"] for one in found) >= 5


@pytest.mark.parametrize("dialect", [None, *TOLD])
def test_a_notice_asks_for_actions_in_the_form_that_the_rules_describe(dialect):
    env = gem_ma.make("screens:typing", dialect=dialect, observe="image", difficulty=0)
    env.reset(seed=0)
    env.step("hello")
    notice = env.turn("player").text
    assert "Invalid: expected" in notice
    assert ("click(x, y)" in notice) == (dialect is None)
    assert "(e1)" not in notice  # the pictures show no refs
    for tool in make_tool_schemas(env.turn("player").tools):
        assert f"a call of the tool {tool['function']['name']}" in notice
