"""Recorded episodes are what they were, byte for byte."""

import importlib.util
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]


@pytest.mark.slow
def test_episodes_are_those_of_before():
    spec = importlib.util.spec_from_file_location("hashes", TOP / "scripts" / "hashes.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    before = (TOP / "tests" / "support" / "hashes.txt").read_text().splitlines()
    assert list(script.hashes()) == before
