"""A table of the arena: kept at every move, taken back, proven, and blind where it has to be."""

import json
import random
import time

import packs
import pytest

import gem_ma
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.records import load_episodes
from gem_ma.serving.arena.table import About, Refused, Table

FOUR, HANDS, KUHN = "game:ConnectFour-v0", "game:RockPaperScissors-v0", "game:KuhnPoker-v0"


def about(env=FOUR, **more):
    seats = gem_ma.make(env).possible_agents
    people = {seats[0]: ("Ann", "hash"), **dict.fromkeys(seats[1:], ("Bob", "other"))}
    return About("0123456789", env, {}, 5, people, {}, **more)


def play(table, rng, moves=10**6):
    """Let everybody reply at random, one after the other."""
    while moves and not table.over:
        seat = rng.choice(table.waits())
        legal = table.turn(seat).legal
        table.say(seat, rng.choice(legal) if legal else "hello")
        moves -= 1


def views(table):
    seen = [table.seen(seat) for seat in (*table.seats, None)]
    left = {"seconds"}
    return [{name: value for name, value in one.items() if name not in left} for one in seen]


@pytest.mark.parametrize("env", packs.present([FOUR, HANDS, KUHN, "game:Werewolf-v0", "tau:shop"]))
def test_a_table_stands_where_it_stood(env, tmp_path):
    rng = random.Random(3)
    table = Table.new(tmp_path / "t", about(env))
    for _ in range(12):
        again = Table.load(tmp_path / "t")
        assert views(again) == views(table)
        table = rng.choice([table, again])
        play(table, rng, 1)
        if table.over:
            break
    play(table, rng)
    assert table.verified()
    (episode,) = load_episodes(table.record())
    assert set(episode.agents.values()) <= {"human:Ann", "human:Bob"}
    assert episode.returns == table.seen(None)["returns"]


def test_half_a_line_is_no_move(tmp_path):
    table = Table.new(tmp_path / "t", about())
    table.say("red", "3")
    before = views(table)
    path = tmp_path / "t" / "moves.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seat": "yellow", "re')
    assert views(Table.load(tmp_path / "t")) == before
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-5])  # the first line itself
    assert Table.load(tmp_path / "t").waits() == ["red"]
    assert path.read_bytes() == b""


def test_moves_are_taken_back(tmp_path):
    table = Table.new(tmp_path / "t", about(takes_back=True))
    before = views(table)
    for seat, reply in (("red", "3"), ("yellow", "4"), ("red", "3"), ("yellow", "5")):
        table.say(seat, reply)
    at = views(table)
    table.say("red", "1")
    table.back("red")
    assert views(table) == at
    table.back("red")
    assert table.waits() == ["red"]
    table.back("red")
    assert views(table) == before == views(Table.load(tmp_path / "t"))
    with pytest.raises(Refused, match="red has not moved yet"):
        table.back("red")
    play(table, random.Random(1))
    assert table.verified()
    with pytest.raises(Refused, match="over"):
        table.back("red")
    other = Table.new(tmp_path / "u", about())
    other.say("red", "3")
    with pytest.raises(Refused, match="nothing is taken back"):
        other.back("red")


def test_what_nobody_may_do(tmp_path):
    table = Table.new(tmp_path / "t", about())
    for seat, reply, why in (
        ("yellow", "3", "not yellow's turn"),
        ("green", "3", "not green's turn"),
        ("red", "x" * 20_001, "at most 20000 characters"),
        ("red", None, "a reply is a text"),
    ):
        with pytest.raises(Refused, match=why):
            table.say(seat, reply)
    assert not (tmp_path / "t" / "moves.jsonl").exists()
    with pytest.raises(Refused, match="not over yet"):
        table.record()
    table.say("red", "the ninety-first")
    assert table.seen("red")["said"][0]["invalid"]["reason"]
    play(table, random.Random(1))
    with pytest.raises(Refused, match="the match is over"):
        table.say("red", "3")


def test_nobody_plays_before_all_have_sat_down(tmp_path):
    start = about()._replace(people={"red": ("Ann", "hash"), "yellow": ("", "")})
    table = Table.new(tmp_path / "t", start)
    assert table.waits() == []
    with pytest.raises(Refused, match="every seat is taken"):
        table.say("red", "3")
    assert not table.seen("red")["yours"]
    table.sit("yellow", "Bob", "other")
    again = Table.load(tmp_path / "t")
    for one in (table, again):
        assert one.waits() == ["red"]
        assert one.episode.agents == {"red": "human:Ann", "yellow": "human:Bob"}


def test_a_spectator_sees_nothing_before_the_end_unless_it_is_open(tmp_path):
    for watched in ("", "all", "second"):
        table = Table.new(tmp_path / f"t{watched}", about(KUHN, watched=watched))
        seen = table.seen(None)
        assert {"text", "said", "image"} <= seen.keys() if watched else "image" not in seen
        assert ("rules" in seen) == (watched == "second")
        assert not seen.get("legal")
        assert not seen.get("yours")
        assert "returns" not in seen
        if watched == "second":
            own = table.seen("second")
            assert all(seen[name] == own[name] for name in ("text", "image", "said", "rules"))
        play(table, random.Random(1))
        assert {"text", "said", "image", "returns"} <= table.seen(None).keys()


def test_a_seat_sees_its_own_view_alone(tmp_path):
    """Of all deals in which a seat holds the same card, it is told the same."""
    told = {}
    for seed in range(24):
        table = Table.new(tmp_path / str(seed), about(KUHN)._replace(seed=seed))
        own, other = (table._env.game_state.cards[at] for at in (0, 1))
        seen = table.seen("first")
        told.setdefault(own, []).append((other, json.dumps({**seen, "image": seen["image"].hex()})))
    assert any(len({other for other, _ in some}) > 1 for some in told.values())
    for some in told.values():
        assert len({seen for _, seen in some}) == 1


def test_a_clock_moves_for_those_who_do_not(tmp_path):
    table = Table.new(tmp_path / "t", about(clock=5.0))
    assert 4 < table.clock() <= 5
    table.hurry()
    assert table.waits() == ["red"]  # there is time left
    while not table.over:
        (seat,) = table.waits()
        table.since[seat] -= 6
        table.hurry()
    assert table.clock() is None
    assert all(one["late"] and not one["invalid"] for one in table.seen(None)["said"])
    assert sum(table.episode.report["out of time"].values()) == len(table.episode.steps)
    assert table.verified()
    assert views(Table.load(tmp_path / "t")) == views(table)


def test_a_clock_of_the_whole_match(tmp_path):
    """A seat has its bank beside the seconds of each move, and gets back what it took back."""
    table = Table.new(tmp_path / "t", about(clock=5.0, bank=60.0, takes_back=True))
    assert 64 < table.clock() <= 65
    assert table.seen("red")["bank"] == 60
    for took, bank in ((4, 60), (15, 50), (25, 30)):
        table.since["red"] -= took
        table.hurry()
        table.say("red", "3")
        assert table.bank("red") == pytest.approx(bank, abs=0.5)
        table.say("yellow", "2")
        assert table.bank("yellow") == 60
    assert 34 < table.clock() <= 35
    table.back("red")
    assert table.bank("red") == pytest.approx(50, abs=0.5)
    assert Table.load(tmp_path / "t").bank("red") == table.bank("red")
    table.since["red"] -= 56
    table.hurry()
    assert table.waits() == ["yellow"]
    assert table.episode.steps[-1] in table.late
    assert table.bank("red") == 0
    table.say("yellow", "1")
    assert 4 < table.clock() <= 5  # what is left is the time of a move
    assert not Table.new(tmp_path / "u", about()).about.timed


def test_words_beside_the_game_and_leaving(tmp_path):
    table = Table.new(tmp_path / "t", about())
    table.speak("yellow", " hello ")
    for words, why in (("", "1 to 500"), ("x" * 501, "1 to 500"), (None, "1 to 500")):
        with pytest.raises(Refused, match=why):
            table.speak("red", words)
    assert table.seen("red")["chat"] == [{"seat": "yellow", "name": "Bob", "words": "hello"}]
    assert "hello" not in json.dumps(table.seen("red")["said"])
    table.say("red", "3")
    table.leave("yellow")
    assert table.waits() == []
    for one in (table, Table.load(tmp_path / "t")):
        assert one.over
        assert one.seen("red")["left"] == "yellow"
        assert one.episode.failure.kind == "Left"
    with pytest.raises(Refused, match="over"):
        table.leave("red")
    with pytest.raises(Refused, match="over"):
        table.say("yellow", "3")
    assert table.verified()
    quiet = Table.new(tmp_path / "u", about(chat=False))
    with pytest.raises(Refused, match="do not talk"):
        quiet.speak("red", "hello")


def test_a_match_that_nobody_plays_ends(tmp_path):
    """It ends as whoever it waits for has left it: a player, an agent, or a seat that is free."""
    agents = about()._replace(people={}, agents={"red": "random", "yellow": "random"})
    free = about()._replace(people={"red": ("Ann", "hash"), "yellow": ("", "")})
    for number, (start, who) in enumerate(((about(), "red"), (agents, "red"), (free, "yellow"))):
        table = Table.new(tmp_path / str(number), start)
        assert table.moved() == pytest.approx(time.time(), abs=60)
        table.abandon()
        assert table.about.outcome == f"{who} has left"
        assert Table.load(tmp_path / str(number)).over
        assert table.verified()


@pytest.mark.parametrize("env", packs.present([FOUR, HANDS, KUHN, "tau:shop"]))
def test_any_turn_of_a_record_is_a_beginning(env, tmp_path):
    table = Table.new(tmp_path / "t", about(env))
    play(table, random.Random(7), 30)
    steps = table.episode.steps
    for turn in range(len(steps) + 1):
        past = EpisodePrefix.from_record(table.episode, turn)
        start = about(env)._replace(past=past.moves)
        other = Table.new(tmp_path / str(turn), start)
        begun = other.episode.begun
        assert begun <= turn
        assert begun == turn or env == HANDS  # what is said at once stays together
        assert [(s.agent, s.reply) for s in other.episode.steps] == [
            (s.agent, s.reply) for s in steps[:begun]
        ]
        assert views(Table.load(tmp_path / str(turn))) == views(other)
        if not other.over:
            play(other, random.Random(1), 2)
            assert views(Table.load(tmp_path / str(turn))) == views(other)


def test_a_record_that_went_on_is_proven(tmp_path):
    table = Table.new(tmp_path / "t", about())
    play(table, random.Random(7))
    past = EpisodePrefix.from_record(table.episode, 4)
    other = Table.new(tmp_path / "u", about()._replace(past=past.moves, takes_back=True))
    play(other, random.Random(1), 2)
    other.back("red")
    assert len(other.episode.steps) == 4
    with pytest.raises(Refused, match="has not moved yet"):
        other.back("red")
    play(other, random.Random(2))
    assert other.verified()
    (episode,) = load_episodes(other.record())
    assert (episode.begun, episode.steps[3].reply) == (4, table.episode.steps[3].reply)
