"""Fifteen puzzle: one agent slides numbered tiles into a gap until they are in order."""

import functools
import itertools
from typing import Literal, NamedTuple

import numpy as np

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

AGENT = "player"
MOVES = ("up", "down", "left", "right")
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
GAP = 0
RANDOM = ((2, 10), (3, 20), (4, 50))  # rows and turns that are drawn for arguments that are None
LARGEST = 8  # largest number of rows
LONGEST = 400  # longest shuffle by default, in moves
MOST_MOVES = 10_000  # longest shuffle that can be requested


@functools.cache
def _names(size):
    """Return the text of each tile, all of one width."""
    width = len(str(size * size - 1))
    return tuple(str(tile or "_").rjust(width) for tile in range(size * size))


@functools.cache
def _ordered(size):
    return (*range(1, size * size), GAP)


@functools.cache
def _ways(size):
    """Return, for each place of the gap, the place from which each move slides a tile."""
    last = size - 1
    return tuple(
        {
            move: row * size + column + step
            for move, step, legal in (
                ("up", size, row < last),
                ("down", -size, row > 0),
                ("left", 1, column < last),
                ("right", -1, column > 0),
            )
            if legal
        }
        for row in range(size)
        for column in range(size)
    )


class State(NamedTuple):
    board: tuple[int, ...]  # row by row
    size: int
    left: int  # turns left

    def to_act(self):
        return () if self.solved() or not self.left else (AGENT,)

    def solved(self):
        return self.board == _ordered(self.size)

    def returns(self):
        if self.left and not self.solved():
            return {AGENT: 0.0}
        in_place = sum(tile == i for i, tile in enumerate(self.board[:-1], 1))
        return {AGENT: in_place / (len(self.board) - 1)}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def ways(self):
        return _ways(self.size)[self.board.index(GAP)]

    def legal(self, agent):
        return tuple(self.ways())

    def slide(self, move):
        if move is None:  # a lost turn
            return State(self.board, self.size, self.left - 1)
        board, gap = list(self.board), self.board.index(GAP)
        tile = _ways(self.size)[gap][move]
        board[gap], board[tile] = board[tile], GAP
        return State(tuple(board), self.size, self.left - 1)


def shuffled(rng, size, turns, count=None):
    """Return a shuffled board and its solution, of `count` or at most `turns` moves."""
    longest = min(turns, LONGEST)
    # A walk on two rows only goes in a circle, so only its length makes boards differ.
    shortest = max(1, longest - 1) if size > 2 else 1
    board = _ordered(size)
    while board == _ordered(size):
        board, gap, reverse, solution = list(board), size * size - 1, "", []
        steps = int(rng.integers(shortest, longest + 1)) if count is None else count
        for u in rng.random(steps).tolist():
            ways = [way for way in _ways(size)[gap].items() if way[0] != reverse]
            move, tile = ways[int(u * len(ways))]
            board[gap], board[tile] = board[tile], GAP
            gap, reverse = tile, BACK[move]
            solution.append(reverse)
        board = tuple(board)
        count = count and count + 1  # some lengths only lead back to order
    return board, solution[::-1]


def drawn(rng, size):
    """Return a uniformly drawn solvable board that is not yet in order."""
    board = _ordered(size)
    while board == _ordered(size):
        tiles = rng.permutation(size * size).tolist()
        if not is_solvable(tiles, size):
            first, second = [place for place, tile in enumerate(tiles) if tile != GAP][:2]
            tiles[first], tiles[second] = tiles[second], tiles[first]
        board = tuple(tiles)
    return board


def is_solvable(board, size):
    """Return whether a board can be put in order, which is true for half of all boards."""
    swaps = sum(a > b for a, b in itertools.combinations(filter(None, board), 2))
    rows_below = size - 1 - board.index(GAP) // size
    return (swaps + (rows_below if size % 2 == 0 else 0)) % 2 == 0


class FifteenPuzzle(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(
        self,
        num_rows: int | None = 3,
        max_turns: int | None = 50,
        init_algo: Literal["monte_carlo", "pure_random"] = "monte_carlo",
        mc_rand_moves: int | None = None,
    ):
        """Set the level, and how boards are drawn.

        Args:
            num_rows: how many rows and columns there are, 2 to 8; None draws the number.
            max_turns: how many moves are allowed; None draws the limit.
            init_algo: "monte_carlo" shuffles the ordered board with random moves; "pure_random"
                draws any solvable board.
            mc_rand_moves: how many random moves shuffle the board; None: at most `max_turns`, so
                that there are enough turns to undo them.
        """
        if init_algo not in ("monte_carlo", "pure_random"):
            raise ValueError(f"init_algo={init_algo!r}: expected 'monte_carlo' or 'pure_random'")
        if mc_rand_moves is not None and not 1 <= mc_rand_moves <= MOST_MOVES:
            raise ValueError(f"mc_rand_moves={mc_rand_moves}: expected 1 to {MOST_MOVES}")
        self.init_algo, self.mc_rand_moves = init_algo, mc_rand_moves
        if num_rows is not None and not 2 <= num_rows <= LARGEST:
            raise ValueError(f"num_rows={num_rows}: expected 2 to {LARGEST}")
        self.levels = fill_levels(RANDOM, num_rows, max_turns)
        self.rows, self.turns = map(max, zip(*self.levels, strict=True))
        numbers = [Tile(ground="yellow", text=str(n)) for n in range(1, self.rows**2)]
        self.tiles = tuple((str(n), tile) for n, tile in enumerate((Tile(name="gap"), *numbers)))

    def start(self, rng, options):
        size, turns = sample_level(rng, self.levels)
        if self.init_algo == "pure_random":
            return State(drawn(rng, size), size, turns)
        return State(shuffled(rng, size, turns, self.mc_rand_moves)[0], size, turns)

    def read(self, text, view, agent):
        return parse_choice(text, view.ways())

    def advance(self, state, moves, rng):
        return state.slide(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing the sliding puzzle. Bring the numbered tiles into order, row by row "
            "from 1 at the top left, with the gap in the bottom right corner, within the turns you "
            "have. A turn slides a tile beside the gap into it: up moves the tile below the gap "
            "up, down the one above it down, left the one to its right left, right the one to its "
            "left right. The ordered board pays 1; if the turns run out, you get the share of "
            "tiles in their places. Reply with up, down, left or right."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows everything

    def describe(self, view, agent):
        names = _names(view.size)
        rows = _rows([names[tile] for tile in view.board], view.size)
        return "\n".join([*map(" ".join, rows), f"Turns left: {view.left}."])

    def picture(self, view, agent):
        rows = _rows([str(tile) for tile in view.board], view.size)
        return Grid(rows, self.tiles, status=(f"Turns left: {view.left}",))

    def encode(self, view, agent):
        """Return each cell's number, 0 for the gap and outside the board, and the turns left."""
        board = np.zeros((self.rows, self.rows), np.float32)
        board[: view.size, : view.size] = np.reshape(view.board, (view.size, view.size))
        return np.append(board / (self.rows**2 - 1), np.float32(view.left / self.turns))


def _rows(cells, size):
    return tuple([tuple(cells[i : i + size]) for i in range(0, size * size, size)])


env, parallel_env, raw_env = make_env_functions(__name__)
