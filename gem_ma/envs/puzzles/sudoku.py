"""Sudoku: one agent fills a grid so that no row, column or box holds a digit twice."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, clip_repr, parse_number
from gem_ma.scene import Grid, Tile

AGENT = "player"
EMPTY = "."
DIGITS = "123456789"
SIDES = {4: 2, 9: 3}  # rows and columns of a box, by the scale of the grid
DRAWN = ((8, 4, 15), (10, 4, 15), (40, 9, 60), (50, 9, 50))  # clues, scale and turns of a level
# Symbols by the shade of the box: a free cell, given digits, written digits.
SYMBOLS = ((".", "123456789", "abcdefghi"), (",", "ABCDEFGHI", "jklmnopqr"))
TILES = tuple(
    tile
    for ground, (free, given, written) in zip(("", "gray"), SYMBOLS, strict=True)
    for tile in (
        (free, Tile(ground=ground)),
        *((s, Tile(ground=ground, text=d)) for s, d in zip(given, DIGITS, strict=True)),
        *(
            (s, Tile("square", "yellow", ground, d, "a digit that you wrote"))
            for s, d in zip(written, DIGITS, strict=True)
        ),
    )
)


class Table:
    """Tables for grids of one size; cells are numbered row by row, sets of cells are bits."""

    def __init__(self, scale):
        side = SIDES[scale]
        self.scale, self.side, self.cells = scale, side, range(scale * scale)
        self.row = [c // scale for c in self.cells]
        self.col = [c % scale for c in self.cells]
        self.box = [c // scale // side * side + c % scale // side for c in self.cells]
        kinds = self.row, self.col, self.box
        self.peers = [
            [p for p in self.cells if p != c and any(k[p] == k[c] for k in kinds)]
            for c in self.cells
        ]
        self.all = (1 << scale * scale) - 1
        self.apart = [self.all - sum(1 << p for p in peers) for peers in self.peers]
        self.diagonal = [
            [c for c in self.cells if self.box[c] == b] for b in range(0, scale, side + 1)
        ]
        self.symbols = [SYMBOLS[(b // side + b % side) % 2] for b in self.box]
        self.moves = [
            [f"{self.row[c] + 1} {self.col[c] + 1} {d}" for d in range(scale + 1)]
            for c in self.cells
        ]
        self.open = {}  # cache of State.legal; its entries depend on nothing else


table = functools.cache(Table)


def solutions(places, t):
    """Yield all solutions; `places` has, for each digit, the cells where it is still possible."""
    todo = [(list(places), 0)]
    while todo:
        places, settled_cells = todo.pop()
        while True:
            once = twice = more = 0  # cells with at least one, two, three possible digits
            for cells in places:
                more |= twice & cells
                twice |= once & cells
                once |= cells
            if once != t.all:
                break  # a cell has no possible digit
            single = once & ~twice & ~settled_cells
            if not single:
                if twice:  # branch on the digits of a cell with the fewest
                    low = twice & ~more or twice
                    low &= -low
                    for digit, cells in enumerate(places):
                        if cells & low:
                            branch = [other & ~low for other in places]
                            branch[digit] |= low
                            todo.append((branch, settled_cells))
                else:
                    yield places
                break
            settled_cells |= single
            for digit, cells in enumerate(places):
                places[digit] = _apart(cells, cells & single, t)


def _apart(cells, taken, t):
    """Return the cells still possible for a digit after it has taken some cells."""
    while taken:
        low = taken & -taken
        cells &= t.apart[low.bit_length() - 1]
        taken ^= low
    return cells


def _filled(rng, t):
    """Return a random full grid, as the cells of each digit; it starts from diagonal boxes."""
    while True:
        places = [t.all - sum(1 << c for box in t.diagonal for c in box)] * t.scale
        for box in t.diagonal:
            for cell, digit in zip(box, rng.permutation(t.scale).tolist(), strict=True):
                places[digit] |= 1 << cell
        for grid in solutions(places, t):
            return grid  # with scale 4 there may be none


def puzzle(rng, clues, t):
    """Return a board with a unique solution, by emptying those of `clues` cells that allow it."""
    cells_by_digit = _filled(rng, t)
    for cell in rng.permutation(len(t.cells))[:clues].tolist():
        bit = 1 << cell
        digit = next(d for d, cells in enumerate(cells_by_digit) if cells & bit)
        cells_by_digit[digit] ^= bit
        free_cells = t.all - sum(cells_by_digit)
        places = [_apart(free_cells, cells, t) | cells for cells in cells_by_digit]
        places[digit] &= ~bit
        # If no other digit is possible here, the solution is still unique.
        if any(cells & bit for cells in places) and any(True for _ in solutions(places, t)):
            cells_by_digit[digit] |= bit
    return _text(cells_by_digit, t)


def _text(places, t):
    return "".join(
        next((DIGITS[d] for d, cells in enumerate(places) if cells >> c & 1), EMPTY)
        for c in t.cells
    )


@functools.lru_cache(maxsize=1000)
def solution(given, t):
    """Return the full board of a puzzle."""
    cells = [sum(1 << c for c in t.cells if given[c] == d) for d in DIGITS[: t.scale]]
    free_cells = t.all - sum(cells)
    return _text(next(solutions([_apart(free_cells, mask, t) | mask for mask in cells], t)), t)


class State(NamedTuple):
    given: str  # row by row
    board: str
    left: int  # turns left
    partial: bool = False

    def table(self):
        return table(4 if len(self.board) == 16 else 9)

    def to_act(self):
        return () if not self.left or EMPTY not in self.board else (AGENT,)

    def returns(self):
        if EMPTY not in self.board:  # a digit that breaks a rule is never written
            return {AGENT: 1.0}
        return {AGENT: self.share() if self.partial and not self.left else 0.0}

    def share(self):
        """Return the share of initially empty cells that are filled correctly."""
        right = solution(self.given, self.table())
        cells = [c for c, digit in enumerate(self.given) if digit == EMPTY]
        return sum(self.board[c] == right[c] for c in cells) / len(cells)

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        t, board, givens, moves = self.table(), self.board, self.given, []
        digit_masks = [0] * t.scale, [0] * t.scale, [0] * t.scale
        rows, cols, boxes = digit_masks
        row, col, box = t.row, t.col, t.box
        for c in t.cells:
            if board[c] != EMPTY:
                bit = 1 << int(board[c])
                rows[row[c]] |= bit
                cols[col[c]] |= bit
                boxes[box[c]] |= bit
        for c in t.cells:
            if givens[c] == EMPTY:
                key = c, rows[row[c]] | cols[col[c]] | boxes[box[c]], board[c] == EMPTY
                cell_moves = t.open.get(key)
                if cell_moves is None:
                    first = 1 if key[2] else 0  # 0 clears a cell
                    cell_moves = t.open[key] = [
                        t.moves[c][d] for d in range(first, t.scale + 1) if not key[1] >> d & 1
                    ]
                moves += cell_moves
        return tuple(moves)

    def write(self, move):
        turns_left = self.left - 1
        if move is None:  # a lost turn
            return State(self.given, self.board, turns_left, self.partial)
        cell, digit = move
        board = self.board[:cell] + digit + self.board[cell + 1 :]
        return State(self.given, board, turns_left, self.partial)


class Sudoku(Game[State]):
    agents = (AGENT,)

    def __init__(
        self,
        clues: int | None = 40,
        max_turns: int | None = 60,
        scale: int | None = 9,
        partial: bool = False,
    ):
        """Set the level, and how the result is paid.

        Args:
            clues: how many cells are emptied, except those needed for a unique solution; None draws
                it.
            max_turns: how many digits may be written or cleared; None draws the limit.
            scale: rows and columns of the grid, 4 or 9; None draws it.
            partial: pay the share of correct cells at the end, instead of 1 or nothing.
        """
        if scale is not None and scale not in SIDES:
            raise ValueError(f"scale={scale}: expected 4 or 9")
        if clues is not None and clues < 1:
            raise ValueError(f"clues={clues}: expected 1 or more")
        self.levels = fill_levels(DRAWN, clues, scale, max_turns)
        self.partial = partial
        self.scale = max(level[1] for level in self.levels)
        self.moves = tuple(move for moves in table(self.scale).moves for move in moves)

    def start(self, rng, options):
        clues, scale, turns = sample_level(rng, self.levels)
        board = puzzle(rng, clues, table(scale))
        return State(board, board, turns, self.partial)

    def read(self, text, view, agent):
        t = view.table()
        words = text.replace(",", " ").split()
        if len(words) != 3:
            raise InvalidMove(
                f"{clip_repr(text)} is not a row, a column and a digit, such as 1 3 4"
            )
        row, col, digit = map(parse_number, words)
        if not (1 <= row <= t.scale and 1 <= col <= t.scale and 0 <= digit <= t.scale):
            raise InvalidMove(f"rows, columns and digits are 1 to {t.scale}; digit 0 clears a cell")
        cell = (row - 1) * t.scale + col - 1
        mark = str(digit) if digit else EMPTY
        if view.given[cell] != EMPTY:
            raise InvalidMove(f"row {row}, column {col} was given and stays {view.given[cell]}")
        if view.board[cell] == mark:
            state = f"holds {mark} already" if digit else "is free already"
            raise InvalidMove(f"row {row}, column {col} {state}")
        if digit:
            for peer in t.peers[cell]:
                if view.board[peer] == mark:
                    raise InvalidMove(_conflict(cell, peer, mark, t))
        return cell, mark

    def advance(self, state, moves, rng):
        return state.write(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        payment = (
            "At the end you are paid the share of cells that are right. " if self.partial else ""
        )
        sizes = sorted({level[1] for level in self.levels})
        boxes = " or ".join(f"{SIDES[n]}x{SIDES[n]} in a {n}x{n} grid" for n in sizes)
        return (
            "You are playing Sudoku: fill every free cell within the turns you have, so that no "
            f"row, column or box holds a digit twice. Boxes are {boxes}; digits run from 1 to the "
            "length of a row. There is exactly one solution. In a turn you write one digit into a "
            "cell that was not given; you can write over a digit of yours, and 0 clears it. A "
            "digit that is in the same row, column or box already is refused; one that is not may "
            f"still be wrong. {payment}"
            "Rows are counted from 1 at the top, columns from 1 at the left. Reply with the row, "
            "the column and the digit, such as 1 3 4."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows what was written

    def describe(self, view, agent):
        t, board, givens = view.table(), view.board, view.given
        lines = [_line(" ", DIGITS[: t.scale], DIGITS[: t.scale], t)]
        for row in range(t.scale):
            if row % t.side == 0:
                lines.append("")
            cells = slice(row * t.scale, (row + 1) * t.scale)
            lines.append(_line(DIGITS[row], board[cells], givens[cells], t))
        note = " Digits after a + are yours." if view.board != view.given else ""
        return "\n".join([*lines, "", f"Turns left: {view.left}.{note}"])

    def picture(self, view, agent):
        t = view.table()
        cells = []
        for symbol_set, digit, given_digit in zip(t.symbols, view.board, view.given, strict=True):
            free_symbol, given_symbols, written_symbols = symbol_set
            kind = given_symbols if given_digit != EMPTY else written_symbols
            cells.append(free_symbol if digit == EMPTY else kind[int(digit) - 1])
        rows = tuple(["".join(cells[i : i + t.scale]) for i in range(0, len(cells), t.scale)])
        labels = tuple(DIGITS[: t.scale])
        return Grid(rows, TILES, (), labels, labels, (f"Turns left: {view.left}",))

    def encode(self, view, agent):
        """Return a plane for each digit and one for given cells; small grids are at top left."""
        t = view.table()
        planes = np.zeros((self.scale + 1, self.scale, self.scale), np.float32)
        for c in t.cells:
            if view.board[c] != EMPTY:
                planes[int(view.board[c]) - 1, t.row[c], t.col[c]] = 1
            if view.given[c] != EMPTY:
                planes[-1, t.row[c], t.col[c]] = 1
        return planes

    def report(self, state):
        return {"solution": solution(state.given, state.table())}


def _conflict(cell, peer, mark, t):
    """Return which row, column or box of a cell already has the digit."""
    place = f"row {t.row[peer] + 1}, column {t.col[peer] + 1}"
    kind = (
        "row" if t.row[cell] == t.row[peer] else "column" if t.col[cell] == t.col[peer] else "box"
    )
    return f"the {kind} holds {mark} already: {place}"


@functools.lru_cache(1 << 14)  # a turn changes one row
def _line(label, row, given, t):
    cells = [b.rjust(2) if b == g else "+" + b for b, g in zip(row, given, strict=True)]
    boxes = [" ".join(cells[i : i + t.side]) for i in range(0, t.scale, t.side)]
    return f"{label}  " + " | ".join(boxes)


env, parallel_env, raw_env = make_env_functions(__name__)
