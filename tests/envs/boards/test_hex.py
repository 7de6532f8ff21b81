"""Hex: random games against OpenSpiel's, chains worked out by hand, and search."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.hex import AGENTS, EMPTY, STONES, Hex, State
from gem_ma.envs.boards.lettered import squares
from gem_ma.renderers import draw, parse_theme
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.scenes import hex_grid
from gem_ma.rollouts.rollout import rollout
from gem_ma.scene import FrameTooSmall
from gem_ma.testing import certify, check_env


def after(size, moves):
    game = Hex(size)
    state = game.start(None, {})
    for move in moves.split():
        (seat,) = state.to_act()
        state = game.advance(state, {seat: game.read(move, state, seat)}, None)
    return state


@pytest.mark.parametrize("size", [3, 5, 7])
def test_random_games_agree_with_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    game, theirs_game = Hex(size), pyspiel.load_game("hex", {"board_size": size})
    rng, outcomes = np.random.default_rng(size), set()
    for _ in range(200):
        ours, theirs = game.start(rng, {}), theirs_game.new_initial_state()
        while ours.to_act():
            assert not theirs.is_terminal()
            (seat,) = ours.to_act()
            player = AGENTS.index(seat)
            assert player == theirs.current_player()
            legal = ours.legal(seat)
            assert [squares(size).index(name) for name in legal] == theirs.legal_actions()
            names = [theirs.action_to_string(player, a) for a in theirs.legal_actions()]
            assert list(legal) == names
            move = legal[int(rng.integers(len(legal)))]
            ours = game.advance(ours, {seat: game.read(move, ours, seat)}, rng)
            theirs.apply_action(squares(size).index(move))
        assert theirs.is_terminal()
        assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
        outcomes.add(ours.winner)
    assert outcomes == set(AGENTS)


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("b1 a1 b2 a2 b3", "black"),  # upright
        ("c1 a1 b2 a2 a3", "black"),  # along the diagonal that touches
        ("a1 b1 b2 a2 c3", None),  # along the one that does not
        ("a1 a3 b1 b2 c2 c1", "white"),
        ("a1 a2 b1 b2 c1 c2", "white"),  # flat: black has only its own edge
    ],
)
def test_a_chain_joins_both_edges(moves, winner):
    state = after(3, moves)
    assert state.winner == winner
    assert (state.to_act() == ()) == (winner is not None)


def test_a_full_board_has_exactly_one_winner():
    for marks in itertools.product("BW", repeat=9):
        board = "".join(marks)
        winners = set()
        for side, mark in enumerate("BW"):
            for cell in range(9):
                if board[cell] == mark:
                    before = State(board[:cell] + "." + board[cell + 1 :], 3, side)
                    winners.add(before.place(cell).winner)
        assert len(winners - {None}) == 1


def test_a_taken_cell_is_no_move():
    game, state = Hex(3), after(3, "b2")
    assert game.read("[A1]", state, "white") == "a1"
    for text in ("b2", "d1", "a4", "", "1a"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, state, "white")


def test_the_board_in_words_and_numbers():
    game, state = Hex(3), after(3, "b2 a3")
    assert game.describe(state, None) == "   a b c\n 1 . . .\n  2 . B .\n   3 W . ."
    mine, theirs, free = game.encode(state, "white")
    assert (mine[2, 0], theirs[1, 1], free.sum()) == (1, 1, 7)


@pytest.mark.parametrize("size", [1, 20])
def test_what_makes_no_board(size):
    with pytest.raises(ValueError, match="expected 2 to 19"):
        Hex(size)


@pytest.mark.slow
def test_search_beats_chance():
    agent, env = SearchAgent(simulations=40, nodes=0), Env(Hex(4), id="game:Hex-v0")
    episodes = rollout(env, [agent, "random"], episodes=40, seed=5, shuffle=True)
    won = [e.returns[s] == 1 for e in episodes for s, a in e.agents.items() if a != "random"]
    assert sum(won) >= 0.95 * len(won)


def test_the_contract():
    check_env(Env(Hex(3), id="game:Hex-v0"), seeds=1, processes=False)
    assert certify(Env(Hex(), id="game:Hex-v0"), views=60).views == 60


@pytest.mark.parametrize("look", ["light", "dark", "contrast", "wood", "mono", 1, "held-out:25"])
def test_the_picture_shows_stones_edges_and_whose_turn_it_is(look):
    size = 252, 252
    for side in (2, 7, 19):
        cells = side * side
        boards = [EMPTY * i + stone + EMPTY * (cells - i - 1) for i in (0, 1) for stone in STONES]
        scenes = [
            Hex(side).picture(State(board, side, i % 2), None) for i, board in enumerate(boards)
        ]
        frames = [draw(scene, size, parse_theme(look)) for scene in scenes]
        assert len({frame.tobytes() for frame in frames}) == 4
        bare = draw(replace(scenes[0], edges=()), size, parse_theme(look))
        edges = draw(replace(scenes[0], edges=("black", "black")), size, parse_theme(look))
        for other in (bare, edges):  # both edges are seen, and told apart, in any theme
            assert (compute_contrast(frames[0], other) >= 3).sum() > 3 * side
        turned = draw(replace(scenes[0], turn="W"), size, parse_theme(look))
        assert (turned != frames[0]).any()
    with pytest.raises(FrameTooSmall, match="19 x 19 hexagons do not fit into 150 x 150 pixels"):
        hex_grid.draw(scenes[0], (150, 150), parse_theme(look))
    reduced = [draw(scene, (150, 150), parse_theme(look)) for scene in scenes]
    assert len({frame.tobytes() for frame in reduced}) == 4
