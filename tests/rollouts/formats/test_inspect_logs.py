"""Logs of Inspect, read by inspect-ai 0.3.285 and by the functions of its viewer."""

from pathlib import Path

import pytest
import record_kinds
from needed import Later, needed

from gem_ma import rollout
from gem_ma.rollouts import RecordError
from gem_ma.rollouts.formats.inspect_logs import read_inspect, write_inspect

log = needed("inspect_ai.log", install="'gem-ma[inspect]'")
server = Later("inspect_ai._view.fastapi_server")
testclient = Later("starlette.testclient")

pytestmark = pytest.mark.filterwarnings(
    "ignore:The 'initial' parameter is deprecated",
    "ignore:Unclosed <MemoryObject:ResourceWarning",
)


def write(episodes, tmp_path):
    path = tmp_path / "out.eval"
    write_inspect(episodes, path)
    return path


@pytest.mark.parametrize("kind", record_kinds.KINDS)
def test_every_kind_of_record_comes_back(kind, tmp_path):
    episodes = record_kinds.record(kind)
    path = write(episodes, tmp_path)
    back = list(read_inspect(path))
    assert record_kinds.tell(back) == record_kinds.tell(episodes)
    assert record_kinds.draw(back) == record_kinds.draw(episodes)
    read = log.read_eval_log(str(path), resolve_attachments=True)
    assert read.status == "success"
    for sample, episode in zip(read.samples, episodes, strict=True):
        replied = [step for step in episode.steps if step.reply is not None]
        assert len(sample.events) == len(replied)
        assert [event.role for event in sample.events] == [step.agent for step in replied]
        assert bool(sample.error) == bool(episode.failure)
        if episode.failure is None:
            assert sample.scores["returns"].value == episode.returns
        for event, step in zip(sample.events, replied, strict=True):
            assert event.metadata["reward"] == step.reward


def test_epochs_are_episodes_of_one_start(tmp_path):
    path = write(rollout(record_kinds.TTT, "random", 4, seed=0, group=2), tmp_path)
    summaries = log.read_eval_log_sample_summaries(str(path))
    assert [(one.id, one.epoch) for one in summaries] == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_a_reply_is_asked_for_with_what_its_seat_read(tmp_path):
    (episode,) = record_kinds.record("contexts")
    (sample,) = log.read_eval_log(str(write([episode], tmp_path))).samples
    sample = log.resolve_sample_attachments(sample, "full") if sample.attachments else sample
    last = sample.events[-1]
    assert [message.role for message in last.input] == ["system", "user", "assistant", "user"]


def test_calls_thoughts_and_tools_stand_in_their_places(tmp_path):
    path = write(record_kinds.record("native calls")[:1], tmp_path)
    (sample,) = log.read_eval_log(str(path), resolve_attachments=True).samples
    first, second = sample.events[:2]
    assert first.tools[0].name == "look"
    assert [call.arguments for call in first.output.message.tool_calls] == [
        {"cell": 1},
        {"cell": 2},
    ]
    assert any(call.parse_error for call in second.output.message.tool_calls)
    path.unlink()
    path = write(record_kinds.record("thoughts")[:1], tmp_path)
    (sample,) = log.read_eval_log(str(path), resolve_attachments=True).samples
    reasoning, _ = sample.events[0].output.message.content
    assert reasoning.reasoning == "I see \U0001f600"


def test_the_viewer_lists_and_shows_a_log(tmp_path):
    """The server of `inspect view` gives its page what the page asks for."""
    path = write(record_kinds.record("pictures"), tmp_path)
    client = testclient.TestClient(server.view_server_app(default_dir=str(tmp_path)))
    with client:
        (listed,) = client.get("/logs").json()["files"]
        assert listed["name"].endswith("out.eval")
        shown = client.get(f"/logs/{path}", params={"header-only": "100"}).json()
        size = client.get(f"/log-size/{path}").json()
        data = client.get(f"/log-bytes/{path}", params={"start": 0, "end": size - 1}).content
    assert shown["eval"]["task"] == record_kinds.TTT
    assert [score["name"] for score in shown["results"]["scores"]] == ["x", "o"]
    assert len(shown["samples"]) == 2
    assert shown["samples"][0]["messages"][1]["content"][0]["type"] == "image"
    assert data == path.read_bytes()


def test_a_log_without_episodes_is_refused(tmp_path):
    path = write([], tmp_path)
    with pytest.raises(RecordError, match="no sample has an episode"):
        list(read_inspect(path))


def test_another_file_is_refused(tmp_path):
    (tmp_path / "x.eval").write_text("no log")
    with pytest.raises(RecordError, match="no log of Inspect"):
        list(read_inspect(Path(tmp_path / "x.eval")))
