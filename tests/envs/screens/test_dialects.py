"""Models behind a chat server, each in the form of computer use that it was trained on."""

import json
import re
from collections import Counter

import pytest
from needed import needed
from stub_server import StubServer

from gem_ma.cli.main import main
from gem_ma.evaluation import suites
from gem_ma.rollouts.records import load_episodes

needed("openai", install="'gem-ma[openai]'")
needed("tenacity", install="'gem-ma[openai]'")


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


@pytest.mark.slow
def test_the_whole_suite(tmp_path):
    with StubServer(looking(DIALECTS["openai"]), keep=False) as server:
        ran = main([
            "eval", "--suite", "screens", "--tasks", "1",
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
