"""The lobby: who finds room, and what an arena may not be."""

import os

import pytest
from served import (
    FOUR,
)

from gem_ma.rollouts.records import load_episodes
from gem_ma.serving.arena import arena
from gem_ma.serving.arena.lobby import MAX_OPEN_MATCHES, ArenaLobby
from gem_ma.serving.arena.match_session import ArenaError


def test_there_is_room_for_who_comes(tmp_path):
    """A match in which nobody has moved for a day ends, if there are too many for one more."""
    hall = ArenaLobby(tmp_path, ["random"], [FOUR])
    try:
        asked = {"env": FOUR, "name": "Ann", "seats": {"red": "me", "yellow": "me"}}
        first, _ = hall.begin_match(asked)
        for _ in range(MAX_OPEN_MATCHES - 1):
            hall.begin_match(asked)
        with pytest.raises(ArenaError, match="come back when one is over"):
            hall.begin_match(asked)
        for path in first.folder.iterdir():
            os.utime(path, (1, 1))
        hall.begin_match(asked)
        assert [one.id for one in hall.match_infos.values() if one.ended] == [first.info.id]
        assert hall.match_infos[first.info.id].left == "red"
    finally:
        hall.close()
    (episode,) = load_episodes(tmp_path / "episodes.jsonl")
    assert episode.ended == "failed"


def test_what_an_arena_may_not_be(tmp_path):
    with pytest.raises(ValueError, match="takes a token"):
        arena(tmp_path, host="0.0.0.0")
    with pytest.raises(ValueError, match="a token has"):
        arena(tmp_path, token="a b")
    with pytest.raises(LookupError, match="no environment"):
        arena(tmp_path, envs=["game:Nope"])
    with pytest.raises(ValueError, match="no agent"):
        arena(tmp_path, agents=["nobody"])
