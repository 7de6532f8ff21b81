"""Spaces in words: values are read back from their texts, and what is none is refused."""

import json

import numpy as np
import pytest
from gymnasium import spaces

from gem_ma.envs.bridges import describing
from gem_ma.game import InvalidMove

SPACES = [
    spaces.Discrete(5, start=-1),
    spaces.Box(-2, 2, (1,), np.float32),
    spaces.Box(-1.0, np.array([[1.0, 2], [3, 4]]), (2, 2), np.float64),
    spaces.Box(0, 9, (3,), np.int64),
    spaces.MultiBinary(4),
    spaces.MultiDiscrete([2, 3]),
    spaces.Text(20),
    spaces.Dict({"a": spaces.Discrete(2), "b": spaces.Tuple([spaces.MultiBinary(2)])}),
]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_a_value_is_read_back_from_its_text(space):
    space.seed(1)
    for _ in range(20):
        sample = space.sample()
        text = sample if isinstance(sample, str) else json.dumps(plain(sample))
        found = describing.value(space, describing.read(space, text))
        assert space.contains(found)
        assert plain(found) == plain(sample)
    assert space.contains(describing.value(space, describing.idle(space)))
    assert describing.form(space)
    assert describing.words(space, space.sample())


def plain(sample):
    if isinstance(sample, dict):
        return {key: plain(one) for key, one in sample.items()}
    if isinstance(sample, tuple | list):
        return [plain(one) for one in sample]
    return sample.tolist() if hasattr(sample, "tolist") else sample


@pytest.mark.parametrize("space", [s for s in SPACES if not isinstance(s, spaces.Text)], ids=str)
@pytest.mark.parametrize(
    "text", ["", "left", "[]", "[NaN]", "[1e999]", "[[", "[" * 5000, "9" * 5000, '{"a": 7}', "null"]
)
def test_what_is_no_value_is_an_invalid_move(space, text):
    with pytest.raises(InvalidMove, match=r"is not a"):
        describing.read(space, text)


def test_numbers_may_stand_without_brackets():
    assert describing.read(SPACES[1], "0.5") == 0.5
    assert describing.read(SPACES[3], "1, 2, 3") == [1, 2, 3]
    with pytest.raises(InvalidMove):
        describing.read(SPACES[3], "1.5, 2, 3")


def test_observations_in_words():
    picture = spaces.Box(0, 255, (64, 48, 3), np.uint8)
    assert describing.words(picture, picture.sample()).startswith("a picture of 48 x 64 pixels")
    sparse = np.zeros(40, np.int8)
    sparse[[3, 17]] = 1
    assert describing.numbers(sparse) == "40 places, 1 at 3, 17, 0 elsewhere"
    assert describing.numbers(np.array([[1.23456, 2], [3, 4]])) == "[[1.235, 2],\n[3, 4]]"
    assert "on average; too many" in describing.numbers(np.arange(5000.0))
