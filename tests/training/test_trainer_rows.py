"""Rows for trainers: what stands in one, and its two halves."""

import math

import pytest

from gem_ma.training.trainer_rows import PromptCompletion, split_prompt_completion

NAN = math.nan
ROW = {
    "agent": "x",
    "policy": "a model",
    "ids": [5, 6, 7, 8, 9, 10],
    "mask": [0, 0, 1, 0, 0, 1],
    "logprobs": [NAN, NAN, -1.0, NAN, NAN, -2.0],
    "spans": [(2, 3), (5, 6)],
    "rewards": [0.5, 1.0],
}


def test_a_row_is_split_before_its_first_reply():
    assert split_prompt_completion(ROW) == PromptCompletion(
        [5, 6], [7, 8, 9, 10], [1, 0, 0, 1], [-1.0, 0.0, 0.0, -2.0], reward=1.5
    )


def test_what_has_no_halves():
    unsure = {**ROW, "logprobs": [NAN] * 6}
    with pytest.raises(ValueError, match="a model in seat x gave no log-probabilities for all"):
        split_prompt_completion(unsure)
    for missing in ("ids", "mask", "logprobs", "spans", "rewards"):
        with pytest.raises(ValueError, match=f"got one without {missing}$"):
            split_prompt_completion({**ROW, missing: []})
        with pytest.raises(ValueError, match=f"got one without {missing}$"):
            split_prompt_completion({name: value for name, value in ROW.items() if name != missing})
    with pytest.raises(TypeError, match=r"row=\[\]: expected Mapping, got list"):
        split_prompt_completion([])
