"""Diplomacy: seasons, retreats, builds, the end, and talk in secret."""

from dataclasses import replace

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour.diplomacy.board import CENTRES, HOMES, POWERS
from gem_ma.envs.parlour.diplomacy.game import Diplomacy, State
from gem_ma.testing import certify, check_env

BEGIN = Diplomacy(talks=0).start(np.random.default_rng(0), {})


def given(state, **replies):
    """Play one step: replies by power, the others hold."""
    game = Diplomacy()
    moves = {
        power: game.read(replies[power], state.seen_by(power), power) if power in replies else ()
        for power in state.to_act()
    }
    assert replies.keys() <= moves.keys()
    return game.advance(state, moves, None)


def placed(armies, owners="", **more):
    """Return a position of armies such as "n ARD", with centres such as "n PER" beside homes."""
    long = {power[0]: power for power in POWERS}
    there = tuple(sorted((one.split()[1], long[one[0]]) for one in armies.split(", ")))
    owner = dict(zip(CENTRES, BEGIN.owners, strict=True))
    owner |= {one.split()[1]: long[one[0]] for one in owners.split(", ") if one}
    return replace(BEGIN, armies=there, owners=tuple(owner.values()), **more)


def test_a_year():
    state = given(BEGIN, north="BIR - MOR; ARD - PER", east="DOR - MOR", west="KEL - LUN")
    assert state.own("north") == ("BIR", "PER")
    assert state.season == 1
    assert state.count("north") == 2  # counted in autumn only
    state = given(state, north="BIR - MOR", west="LUN - QUA")
    assert state.phase == "build"
    assert (state.count("north"), state.count("west"), state.count("east")) == (4, 3, 2)
    assert state.to_act() == ("north", "west")
    assert state.builds("north") == 2
    state = given(state, north="build ARD BIR", west="wait")
    assert state.own("north") == ("ARD", "BIR", "MOR", "PER")
    assert state.own("west") == ("JAR", "QUA")
    assert (state.season, state.phase) == (2, "order")
    gone = given(state, north="PER - LUN")
    assert gone.count("north") == 4  # a centre stays whose it was


def test_who_builds_where():
    state = placed("n ARD, n CAL, e DOR", "n PER, n MOR, s BIR, w NAI", season=1, phase="build")
    assert state.sites("north") == ()  # ARD is not free, and BIR not its own
    assert state.builds("north") == 0
    assert state.to_act() == ("east", "south", "west")
    assert state.builds("west") == 2  # has three centres, but two homes only
    for text in ("build QUA", "build JAR KEL LUN", "build", "disband"):
        with pytest.raises(InvalidMove):
            Diplomacy().read(text, state, "west")
    assert given(state, west="JAR").own("west") == ("JAR",)


def test_who_disbands():
    state = placed("n ARD, n BIR, n CAL, n PER, e DOR", season=1, phase="build")
    assert state.builds("north") == -2
    assert given(state, north="disband ARD BIR").own("north") == ("CAL", "PER")
    assert given(state, north="disband PER").own("north") == ("BIR", "CAL")  # and the first
    assert given(state).own("north") == ("CAL", "PER")
    with pytest.raises(InvalidMove):
        given(state, north="disband DOR")


def test_retreats():
    state = placed("n ARD, n PER, e CAL, s FEN, w QUA, w ISE")
    state = given(state, north="ARD - CAL; PER S ARD - CAL", south="FEN H", west="ISE - LUN")
    assert state.phase == "retreat"
    assert state.to_act() == ("east",)
    for text in ("CAL - ARD", "CAL - QUA", "CAL - LUN", "FEN - ISE", "CAL", "PER - LUN"):
        with pytest.raises(InvalidMove):
            given(state, east=text)
    assert ("BIR", "east") in given(state, east="cal to bir").armies
    for text in ("disband", "CAL disband"):
        assert given(state, east=text).own("east") == ()
    assert given(state).own("east") == ()
    two = replace(state, dislodged=(("CAL", "east", ("MOR",)), ("DOR", "south", ("MOR",))))
    after = given(two, east="CAL - MOR", south="DOR - MOR")
    assert not [at for at, _ in after.armies if at == "MOR"]  # both are gone
    assert given(two, east="CAL - MOR").own("east") == ("MOR",)


def test_how_it_ends():
    many = "n PER, n MOR, n QUA, n NAI"
    state = placed("n ARD, n BIR, n CAL, n FEN, n LUN, e OST", many, season=1)
    won = given(state, north="LUN - JAR")
    assert won.to_act() == ()
    assert won.returns() == {"north": 1.0, "east": 0.0, "south": 0.0, "west": 0.0}
    assert not any(state.returns().values())
    state = replace(BEGIN, years=1)
    for step in range(2):
        state = given(state, **({"north": "BIR - MOR"} if step else {}))
    state = given(state, north="wait")
    assert state.to_act() == ()
    assert state.returns() == {p: (3 if p == "north" else 2) / 13 for p in POWERS}
    assert "The game is over" in Diplomacy().describe(state, None)


def test_who_leaves():
    state = BEGIN.leave("north")
    assert state.to_act() == ("east", "south", "west")
    assert state.out() == ("north",)
    state = given(state, east="DOR - MOR", west="KEL - PER")
    assert state.own("north") == ("ARD", "BIR")
    over = given(given(replace(state, years=1)), east="wait", west="wait")
    assert over.returns() == {"north": 0.0, "east": 3 / 13, "south": 2 / 13, "west": 3 / 13}
    game = Diplomacy()
    fought = placed("n ARD, n PER, e CAL, s FEN")
    fought = given(fought, north="ARD - CAL; PER S ARD - CAL")
    assert fought.to_act() == ("east",)
    assert game.forfeit(fought, "east", None).phase == "order"


def test_talk_in_secret():
    env = gem_ma.make("game:Diplomacy-v0")
    env.reset(seed=0)
    env.step_seats({
        "north": "to east: Let us take west.\nTogether.\nto all: Peace!\nto west: I am true.",
        "east": "nothing",
        "south": "north: to all: I give up.",
        "west": "to: north, hello",
    })  # fmt: skip
    texts = {power: env.turn(power).text for power in POWERS}
    secret = {power: "take west" in text for power, text in texts.items()}
    assert secret == {"north": False, "east": True, "south": False, "west": False}
    assert "north: (to you alone) Let us take west.\nnorth: Together." in texts["east"]
    assert [power for power in POWERS if "I am true" in texts[power]] == ["west"]
    assert [power for power in POWERS if "Peace!" in texts[power]] == [*POWERS[1:]]
    assert all("south: north: to all: I give up." in texts[p] for p in ("north", "east", "west"))
    assert not any(
        line.startswith("north: to all") for t in texts.values() for line in t.split("\n")
    )


@pytest.mark.parametrize("text", ["", "to north: me", "x" * 501, "to all:", "to east:" + "x" * 501])
def test_what_is_no_message(text):
    talking = replace(BEGIN, phase="talk", talks=1)
    with pytest.raises(InvalidMove):
        Diplomacy().read(text, talking, "north")


def test_what_came_of_orders_is_told():
    game = Diplomacy()
    moves = dict.fromkeys(POWERS, ())
    moves["north"] = game.read("BIR - MOR", BEGIN, "north")
    moves["east"] = game.read("DOR - MOR; ELM S DOR", BEGIN, "east")
    news = [m.text for m in game.tell(BEGIN, moves, game.advance(BEGIN, moves, None))]
    assert news == [
        "north: BIR - MOR (fails).",
        "east: DOR - MOR (fails); ELM S DOR.",
        "south: no orders.",
        "west: no orders.",
    ]


def test_random_games_keep_the_count():
    game, rng = Diplomacy(years=6, talks=0), np.random.default_rng(0)
    for _ in range(10):
        state, steps = game.start(rng, {}), 0
        while state.to_act():
            legal = {p: state.legal(p) for p in state.to_act()}
            moves = {
                p: game.read(some[int(rng.integers(len(some)))], state, p)
                for p, some in legal.items()
            }
            assert len({at for at, _ in state.armies}) == len(state.armies)
            if state.phase in ("talk", "order") and state.season % 2 == 0:  # after a winter
                assert all(len(state.own(p)) <= state.count(p) for p in POWERS)
            state, steps = game.advance(state, moves, rng), steps + 1
        assert steps <= 3 * 12
        assert sum(state.returns().values()) <= 1 + 1e-9


@pytest.mark.parametrize("views", [6, pytest.param(30, marks=pytest.mark.slow)])
def test_contract_and_pictures(views):
    assert isinstance(BEGIN, State)
    assert all(at in HOMES[power][:2] for at, power in BEGIN.armies)
    check_env(gem_ma.make("game:Diplomacy-v0", years=1), seeds=1, processes=False)
    certify("game:Diplomacy-v0", theme=3, views=views)
