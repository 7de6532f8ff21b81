"""Recorded episodes are what they were, byte for byte."""

import hashes
import packs
import pytest
from game_contract import RECORDED, contracted_ids, recorded


@pytest.mark.slow
def test_episodes_are_those_of_before():
    before = packs.present(RECORDED.read_text().splitlines())
    assert list(hashes.hashes(id for id in hashes.recorded_ids() if id in recorded())) == before


def test_every_game_is_recorded_here_or_in_its_own_test_file():
    lacking = [id for id in hashes.recorded_ids() if id not in recorded()]
    assert [id for id in lacking if id not in contracted_ids()] == [], (
        "a new game has a class TestContract(GameContract) in its test file: CONTRIBUTING.md"
    )
