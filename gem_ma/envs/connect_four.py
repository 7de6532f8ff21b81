"""Connect Four: two agents drop discs in turn; four in a row wins."""

from dataclasses import dataclass

import numpy as np

from gem_ma.actions import choose
from gem_ma.game import Game

ROWS, COLS, LINE = 6, 7, 4
AGENTS = ("red", "yellow")
DISCS, EMPTY = ("R", "Y"), "."


@dataclass(frozen=True, slots=True)
class State:
    columns: tuple[str, ...] = ("",) * COLS  # the discs of each column, lowest first
    turn: int = 0
    winner: str | None = None

    def to_act(self):
        if self.winner or self.turn >= ROWS * COLS and not self.legal(None):
            return ()
        return (AGENTS[self.turn % 2],)

    def returns(self):
        if self.winner is None:
            return {"red": 0.0, "yellow": 0.0}
        return {a: 1.0 if a == self.winner else -1.0 for a in AGENTS}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return tuple([str(c) for c in range(COLS) if len(self.columns[c]) < ROWS])

    def drop(self, col):
        if col is None:  # a lost turn
            return State(self.columns, self.turn + 1)
        disc = DISCS[self.turn % 2]
        columns = (*self.columns[:col], self.columns[col] + disc, *self.columns[col + 1 :])
        won = _four(columns, col, len(columns[col]) - 1, disc)
        return State(columns, self.turn + 1, AGENTS[self.turn % 2] if won else None)


def _four(columns, col, row, disc):
    """Say whether the disc at (col, row) stands in a line of four."""
    if columns[col].endswith(disc * LINE):
        return True
    for slope in (-1, 0, 1):
        line = ""  # the cells up to three columns away, along the slope
        for c in range(max(0, col - LINE + 1), min(COLS, col + LINE)):
            r = row + slope * (c - col)
            line += columns[c][r] if 0 <= r < len(columns[c]) else EMPTY
        if disc * LINE in line:
            return True
    return False


class ConnectFour(Game[State]):
    agents = AGENTS
    moves = tuple(str(c) for c in range(COLS))
    zero_sum = True

    def start(self, rng, options):
        return State()

    def read(self, text, view, agent):
        return int(choose(text, view.legal(agent)))

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
        cells = [column.ljust(ROWS, EMPTY) for column in view.columns]
        rows = [" ".join(row) for row in zip(*cells, strict=True)]
        return "\n".join(["0 1 2 3 4 5 6", *reversed(rows)])

    def encode(self, view, agent):
        """Return three planes of six rows, top first: own discs, the other's, free cells."""
        own = DISCS[AGENTS.index(agent)]
        other = DISCS[1 - AGENTS.index(agent)]
        cells = np.array([list(column.ljust(ROWS, EMPTY)) for column in view.columns]).T[::-1]
        return np.stack([cells == own, cells == other, cells == EMPTY]).astype(np.float32)
