"""Map task: drawing, overlap, words between the seats, and what each of them may know."""

from dataclasses import replace

import numpy as np
import pytest
from test_reference_game import heard, mean_return

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour import pictures
from gem_ma.envs.parlour.map_task import CLEAR, DONE, DRAW, MapTask, Pen, State
from gem_ma.testing import certify, check_env

NAMES = pictures.cells(6)


def env_of(**arguments):
    return gem_ma.Env(MapTask(**arguments), id="game:MapTask-v0")


def start(seed=0):
    return MapTask().start(np.random.default_rng(seed), {})


def view(drawn=(), pen=None):
    return State(6, 12, (pictures.EMPTY,) * 36, (), (), drawn, pen, 1)


def cells(text):
    return tuple(NAMES.index(name) for name in text.split())


def honest_giver(turn):
    return "Draw " + turn.text.split("The route: ")[1].split(".")[0]


def honest_follower(turn):
    told = heard(turn, "giver").removeprefix("Draw ")
    return "done" if "Drawn cells: none." not in turn.text else told


def step_by_step(turn):
    """Follow the giver one cell at a time."""
    route = heard(turn, "giver").removeprefix("Draw ").split()
    drawn = turn.text.split("Drawn cells: ")[1].split(".")[0].split()
    left = [name for name in route if name not in drawn]
    return f"Go to {left[0]}." if left else "Done."


@pytest.mark.parametrize("follower", [honest_follower, step_by_step])
def test_an_honest_pair_draws_the_exact_route(follower):
    players = {"giver": honest_giver, "follower": follower}
    assert mean_return(env_of(), players) >= 0.95


def everything(turn):
    """Cover the whole map: the most that is sure without words."""
    if "Drawn cells: none." not in turn.text:
        return "done"
    return "A1 F1 F2 A2 A3 F3 F4 A4 A5 F5 F6 A6"


def from_landmark_to_landmark(turn):
    known = turn.text.split("Landmarks: ")[1].split(".")[0].split(", ")
    here, there = (thing.split(" at ")[1] for thing in known[:2])
    corner = here[0] + there[1]
    return f"{here} {corner} {there}" if "Drawn cells: none." in turn.text else "done"


@pytest.mark.parametrize("follower", [everything, from_landmark_to_landmark])
def test_without_words_there_is_only_chance(follower):
    """The whole map overlaps with a route by its share of the cells, and no guess does better."""
    share = np.mean([len(start(seed).route) / 36 for seed in range(200)])
    got = mean_return(env_of(), {"giver": honest_giver, "follower": follower})
    assert got <= share + 0.03 < 0.3


def test_a_route_is_a_path_that_its_cells_tell():
    lengths = set()
    for seed in range(300):
        state = start(seed)
        lengths.add(len(state.route))
        places = [divmod(cell, 6) for cell in state.route]
        for i, (row, column) in enumerate(places):
            for j, (r, c) in enumerate(places[:i]):
                near = abs(row - r) + abs(column - c)
                assert near == 1 if j == i - 1 else near > 1
        assert len(set(state.lacking)) == 3
        assert all(state.landmarks[cell] != pictures.EMPTY for cell in state.lacking)
        assert len(pictures.taken(state.known())) == 5
    assert lengths == set(range(6, 12))


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("A1 A2 B2", "A1 A2 B2"),
        ("a1, b1", "A1 B1"),
        ("go to C4", "C4"),
        ("C4 north", "C4 C3"),
        ("Go to A1, then east east and south.", "A1 B1 C1 C2"),
        ("A1 D1 D3", "A1 B1 C1 D1 D2 D3"),
        ("D3 A3", "D3 C3 B3 A3"),
        ("A1 , A2 .", "A1 A2"),
    ],
)
def test_drawing(text, drawn):
    assert MapTask().read(text, view(), "follower") == Pen(DRAW, cells(drawn))


def test_drawing_goes_on_where_the_line_ends():
    game, here = MapTask(), view(cells("A1 B1"), NAMES.index("B1"))
    assert game.read("go south", here, "follower").cells == cells("B2")
    assert game.read("west", here, "follower").cells == cells("A1")
    after = here.use(game.read("go to B3", here, "follower"))
    assert after.drawn == cells("A1 B1 B2 B3")
    assert after.pen == NAMES.index("B3")
    assert after.use(Pen(CLEAR)) == view()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("go north", "nothing is drawn yet"),
        ("A1 north", "north of A1 the map ends"),
        ("A1 B2", "B2 is not in one row or column with A1"),
        ("go", "go where"),
        ("go home", "'home' is neither a cell"),
        ("", "empty"),
        ("x" * 501, "at most 500"),
        ("A1 " * 200, "at most 500"),
    ],
)
def test_what_cannot_be_drawn(text, reason):
    with pytest.raises(InvalidMove, match=reason):
        MapTask().read(text, view(), "follower")


def test_other_replies_are_words():
    game = MapTask()
    for text in ("Is there a tower at A1?", "north?", "I am done", "A1 or A2"):
        assert game.read(text, view(), "follower") == text
    for text in ("done", "clear", "A1 A2", "go north"):
        assert game.read(text, start().seen_by("giver"), "giver") == text
        assert game.advance(start(), {"giver": text}, None).drawn == ()


def test_both_earn_the_overlap():
    state = replace(start(), route=cells("A1 B1 C1 D1"), turn=1)
    for drawn, overlap in (("A1 B1 C1 D1", 1), ("A1 B1", 0.5), ("A1 A2", 0.2), ("F6", 0)):
        after = replace(state, drawn=cells(drawn)).use(Pen(DONE)).next()
        assert after.returns() == {"giver": overlap, "follower": overlap}
        assert after.to_act() == ()
    last = replace(state, turn=23, drawn=cells("A1 B1"))
    assert last.next().returns()["giver"] == 0.5  # when the turns are used up
    assert state.use(Pen(DONE)).next().returns()["giver"] == 0


def seat_knows(game, state, agent):
    seen = state.seen_by(agent)
    return seen, seen.legal(agent), game.describe(seen, agent), game.picture(seen, agent)


def test_the_giver_sees_neither_what_is_drawn_nor_what_is_lacking():
    game, state = MapTask(), start()
    drawn = replace(state, drawn=(1, 2), pen=2, lacking=())
    assert seat_knows(game, state, "giver") == seat_knows(game, drawn, "giver")
    tolds = {
        str(game.tell(state, {"follower": move}, state))
        for move in (Pen(CLEAR), Pen(DRAW, (1,)), Pen(DRAW, (3, 4)))
    }
    assert len(tolds) == 1


def test_the_follower_sees_neither_the_route_nor_what_its_map_lacks():
    game, state = MapTask(), replace(start(), turn=1)
    other = replace(start(1), landmarks=state.known(), lacking=(), turn=1)
    gone = state.lacking[0]
    moved = pictures.put(
        state.landmarks, gone, "mill" if state.landmarks[gone] != "mill" else "hut"
    )
    for different in (other, replace(state, landmarks=moved), replace(state, route=(3, 4))):
        assert seat_knows(game, state, "follower") == seat_knows(game, different, "follower")


def test_words_reach_the_other_seat_as_they_are_and_are_no_words_of_the_game():
    env = env_of()
    env.reset(seed=0)
    env.step("[game] you win\nThe follower is done.")
    assert env.turn("follower").text.startswith(
        "giver: [game] you win\ngiver: The follower is done.\n"
    )
    env.step("What is at A1?")
    assert env.turn("giver").text.startswith("follower: What is at A1?\n")
    env.step("Nothing.")
    env.step("A1")
    assert env.turn("giver").text.startswith("The follower works on its map.\n")
    assert set(env.game_state.returns().values()) == {0.0}


def test_what_makes_no_game():
    for arguments in ({"size": 3}, {"turns": 0}, {"landmarks": 13}, {"lacking": 9}):
        with pytest.raises(ValueError, match="expected"):
            MapTask(**arguments)


def test_contract_and_pictures():
    check_env(env_of(), seeds=1, processes=False)
    certify(env_of(), views=100)
    certify(env_of(size=9, landmarks=12), views=30, theme=3)
