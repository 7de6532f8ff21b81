"""Battleship: shots worked out by hand, games beside OpenSpiel's, fleets, secrets."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.boards.battleship import Battleship, State
from gem_ma.testing import certify, check_env

WATER = "." * 9
SEA = "AA.B..B.."  # two ships of two cells
SMALL = Battleship(3, (2, 2))


def small(seas=(SEA, SEA)):
    return State(3, seas, (WATER, WATER), ("AB", "AB"))


def shots(state, *cells):
    """Play cells of first, while second shoots at water."""
    for cell, other in zip(cells, ("c1", "c2", "b2", "c3", "b3"), strict=False):
        for text in (cell, other):
            if state.to_act():
                seat = state.to_act()[0]
                move = SMALL.read(text, state.seen_by(seat), seat)
                state = SMALL.advance(state, {seat: move}, None)
    return state


def test_hits_misses_and_sunk_ships():
    state = shots(small(), "a1", "c3")
    assert state.shots == ("x.......o", "..o..o...")
    assert state.left == ("AB", "AB")
    state = shots(small(), "a1", "B1.")
    assert state.shots[0] == "AA......."
    assert state.left == ("AB", "B")
    state = shots(small(), "a1", "a2", "a3", "b1")
    assert (state.left, state.to_act()) == (("AB", ""), ())
    assert state.returns() == {"first": 1.0, "second": -1.0}


def test_a_cell_is_shot_at_once():
    state = shots(small(), "a1")
    assert "a1" not in state.legal("first")
    with pytest.raises(InvalidMove, match="you shot at 'a1' before"):
        SMALL.read("a1", state, "first")
    for text in ("d1", "a4", "a0", "a", "1a", "", "a1 a2"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            SMALL.read(text, state, "first")


def test_what_is_told():
    before = shots(small(), "a1")
    heard = []
    for text in ("b1", "a1"):
        seat = before.to_act()[0]
        moves = {seat: SMALL.read(text, before, seat)}
        after = SMALL.advance(before, moves, None)
        heard += [str(message) for message in SMALL.tell(before, moves, after)]
        before = after
    assert heard == [
        "first: b1",
        "b1 is a hit that sinks ship A of 2.",
        "second: a1",
        "a1 is a hit.",
    ]


def test_words_of_both_boards():
    state = shots(small(), "b1", "c3")
    first = SMALL.describe(state.seen_by("first"), "first").splitlines()
    assert first[2:5] == [" 1 A A o", " 2 B . o", " 3 B . ."]
    assert first[7:10] == [" 1 . x .", " 2 . . .", " 3 . . o"]
    second = SMALL.describe(state.seen_by("second"), "second").splitlines()
    assert second[2:5] == [" 1 . . o", " 2 . . o", " 3 . . ."]
    assert second[7:10] == [" 1 A a .", " 2 B . .", " 3 B . o"]


def test_every_fleet_lies_as_it_should():
    for game in (Battleship(), Battleship(10, (5, 4, 3, 3, 2)), Battleship(4, (4, 4))):
        seas = set()
        for seed in range(100):
            seas.update(game.start(np.random.default_rng(seed), {}).seas)
        assert len(seas) > 10 * (game.size > 4)
        for sea in seas:
            for ship, length in zip("ABCDE", game.ships, strict=False):
                cells = [divmod(i, game.size) for i, other in enumerate(sea) if other == ship]
                rows, columns = ({cell[i] for cell in cells} for i in (0, 1))
                assert len(cells) == length
                assert sorted((len(rows), len(columns))) == [1, length]
                assert max(rows) - min(rows) + max(columns) - min(columns) == length - 1


class Fixed(Battleship):
    seas = (SEA, SEA)

    def start(self, rng, options):
        return small(self.seas)


def test_a_seat_learns_nothing_but_what_its_shots_found():
    """Whatever lies where first has not shot, and wherever hit ships go on, it reads the same."""
    others = "AA.B..B..", "AA....BB.", "A..A...BB", "BB.A..A..", "AA...B..B"
    seen = set()
    for sea in others:
        game = Fixed(3, (2, 2))
        game.seas = SEA, sea
        env = gem_ma.Env(game)
        env.reset(seed=0)
        for text in ("c1", "c1", "a1", "b2"):
            env.step(text)
        view = env.game_state.seen_by("first")
        heard = [str(message) for message in env.messages("first")]
        scene, numbers = SMALL.picture(view, "first"), SMALL.encode(view, "first").tobytes()
        seen.add((view, env.observe("first")["text"], scene, numbers, view.legal("first"), *heard))
    assert len(seen) == 1


def test_a_forfeit_loses():
    env = gem_ma.Env(SMALL, invalid="lose")
    env.reset(seed=0)
    env.step("?")
    assert env.rewards == {"first": -1.0, "second": 1.0}


@pytest.mark.parametrize(
    "arguments", [{"size": 1}, {"size": 40}, {"ships": ()}, {"ships": (9,)}, {"ships": (8,) * 5}]
)
def test_what_makes_no_game(arguments):
    with pytest.raises(ValueError, match="expected"):
        Battleship(**arguments)


def test_the_contract_and_the_pictures():
    check_env(gem_ma.Env(Battleship(5, (3, 2))), seeds=1, processes=False)
    certify(gem_ma.Env(Battleship()), views=150)
    certify(gem_ma.Env(Battleship(), theme="mono"), views=50)


def berth(game, sea, ship):
    """Return OpenSpiel's name for where a ship lies."""
    cells = [divmod(i, game.size) for i, other in enumerate(sea) if other == ship]
    return f"{'h' if len({row for row, _ in cells}) == 1 else 'v'}_{cells[0][0]}_{cells[0][1]}"


def place_like(state, game, seas):
    words = {"h": "horizontally", "v": "vertically"}
    for ship in game.fleet:
        for player, sea in enumerate(seas):
            way, row, column = berth(game, sea, ship).split("_")
            name = f"Pl{player}: place ship {words[way]} with top-left corner in ({row}, {column})"
            state.apply_action(state.string_to_action(player, name))


def test_random_games_agree_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    game = Battleship()
    theirs = pyspiel.load_game(
        "battleship(board_width=8,board_height=8,ship_sizes=[4;3;3;2],ship_values=[1;1;1;1],"
        "num_shots=64,allow_repeated_shots=false)"
    )
    winners = set()
    for seed in range(50):
        rng = np.random.default_rng(seed)
        ours, state = game.start(rng, {}), theirs.new_initial_state()
        place_like(state, game, ours.seas)
        while ours.to_act():
            seat, player = ours.to_act()[0], state.current_player()
            assert game.agents[player] == seat
            view, names = ours.seen_by(seat), {}
            for action in state.legal_actions():
                row, column = state.action_to_string(action).split("(")[1][:-1].split(", ")
                names["abcdefgh"[int(column)] + str(int(row) + 1)] = action
            assert sorted(view.legal(seat)) == sorted(names)
            text = view.legal(seat)[rng.integers(len(names))]
            ours = game.advance(ours, {seat: game.read(text, view, seat)}, rng)
            state.apply_action(names[text])
            shown = state.observation_string(player).split("outcomes:")[1]
            board = "".join(line[1:9] for line in shown.splitlines() if line.startswith("|"))
            mine = "".join("#" if c in "xABCD" else c for c in ours.shots[player])
            assert mine == board.replace(" ", ".").replace("@", "o")
        assert state.is_terminal()
        # Theirs counts the ships sunk by each side.
        sunk = [4 - len(left) for left in reversed(ours.left)]
        assert state.returns() == [sunk[0] - sunk[1], sunk[1] - sunk[0]]
        winners.add(ours.returns()["first"])
    assert winners == {1.0, -1.0}
