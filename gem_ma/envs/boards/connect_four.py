"""Connect Four: two agents drop discs in turn; the first with four in a row wins."""

from itertools import compress
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption, make_winner_caption
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

ROWS, COLS, LINE = 6, 7, 4
CELLS = ROWS * COLS
AGENTS = ("red", "yellow")
DISCS, EMPTY = ("R", "Y"), "."
WON = tuple(disc * LINE for disc in DISCS)
TILES = (
    ("R", Tile("disc", "red", "blue", name="red (R)")),
    ("Y", Tile("disc", "yellow", "blue", name="yellow (Y)")),
    (EMPTY, Tile("disc", "white", "blue", name="free")),
)
MOVES = tuple(str(c) for c in range(COLS))


def _lines(row, col):
    """Yield the lines of at least four cells through a cell, as slices of the board."""
    left, right, up, down = col, COLS - 1 - col, row, ROWS - 1 - row
    for step, steps_back, steps_on in (
        (1, left, right),
        (COLS, up, down),
        (COLS + 1, min(up, left), min(down, right)),
        (COLS - 1, min(up, right), min(down, left)),
    ):
        if steps_back + steps_on + 1 >= LINE:
            cell = row * COLS + col
            yield slice(cell - steps_back * step, cell + steps_on * step + 1, step)


LINES = tuple(tuple(_lines(*divmod(cell, COLS))) for cell in range(CELLS))


class State(NamedTuple):
    board: str = EMPTY * CELLS  # row by row, top first
    turn: int = 0
    winner: str | None = None
    last: int | None = None  # the cell of the last disc

    def to_act(self):
        return () if self.winner or EMPTY not in self.board else (AGENTS[self.turn % 2],)

    def returns(self):
        if self.winner is None:
            return {"red": 0.0, "yellow": 0.0}
        return {a: 1.0 if a == self.winner else -1.0 for a in AGENTS}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return tuple(compress(MOVES, map(EMPTY.__eq__, self.board)))

    def drop(self, col):
        if col is None:  # a lost turn
            return self._replace(turn=self.turn + 1)
        side, board = self.turn % 2, self.board
        cell = board[col::COLS].rfind(EMPTY) * COLS + col  # the lowest free cell
        board = board[:cell] + DISCS[side] + board[cell + 1 :]
        for line in LINES[cell]:
            if WON[side] in board[line]:
                return State(board, self.turn + 1, AGENTS[side], cell)
        return State(board, self.turn + 1, None, cell)


class ConnectFour(Game[State]):
    agents = AGENTS
    moves = MOVES
    zero_sum = True

    def start(self, rng, options):
        return State()

    def read(self, text, view, agent):
        return int(parse_choice(text, view.legal(agent)))

    def advance(self, state, moves, rng):
        return state.drop(*moves.values())

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            f"You are playing Connect Four as {agent} ({DISCS[AGENTS.index(agent)]}); red begins. "
            "In turn you drop a disc into a column that is not full; it falls to the lowest free "
            "cell. Four of your discs in a row, upright, flat or diagonal, win. Columns are "
            "numbered 0 to 6 from the left. Reply with the number of a column."
        )

    def describe(self, view, agent):
        cells = " ".join(view.board)
        rows = [cells[i : i + 2 * COLS - 1] for i in range(0, len(cells), 2 * COLS)]
        return "\n".join(["0 1 2 3 4 5 6", *rows])

    def picture(self, view, agent):
        rows = tuple([view.board[i : i + COLS] for i in range(0, CELLS, COLS)])
        marks = () if view.last is None else (divmod(view.last, COLS),)
        status = make_turn_caption(view) + make_winner_caption(view)
        return Grid(rows, TILES, marks, MOVES, status=status)

    def encode(self, view, agent):
        """Return three planes of six rows, top first: own discs, the other's, free cells."""
        own_mark = DISCS[AGENTS.index(agent)]
        other = DISCS[1 - AGENTS.index(agent)]
        cells = np.array(list(view.board)).reshape(ROWS, COLS)
        return np.stack([cells == own_mark, cells == other, cells == EMPTY]).astype(np.float32)


env, parallel_env, raw_env = make_env_functions(__name__)
