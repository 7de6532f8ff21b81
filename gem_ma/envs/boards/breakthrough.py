"""Breakthrough: two agents advance their pieces; the first to reach the far row wins."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.boards.lettered import labels, rows, squares, words
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption, make_winner_caption
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

AGENTS = ("white", "black")
PIECES, EMPTY = ("W", "B"), "."
TILES = (
    ("W", Tile("pawn", "white", "board", name="white (W)")),
    ("B", Tile("pawn", "black", "board", name="black (B)")),
    (EMPTY, Tile("", ground="board", name="free")),
)


@functools.cache
def _steps(size):
    """Return the steps from each square for each side: (text, square, whether it is diagonal)."""
    names = squares(size)

    def steps(square, down):
        row, column = square // size + down, square % size
        to = [(row * size + column + right, right) for right in (-1, 0, 1)]
        return tuple(
            (names[square] + names[end], end, right != 0)
            for end, right in to
            if 0 <= row < size and 0 <= column + right < size
        )

    return tuple(tuple(steps(square, down) for square in range(size**2)) for down in (1, -1))


@functools.cache
def _moves(size):
    """Return all possible moves: text -> (from, to)."""
    return {
        text: (square, end)
        for side in _steps(size)
        for square, steps in enumerate(side)
        for text, end, _ in steps
    }


@functools.lru_cache(1 << 10)  # asked several times a turn
def _legal(board, size, side):
    steps, own_mark = _steps(size)[side], PIECES[side]
    return tuple(
        [
            text
            for square, mark in enumerate(board)
            if mark == own_mark
            for text, end, diagonal in steps[square]
            if board[end] == EMPTY or (diagonal and board[end] != own_mark)
        ]
    )


class State(NamedTuple):
    board: str  # row by row
    size: int
    turn: int = 0
    winner: str | None = None
    last: tuple[int, ...] = ()  # the squares of the last move: from, to

    def to_act(self):
        return () if self.winner else (AGENTS[self.turn % 2],)

    def returns(self):
        if self.winner is None:
            return {"white": 0.0, "black": 0.0}
        return {a: 1.0 if a == self.winner else -1.0 for a in AGENTS}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        """Return the moves: one step forward to a free square, or diagonally, also capturing."""
        return _legal(self.board, self.size, AGENTS.index(agent))

    def move(self, square, end):
        side = self.turn % 2
        cells = list(self.board)
        cells[square], cells[end] = EMPTY, PIECES[side]
        board = "".join(cells)
        is_last_row = end // self.size == (self.size - 1, 0)[side]
        has_won = is_last_row or PIECES[1 - side] not in board
        winner = AGENTS[side] if has_won else None
        return State(board, self.size, self.turn + 1, winner, (square, end))


class Breakthrough(Game[State]):
    agents = AGENTS
    zero_sum = True

    def __init__(self, size: int = 8):
        if not 5 <= size <= 19:
            raise ValueError(f"size={size}: expected 5 to 19")
        self.size = size
        self.moves = tuple(_moves(size))

    def start(self, rng, options):
        two = 2 * self.size
        return State("W" * two + EMPTY * (self.size**2 - 2 * two) + "B" * two, self.size)

    def read(self, text, view, agent):
        return parse_choice(text.replace(" ", "").replace("-", ""), view.legal(agent))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:  # a lost turn
            return state._replace(turn=state.turn + 1)
        return state.move(*_moves(state.size)[move])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        size = self.size
        ways = {"white": "from row 1 at the top down", "black": f"from row {size} up"}
        goal = {"white": f"row {size}", "black": "row 1"}
        examples = {"white": "a2a3", "black": f"a{size - 1}a{size - 2}"}
        return (
            f"You are playing Breakthrough as {agent} ({agent[0].upper()}); white begins. In turn "
            "you move a piece of yours by one square: straight forward to a free square, or "
            "diagonally forward to a square that is free or holds a piece of the other's, which "
            f"is taken. Your forward is {ways[agent]}. A piece of yours on {goal[agent]} wins, and "
            "so does taking all of the other's pieces. Columns are lettered from the left, rows "
            "numbered from the top. Reply with the square that a piece leaves and the square that "
            f"it goes to, such as {examples[agent]}."
        )

    def describe(self, view, agent):
        return words(rows(view.board, view.size))

    def picture(self, view, agent):
        columns, lines = labels(view.size)
        marks = tuple([divmod(square, view.size) for square in view.last])
        status = make_turn_caption(view) + make_winner_caption(view)
        return Grid(rows(view.board, view.size), TILES, marks, columns, lines, status)

    def encode(self, view, agent):
        """Return three planes: own pieces, the other's, free squares."""
        own_mark = PIECES[AGENTS.index(agent)]
        cells = np.array(list(view.board)).reshape(view.size, view.size)
        planes = [cells == own_mark, (cells != own_mark) & (cells != EMPTY), cells == EMPTY]
        return np.stack(planes).astype(np.float32)


env, parallel_env, raw_env = make_env_functions(__name__)
