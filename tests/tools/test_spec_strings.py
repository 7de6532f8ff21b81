"""Tools by spec strings: in Python, in suites and on the command line."""

import json
import sys

import pytest

import gem_ma
from gem_ma.cli.main import main
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.suites import BadSuite, parse_suite
from gem_ma.rollouts.records import load_episodes
from gem_ma.tools import PythonTool, Tool, load_tools, with_tools

TTT = "game:TicTacToe-v0"
TOOLS = '''"""Mine."""

from gem_ma.tools import function_tool


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@function_tool
def again(text: str) -> str:
    """Say it again."""
    return text


class Shout:
    name = "shout"
    schema = {"type": "function", "function": {"name": "shout", "parameters": {}}}

    def __init__(self, marks=1):
        self.marks = marks

    def call(self, arguments, past):
        return "!" * self.marks


both = [again, Shout()]


def calls(turn):
    """Play: call the tool that there is, and then move."""
    if turn.results or not turn.tools:
        return turn.legal[0]
    return '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'
'''


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_tools.py").write_text(TOOLS)
    yield tmp_path
    sys.modules.pop("own_tools", None)


def names(spec):
    tools = load_tools(spec)
    assert all(isinstance(one, Tool) for one in tools)
    return [one.name for one in tools]


def test_what_a_spec_string_names():
    (python,) = load_tools("python:seconds=2&session=true")
    assert (python.seconds, python.session) == (2, True)
    assert load_tools(python) == [python]
    assert names("own_tools.py:add") == names("own_tools:add") == ["add"]
    assert names("own_tools.py:again") == ["again"]
    assert names("own_tools.py:both") == ["again", "shout"]
    (shout,) = load_tools("own_tools.py:Shout?marks=3")
    assert shout.call({}, ()) == "!!!"
    with pytest.raises(ValueError, match=r"there are python, search:PATH\|URL, mcp:URL, FILE"):
        load_tools("dance")
    with pytest.raises(ValueError, match=r"TOOLS; own_tools.py has add, again, Shout, both, calls"):
        load_tools("own_tools.py:TOOLS")
    with pytest.raises(TypeError, match="expected a tool, a function or a spec string, got int"):
        load_tools(3)


def test_texts_are_searched_in_a_saved_index_or_as_they_are(here):
    pytest.importorskip("bm25s", reason="pip install 'gem-ma[tools]'")
    from gem_ma.tools import SearchIndex

    (here / "texts").mkdir()
    (here / "texts" / "one.txt").write_text("The engine is analytical.")
    SearchIndex.build("texts").save("saved")
    for path in ("texts", "saved"):
        (tool,) = load_tools(f"search:{path}?top_k=1")
        assert "analytical" in tool.call({"query": "engine"}, ())
    (tool,) = load_tools("search:http://127.0.0.1:9/retrieve?most=4&top_k=2")
    assert (tool.source.url, tool.most) == ("http://127.0.0.1:9/retrieve", 4)


@pytest.mark.parametrize(
    ("tools", "has"),
    [
        ("own_tools.py:add", {"x": ["add"], "o": ["add"]}),
        ("x=own_tools.py:add,own_tools.py:both", {"x": ["add", "again", "shout"], "o": "again"}),
        (["own_tools.py:add", "o=python"], {"x": ["add"], "o": ["add", "python"]}),
        ({"o": "own_tools.py:add", "x": [PythonTool()]}, {"x": ["python"], "o": ["add"]}),
        ({"o": ["own_tools.py:add", "python"]}, {"x": [], "o": ["add", "python"]}),
    ],
)
def test_who_has_which(tools, has):
    env = with_tools(gem_ma.make(TTT), tools)
    for seat, wanted in has.items():
        wanted = ["again", "shout"] if wanted == "again" else wanted
        assert [tool.name for tool in env.tools(seat)] == wanted


def test_on_the_command_line(capsys):
    tools = ["--tools", "x=own_tools.py:add"]
    words = [TTT, "--agents", "own_tools.py:calls", *tools]
    assert main(["play", *words]) == 0
    said = capsys.readouterr().out
    assert '1. x: <tool_call>{"name": "add"' in said
    assert said.count("   tool: 3\n") == said.count("x: <tool_call>") == 4
    run = ["run", *words, "--out", "a.jsonl", "--resume", "--episodes"]
    assert main([*run, "1", "--seed", "2"]) == 0
    (episode,) = load_episodes("a.jsonl")
    assert (episode.wrappers, list(episode.tools)) == (("ToolEnv",), ["x"])
    assert episode.steps[1].results == ("3",)
    assert main([*run, "2"]) == 0
    tools[1] = "x=own_tools.py:Shout"
    run = ["run", TTT, "--agents", "own_tools.py:calls", *tools, "--out", "a.jsonl", "--resume"]
    assert main(run) == 2
    told = capsys.readouterr().err
    assert "another run: the file has add for x, this run has shout for x (episode 0)" in told


def test_in_a_suite(here, capsys):
    entry = {"id": TTT, "tasks": 1, "seats": ["x"], "opponents": "own_tools.py:calls"}
    entry["tools"] = {"x": ["own_tools.py:add"]}
    suite = parse_suite({"entry": [entry]}, "mine")
    found = evaluate(suite, "own_tools.py:calls", "out", progress=False)
    assert found.rows[0]["turns"].value == 8  # four moves, each after a call
    about = json.loads((here / "out" / "about.json").read_text())
    assert about["suite"]["entries"][0]["tools"] == {"x": ["own_tools.py:add"]}
    evaluate(suite, "own_tools.py:calls", "out", progress=False)  # goes on
    words = ["eval", TTT, "--tasks", "1", "--agents", "own_tools.py:calls,own_tools.py:calls"]
    assert main([*words, "--tools", "x=own_tools.py:add", "--json", "--out", "ids"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert (row["seat"], row["turns"]["value"]) == ("x", 8)
    with pytest.raises(BadSuite, match="tools is 3; expected spec strings"):
        parse_suite({"entry": [{**entry, "tools": 3}]}, "mine")
    bad = parse_suite({"entry": [{**entry, "tools": ["pyton"]}]}, "mine")
    with pytest.raises(BadSuite, match=f"{TTT}: no tool 'pyton'; did you mean 'python'"):
        evaluate(bad, "random", "bad", progress=False)
