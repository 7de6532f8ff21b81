"""Results of verifiers, read by verifiers 0.4 itself."""

import copy
import json

import pytest
import record_kinds
from needed import Later

from gem_ma.rollouts import RecordError
from gem_ma.rollouts.formats.transcripts import NAMESPACE
from gem_ma.rollouts.formats.verifiers import TRACES_FILE, read_verifiers, write_verifiers

vf = Later("verifiers.v1")
store = Later("verifiers.v1.utils.trace_store")


def write(episodes, tmp_path):
    write_verifiers(episodes, tmp_path / "out")
    lines = (tmp_path / "out" / TRACES_FILE).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("kind", record_kinds.KINDS)
def test_every_kind_of_record_comes_back(kind, tmp_path):
    episodes = record_kinds.record(kind)
    write(episodes, tmp_path)
    back = list(read_verifiers(tmp_path / "out"))
    assert record_kinds.tell(back) == record_kinds.tell(episodes)
    assert record_kinds.draw(back) == record_kinds.draw(episodes)


@pytest.mark.slow
def test_verifiers_reads_every_kind_and_writes_what_becomes_the_episodes_again(tmp_path):
    pytest.importorskip("verifiers.v1", reason="pip install verifiers==0.4.0")
    for number, kind in enumerate(record_kinds.KINDS):
        folder, again = tmp_path / f"{number}", tmp_path / f"{number}-again"
        for one in (folder, again):
            one.mkdir()
        episodes = record_kinds.record(kind)
        write(episodes, folder)
        read = store.read_episodes(folder / "out", vf.WireTrace)
        assert [one.ok for one in read] == [one.failure is None for one in episodes], kind
        for one, episode in zip(read, episodes, strict=True):
            assert list(one.by_agent) == list(episode.agents)
            for trace in one.traces:
                seat = trace.agent.name
                check_trace(trace, episode, seat)
                assert [tool.name for tool in trace.tools] == [
                    tool["function"]["name"] for tool in episode.tools.get(seat, ())
                ]
            store.write_episode(again, one)
        if kind == "improbable tokens":  # pydantic, by which verifiers writes, has no infinity
            continue
        back = list(read_verifiers(again))
        assert record_kinds.tell(back) == record_kinds.tell(episodes), kind


def check_trace(trace, episode, seat):
    """Check what verifiers makes of a trace: its reward, its messages, and its tokens."""
    steps = [step for step in episode.steps if step.agent == seat and step.reply is not None]
    assert trace.num_branches == bool(trace.nodes)
    if steps:
        said = [message["role"] for message in episode.messages(seat)]
        assert [one.role for one in trace.messages] == said
    assert trace.num_turns == len(episode.list_own_steps(seat))
    if not episode.failure:
        assert trace.reward == episode.returns[seat]
    (branch,) = trace.branches or [None]
    if branch is not None and any(branch.sampled_mask):
        last = steps[-1].reply
        assert branch.token_ids == [*last.prompt_ids, *last.token_ids]
        assert sum(branch.sampled_mask) == sum(len(step.reply.token_ids) for step in steps)
        assert branch.logprobs[-1] == last.logprobs[-1]


def test_tokens_of_one_sequence_stand_in_the_nodes(tmp_path):
    (episode, *_) = copy.deepcopy(record_kinds.record("tokens"))
    whole = []
    for step in episode.steps:
        if step.agent == "x":
            whole += [7, 8]
            step.reply.prompt_ids = [*whole]
            whole += step.reply.token_ids
    (result,) = write([episode], tmp_path)
    x, o = result["traces"]
    assert [node["token_ids"] for node in x["nodes"] if node.get("sampled")][:2] == [
        [7, 8, 4, 5]
    ] * 2
    assert x["nodes"][2]["mask"] == [False, False, True, True]
    assert "reply.prompt_ids" not in x["info"][NAMESPACE]["steps"][1]
    # Those of the other seat are no one sequence.
    assert not any(node.get("token_ids") for node in o["nodes"])
    assert [x["agent"]["trainable"], o["agent"]["trainable"]] == [True, False]
    assert record_kinds.tell(read_verifiers(tmp_path / "out")) == record_kinds.tell([episode])


@pytest.mark.slow
def test_verifiers_reads_tokens_of_one_sequence(tmp_path):
    pytest.importorskip("verifiers.v1", reason="pip install verifiers==0.4.0")
    test_tokens_of_one_sequence_stand_in_the_nodes(tmp_path)
    (read,) = store.read_episodes(tmp_path / "out", vf.WireTrace)
    (branch,) = read.by_agent["x"][0].branches
    assert branch.token_ids[:6] == [7, 8, 4, 5, 7, 8]
    assert branch.sampled_mask[:4] == [False, False, True, True]


@pytest.mark.slow
def test_an_episode_of_verifiers_itself_is_read(tmp_path):
    pytest.importorskip("verifiers.v1", reason="pip install verifiers==0.4.0")
    data = vf.WireTaskData(prompt="p", level=3)
    task = vf.TraceTask(type="T", data=data)
    picture = record_kinds.record("pictures")[0].steps[0].observation["image"]
    traces = []
    for number in range(2):
        seen = [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": picture.data_uri}},
        ]
        nodes = [
            {"message": {"role": "user", "content": "an abandoned branch"}},
            {"message": {"role": "system", "content": "s"}},
            {"message": {"role": "user", "content": seen}, "parent": 1},
            {"message": {"role": "assistant", "content": "a"}, "parent": 2, "sampled": True},
        ]
        trace = vf.WireTrace.model_validate(
            {
                "task": task.model_dump(),
                "agent": {"config": {"model": "m"}, "name": "solver"},
                "nodes": nodes,
                "rewards": {"right": {"score": 1.0, "weight": 0.5}, "none": None},
                "ok": bool(number),
            }
        )
        traces.append(trace)
    store.write_episode(tmp_path, vf.WireEpisode(id="e", task=task, traces=traces))
    (episode,) = read_verifiers(tmp_path)
    assert episode.returns == {"solver": 0.5, "solver-1": 0.5}
    assert episode.messages("solver")[0] == {"role": "system", "content": "s"}
    assert [step.reply for step in episode.steps] == ["a", "a"]
    assert episode.steps[0].observation["image"].png == picture.png
    assert episode.report["task"]["level"] == 3


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"traces": [], "task": {}}', '{"traces": [{}], "task": {}}']
)
def test_other_lines_are_refused(line, tmp_path):
    (tmp_path / TRACES_FILE).write_text(line + "\n")
    with pytest.raises(RecordError, match="line 1"):
        list(read_verifiers(tmp_path))
