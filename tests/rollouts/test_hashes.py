"""Recorded episodes are what they were, byte for byte."""

from pathlib import Path

import hashes
import packs
import pytest


@pytest.mark.slow
def test_episodes_are_those_of_before():
    before = (Path(__file__).parents[1] / "envs" / "hashes.txt").read_text().splitlines()
    assert list(hashes.hashes()) == packs.present(before)
