"""Reversi: random games against OpenSpiel's Othello, positions worked out by hand, and search."""

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.lettered import squares
from gem_ma.envs.boards.reversi import AGENTS, Reversi, after
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import certify, check_env


def position(rows):
    """Return a position in which black is to act, if it can."""
    cells = "".join(rows.split())
    black, white = (sum(1 << i for i, mark in enumerate(cells) if mark == side) for side in "BW")
    return after((black, white), 1, len(rows.split()))


def test_random_games_agree_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    game, theirs_game = Reversi(), pyspiel.load_game("othello")
    rng, passes, outcomes = np.random.default_rng(0), 0, set()
    for _ in range(300):
        ours, theirs = game.start(rng, {}), theirs_game.new_initial_state()
        while True:
            while not theirs.is_terminal() and theirs.legal_actions() == [64]:  # it asks for a pass
                theirs.apply_action(64)
                passes += 1
            assert theirs.is_terminal() == (not ours.to_act())
            board = [line.split()[1:-1] for line in str(theirs).splitlines()[2:10]]
            marks = "".join("".join(line) for line in board)
            assert ours.board() == marks.replace("x", "B").replace("o", "W").replace("-", ".")
            returns = [ours.returns()[seat] for seat in AGENTS]
            assert returns == theirs.returns()
            if not ours.to_act():
                break
            (seat,) = ours.to_act()
            assert AGENTS.index(seat) == theirs.current_player()
            legal = ours.legal(seat)
            assert [squares(8).index(name) for name in legal] == theirs.legal_actions()
            move = legal[int(rng.integers(len(legal)))]
            ours = game.advance(ours, {seat: game.read(move, ours, seat)}, rng)
            theirs.apply_action(squares(8).index(move))
        outcomes.add(tuple(returns))
    assert passes > 50
    assert outcomes == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


def test_discs_turn_over_in_every_direction():
    state = position("B.B.B. .WWW.. BW.WB. .WWW.. B.B.B. ......")
    end = state.place(2 * 6 + 2)
    assert end.counts() == (17, 0)
    assert end.to_act() == ()
    assert end.returns() == {"black": 1.0, "white": -1.0}


def test_a_line_with_a_gap_or_over_the_edge_encloses_nothing():
    assert position("BW.W .... .... ....").legal("black") == ("c1",)
    assert position(".WW. .... .... B...").to_act() == ()
    assert position("...B W... W... ....").to_act() == ()


def test_who_has_no_move_passes_by_itself():
    game = Reversi(4)
    state = position("BW.. .... .... BW..")
    then = game.advance(state, {"black": "c1"}, None)
    assert then.to_act() == ("black",)
    said = [str(message) for message in game.tell(state, {"black": "c1"}, then)]
    assert said == ["black: c1", "white has no move and passes."]
    end = game.advance(then, {"black": "c4"}, None)
    assert end.to_act() == ()
    assert end.returns() == {"black": 1.0, "white": -1.0}
    assert [str(m) for m in game.tell(then, {"black": "c4"}, end)] == ["black: c4"]


def test_a_square_that_encloses_nothing_is_no_move():
    game = Reversi()
    start = game.start(None, {})
    assert start.legal("black") == ("d3", "c4", "f5", "e6")
    assert game.read("[D3]", start, "black") == "d3"
    for text in ("e3", "d4", "a9", "pass", ""):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, start, "black")


def test_the_board_in_words_and_numbers():
    game = Reversi(4)
    text = "   a b c d\n 1 . . . .\n 2 . W B .\n 3 . B W .\n 4 . . . .\nDiscs: black 2, white 2."
    assert game.describe(game.start(None, {}), None) == text
    mine, theirs, free = game.encode(game.start(None, {}), "white")
    assert (mine[1, 1], theirs[1, 2], free.sum()) == (1, 1, 12)


@pytest.mark.parametrize("size", [2, 5, 18])
def test_what_makes_no_board(size):
    with pytest.raises(ValueError, match="expected an even number from 4 to 16"):
        Reversi(size)


@pytest.mark.slow
def test_search_beats_chance():
    agent = SearchAgent(simulations=200, nodes=0)
    env = Env(Reversi(4), id="game:Reversi-v0")
    episodes = rollout(env, [agent, "random"], episodes=40, seed=5, shuffle=True)
    returns = [e.returns[s] for e in episodes for s, a in e.agents.items() if a != "random"]
    assert returns.count(1.0) >= 0.95 * (len(returns) - returns.count(0.0))


def test_the_contract():
    check_env(Env(Reversi(4), id="game:Reversi-v0"), seeds=1, processes=False)
    assert certify(Env(Reversi(), id="game:Reversi-v0"), views=60).exact > 0
