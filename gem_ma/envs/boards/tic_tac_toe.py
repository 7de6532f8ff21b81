"""Tic-tac-toe: two agents mark cells in turn; the first with three in a row wins."""

import functools
from dataclasses import dataclass

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption, make_winner_caption
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

AGENTS = ("x", "o")
EMPTY = "."
TILES = (
    ("x", Tile("cross", "blue", name="x")),
    ("o", Tile("ring", "orange", name="o")),
    *((str(cell), Tile(color="", text=str(cell))) for cell in range(9)),
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True, slots=True)
class State:
    board: str = EMPTY * 9  # row by row
    turn: int = 0

    def winner(self):
        return _winner(self.board)

    def to_act(self):
        return () if self.winner() or EMPTY not in self.board else (AGENTS[self.turn % 2],)

    def returns(self):
        winner = self.winner()
        return {a: 0.0 if winner is None else 1.0 if a == winner else -1.0 for a in AGENTS}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return _free(self.board)

    def mark(self, cell):
        if cell is None:  # a lost turn
            return State(self.board, self.turn + 1)
        board = self.board[:cell] + AGENTS[self.turn % 2] + self.board[cell + 1 :]
        return State(board, self.turn + 1)


@functools.cache
def _winner(board):
    for a, b, c in LINES:
        if board[a] != EMPTY and board[a] == board[b] == board[c]:
            return board[a]
    return None


@functools.cache
def _free(board):
    return tuple([str(i) for i, mark in enumerate(board) if mark == EMPTY])


class TicTacToe(Game[State]):
    agents = AGENTS
    moves = tuple("012345678")
    zero_sum = True

    def start(self, rng, options):
        return State()

    def read(self, text, view, agent):
        return int(parse_choice(text, view.legal(agent)))

    def advance(self, state, moves, rng):
        return state.mark(*moves.values())

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            f"You are playing Tic-tac-toe as {agent}; x begins. In turn you mark a free cell, and "
            "three of your marks in a row, column or diagonal win. Cells are numbered 0 to 8, row "
            "by row from the top left. Reply with the number of a free cell."
        )

    def describe(self, view, agent):
        return "\n".join(map(" ".join, _rows(view.board)))

    def picture(self, view, agent):
        return Grid(
            _rows(view.board), TILES, status=make_turn_caption(view) + make_winner_caption(view)
        )

    def encode(self, view, agent):
        """Return three planes: own marks, the other's, free cells."""
        other = AGENTS[1 - AGENTS.index(agent)]
        planes = [[mark == kind for mark in view.board] for kind in (agent, other, EMPTY)]
        return np.array(planes, np.float32).reshape(3, 3, 3)


@functools.cache
def _rows(board):
    """Return the rows of the board, with the numbers of free cells."""
    cells = "".join([str(i) if mark == EMPTY else mark for i, mark in enumerate(board)])
    return cells[:3], cells[3:6], cells[6:]


env, parallel_env, raw_env = make_env_functions(__name__)
