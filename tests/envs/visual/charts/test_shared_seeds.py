"""Families that draw alike have other chances at the same seed."""

import re

import numpy as np
import pytest

import gem_ma

PAIRS = (("BarChart", "LineChart"), ("Mirror", "Rotation"), ("Compass", "Midpoint"))


def read_words(name, seed):
    env = gem_ma.make(f"visual:{name}-v0")
    env.reset(seed=seed)
    return re.findall(r"[\w.]+", env.observe("player")["text"].rpartition("Question:")[2])


def share_words(one, other, shift):
    """Return the share of words that stand at the same place, with seeds so far apart."""
    shares = []
    for seed in range(12):
        first, second = read_words(one, seed), read_words(other, seed + shift)
        same = sum(a == b for a, b in zip(first, second, strict=False))
        shares.append(same / max(len(first), len(second)))
    return np.mean(shares)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_what_two_families_share_at_a_seed_is_what_chance_gives(one, other):
    assert share_words(one, other, 0) <= share_words(one, other, 1000) + 0.1
