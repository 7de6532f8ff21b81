"""Minesweeper: one agent opens all cells without a mine; numbers count the mines next to a cell."""

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove
from gem_ma.scene import Grid, Tile

AGENT = "player"
DRAWN = (5, 8)  # smallest and largest number of rows and columns of the random level
LARGEST = 16
CLOSED, FLAG, MINE, HIT = ".", "F", "*", "X"
FOUND, WRONG = "M", "W"  # a flag on a mine and a flag elsewhere, when the mines are shown
COLORS = ("blue", "green", "red", "purple", "brown", "orange", "black", "black")
TILES = (
    (CLOSED, Tile(ground="gray", name="closed (.)")),
    (FLAG, Tile("flag", "red", "gray", name="your flag (F)")),
    ("0", Tile()),
    *((str(n), Tile(color=color, text=str(n))) for n, color in enumerate(COLORS, 1)),
    (MINE, Tile("mine", "black", "gray", name="mine (*)")),
    (HIT, Tile("mine", "red", "yellow", name="the mine you opened (X)")),
    (FOUND, Tile("flag", "black", "orange", name="a flag on a mine (M)")),
    (WRONG, Tile("cross", "red", "gray", name="a wrong flag (W)")),
)
TO_REVEAL = bytes(chr(code) == CLOSED for code in range(256))
TO_FLAG = bytes(chr(code) in CLOSED + FLAG for code in range(256))
SEPARATORS = str.maketrans(dict.fromkeys("\t\r\n,.;:!?()[]{}\"'`*$", " "))


class State(NamedTuple):
    rows: int
    cols: int
    mines: int
    left: int  # turns left
    shown: str  # what the player sees, row by row
    field: str = ""  # "*" or a number for each cell; "" while hidden or before the first opening
    partial: bool = False  # pay the share of opened cells at the end

    def closed(self):
        return self.shown.count(CLOSED) + self.shown.count(FLAG)

    def solved(self):
        return self.closed() == self.mines and HIT not in self.shown

    def to_act(self):
        is_over = not self.left or HIT in self.shown or self.solved()
        return () if is_over else (AGENT,)

    def opened(self):
        """Return the share of the cells without a mine that are open."""
        hit = self.shown.count(HIT)
        return 1 - (self.closed() + hit - self.mines) / (self.rows * self.cols - self.mines)

    def returns(self):
        if self.partial and not self.to_act():
            return {AGENT: self.opened()}
        return {AGENT: 1.0 if self.solved() else 0.0}

    def seen_by(self, agent):
        return self.now(self.left, self.shown, "") if self.to_act() else self

    def legal(self, agent):
        reveal, flag = _moves(self.rows, self.cols)
        cells = self.shown.encode()  # one translation of bytes selects the legal moves
        return (
            *itertools.compress(reveal, cells.translate(TO_REVEAL)),
            *itertools.compress(flag, cells.translate(TO_FLAG)),
        )

    def now(self, left, shown, field):
        """Return this state with other turns left, shown cells and mines."""
        return State(self.rows, self.cols, self.mines, left, shown, field, self.partial)

    def flag(self, cell):
        mark = CLOSED if self.shown[cell] == FLAG else FLAG
        cells = self.shown[:cell] + mark + self.shown[cell + 1 :]
        return self.now(self.left - 1, cells, self.field)

    def reveal(self, cell):
        """Open a cell; if no mine is next to it, open its neighbours in the same way."""
        cells, todo = list(self.shown), [cell]
        around = _around(self.rows, self.cols)
        while todo:
            i = todo.pop()
            if cells[i] == CLOSED:
                cells[i] = HIT if self.field[i] == MINE else self.field[i]
                if cells[i] == "0":
                    todo += around[i]
        return self.now(self.left - 1, "".join(cells), self.field)

    def laid(self, cell, rng):
        """Return this state with mines placed, but none at `cell` or next to it."""
        around = _around(self.rows, self.cols)
        free_cells = sorted(set(range(len(self.shown))) - {cell, *around[cell]})
        mines = [free_cells[i] for i in rng.permutation(len(free_cells))[: self.mines].tolist()]
        counts = [0] * len(self.shown)
        for mine in mines:
            for i in around[mine]:
                counts[i] += 1
        field = list(map(str, counts))
        for mine in mines:
            field[mine] = MINE
        return self.now(self.left, self.shown, "".join(field))


class Minesweeper(Game[State]):
    agents = (AGENT,)

    def __init__(
        self,
        rows: int | None = 8,
        cols: int | None = 8,
        num_mines: int | None = 10,
        max_turns: int | None = 64,
        partial: bool = False,
    ):
        """Set the level; with `partial`, the share of opened cells is paid, not 1 or nothing."""
        level: Any = (rows, cols, num_mines, max_turns)
        if None in level and any(n is not None for n in level):
            raise ValueError(
                f"rows={rows}, cols={cols}, num_mines={num_mines}, max_turns={max_turns}: expected "
                "numbers for all four, or None for all four"
            )
        high, wide, mines, turns = level
        if None not in level and not (
            3 <= high <= LARGEST
            and 3 <= wide <= LARGEST
            and 1 <= mines < high * wide - 9
            and turns >= 1
        ):
            raise ValueError(
                f"rows={rows}, cols={cols}, num_mines={num_mines}, max_turns={max_turns}: expected "
                f"rows and cols 3 to {LARGEST}, num_mines 1 to rows * cols - 10, max_turns at "
                "least 1"
            )
        self.level = None if None in level else level  # None: the level is drawn
        self.partial = partial
        size = (DRAWN[1], DRAWN[1]) if None in level else (high, wide)
        self.moves = sum(_moves(*size), ())

    def start(self, rng, options):
        rows, cols, mines, turns = self.level or _drawn(int(rng.integers(DRAWN[0], DRAWN[1] + 1)))
        return State(rows, cols, mines, turns, CLOSED * (rows * cols), partial=self.partial)

    def read(self, text, view, agent):
        words = text.translate(SEPARATORS).lower().split()
        if len(words) != 3 or words[0] not in ("reveal", "flag"):
            raise InvalidMove("expected reveal or flag, a row and a column, such as reveal 0 2")
        try:
            row, col = LINES.index(words[1]), LINES.index(words[2])
        except ValueError:
            row, col = view.rows, view.cols
        if row >= view.rows or col >= view.cols:
            raise InvalidMove(f"rows are 0 to {view.rows - 1}, columns 0 to {view.cols - 1}")
        symbol = view.shown[row * view.cols + col]
        if symbol not in CLOSED + FLAG:
            raise InvalidMove(f"row {row}, column {col} is open already")
        if symbol == FLAG and words[0] == "reveal":
            raise InvalidMove(f"there is a flag: take it off with flag {row} {col} first")
        return words[0], row * view.cols + col

    def advance(self, state, moves, rng):
        kind, cell = moves[AGENT]
        if kind == "skip":
            return state.now(state.left - 1, state.shown, state.field)
        if kind == "flag":
            return state.flag(cell)
        return (state if state.field else state.laid(cell, rng)).reveal(cell)

    def skip(self, view, agent):
        return "skip", None

    def rules(self, agent):
        payment = (
            "At the end you are paid the share of these cells that you opened. "
            if self.partial
            else ""
        )
        return (
            "You are playing Minesweeper: open every cell that holds no mine, within the turns you "
            "have. An open cell says how many of the up to eight cells around it hold a mine; "
            "where that is 0, the cells around it open too. The first cell you open has no mine in "
            "it or around it. To open a mine loses the game. A flag marks a cell that you think "
            f"holds a mine; flags are for your own use and cost a turn. {payment}Rows are counted "
            "from 0 at the top, columns from 0 at the left. Reply with reveal or flag, the row and "
            "the column, such as reveal 0 2 or flag 3 1; to flag a flag takes it off."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows what was opened

    def describe(self, view, agent):
        head, gap = _head(view.cols)
        rows = _shown(view, agent)
        lines = [label + gap[1:] + gap.join(row) for label, row in zip(LABELS, rows, strict=False)]
        return "\n".join([head, *lines, *self.status(view)])

    def status(self, view):
        flags = view.shown.count(FLAG)
        return f"Mines: {view.mines}. Flags: {flags}.", f"Turns left: {view.left}."

    def picture(self, view, agent):
        columns, lines = LINES[: view.cols], LINES[: view.rows]
        return Grid(
            _shown(view, agent), TILES, columns=columns, lines=lines, status=self.status(view)
        )

    def encode(self, view, agent):
        """Return planes of closed cells, flags, and open numbers divided by 8."""
        planes = np.zeros((3, *((DRAWN[1],) * 2 if self.level is None else self.level[:2])))
        cells = np.array(list(view.shown)).reshape(view.rows, view.cols)
        part = planes[:, : view.rows, : view.cols]
        part[0], part[1] = (cells == CLOSED) | (cells == FLAG), cells == FLAG
        part[2] = [[int(c) / 8 if c.isdecimal() else 0 for c in row] for row in cells]
        return planes.astype(np.float32)


LINES = tuple(map(str, range(LARGEST)))
LABELS = tuple(f"{row:>2} " for row in LINES)


def _drawn(size):
    """Return a random level of this size; a fifth of the cells have a mine."""
    return size, size, size * size // 5, size * size


def _shown(view, agent):
    """Return the rows; spectators see the mines, and everybody does at the end."""
    cells = view.shown
    if view.field:
        cells = "".join(
            MINE
            if c == CLOSED and m == MINE
            else (FOUND if m == MINE else WRONG)
            if c == FLAG
            else c
            for c, m in zip(cells, view.field, strict=True)
        )
    return tuple([cells[i : i + view.cols] for i in range(0, len(cells), view.cols)])


@functools.cache
def _head(cols):
    """Return the line above the board, and the space between cells."""
    gap = " " * len(str(cols - 1))
    return "   " + " ".join([f"{c:>{len(gap)}}" for c in range(cols)]), gap


@functools.cache
def _moves(rows, cols):
    cells = [f"{row} {col}" for row in range(rows) for col in range(cols)]
    return tuple(f"reveal {c}" for c in cells), tuple(f"flag {c}" for c in cells)


@functools.cache
def _around(rows, cols):
    """Return the neighbours of each cell."""
    return tuple(
        tuple(
            r * cols + c
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(col - 1, 0), min(col + 2, cols))
            if (r, c) != (row, col)
        )
        for row in range(rows)
        for col in range(cols)
    )


env, parallel_env, raw_env = make_env_functions(__name__)
