"""Pictures of boards: the last move is marked, and who won is said."""

import pytest

import gem_ma

MOVES = {
    "ConnectFour": ("3 0 3", [(4, 3)]),
    "Breakthrough": ("a2a3 h7h6", [(6, 7), (5, 7)]),
    "Reversi": ("d3", [(2, 3)]),
    "Checkers": ("c3d4", [(5, 2), (4, 3)]),
    "Chess": ("e2e4 g8f6", [(0, 6), (2, 5)]),
}
WON = {
    "ConnectFour": ("0 1 0 1 0 1 0", "red wins"),
    "TicTacToe": ("0 3 1 4 2", "x wins"),
    "Breakthrough": ("a2a3 h7h6 a3a4 h6h5 a4a5 h5h4 a5a6 g7g6 a6b7 g6g5 b7a8", "white wins"),
}


def play(game, moves):
    env = gem_ma.make(f"game:{game}-v0")
    env.reset(seed=0)
    for move in moves.split():
        env.step(move)
    return env


def read_scene(env):
    seat = env.possible_agents[0]
    return env.core.observation_builder.build_scene(env.match.make_view(seat), seat)


@pytest.mark.parametrize("game", MOVES)
def test_the_last_move_is_marked(game):
    moves, marks = MOVES[game]
    assert read_scene(play(game, "")).marks == ()
    assert sorted(read_scene(play(game, moves)).marks) == sorted(marks)


@pytest.mark.parametrize("game", WON)
def test_who_won_is_said(game):
    moves, caption = WON[game]
    before, _, _ = moves.rpartition(" ")
    assert read_scene(play(game, before)).status != (caption,)
    env = play(game, moves)
    assert not env.to_act
    assert read_scene(env).status == (caption,)


def test_a_draw_is_said():
    assert read_scene(play("TicTacToe", "0 1 2 4 3 5 7 6 8")).status == ("A draw",)
