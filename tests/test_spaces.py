"""UnicodeText, alone and in Gymnasium's vector environments."""

import copy
import json
import pickle
from functools import partial

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array
from gymnasium.wrappers import FrameStackObservation, TimeLimit, TransformObservation

import gem_ma
from gem_ma.spaces import UnicodeText

TEXTS = ["", "hello world", "two\nlines\t\x00", "é中\U0001f600", "%s {} \\boxed{}", "x" * 200]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_fits_and_survives_flattening(text):
    space = UnicodeText(300)
    assert text in space
    flat = flatten(space, text)
    assert flat in flatten_space(space)
    assert flat.shape == (flatdim(space),)
    assert unflatten(space, flat) == text


@pytest.mark.parametrize(
    "thing", [None, 3, b"x", ["x"], np.array("x"), "\ud800", "x" * 301, "é" * 151]
)
def test_what_is_no_text_or_too_long_does_not(thing):
    assert thing not in UnicodeText(300)


def test_it_is_a_text_space_with_a_seed_a_copy_and_a_json_form():
    space = UnicodeText(300, seed=1)
    assert isinstance(space, spaces.Text)
    drawn = [space.sample() for _ in range(50)]
    assert all(text in space for text in drawn)
    space.seed(1)
    assert drawn == [space.sample() for _ in range(50)]
    for other in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert other == space
        assert other.sample() == space.sample() or other is not space
    assert space != UnicodeText(301)
    assert space != UnicodeText(300, examples=["a"])
    assert space != spaces.Text(300)
    assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(drawn)))) == drawn
    assert len(pickle.dumps(space)) < 10_000


def test_examples_and_masks():
    space = UnicodeText(10, examples=("a", "b", "c"), seed=0)
    assert {space.sample() for _ in range(100)} == {"a", "b", "c"}
    assert {space.sample(np.array([0, 1, 0], np.int8)) for _ in range(20)} == {"b"}
    for mask in (np.array([1, 1]), np.zeros(3)):
        with pytest.raises(ValueError, match="expected a mask of 3 numbers"):
            space.sample(mask)


def test_batches():
    space = UnicodeText(50, examples=["é"])
    batched = batch_space(space, 3)
    assert batch_space(spaces.Dict(a=space), 3)["a"] == batched
    assert ("a", "b", "é") in batched
    out = create_empty_array(space, 3)
    assert out in batched
    assert concatenate(space, ["x", "y", "z"], out) == ("x", "y", "z")


def make(observe, i):
    agent = ("red", "yellow")[i % 2]
    return gem_ma.make_gym("game:ConnectFour-v0", agent=agent, others="random", observe=observe)


@pytest.mark.parametrize("observe", ["text", "both", "image"])
@pytest.mark.parametrize("shared_memory", [True, False])
def test_vector_environments_in_processes_deliver_what_a_loop_does(observe, shared_memory):
    functions = [partial(make, observe, i) for i in range(2)]
    sync, worker = SyncVectorEnv(functions), AsyncVectorEnv(functions, shared_memory=shared_memory)
    try:
        results = [[env.reset(seed=3)[0]] for env in (sync, worker)]
        for step in range(30):
            for env, seen in zip((sync, worker), results, strict=True):
                observation, rewards, terminations, truncations, _ = env.step([str(step % 7)] * 2)
                seen += [copy.deepcopy(observation), rewards, terminations, truncations]
                if observe == "text":
                    assert all("0 1 2 3 4 5 6" in text for text in observation)
        for ours, theirs in zip(*results, strict=True):
            assert data_equivalence(ours, theirs, exact=True)
    finally:
        worker.close()


def test_gymnasiums_wrappers_take_text():
    env = FrameStackObservation(gem_ma.make_gym("game:GuessTheNumber-v0-easy"), 2)
    observation, _ = env.reset(seed=0)
    assert observation[1].startswith("You are playing")
    loud = TransformObservation(
        TimeLimit(gem_ma.make_gym("game:GuessTheNumber-v0-easy"), 1), str.upper, UnicodeText(1000)
    )
    loud.reset(seed=1)
    observation, _, _, truncated, _ = loud.step("1")
    assert observation.isupper()
    assert truncated
