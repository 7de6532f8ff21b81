"""Data sets of conversations and turns, by datasets 5.2, and chat templates that render them."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import packs
import pytest
import record_kinds
from needed import needed

from gem_ma import rollout, to_dataset
from gem_ma.rollouts.formats.dataset import write_dataset
from gem_ma.rollouts.formats.openai import write_openai

datasets = needed("datasets", install="'gem-ma[datasets]'")


@pytest.mark.parametrize("kind", record_kinds.KINDS)
@pytest.mark.parametrize("rows", ["episode", "turn"])
def test_every_kind_of_record_has_its_rows(kind, rows):
    episodes = [one for one in record_kinds.record(kind) if one.failure is None]
    data = to_dataset(record_kinds.record(kind), rows=rows)
    if rows == "episode":
        expected = [(e.id, s) for e in episodes for s in e.agents if e.list_own_steps(s)]
    else:
        expected = [(e.id, s) for e in episodes for s in e.agents for _ in e.list_own_steps(s)]
    assert [(row["episode"], row["seat"]) for row in data] == expected
    seats = {(episode.id, seat): episode for episode in episodes for seat in episode.agents}
    for row in data:
        episode = seats[row["episode"], row["seat"]]
        assert row["return"] == episode.returns[row["seat"]]
        assert row["tools"] == episode.tools.get(row["seat"], [])


def test_pictures_are_images(tmp_path):
    episodes = record_kinds.record("pictures")
    data = to_dataset(episodes)
    assert isinstance(data.features["images"].feature, datasets.Image)
    steps = [step for step in episodes[0].steps if step.agent == "x"]
    assert data[0]["rewards"] == [step.reward for step in steps]
    images = data[0]["images"]
    assert len(images) == len(steps)
    assert np.array_equal(np.array(images[0]), steps[0].observation["image"].array)
    kinds = [part["type"] for part in data[0]["messages"][1]["content"]]
    assert kinds == ["image", "text"]
    path = str(tmp_path / "data.parquet")
    data.to_parquet(path)
    back = datasets.load_dataset("parquet", data_files=path, cache_dir=str(tmp_path / "cache"))
    assert back["train"].features == data.features
    assert back["train"][0]["messages"] == data[0]["messages"]


def test_without_pictures_a_content_is_a_text():
    data = to_dataset(record_kinds.record("turns"))
    assert data[0]["messages"][0]["content"].startswith("You are playing")
    assert data[0]["images"] == []


def test_a_turn_is_what_the_seat_read_and_its_reply():
    (episode,) = record_kinds.record("contexts")
    data = to_dataset([episode], rows="turn", seats=["x"])
    last = data[len(data) - 1]
    (reply,) = last["completion"]
    assert reply["content"] == [step for step in episode.steps if step.agent == "x"][-1].reply
    # With context="turns=1": the rules, one earlier turn, and this one.
    assert [one["role"] for one in last["prompt"]] == ["system", "user", "assistant", "user"]
    assert last["turn"] == len(data) - 1
    assert last["reward"] == episode.returns["x"]


def test_earlier_replies_are_counted_or_no_rows():
    episodes = record_kinds.record("branches")
    assert [row["begun"] for row in to_dataset(episodes)] == [2, 1, 2, 1]
    turns = to_dataset(episodes, rows="turn")
    assert len(turns) == sum(len(episode.steps) - 3 for episode in episodes)


@packs.needs("tau")
def test_the_shop_has_its_tools_with_their_schemas():
    data = to_dataset(rollout("tau:shop", "random", seed=0), seats=["assistant"])
    (tools,) = data["tools"]
    assert len(tools) == 16
    assert all(tool["function"]["parameters"]["type"] == "object" for tool in tools)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="rows='game'"):
        to_dataset([], rows="game")
    with pytest.raises(TypeError, match="one of episodes"):
        to_dataset(["x"])
    with pytest.raises(ValueError, match="no episode has the seats z; the seats are x, o"):
        to_dataset(record_kinds.record("turns"), seats=["z"])


def test_a_folder_and_a_file_are_written(tmp_path):
    episodes = record_kinds.record("turns")
    write_dataset(episodes, tmp_path / "folder", rows="turn")
    assert len(datasets.load_from_disk(str(tmp_path / "folder"))) == 12
    write_dataset(episodes, tmp_path / "data.parquet", seats=["x"])
    read = datasets.load_dataset(
        "parquet", data_files=str(tmp_path / "data.parquet"), cache_dir=str(tmp_path / "cache")
    )
    assert len(read["train"]) == 2


def render(name, messages, tools):
    """Render messages with a template that TRL 1.16 brings, a copy of a model's own."""
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    found = importlib.util.find_spec("trl")
    if found is None:
        pytest.skip("pip install trl==1.16.0")
    template = Path(found.origin).parent / "chat_templates" / f"{name}.jinja"
    if not template.exists():
        pytest.skip(f"TRL of another release, which has no {name}")
    from chats.templates import FAMILIES, make_tokenizer

    tokenizer = make_tokenizer(FAMILIES["SmolLM2"])
    tokenizer.chat_template = template.read_text("utf-8")
    return tokenizer.apply_chat_template(messages, tools=tools, tokenize=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["qwen2_5", "qwen3", "llama3_1", "glm4moe", "gptoss"])
def test_real_chat_templates_render_tools_calls_and_results(name):
    (row, *_) = to_dataset(record_kinds.record("single calls"), seats=["x"])
    text = render(name, row["messages"], row["tools"])
    assert "Look at a cell." in text
    assert "cell 4 looks free" in text
    # The arguments are an object, and no text that was quoted once more.
    assert json.dumps(json.dumps({"cell": 4}))[1:-1] not in text
    assert re.search(r'"cell": ?4|<arg_value>4</arg_value>', text)


@pytest.mark.slow
def test_a_template_that_takes_arguments_as_text_renders_lines_for_openai(tmp_path):
    write_openai(record_kinds.record("single calls"), tmp_path / "out.jsonl", seats=["x"])
    (line, *_) = map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines())
    text = render("deepseekv3", line["messages"], line["tools"])
    assert '{"cell": 4}' in text
    assert "cell 4 looks free" in text
