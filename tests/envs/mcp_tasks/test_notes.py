"""`mcp:Notes`: tasks over a real MCP server, of the library mcp 2.3 (2026-11)."""

import json
import pickle

import pytest

import gem_ma
from gem_ma.envs.mcp_tasks.note_tasks import KINDS
from gem_ma.envs.mcp_tasks.oracle import NotesOracle
from gem_ma.testing import check_env

pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments})


@pytest.fixture(scope="module")
def env():
    return gem_ma.make("mcp:Notes")


def test_the_seat_calls_tools_until_it_replies_without_a_call(env):
    env.reset(seed=0, options={"task": "index"})
    start = env.observe("player")["text"]
    assert "Write a note `index`" in start
    assert start.endswith("No tool was called yet.")
    names = [tool["function"]["name"] for tool in env.tools("player")]
    assert names[:3] == ["list_notes", "read_note", "write_note"]
    env.step(call("list_notes"))
    titles = [line.removeprefix("tool: ") for line in env.observe("player")["text"].splitlines()]
    assert titles == sorted(titles)
    assert 6 <= len(titles) <= 9
    (before,) = env.fork()
    text = "\n".join(titles)
    env.step(f"<tool_call>{call('write_note', title='index', text=text)}</tool_call>")
    env.step("I wrote it.")
    assert env.rewards == {"player": 1.0}
    assert env.infos["player"]["right"]
    assert env.infos["player"]["calls"] == 2
    # The position before is another folder, where the note is not.
    before.step(call("read_note", title="index"))
    assert "there is no note 'index'" in before.observe("player")["text"]
    before.step("I wrote it.")
    assert before.rewards == {"player": 0.0}
    assert before.infos["player"]["reason"] == "there is no note index"


def test_what_a_model_writes_is_an_answer_or_a_notice(env):
    env.reset(seed=0, options={"task": "phone"})
    for reply, answer in (
        (call("no_tool"), "Error: no tool 'no_tool'; there are list_notes"),
        (call("read_note", title="../../etc/passwd"), "expected lower-case letters"),
        (call("read_note"), "Error executing tool read_note"),
        (call("write_note", title="x", text=5), "Error executing tool write_note"),
        (json.dumps([{"name": "list_notes"}, {"name": "list_notes"}]), "tool: "),
        ('{"name": "list_notes", "arguments": {', "no JSON"),
        (call("read_note").replace("{}", "[1]"), "are an object, and not a list"),
    ):
        env.step(reply)
        assert answer in env.observe("player")["text"]
        assert env.agents == ["player"]


@pytest.mark.slow
def test_the_last_call_ends_the_task():
    env = gem_ma.make("mcp:Notes", max_calls=2)
    env.reset(seed=0)
    env.step(json.dumps([{"name": "list_notes"}] * 3))
    assert env.terminations == {"player": True}
    assert env.infos["player"]["calls"] == 2


def test_what_makes_no_sense_is_said(env):
    with pytest.raises(ValueError, match="task='dance': expected one of write, "):
        env.reset(options={"task": "dance"})
    with pytest.raises(ValueError, match="max_calls=0: expected 1 or more"):
        gem_ma.make("mcp:Notes", max_calls=0)
    other = gem_ma.make("game:TicTacToe-v0")
    other.reset(seed=0)
    with pytest.raises(ValueError, match="notes-oracle plays mcp:Notes only, got game:TicTacToe"):
        NotesOracle().act([other.turn("x")])


def test_an_episode_of_the_oracle_is_replayed(env):
    env.reset(seed=5)
    (episode,) = gem_ma.rollout(env, "notes-oracle", 1, seed=5)
    assert episode.returns == {"player": 1.0}
    assert episode.replay(env).returns == episode.returns


@pytest.mark.slow
def test_the_contract_of_environments_holds():
    check_env(gem_ma.make("mcp:Notes", max_calls=4), seeds=1)


@pytest.mark.slow
def test_a_copy_continues_in_another_folder(env):
    env.reset(seed=1, options={"task": "write"})
    env.step(call("write_note", title="here", text="1"))
    again = pickle.loads(pickle.dumps(env))
    again.step(call("read_note", title="here"))
    assert again.observe("player")["text"] == "tool: 1"
    again.step(call("delete_note", title="here"))
    env.step(call("read_note", title="here"))
    assert env.observe("player")["text"] == "tool: 1"


@pytest.mark.slow
def test_the_oracle_does_every_task_and_doing_nothing_does_none(env):
    env.reset(seed=0)
    episodes = gem_ma.rollout(env, "notes-oracle", 50, seed=0, concurrency=4)
    assert [episode.returns["player"] for episode in episodes] == [1.0] * 50
    assert len({episode.report["task"] for episode in episodes}) >= 8
    episodes = gem_ma.rollout(env, lambda turn: "Done.", 50, seed=0, concurrency=4)
    assert [episode.returns["player"] for episode in episodes] == [0.0] * 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_does_each_kind(env, kind):
    env.reset(seed=0)
    options = {"task": kind}
    episodes = gem_ma.rollout(env, "notes-oracle", 4, seed=0, options=options, concurrency=4)
    assert [episode.returns["player"] for episode in episodes] == [1.0] * 4
