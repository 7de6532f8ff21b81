"""A table of the arena: kept at every move, taken back, proven, and blind where it has to be."""

import json
import random
import time

import packs
import pytest

import gem_ma
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.records import load_episodes
from gem_ma.serving.arena.match_files import ArenaError, MatchInfo
from gem_ma.serving.arena.match_session import MatchSession

FOUR, HANDS, KUHN = "game:ConnectFour-v0", "game:RockPaperScissors-v0", "game:KuhnPoker-v0"


def about(env=FOUR, **more):
    seats = gem_ma.make(env).possible_agents
    people = {seats[0]: ("Ann", "hash"), **dict.fromkeys(seats[1:], ("Bob", "other"))}
    return MatchInfo("0123456789", env, {}, 5, people, {}, **more)


def play(table, rng, moves=10**6):
    """Let everybody reply at random, one after the other."""
    while moves and not table.over:
        seat = rng.choice(table.list_due_seats())
        legal = table.get_turn(seat).legal
        table.submit_reply(seat, rng.choice(legal) if legal else "hello")
        moves -= 1


def views(table):
    seen = [table.describe_view(seat) for seat in (*table.seats, None)]
    left = {"seconds"}
    return [{name: value for name, value in one.items() if name not in left} for one in seen]


@pytest.mark.parametrize(
    "env",
    [
        *packs.present([FOUR, HANDS, KUHN, "tau:shop"]),
        pytest.param("game:Werewolf-v0", marks=pytest.mark.slow),
    ],
)
def test_a_table_stands_where_it_stood(env, tmp_path):
    rng = random.Random(3)
    table = MatchSession.create(tmp_path / "t", about(env))
    for _ in range(12):
        again = MatchSession.load(tmp_path / "t")
        assert views(again) == views(table)
        table = rng.choice([table, again])
        play(table, rng, 1)
        if table.over:
            break
    play(table, rng)
    assert table.describe_view(None)["id"] == table.info.id
    assert table.verify_record()
    (episode,) = load_episodes(table.write_record())
    assert set(episode.agents.values()) <= {"human:Ann", "human:Bob"}
    assert episode.returns == table.describe_view(None)["returns"]


def test_half_a_line_is_no_move(tmp_path):
    table = MatchSession.create(tmp_path / "t", about())
    table.submit_reply("red", "3")
    before = views(table)
    path = tmp_path / "t" / "moves.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seat": "yellow", "re')
    table = MatchSession.load(tmp_path / "t")
    assert views(table) == before
    table.submit_reply("yellow", "4")  # is glued onto nothing
    (first, second) = path.read_bytes().splitlines(keepends=True)
    assert (first, json.loads(second)["reply"]) == (whole, "4")
    assert views(MatchSession.load(tmp_path / "t")) == views(table)
    path.write_bytes(whole[:-5])  # the first line itself
    table = MatchSession.load(tmp_path / "t")
    assert table.list_due_seats() == ["red"]
    table.submit_reply("red", "5")
    assert json.loads(path.read_bytes())["reply"] == "5"


def test_moves_are_taken_back(tmp_path):
    table = MatchSession.create(tmp_path / "t", about(takes_back=True))
    before = views(table)
    for seat, reply in (("red", "3"), ("yellow", "4"), ("red", "3"), ("yellow", "5")):
        table.submit_reply(seat, reply)
    at = views(table)
    table.submit_reply("red", "1")
    table.take_back("red")
    assert views(table) == at
    table.take_back("red")
    assert table.list_due_seats() == ["red"]
    table.take_back("red")
    assert views(table) == before == views(MatchSession.load(tmp_path / "t"))
    with pytest.raises(ArenaError, match="red has not moved yet"):
        table.take_back("red")
    play(table, random.Random(1))
    assert table.verify_record()
    with pytest.raises(ArenaError, match="over"):
        table.take_back("red")
    other = MatchSession.create(tmp_path / "u", about())
    other.submit_reply("red", "3")
    with pytest.raises(ArenaError, match="moves cannot be taken back"):
        other.take_back("red")


def test_what_nobody_may_do(tmp_path):
    table = MatchSession.create(tmp_path / "t", about())
    for seat, reply, why in (
        ("yellow", "3", "not yellow's turn"),
        ("green", "3", "not green's turn"),
        ("red", "x" * 20_001, "at most 20000 characters"),
        ("red", None, "a reply is a text"),
    ):
        with pytest.raises(ArenaError, match=why):
            table.submit_reply(seat, reply)
    assert not (tmp_path / "t" / "moves.jsonl").exists()
    with pytest.raises(ArenaError, match="not over yet"):
        table.write_record()
    table.submit_reply("red", "the ninety-first")
    assert table.describe_view("red")["said"][0]["invalid"]["reason"]
    play(table, random.Random(1))
    with pytest.raises(ArenaError, match="the match is over"):
        table.submit_reply("red", "3")


def test_nobody_plays_before_all_have_sat_down(tmp_path):
    start = about()._replace(people={"red": ("Ann", "hash"), "yellow": ("", "")})
    table = MatchSession.create(tmp_path / "t", start)
    assert table.list_due_seats() == []
    with pytest.raises(ArenaError, match="every seat is taken"):
        table.submit_reply("red", "3")
    assert not table.describe_view("red")["yours"]
    table.take_seat("yellow", "Bob", "other")
    again = MatchSession.load(tmp_path / "t")
    for one in (table, again):
        assert one.list_due_seats() == ["red"]
        assert one.episode.agents == {"red": "human:Ann", "yellow": "human:Bob"}


def test_a_spectator_sees_nothing_before_the_end_unless_it_is_open(tmp_path):
    for watched in ("", "all", "second"):
        table = MatchSession.create(tmp_path / f"t{watched}", about(KUHN, watched=watched))
        seen = table.describe_view(None)
        assert {"text", "said", "image"} <= seen.keys() if watched else "image" not in seen
        assert ("rules" in seen) == (watched == "second")
        assert not seen.get("legal")
        assert not seen.get("yours")
        assert "returns" not in seen
        if watched == "second":
            own = table.describe_view("second")
            assert all(seen[name] == own[name] for name in ("text", "image", "said", "rules"))
        play(table, random.Random(1))
        assert {"text", "said", "image", "returns"} <= table.describe_view(None).keys()


def test_a_seat_sees_its_own_view_alone(tmp_path):
    """Of all deals in which a seat holds the same card, it is told the same."""
    told = {}
    for seed in range(24):
        table = MatchSession.create(tmp_path / str(seed), about(KUHN)._replace(seed=seed))
        own, other = (table._env.game_state.cards[at] for at in (0, 1))
        seen = table.describe_view("first")
        told.setdefault(own, []).append((other, json.dumps({**seen, "image": seen["image"].key})))
    assert any(len({other for other, _ in some}) > 1 for some in told.values())
    for some in told.values():
        assert len({seen for _, seen in some}) == 1


def test_a_clock_moves_for_those_who_do_not(tmp_path):
    table = MatchSession.create(tmp_path / "t", about(clock=5.0))
    assert 4 < table.compute_next_timeout() <= 5
    table.apply_clock()
    assert table.list_due_seats() == ["red"]  # there is time left
    while not table.over:
        (seat,) = table.list_due_seats()
        table.asked_at[seat] -= 6
        table.apply_clock()
    assert table.compute_next_timeout() is None
    assert all(one["late"] and not one["invalid"] for one in table.describe_view(None)["said"])
    assert sum(table.episode.report["out of time"].values()) == len(table.episode.steps)
    assert table.verify_record()
    assert views(MatchSession.load(tmp_path / "t")) == views(table)


def test_replies_that_the_clock_gave_are_marked_and_no_others(tmp_path):
    table = MatchSession.create(tmp_path / "t", about(clock=5.0, watched="all"))
    by_clock = [False, True, True, False, True]
    for is_late in by_clock:
        (seat,) = table.list_due_seats()
        if is_late:
            table.asked_at[seat] -= 6
            table.apply_clock()
        else:
            table.submit_reply(seat, "3")
    for one in (table, MatchSession.load(tmp_path / "t")):
        assert [step["late"] for step in one.describe_view(None)["said"]] == by_clock


def test_who_plays_and_what_became_of_it_is_told(tmp_path):
    table = MatchSession.create(tmp_path / "t", about())
    for seat in ("red", "yellow", None):
        assert table.describe_view(seat)["seats"] == {"red": "Ann", "yellow": "Bob"}
    for reply in "3434343":
        table.submit_reply(table.list_due_seats()[0], reply)
    for one in (table, MatchSession.load(tmp_path / "t")):
        told = one.describe_view("yellow")
        assert told["returns"] == {"red": 1.0, "yellow": -1.0}
        assert told["outcome"] == "red won"


def test_a_clock_of_the_whole_match(tmp_path):
    """A seat has its bank beside the seconds of each move, and gets back what it took back."""
    table = MatchSession.create(tmp_path / "t", about(clock=5.0, bank=60.0, takes_back=True))
    assert 64 < table.compute_next_timeout() <= 65
    assert table.describe_view("red")["bank"] == 60
    for took, bank in ((4, 60), (15, 50), (25, 30)):
        table.asked_at["red"] -= took
        table.apply_clock()
        table.submit_reply("red", "3")
        assert table.compute_bank("red") == pytest.approx(bank, abs=0.5)
        table.submit_reply("yellow", "2")
        assert table.compute_bank("yellow") == 60
    assert 34 < table.compute_next_timeout() <= 35
    table.take_back("red")
    assert table.compute_bank("red") == pytest.approx(50, abs=0.5)
    assert MatchSession.load(tmp_path / "t").compute_bank("red") == table.compute_bank("red")
    table.asked_at["red"] -= 56
    table.apply_clock()
    assert table.list_due_seats() == ["yellow"]
    assert table.episode.steps[-1] in table.late_steps
    assert table.compute_bank("red") == 0
    table.submit_reply("yellow", "1")
    assert 4 < table.compute_next_timeout() <= 5  # what is left is the time of a move
    assert not MatchSession.create(tmp_path / "u", about()).info.has_clock


def test_words_beside_the_game_and_leaving(tmp_path):
    table = MatchSession.create(tmp_path / "t", about())
    table.post_message("yellow", " hello ")
    for words, why in (("", "1 to 500"), ("x" * 501, "1 to 500"), (None, "1 to 500")):
        with pytest.raises(ArenaError, match=why):
            table.post_message("red", words)
    assert table.describe_view("red")["chat"] == [
        {"seat": "yellow", "name": "Bob", "words": "hello"}
    ]
    assert "hello" not in json.dumps(table.describe_view("red")["said"])
    table.submit_reply("red", "3")
    table.leave("yellow")
    assert table.list_due_seats() == []
    for one in (table, MatchSession.load(tmp_path / "t")):
        assert one.over
        assert one.describe_view("red")["left"] == "yellow"
        assert one.info.returns == {"red": 1.0, "yellow": -1.0}  # as by the engine
        assert one.episode.failure.kind == "Left"
    with pytest.raises(ArenaError, match="over"):
        table.leave("red")
    with pytest.raises(ArenaError, match="over"):
        table.submit_reply("yellow", "3")
    assert table.verify_record()
    quiet = MatchSession.create(tmp_path / "u", about(chat=False))
    with pytest.raises(ArenaError, match="this match has no chat"):
        quiet.post_message("red", "hello")


def test_a_match_that_nobody_plays_ends(tmp_path):
    """It ends as whoever it waits for has left it: a player, an agent, or a seat that is free."""
    agents = about()._replace(people={}, agents={"red": "random", "yellow": "random"})
    free = about()._replace(people={"red": ("Ann", "hash"), "yellow": ("", "")})
    for number, (start, who) in enumerate(((about(), "red"), (agents, "red"), (free, "yellow"))):
        table = MatchSession.create(tmp_path / str(number), start)
        assert table.find_last_change() == pytest.approx(time.time(), abs=60)
        table.abandon()
        assert table.info.outcome == f"{who} has left"
        assert MatchSession.load(tmp_path / str(number)).over
        assert table.verify_record()


@pytest.mark.parametrize("env", packs.present([FOUR, HANDS, KUHN, "tau:shop"]))
def test_any_turn_of_a_record_is_a_beginning(env, tmp_path):
    table = MatchSession.create(tmp_path / "t", about(env))
    play(table, random.Random(7), 12)
    steps = table.episode.steps
    for turn in range(len(steps) + 1):
        past = EpisodePrefix.from_record(table.episode, turn)
        start = about(env)._replace(past=past.moves)
        other = MatchSession.create(tmp_path / str(turn), start)
        begun = other.episode.begun
        assert begun <= turn
        assert begun == turn or env == HANDS  # what is said at once stays together
        assert [(s.agent, s.reply) for s in other.episode.steps] == [
            (s.agent, s.reply) for s in steps[:begun]
        ]
        assert views(MatchSession.load(tmp_path / str(turn))) == views(other)
        if not other.over:
            play(other, random.Random(1), 2)
            assert views(MatchSession.load(tmp_path / str(turn))) == views(other)


def test_a_record_that_went_on_is_proven(tmp_path):
    table = MatchSession.create(tmp_path / "t", about())
    play(table, random.Random(7))
    past = EpisodePrefix.from_record(table.episode, 4)
    other = MatchSession.create(tmp_path / "u", about()._replace(past=past.moves, takes_back=True))
    play(other, random.Random(1), 2)
    other.take_back("red")
    assert len(other.episode.steps) == 4
    with pytest.raises(ArenaError, match="has not moved yet"):
        other.take_back("red")
    play(other, random.Random(2))
    assert other.verify_record()
    (episode,) = load_episodes(other.write_record())
    assert (episode.begun, episode.steps[3].reply) == (4, table.episode.steps[3].reply)


@pytest.mark.parametrize(
    ("env", "moves"),
    [
        (FOUR, 6),
        (KUHN, 1),
        ("game:LiarsDice-v0", 9),
        ("game:Hearts-v0", 30),
        *((env, 6) for env in packs.present(["tau:shop"])),
        pytest.param("game:Werewolf-v0", 12, marks=pytest.mark.slow),
    ],
)
def test_the_log_has_the_moves_of_others_that_a_seat_was_told(env, moves, tmp_path):
    """Each stands before the reply that came after it, and nothing that its seat had not read."""
    table = MatchSession.create(tmp_path / "t", about(env))
    for _ in range(moves):
        seat = table.list_due_seats()[0]
        legal = table.get_turn(seat).legal
        table.submit_reply(seat, legal[0] if legal else "hello")
    assert not table.over
    told = 0
    for seat in table.seats:
        seen = table.describe_view(seat)
        assert all(one["seat"] == seat for one in seen["said"])
        for heard, text in (
            *((one["heard"], one["text"]) for one in seen["said"]),
            (seen["heard"], seen["text"]),
        ):
            for one in heard:
                told += 1
                assert one["seat"] != seat
                assert all(line in text for line in one["text"].splitlines())
    assert told >= moves  # each was told to one other at least
    past = EpisodePrefix.from_record(table.episode, moves - 1)
    other = MatchSession.create(tmp_path / "u", about(env)._replace(past=past.moves))
    again = MatchSession.load(tmp_path / "t")
    for seat in table.seats:  # also of what was played before, and of what was loaded
        assert again.describe_view(seat)["said"] == table.describe_view(seat)["said"]
        count = len(other.describe_view(seat)["said"])
        assert other.describe_view(seat)["said"] == table.describe_view(seat)["said"][:count]


def test_at_the_end_the_log_has_everything(tmp_path):
    table = MatchSession.create(tmp_path / "t", about(HANDS))
    table.submit_reply("left", "rock")
    table.submit_reply("right", "paper")
    assert [one["seat"] for one in table.describe_view("left")["said"]] == ["left"]
    table.leave("right")
    for seat in ("left", "right", None):
        said = [(one["seat"], one["reply"]) for one in table.describe_view(seat)["said"]]
        assert said == [("left", "rock"), ("right", "paper")]
    assert table.describe_view("left")["heard"] == []  # it stands in the log
