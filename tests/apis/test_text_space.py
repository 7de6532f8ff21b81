"""UnicodeText, alone and in Gymnasium's vector environments."""

import copy
import json
import pickle
from collections import Counter
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
from gem_ma.apis.text_space import UnicodeText
from gem_ma.engine.observations import cut_middle
from gem_ma.wrappers import TextHistory

TEXTS = ["", "hello world", "two\nlines\t\x00", "é中\U0001f600", "%s {} \\boxed{}", "x" * 200]


def test_a_space_holds_what_an_environment_shows_by_default():
    env = gem_ma.make("game:GuessTheNumber-v0-easy")
    assert env.observation_space("player")["text"] == UnicodeText()


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


@pytest.mark.parametrize("most", [0, 1, 2, 6, 33])
def test_samples_of_a_narrow_space_lie_in_it(most):
    space = UnicodeText(most, seed=0)
    drawn = [space.sample() for _ in range(200)]
    assert all(text in space for text in drawn)
    if most < 30:
        assert {len(text) for text in drawn} == set(range(most + 1))


@pytest.mark.parametrize("most", [6, 300, 1 << 24])
def test_letters_and_lengths_are_drawn_evenly(most):
    """What Gymnasium's test_sample asks: as many of each letter as its length and number say."""
    space, count = UnicodeText(most, seed=0), 1_000
    drawn = [space.sample() for _ in range(count)]
    longest = min(most, 1_024)
    assert max(map(len, drawn)) == pytest.approx(longest, rel=0.02)
    assert np.mean([len(text) for text in drawn]) == pytest.approx(longest / 2, rel=0.1)
    letters = Counter("".join(drawn))
    expected = sum(letters.values()) / len(space.character_set)
    assert set(letters) == set(space.character_set)
    assert sum((n - expected) ** 2 / expected for n in letters.values()) < 110  # of 67 degrees


@pytest.mark.parametrize("most", [0, 6, 300, 1_024])
def test_samples_are_those_of_gymnasiums_text(most):
    ours = UnicodeText(most, seed=5)
    theirs = spaces.Text(most, min_length=0, charset="".join(ours.character_list), seed=5)
    letters = np.zeros(len(ours.character_set), np.int8)
    letters[3:9] = 1
    for mask in (None, (None, letters), (most // 2, letters), (None, None)):
        assert [ours.sample(mask) for _ in range(20)] == [theirs.sample(mask) for _ in range(20)]


@pytest.mark.parametrize("examples", [(), ("left", "right")])
def test_a_length_that_a_mask_leaves_open_is_drawn_too(examples):
    space = UnicodeText(6, examples=examples, seed=0)
    letters = np.zeros(len(space.character_set), np.int8)
    letters[[space.character_index(letter) for letter in "ab"]] = 1
    for given in ({"mask": (None, letters)}, {"probability": (None, letters / 2)}):
        drawn = [space.sample(**given) for _ in range(300)]
        assert {len(text) for text in drawn} == set(range(7))
        assert set("".join(drawn)) == {"a", "b"}
    assert len(space.sample((4, None))) == 4
    assert space.sample((None, np.zeros_like(letters))) == ""


@pytest.mark.parametrize("example", ["é" * 6, "\ud800", 3])
def test_examples_that_lie_outside_are_refused(example):
    with pytest.raises(ValueError, match="expected texts of at most 10 bytes"):
        UnicodeText(10, examples=["a", example])


def test_probabilities_of_examples():
    space = UnicodeText(10, examples=("a", "b", "c"), seed=0)
    drawn = [space.sample(probability=np.array([0.9, 0.0, 0.1])) for _ in range(2_000)]
    assert set(drawn) == {"a", "c"}
    assert drawn.count("c") == pytest.approx(200, abs=60)
    for wrong in ([0.5, 0.5], [0.5, 0.5, 0.5], [1.5, -0.5, 0.0], [np.nan, 1.0, 0.0]):
        with pytest.raises(ValueError, match="expected 3 probabilities that add up to 1"):
            space.sample(probability=np.array(wrong))
    with pytest.raises(ValueError, match="got both"):
        space.sample(np.ones(3), np.ones(3) / 3)


def test_without_examples_masks_are_those_of_gymnasiums_text():
    space = UnicodeText(10, seed=0)
    letters = np.zeros(len(space.character_set), np.int8)
    letters[space.character_index("b")] = 1
    assert space.sample((3, letters)) == "bbb"
    assert space.sample(probability=(4, letters / 1.0)) == "bbbb"
    assert len(space.sample((5, None))) == 5
    with pytest.raises(AssertionError, match="tuple"):
        space.sample(letters)


@pytest.mark.parametrize("length", [0, 1, 7, 20, 40, 56, 57, 113, 114, 200])
@pytest.mark.parametrize("text", ["x" * 600, "é" * 300, "\U0001f600" * 150], ids=[1, 2, 4])
def test_a_text_is_cut_to_any_length(text, length):
    cut = cut_middle(text, length)
    assert len(cut.encode()) <= length
    assert len(cut.encode()) > length - 8  # no more is lost than part of a character at each end
    assert cut.count(text[0]) * len(text[0].encode()) >= length // 2 - 7
    assert (" left out " in cut) == (length > 110)


@pytest.mark.parametrize("length", [0, 7, 20, 40, 100])
@pytest.mark.parametrize("history", [False, True])
def test_observations_of_any_text_length_lie_in_the_space(length, history):
    env = gem_ma.make("game:GuessTheNumber-v0-easy", text_length=length)
    if history:
        env = TextHistory(env, text_length=length)
    seat = env.gym()
    observation, _ = seat.reset(seed=0)
    assert observation in seat.observation_space
    observation, *_ = seat.step("1")
    assert observation in seat.observation_space
    with pytest.raises(ValueError, match="text_length=-1: expected 0 or more"):
        gem_ma.make("game:GuessTheNumber-v0-easy", text_length=-1)


def test_short_texts_pass_through_gymnasiums_processes():
    make = partial(gem_ma.make_gym, "game:GuessTheNumber-v0-easy", text_length=20)
    sync, worker = SyncVectorEnv([make] * 2), AsyncVectorEnv([make] * 2)
    try:
        for env in (sync, worker):
            env.action_space.seed(0)
        assert sync.reset(seed=3)[0] == worker.reset(seed=3)[0]
        assert sync.step(["1", "2"])[0] == worker.step(["1", "2"])[0]
    finally:
        worker.close()


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
