"""The lobby: who finds room, and what an arena may not be."""

import os
import time

import pytest
from served import (
    FOUR,
)

import gem_ma
from gem_ma.renderers.png import render_png
from gem_ma.rollouts.records import load_episodes
from gem_ma.serving.arena import arena, lobby
from gem_ma.serving.arena.env_catalog import THUMBNAIL_SIZE, EnvCatalog
from gem_ma.serving.arena.lobby import (
    IDLE_SECONDS,
    MAX_MATCHES_BY_VISITOR,
    MAX_OPEN_MATCHES,
    UNPLAYED_SECONDS,
    ArenaLobby,
)
from gem_ma.serving.arena.match_files import ArenaError

ASKED = {"env": FOUR, "name": "Ann", "seats": {"red": "me", "yellow": "me"}}


def age(table, seconds):
    """Let a match stand as if nothing had happened there for so long."""
    for path in table.folder.iterdir():
        os.utime(path, (time.time() - seconds,) * 2)


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
    with pytest.raises(ValueError, match="token: expected only letters"):
        arena(tmp_path, token="a b")
    with pytest.raises(LookupError, match="no environment"):
        arena(tmp_path, envs=["game:Nope"])
    with pytest.raises(ValueError, match="no agent"):
        arena(tmp_path, agents=["nobody"])


def test_one_visitor_leaves_room_for_others(tmp_path):
    hall = ArenaLobby(tmp_path, ["random"], [FOUR])
    try:
        tables = [hall.begin_match(ASKED, "198.51.100.7")[0] for _ in range(MAX_MATCHES_BY_VISITOR)]
        with pytest.raises(ArenaError, match="that you have begun are not over; leave one"):
            hall.begin_match(ASKED, "198.51.100.7")
        hall.begin_match(ASKED, "198.51.100.8")
        tables[3].leave("red")
        hall.notify_viewers(tables[3])
        hall.begin_match(ASKED, "198.51.100.7")
        age(tables[5], UNPLAYED_SECONDS + 1)  # it makes room, as nobody has moved there
        hall.begin_match(ASKED, "198.51.100.7")
        assert tables[5].over
        with pytest.raises(ArenaError, match="leave one"):
            hall.begin_match(ASKED, "198.51.100.7")
    finally:
        hall.close()


def test_matches_that_nobody_has_moved_in_make_room_sooner(tmp_path, monkeypatch):
    monkeypatch.setattr(lobby, "MAX_OPEN_MATCHES", 3)
    hall = ArenaLobby(tmp_path, ["random"], [FOUR])
    try:
        played, late, agents = (hall.begin_match(ASKED)[0] for _ in range(3))
        played.submit_reply("red", "3")
        late.info = late.info._replace(clock=1.0)
        late.asked_at["red"] -= 5
        late.apply_clock()  # which is nobody's move
        assert late.reply_history
        for table in (played, late, agents):
            age(table, UNPLAYED_SECONDS - 5)
        with pytest.raises(ArenaError, match="come back when one is over"):
            hall.begin_match(ASKED)
        age(played, IDLE_SECONDS - 5)
        age(late, UNPLAYED_SECONDS + 5)
        hall.begin_match(ASKED)
        assert [one.over for one in (played, late, agents)] == [False, True, False]
        age(agents, UNPLAYED_SECONDS + 5)
        age(played, IDLE_SECONDS + 5)
        hall.begin_match(ASKED)
        assert [one.over for one in (played, late, agents)] == [True, True, False]
    finally:
        hall.close()


def test_a_match_is_played_again_by_all_who_played_it(tmp_path):
    hall = ArenaLobby(tmp_path, ["random"], [FOUR])
    try:
        asked = {**ASKED, "seats": {"red": "me", "yellow": "open"}, "bank": 60, "chat": False}
        table, keys = hall.begin_match(asked)
        bobs_key = hall.take_seat(table, "yellow", "Bob")
        with pytest.raises(ArenaError, match="not over yet"):
            hall.play_again(table, keys.values())
        table.submit_reply("red", "3")
        table.leave("red")
        hall.notify_viewers(table)
        for wrong in ([], ["x"]):
            with pytest.raises(ArenaError, match="only its players can repeat a match"):
                hall.play_again(table, wrong)
        following, own = hall.play_again(table, [bobs_key])
        assert own.keys() == {"yellow"}
        assert (following.info.bank, following.info.chat) == (60, False)
        assert following.info.seed != table.info.seed
        same, others = hall.play_again(table, keys.values())  # Ann sits down where Bob waits
        assert same is following
        assert others.keys() == {"red"}
        assert [name for name, _ in following.info.people.values()] == ["Ann", "Bob"]
        assert following.list_due_seats() == ["red"]
        another, _ = hall.play_again(table, keys.values())  # there is no seat for her any more
        assert another is not following
        agents, _ = hall.begin_match({**ASKED, "seats": {"red": "random", "yellow": "random"}})
        agents.leave("red")
        hall.match_infos[agents.info.id] = agents.info
        again, nothing = hall.play_again(agents, [])
        assert (again.info.agents, nothing) == (agents.info.agents, {})
    finally:
        hall.close()


def test_a_thumbnail_shows_a_game_that_has_begun():
    shown = EnvCatalog(["game:Mastermind-v0"], False).find_env("game:Mastermind-v0").picture
    env = gem_ma.make("game:Mastermind-v0")
    env.reset(seed=1)
    assert shown != render_png(env.scene("player"), THUMBNAIL_SIZE)
    env.step("1 2 3 4")
    assert shown != render_png(env.scene("player"), THUMBNAIL_SIZE)


def test_finished_matches_in_memory_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(lobby, "MAX_CACHED_MATCHES", 2)
    hall = ArenaLobby(tmp_path, ["random"], [FOUR])
    try:
        names = []
        for _ in range(5):
            table, _ = hall.begin_match(ASKED)
            table.leave("red")
            hall.notify_viewers(table)
            names.append(table.info.id)
        assert [hall.get_match(name).info.id for name in names] == names
        assert list(hall.match_sessions) == names[-2:]  # those that were asked for last
    finally:
        hall.close()
