"""Processors of pictures, with and without torchvision."""

import importlib.util
import json

import pytest
from needed import Later, needed

from gem_ma import rollout
from gem_ma.agents import HFAgent, load_agent

transformers = needed("transformers", install="'gem-ma[hf]'")
tiny_models = Later("tiny_models")

TWO = "game:TicTacToe-v0"


@pytest.fixture
def no_torchvision(monkeypatch):
    """As if torchvision were not installed, whether it is or not."""
    find = importlib.util.find_spec

    def found(name, *more):
        return None if name == "torchvision" else find(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", found)


@pytest.mark.usefixtures("no_torchvision")
def test_a_folder_as_others_write_it_is_read_without_torchvision(tmp_path):
    processor = tiny_models.vlm_processor()
    tiny_models.vlm(processor).save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    told = json.loads((tmp_path / "processor_config.json").read_text())
    assert told["processor_class"] == "Qwen2VLProcessor"
    agent = load_agent(f"hf:{tmp_path}?max_new_tokens=2")
    (episode,) = rollout(TWO, agent, 1, seed=0, observe="image", invalid="random")
    fresh = HFAgent(tiny_models.vlm(processor), processor, max_new_tokens=2)
    (same,) = rollout(TWO, fresh, 1, seed=0, observe="image", invalid="random")
    assert [s.reply.usage for s in episode.steps] == [s.reply.usage for s in same.steps]


@pytest.mark.usefixtures("no_torchvision")
def test_a_processor_that_needs_torchvision_says_how_to_get_it(tmp_path):
    transformers.Qwen3VLConfig().save_pretrained(tmp_path)
    sight = importlib.import_module("gem_ma.agents.vision_processors")
    with pytest.raises(
        ImportError, match=r"Qwen3VLProcessor of \S+ needs torchvision: pip install"
    ):
        sight.load_processor(str(tmp_path), transformers.AutoConfig.from_pretrained(tmp_path))
