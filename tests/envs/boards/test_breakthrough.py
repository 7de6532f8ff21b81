"""Breakthrough: random games against OpenSpiel's, positions worked out by hand, and search."""

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.breakthrough import AGENTS, Breakthrough, State
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import certify, check_env


def position(rows, turn=0):
    lines = rows.split()
    return State("".join(lines), len(lines), turn)


def named_from_below(text, size):
    """Return a move as OpenSpiel writes it, whose row 1 is the bottom row."""
    return "".join(str(size + 1 - int(c)) if c.isdecimal() else c for c in text)


@pytest.mark.parametrize("size", [6, 7, 8])  # it begins smaller ones with one row
def test_random_games_agree_with_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    game = Breakthrough(size)
    theirs_game = pyspiel.load_game("breakthrough", {"rows": size, "columns": size})
    rng, outcomes, taken = np.random.default_rng(size), set(), 0
    for _ in range(200):
        ours, theirs = game.start(rng, {}), theirs_game.new_initial_state()
        while ours.to_act():
            assert not theirs.is_terminal()
            (seat,) = ours.to_act()
            player = AGENTS.index(seat)  # here and there, who moves down the board begins
            assert player == theirs.current_player()
            known = {theirs.action_to_string(player, a): a for a in theirs.legal_actions()}
            known = {name.rstrip("*"): action for name, action in known.items()}
            legal = ours.legal(seat)
            assert {named_from_below(text, size) for text in legal} == set(known)
            assert len(legal) == len(known)
            board = "".join(line[1:] for line in str(theirs).splitlines()[:size])
            assert ours.board.translate(str.maketrans("WB", "bw")) == board
            move = legal[int(rng.integers(len(legal)))]
            ours = game.advance(ours, {seat: game.read(move, ours, seat)}, rng)
            theirs.apply_action(known[named_from_below(move, size)])
            taken += ours.board.count(".") > board.count(".")
        assert theirs.is_terminal()
        assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
        outcomes.add(ours.winner)
    assert outcomes == set(AGENTS)
    assert taken > 100


def test_pieces_move_forward_and_take_diagonally():
    state = position("..... .W... .BB.. ..... ....B")
    assert state.legal("white") == ("b2a3", "b2c3")  # b3 blocks the way
    assert state.legal("black") == ("b3a2", "b3c2", "c3b2", "c3c2", "c3d2", "e5d4", "e5e4")
    assert state.move(6, 12).board == "...........BW...........B"


def test_the_far_row_wins_and_so_does_the_last_piece_taken():
    state = position("..... ...B. ..... W.... .....")
    assert state.move(15, 20).winner == "white"
    assert state.move(15, 20).returns() == {"white": 1.0, "black": -1.0}
    assert state._replace(turn=1).move(8, 3).winner == "black"
    assert position("..... ..... .W... B.... .....").move(11, 15).winner == "white"
    assert state.move(15, 21).to_act() == ()


def test_what_is_no_move():
    game = Breakthrough(5)
    start = game.start(None, {})
    assert game.read(" A2-a3 ", start, "white") == "a2a3"
    for text in ("a1a2", "a2a4", "a4a3", "a3a2", "a2", ""):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, start, "white")


def test_the_rules_give_a_move_that_exists():
    game = Breakthrough()
    start = game.start(None, {})
    assert "such as a2a3." in game.rules("white")
    assert "a2a3" in start.legal("white")
    assert "such as a7a6." in game.rules("black")
    assert "a7a6" in start.legal("black")


def test_the_board_in_words_and_numbers():
    game = Breakthrough(5)
    state = game.start(None, {})
    lines = game.describe(state, None).splitlines()
    assert lines[:2] == ["   a b c d e", " 1 W W W W W"]
    assert lines[3:5] == [" 3 . . . . .", " 4 B B B B B"]
    mine, theirs, free = game.encode(state, "black")
    assert (mine[3:].sum(), theirs[:2].sum(), free[2].sum()) == (10, 10, 5)


@pytest.mark.parametrize("size", [4, 20])
def test_what_makes_no_board(size):
    with pytest.raises(ValueError, match="expected 5 to 19"):
        Breakthrough(size)


@pytest.mark.parametrize("games", [12, pytest.param(40, marks=pytest.mark.slow)])
def test_search_beats_chance(games):
    agent = SearchAgent(simulations=40, nodes=0)
    env = Env(Breakthrough(5), id="game:Breakthrough-v0")
    episodes = rollout(env, [agent, "random"], episodes=games, seed=5, shuffle=True)
    won = [e.returns[s] == 1 for e in episodes for s, a in e.agents.items() if a != "random"]
    assert sum(won) >= 0.95 * len(won)


def test_the_contract():
    check_env(Env(Breakthrough(5), id="game:Breakthrough-v0"), seeds=1, processes=False)
    assert certify(Env(Breakthrough(), id="game:Breakthrough-v0"), views=60).exact > 0
