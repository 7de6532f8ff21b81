"""Tic-tac-toe: positions worked out by hand; random games are compared in test_second_sources."""

import pytest
from game_contract import GameContract

from gem_ma import InvalidMove
from gem_ma.envs.boards.tic_tac_toe import LINES, State, TicTacToe


def after(cells):
    state = State()
    for cell in cells:
        state = state.mark(int(cell))
    return state


def read_numbers(text, agent):
    """Return the planes of the own marks, the others' and the free cells, read from the text."""
    cells = [line.split() for line in text.splitlines()[:3]]
    own, other = "xo" if agent == "x" else "ox"
    kinds = own, other, "012345678"
    return [[[cell in kind for cell in row] for row in cells] for kind in kinds]


class TestContract(GameContract):
    id = "game:TicTacToe-v0"
    seats = ("x", "o")
    zero_sum = True
    pays = "1 for a win, -1 for a loss, 0 for a draw"
    outcomes = {(1, -1), (-1, 1), (0, 0)}
    numbers = staticmethod(read_numbers)


@pytest.mark.parametrize(
    ("cells", "winner"), [("03142", "x"), ("031482", None), ("304152", "o"), ("04821", None)]
)
def test_winner(cells, winner):
    assert after(cells).winner() == winner


def test_every_line_wins():
    for line in LINES:
        board = "".join("o" if i in line else "." for i in range(9))
        assert State(board, 6).winner() == "o"
        assert State(board, 6).returns() == {"x": -1.0, "o": 1.0}
        assert State(board, 6).to_act() == ()


def test_a_full_board_without_a_line_is_a_draw():
    state = after("021354687")
    assert state.winner() is None
    assert state.to_act() == ()
    assert state.returns() == {"x": 0.0, "o": 0.0}


def test_a_taken_cell_is_no_move():
    game = TicTacToe()
    for text in ("4", "9", "-1", "", "middle"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, after("4"), "o")


def test_the_board_in_words_and_numbers():
    game = TicTacToe()
    assert game.describe(after("40"), "x") == "o 1 2\n3 x 5\n6 7 8"
    mine, theirs, free = game.encode(after("40"), "o")
    assert (mine[0, 0], theirs[1, 1], free.sum()) == (1, 1, 7)
