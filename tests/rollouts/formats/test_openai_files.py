"""Files for fine-tuning, against the types of openai 2.54."""

import json

import pytest
import record_kinds
from needed import needed

from gem_ma.rollouts.formats.openai import write_openai

chat = needed("openai.types.chat", install="'gem-ma[openai]'")
pydantic = needed("pydantic", install="'gem-ma[openai]'")


def write(episodes, tmp_path, **options):
    write_openai(episodes, tmp_path / "out.jsonl", **options)
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def messages():
    return pydantic.TypeAdapter(list[chat.ChatCompletionMessageParam])


@pytest.fixture(scope="module")
def tools():
    return pydantic.TypeAdapter(list[chat.ChatCompletionFunctionToolParam])


@pytest.mark.parametrize("kind", record_kinds.KINDS)
def test_every_kind_of_record_is_valid(kind, tmp_path, messages, tools):
    episodes = record_kinds.record(kind)
    lines = write(episodes, tmp_path)
    assert len(lines) == sum(
        len({step.agent for step in episode.steps})
        for episode in episodes
        if episode.failure is None
    )
    for line in lines:
        assert set(line) <= {"messages", "tools"}
        # What the types leave to be read later is read too.
        json.dumps(messages.validate_python(line["messages"]), default=list)
        tools.validate_python(line.get("tools", []))
        assert line["messages"][-1]["role"] == "assistant"
        check_calls(line["messages"])


def check_calls(said):
    """Check that the results of a message's calls follow it, in order."""
    for number, message in enumerate(said[:-1]):
        ids = [call.get("id", "") for call in message.get("tool_calls", ())]
        results = said[number + 1 : number + 1 + len(ids)]
        assert [one.get("tool_call_id") for one in results] == ids
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


def test_earlier_replies_have_no_weight(tmp_path):
    episodes = record_kinds.record("branches")
    lines = write(episodes, tmp_path)
    weights = [message.get("weight") for message in lines[0]["messages"]]
    assert weights.count(0) == 2
    assert weights[2] == 0  # the first reply
    assert weights[-1] is None


def test_seats_are_chosen(tmp_path):
    episodes = record_kinds.record("turns")
    lines = write(episodes, tmp_path, seats=["o"])
    assert len(lines) == len(episodes)
    assert all("as o;" in line["messages"][0]["content"] for line in lines)
    with pytest.raises(ValueError, match="no episode has the seats z; the seats are x, o"):
        write(episodes, tmp_path, seats=["z"])


def test_pictures_are_data(tmp_path):
    episodes = record_kinds.record("pictures")
    (line, *_) = write(episodes, tmp_path)
    picture = episodes[0].steps[0].observation["image"]
    assert line["messages"][1]["content"][0]["image_url"]["url"] == picture.data_uri
