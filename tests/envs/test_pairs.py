"""Pairs that talk by a rule win, and those that do not listen have what chance gives."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from playable import unless

SPEC = importlib.util.spec_from_file_location(
    "pairs", Path(__file__).parents[2] / "benchmarks" / "pairs.py"
)
pairs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pairs)
EPISODES = 60


@pytest.mark.parametrize("name", [unless(i % 3 == 0, n) for i, n in enumerate(pairs.PAIRS)])
def test_who_talks_wins_and_who_does_not_listen_has_chance(name):
    pair = pairs.PAIRS[name]
    assert np.mean(pair.play(pair.honest, EPISODES)) >= 0.95
    deaf = pair.play(pair.deaf, EPISODES)
    assert (
        abs(np.mean(deaf) - pair.expected(EPISODES))
        <= 3.5 * max(np.std(deaf), 0.05) / EPISODES**0.5
    )
