"""What counts for a rating: matches that nobody could prepare, take back or look into."""

import random

import pytest
from served import FOUR

from gem_ma.serving.arena.lobby import ArenaLobby
from gem_ma.serving.arena.match_files import MatchInfo
from gem_ma.serving.arena.match_ratings import find_unrated_reason, rate_players

KUHN = "game:KuhnPoker-v0"


@pytest.fixture
def hall(tmp_path):
    hall = ArenaLobby(tmp_path, ["random"], [FOUR, KUHN, "game:Wordle-v0"])
    yield hall
    hall.close()


def begin(hall, env=KUHN, **more):
    """Begin a match of Ann against Bob; return it and Ann's key."""
    seats = hall.catalog.find_env(env).seats
    open_seats = {**dict.fromkeys(seats, "open"), seats[0]: "me"}
    table, keys = hall.begin_match({"env": env, "name": "Ann", "seats": open_seats, **more})
    for seat in seats[1:]:
        hall.take_seat(table, seat, "Bob")
    return table, keys[seats[0]]


def play(hall, table):
    rng = random.Random(1)
    while not table.over:
        seat = table.list_due_seats()[0]
        table.submit_reply(seat, rng.choice(table.get_turn(seat).legal))
    hall.run_agents(table)


def rated(hall):
    return {(one.name, one.matches) for found in hall.compute_ratings().values() for one in found}


BOTH = {("human:Ann", 1), ("human:Bob", 1)}


def test_a_fair_match_is_rated(hall):
    table, _ = begin(hall)
    assert table.describe_view("first")["unrated"] == ""
    play(hall, table)
    assert rated(hall) == BOTH


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"takes_back": True}, "moves may be taken back"),
        ({"watched": "all"}, "spectators see more"),
        ({"watched": "second"}, "spectators see more"),
    ],
)
def test_what_helps_a_player_is_not_rated_and_says_so(more, why, hall):
    table, _ = begin(hall, **more)
    assert why in table.describe_view("first")["unrated"]  # before a move is made
    play(hall, table)
    assert why in find_unrated_reason(hall.match_infos[table.info.id])
    assert rated(hall) == set()


@pytest.mark.parametrize("turn", [0, 1])
def test_a_deal_that_was_seen_is_not_rated(turn, hall):
    """From turn 0, too: nothing was played before, and yet its cards are known."""
    first, _ = begin(hall)
    play(hall, first)
    again, key = begin(hall, of=first.info.id, number=0, turn=turn)
    assert bool(again.info.past) == bool(turn)
    assert again.info.seed == first.info.seed
    play(hall, again)
    assert "whose deal may be known" in find_unrated_reason(again.info)
    assert rated(hall) == BOTH  # of the first alone
    following, _ = hall.play_again(again, [key])
    assert find_unrated_reason(following.info) == find_unrated_reason(again.info)


def test_matches_that_are_no_contest(hall):
    alone, _ = hall.begin_match({"env": "game:Wordle-v0", "name": "Ann", "seats": {"player": "me"}})
    assert find_unrated_reason(alone.info) == "one plays alone"
    for bob in ("Ann", "ann"):
        table, _ = hall.begin_match(
            {"env": KUHN, "name": "Ann", "seats": {"first": "me", "second": "open"}}
        )
        assert not find_unrated_reason(table.info)
        hall.take_seat(table, "second", bob)
        assert find_unrated_reason(table.info) == "one player sits in several seats"


def test_who_leaves_has_lost(hall):
    """Else nobody would ever lose; but nobody loses what was never played, or by an agent."""
    early, _ = begin(hall, FOUR)
    early.leave("red")
    hall.run_agents(early)
    assert rated(hall) == set()
    assert "before anybody had moved" in find_unrated_reason(early.info)
    table, _ = begin(hall, FOUR)
    table.submit_reply("red", "3")
    table.leave("yellow")
    hall.run_agents(table)
    (found,) = hall.compute_ratings().values()
    assert [one.name for one in found] == ["human:Ann", "human:Bob"]
    assert found[0].mean > found[1].mean
    agents, _ = hall.begin_match(
        {"env": FOUR, "name": "Ann", "seats": {"red": "me", "yellow": "random"}}
    )
    agents.submit_reply("red", "3")
    agents.abandon()  # its agent has failed
    hall.match_infos[agents.info.id] = agents.info
    assert "by an agent" in find_unrated_reason(agents.info)
    assert agents.episode.returns == {}
    assert agents.episode.ended == "failed"


def test_ratings_are_of_matches_that_are_over():
    people = {"first": ("Ann", "hash"), "second": ("Bob", "hash")}
    info = MatchInfo("0123456789", KUHN, {}, 1, people, {})
    assert rate_players([info]) == {}
    over = info._replace(ended="terminated", returns={"first": 1.0, "second": -1.0})
    (found,) = rate_players([over] * 3).values()
    assert [(one.name, one.matches) for one in found] == [("human:Ann", 3), ("human:Bob", 3)]
