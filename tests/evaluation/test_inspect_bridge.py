"""Environments as tasks of Inspect, whose models are its own mock with replies of ours."""

import gc
import itertools
import json
import os
import runpy
import subprocess
import sys
import threading
import time
import tomllib
import zlib
from pathlib import Path

import packs
import pytest

pytest.importorskip("inspect_ai", reason="pip install 'gem-ma[inspect]'")

from broken_games import Looking
from inspect_ai import Epochs
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall

import gem_ma
from gem_ma import Env, Reply, rollout
from gem_ma.engine.match import SeatError
from gem_ma.evaluation.inspect_bridge import play, read_log_episodes

pytestmark = [  # Inspect's own
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]
ROOT = Path(__file__).parents[2]
TWO = "game:TicTacToe-v0"
SAME_TIME = "game:RockPaperScissors-v0"
SEATED = {"o": "random"}


def mock(reply):
    """Return a model that says what a function of its messages says: a text, or an output."""

    def outputs(messages, tools, tool_choice, config):
        output = reply(messages)
        if isinstance(output, str):
            output = ModelOutput.from_content("mockllm/model", output)
        # Without figures the mock would count tokens, with a tokenizer that it downloads.
        output.usage = ModelUsage(input_tokens=10, output_tokens=2, total_tokens=12)
        return output

    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


@pytest.fixture
def run(tmp_path):
    """Return a function that plays a task and returns its log, read from its file."""

    def evaluate(task, reply=None, **kwargs):
        if reply is not None:
            kwargs["model"] = mock(reply)
        kwargs = {"model": mock(lambda messages: "?"), **kwargs}
        (log,) = inspect_eval(task, log_dir=str(tmp_path), display="none", **kwargs)
        return read_eval_log(log.location, resolve_attachments=True)

    yield evaluate
    gc.collect()  # what it left open is not another test's


def chosen(text, count):
    """Return a number that depends on all that was read."""
    return str(zlib.crc32(text.encode()) % count)


def read(messages):
    """Return the words of messages, of Inspect's or of ours."""
    if isinstance(messages[0], dict):
        contents = [message["content"] for message in messages]
        parts = [[one] if isinstance(one, str) else one for one in contents]
        return "\n".join(part for several in parts for part in several if isinstance(part, str))
    return "\n".join(message.text for message in messages)


def nine(messages):
    return chosen(read(messages), 10)


def scores(log):
    return {
        (one.scorer, one.name, one.reducer or "mean"): one.metrics["mean"].value
        for one in log.results.scores
    }


def asked(sample, role=None):
    """Return the calls of models in a sample."""
    calls = [event for event in sample.events if event.event == "model"]
    return [call for call in calls if role is None or call.role == role]


def same(ours, theirs):
    """Compare episodes but for what names the players, and their numbers."""
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        same = "id", "spec", "seed", "options", "contexts", "rules", "tools", "steps", "returns"
        for name in same:
            assert getattr(one, name) == getattr(other, name), name
        assert (one.ended, one.report, one.failure) == (other.ended, other.report, None)


def test_a_game_of_two_is_what_a_rollout_plays(run):
    log = run(
        play(TWO, seats=SEATED, samples=2, seed=5), nine, epochs=Epochs(2, ["mean", "pass_at_2"])
    )
    assert log.status == "success"
    theirs = rollout(TWO, {"x": lambda turn: nine(turn.messages), **SEATED}, 4, seed=5, group=2)
    samples = sorted(log.samples, key=lambda sample: (sample.id, sample.epoch))
    assert [(s.id, s.epoch) for s in samples] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    ours = [
        next(read_log_episodes(log.model_copy(update={"samples": [sample]}))) for sample in samples
    ]
    same(ours, theirs)
    assert [e.group for e in ours] == [e.group for e in theirs] == [0, 0, 1, 1]
    assert ours[0].steps != ours[1].steps  # the other seat draws anew in each epoch
    assert ours[0].agents == {"x": "mockllm/model", "o": "random"}
    assert list(read_log_episodes(log.location)) == list(read_log_episodes(log))
    for sample, episode in zip(samples, ours, strict=True):
        assert sample.metadata["seed"] == episode.seed
        assert sample.scores["returns"].value == episode.returns
        assert sample.scores["returns"].metadata == {
            "report": {},
            "ended": "terminated",
            "turns": len(episode.steps),
            "invalid": {
                seat: sum(s.agent == seat and s.invalid is not None for s in episode.steps)
                for seat in ("x", "o")
            },
            "forfeits": list(episode.forfeits),
        }
        share = {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}
        assert sample.scores["win"].value == {s: share[r] for s, r in episode.returns.items()}
        # What the model read is the chat that a rollout's agents read.
        for call, step in zip(
            asked(sample), [s for s in episode.steps if s.agent == "x"], strict=True
        ):
            assert call.input[-1].text == step.text
            assert call.output.completion == step.reply
            assert step.reply.usage == {"prompt_tokens": 10, "completion_tokens": 2}
        assert [m.role for m in sample.messages[:3]] == ["system", "user", "assistant"]
        assert sample.messages[0].text == episode.rules["x"]
        assert sample.output.completion == asked(sample)[-1].output.completion
    found = scores(log)
    returns = [episode.returns["x"] for episode in ours]
    assert found["returns", "x", "mean"] == pytest.approx(sum(returns) / 4)
    best = [max(returns[:2]), max(returns[2:])]
    assert found["win", "x", "pass_at_2"] == sum(one == 1 for one in best) / 2
    assert log.eval.task == "gem_ma/play"
    assert log.eval.task_args["env"] == TWO
    usage = log.stats.model_usage["mockllm/model"]
    assert usage.output_tokens == 2 * sum(s.agent == "x" for e in ours for s in e.steps)


def test_seats_that_act_at_the_same_time_are_roles(run):
    hands = ("rock", "paper", "scissors")

    def hand(salt):
        return lambda messages: hands[int(chosen(read(messages) + salt, 3))]

    roles = {"left": mock(hand("l")), "right": mock(hand("r"))}
    log = run(play(SAME_TIME, samples=2, rounds=4), model_roles=roles)
    agents = {
        "left": lambda turn: hand("l")(turn.messages),
        "right": lambda turn: hand("r")(turn.messages),
    }
    same(list(read_log_episodes(log)), rollout(SAME_TIME, agents, 2, seed=0, rounds=4))
    for sample in log.samples:
        for seat in roles:
            assert len(asked(sample, seat)) == 4
    assert log.stats.role_usage["left"].output_tokens == 16
    assert {name for _, name, _ in scores(log)} == {"left", "right"}


@packs.needs("tau")
def test_a_conversation_with_tools(run):
    call = ("find_user_id_by_name_zip", {"first_name": "A", "last_name": "B", "zip": "1"})

    def assistant(turn):
        if turn.index == 1:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            calls = [{"id": "one", "type": "function", "function": function}]
            return Reply("", tool_calls=calls, finish_reason="tool_calls")
        return "Who are you?" if turn.index == 0 else "I cannot find you. Goodbye. ###STOP###"

    def model(messages):
        turn = sum(message.role == "assistant" for message in messages)
        if turn == 1:
            return ModelOutput.for_tool_call("mockllm/model", *call, tool_call_id="one", content="")
        return "Who are you?" if turn == 0 else "I cannot find you. Goodbye. ###STOP###"

    log = run(
        play("tau:shop", seats={"user": "rule-user"}, samples=2, options=[{"task": 3}]), model
    )
    assert log.status == "success"
    agents = {"user": "rule-user", "assistant": assistant}
    theirs = rollout("tau:shop", agents, 2, seed=0, options=[{"task": 3}])
    same(list(read_log_episodes(log)), theirs)
    (sample, _) = log.samples
    report = sample.scores["returns"].metadata["report"]
    assert report == theirs[0].report
    assert "reward" in report
    second = asked(sample)[2]
    assert call[0] in [tool.name for tool in second.tools]
    tool = next(tool for tool in second.tools if tool.name == call[0])
    assert tool.parameters.required == ["first_name", "last_name", "zip"]
    result = next(message for message in second.input if message.role == "tool")
    assert isinstance(result, ChatMessageTool)
    assert (result.tool_call_id, result.function) == ("one", call[0])
    assert result.text == theirs[0].steps[4].results[0] == "Error: user not found"


@packs.needs("tau")
def test_where_one_call_counts_the_model_reads_one(run):
    def model(messages):
        if any(message.role == "tool" for message in messages):
            return "###STOP###"
        calls = [
            ToolCall(id=one, function="calculate", arguments={"expression": one}) for one in "12"
        ]
        message = ChatMessageAssistant(content="I look.", tool_calls=calls)
        return ModelOutput.from_message(message, "tool_calls")

    seats = {"user": lambda turn: "###STOP###" if turn.index else "Hello"}
    log = run(play("tau:shop", seats=seats, strict=True), model, limit=1)
    assert log.status == "success"
    *_, said, answer = asked(log.samples[0])[-1].input
    assert [call.id for call in said.tool_calls] == ["1"]
    assert (answer.tool_call_id, answer.text) == ("1", "1.0")
    (episode,) = read_log_episodes(log)
    assert len(episode.steps[1].reply.tool_calls) == 2


def test_pictures_are_contents_for_models_that_see(run):
    log = run(
        play(TWO, seats=SEATED, samples=1, observe="both", context="images=1"),
        lambda messages: chosen(read(messages), 9),
    )
    (episode,) = read_log_episodes(log)
    again = episode.replay()  # draws what the log has by name only
    shown = [step.observation["image"] for step in again.steps if step.agent == "x"]
    assert len(shown) > 1
    for call, picture in zip(asked(log.samples[0]), shown, strict=True):
        images = [
            part
            for message in call.input
            if not isinstance(message.content, str)
            for part in message.content
            if isinstance(part, ContentImage)
        ]
        assert len(images) == 1
        assert call.input[-1].content[0] == images[0]
        assert images[0].image == picture.data_uri


def test_invalid_replies_and_broken_calls_are_the_models_mistakes(run):
    def broken(messages):
        turn = sum(message.role == "assistant" for message in messages)
        if turn == 0:
            bad = ToolCall(id="a", function="look", arguments={}, parse_error="no JSON: {look")
            message = ChatMessageAssistant(content="", tool_calls=[bad])
            return ModelOutput.from_message(message, "tool_calls")
        return "look around" if turn == 1 else "stop"

    log = run(play(Env(Looking())), broken, limit=1)
    assert log.status == "success"
    (episode,) = read_log_episodes(log)
    assert [bool(step.invalid) for step in episode.steps] == [True, True, False]
    assert log.samples[0].scores["returns"].metadata["invalid"] == {"a": 2}
    assert "win" not in log.samples[0].scores
    last = asked(log.samples[0])[-1].input
    assert [message.role for message in last[2:]] == ["assistant", "tool", "assistant", "user"]
    assert "look or stop" in last[-1].text
    assert log.samples[0].output.completion == "stop"


def test_a_model_reads_its_own_messages_as_it_wrote_them(run):
    def thinks(messages):
        parts = [
            ContentReasoning(reasoning="hm", signature="s"),
            ContentText(text=rf"<|image_pad|> \boxed{{{nine(messages)}}}"),
        ]
        return ModelOutput.from_message(ChatMessageAssistant(content=parts))

    log = run(play(TWO, seats=SEATED, samples=1, context="turns=1"), thinks)
    (episode,) = read_log_episodes(log)
    assert all("hm" not in step.reply for step in episode.steps)
    first, second = asked(log.samples[0])[:2]
    before = next(message for message in second.input if message.role == "assistant")
    assert before.id == first.output.message.id
    assert before.text.startswith("<|image_pad| > ")  # no server takes it for a picture
    assert [len(call.input) for call in asked(log.samples[0])][:3] == [2, 4, 4]


def test_a_failed_call_is_inspects(run):
    calls, fails_at = itertools.count(1), [1]

    def fails(messages):
        if next(calls) in fails_at:
            raise OSError("the server is gone")
        return nine(messages)

    task = play(TWO, seats=SEATED, samples=1)
    log = run(task, fails, retry_on_error=1)
    assert log.status == "success"
    assert "the server is gone" in log.samples[0].error_retries[0].message
    agents = {"x": lambda turn: nine(turn.messages), **SEATED}
    same(list(read_log_episodes(log)), rollout(TWO, agents, seed=0))
    fails_at += range(len(asked(log.samples[0])) + 3, 100)
    log = run(task, fails)
    assert log.status == "error"
    assert "the server is gone" in log.samples[0].error.message
    (episode,) = read_log_episodes(log)
    assert tuple(episode.failure) == ("x", "OSError", "the server is gone")
    assert [step.agent for step in episode.steps] == ["x", "o"]


def test_limits_leave_what_was_played(run):
    log = run(play(TWO, seats=SEATED, samples=1), nine, token_limit=20)
    assert log.status == "success"
    (sample,) = log.samples
    assert sample.limit.type == "token"
    assert sample.scores["returns"].reason == "unfinished"
    assert "LimitExceededError" in sample.scores["returns"].explanation
    (episode,) = read_log_episodes(log)
    assert episode.failure.seat == "x"
    assert [step.agent for step in episode.steps] == ["x", "o"]


def test_other_players_in_all_seats(run):
    log = run(play(TWO, seats={"x": "search", "o": lambda turn: turn.legal[0]}, samples=2))
    assert scores(log)["win", "x", "mean"] == 1
    assert log.stats.model_usage == {}
    assert log.samples[0].messages[0].text == f"{TWO}, start 1"


def test_players_that_block_have_a_thread_and_are_asked_one_at_a_time(run):
    class Blocking:
        blocking = True
        inside = most = 0

        def act(self, turns):
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(0.01)
            self.inside -= 1
            assert threading.current_thread() is not threading.main_thread()
            return [turn.legal[0] for turn in turns]

    agent = Blocking()
    log = run(play(SAME_TIME, seats={"left": agent, "right": agent}, samples=4, rounds=2))
    assert log.status == "success"
    assert agent.most == 1

    log = run(play(SAME_TIME, seats={"left": lambda turn: 1, "right": "random"}, samples=1))
    assert log.status == "error"
    assert "replied with int, expected str" in log.samples[0].error.message


def test_named_errors():
    with pytest.raises(SeatError, match="no seat 'left'; the seats are o, x"):
        play(TWO, seats={"left": "random"})
    with pytest.raises(ValueError, match="no agent 'randm'; did you mean 'random'"):
        play(TWO, seats={"o": "randm"})
    with pytest.raises(ValueError, match="samples=0"):
        play(TWO, samples=0)
    with pytest.raises(TypeError, match="'observe'; arguments of make need an id"):
        play(gem_ma.make(TWO), observe="both")


def test_from_the_command_line(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (names,) = (project["entry-points"]["inspect_ai"].items(),)
    info = tmp_path / "installed" / "gem_ma_entry-0.dist-info"
    info.mkdir(parents=True)  # the entry point as it stands, however the package was installed
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: gem-ma-entry\nVersion: 0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in names)
    info.joinpath("entry_points.txt").write_text(f"[inspect_ai]\n{lines}")
    words = [
        "eval", "gem_ma/play", "-T", f"env={TWO}", "-T", "seats={x: search:depth=2, o: random}",
        "-T", "samples=2", "-T", "observe=both", "--model", "mockllm/model", "--epochs", "2",
        "--log-dir", str(tmp_path), "--display", "plain", "--no-score-display",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", *words],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(info.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tmp_path.glob("*.eval")
    log = read_eval_log(str(path))
    assert len(log.samples) == 4
    made = {"x": "search:depth=2", "o": "random"}
    theirs = rollout(TWO, made, 4, seed=0, group=2, observe="both")
    ours = sorted(read_log_episodes(log), key=lambda episode: episode.number)
    assert [e.returns for e in ours] == [e.returns for e in theirs]
    assert [e.agents for e in ours] == [made] * 4


def test_the_example(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["inspect_eval.py", "--logs", str(tmp_path), "--games", "2"])
    runpy.run_path(str(ROOT / "examples" / "inspect_eval.py"), run_name="__main__")
    out = capsys.readouterr().out
    (path,) = tmp_path.glob("*.eval")
    assert str(path) in out
    log = read_eval_log(str(path))
    assert log.status == "success"
    assert f"win red: {scores(log)['win', 'red', 'mean']:.2f}" in out
    gc.collect()
