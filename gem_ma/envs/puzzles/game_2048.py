"""2048: one agent slides all tiles to one side; equal tiles merge, until one is the target."""

import functools
import math
from typing import NamedTuple

import numpy as np

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

AGENT = "player"
MOVES = ("up", "down", "left", "right")
EMPTY = 0
FOUR = 0.1  # probability that a new tile is a 4 and not a 2
RANDOM = ((16, 20), (32, 30), (64, 50))  # target and turns, drawn for arguments that are None
TARGETS = tuple(2**n for n in range(3, 17))
GROUNDS = ("white", "yellow", "orange", "red", "purple", "blue", "green", "brown", "gray", "black")


class State(NamedTuple):
    board: tuple[tuple[int, ...], ...]
    target: int
    left: int  # turns left
    first: int  # the largest tile at the start

    def to_act(self):
        legal, largest = _survey(self.board)
        return (AGENT,) if legal and self.left and largest < self.target else ()

    def largest(self):
        return _survey(self.board)[1]

    def returns(self):
        """Return the share of doublings done, from the first largest tile to the target."""
        doublings = math.log2(self.largest() / self.first)
        return {AGENT: doublings / math.log2(self.target / self.first)}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return _survey(self.board)[0]

    def slide(self, move):
        """Return the board after all tiles have moved to one side."""
        lines = self.board if move in ("left", "right") else zip(*self.board, strict=True)
        if move in ("left", "up"):
            new_lines = tuple(map(_merged, lines))
        else:
            new_lines = tuple([_merged(line[::-1])[::-1] for line in lines])
        return new_lines if move in ("left", "right") else tuple(zip(*new_lines, strict=True))

    def play(self, move, rng):
        """Slide and add a tile; None is a lost turn."""
        if move is None:
            return self._replace(left=self.left - 1)
        return State(with_tile(self.slide(move), rng), self.target, self.left - 1, self.first)


@functools.lru_cache(1 << 16)
def _merged(line):
    """Return a line after sliding its tiles to the start; each tile merges at most once."""
    tiles, merged_tiles = [tile for tile in line if tile], []
    while tiles:
        tile = tiles.pop(0)
        merged_tiles.append(tile + tiles.pop(0) if tiles and tiles[0] == tile else tile)
    return (*merged_tiles, *[EMPTY] * (len(line) - len(merged_tiles)))


@functools.lru_cache(1 << 16)
def _ways(line):
    """Return whether a line changes: 1 if slid to its start, plus 2 if slid to its end."""
    return (_merged(line) != line) + 2 * (_merged(line[::-1]) != line[::-1])


@functools.lru_cache(1 << 16)
def _line(row, width):
    """Return a row as text."""
    return " ".join([str(tile or ".").rjust(width) for tile in row])


@functools.lru_cache(1 << 10)
def _survey(board):
    """Return the moves that change a board, and its largest tile; called several times a turn."""
    across = upright = 0
    for row, column in zip(board, zip(*board, strict=True), strict=True):
        across |= _ways(row)
        upright |= _ways(column)
    able = (upright & 1, upright & 2, across & 1, across & 2)
    legal = tuple([move for move, can in zip(MOVES, able, strict=True) if can])
    return legal, max(map(max, board))


def with_tile(board, rng):
    """Return the board with a new 2 or 4 on an empty cell."""
    empty = [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if not tile]
    row, column = empty[int(rng.random() * len(empty))]
    line = board[row]
    line = (*line[:column], 4 if rng.random() < FOUR else 2, *line[column + 1 :])
    return (*board[:row], line, *board[row + 1 :])


class Game2048(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(
        self, target_tile: int | None = 2048, max_turns: int | None = 1000, board_size: int = 4
    ):
        if target_tile is not None and target_tile not in TARGETS:
            raise ValueError(f"target_tile={target_tile}: expected one of {TARGETS}")
        if not 2 <= board_size <= 8:
            raise ValueError(f"board_size={board_size}: expected 2 to 8")
        self.levels = fill_levels(RANDOM, target_tile, max_turns)
        self.target, self.turns = map(max, zip(*self.levels, strict=True))
        self.size = board_size
        values = [2**n for n in range(1, int(math.log2(self.target)) + 1)]
        self.tiles = ((str(EMPTY), Tile(name="empty")), *[(str(n), _tile(n)) for n in values])

    def start(self, rng, options):
        target, turns = sample_level(rng, self.levels)
        empty = ((EMPTY,) * self.size,) * self.size
        board = with_tile(with_tile(empty, rng), rng)
        return State(board, target, turns, max(map(max, board)))

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        return state.play(moves[AGENT], rng)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing 2048. Each cell of the board is empty or has a tile with a number. A "
            "turn slides all tiles up, down, left or right as far as they can go. Where two tiles "
            "with the same number meet, they merge into one with the sum; a tile merges once a "
            "turn at most, those at the side you slide to first. Then a new 2 or, one time in ten, "
            "a 4 appears on an empty cell. A turn has to move something. You win with a tile that "
            "has the target, within the turns you have; the game also ends when nothing can move. "
            "The target pays 1, and each doubling of your largest tile on the way its equal share. "
            "Reply with up, down, left or right."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows everything

    def describe(self, view, agent):
        width = len(str(view.largest()))
        rows = [_line(row, width) for row in view.board]
        return "\n".join([*rows, f"Target: {view.target}. Turns left: {view.left}."])

    def picture(self, view, agent):
        rows = tuple([tuple(map(str, row)) for row in view.board])
        return Grid(rows, self.tiles, status=(f"Target: {view.target}. Turns left: {view.left}",))

    def encode(self, view, agent):
        """Return the doublings of each tile and of the target, and the turns left, as shares."""
        target_exponent = math.log2(self.target)
        cells = [
            math.log2(tile) / target_exponent if tile else 0.0 for row in view.board for tile in row
        ]
        return np.array(
            [*cells, math.log2(view.target) / target_exponent, view.left / self.turns], np.float32
        )


def _tile(value):
    """Return the picture of a tile; it has room for three characters, so 1024 becomes 1K."""
    ground = GROUNDS[(value.bit_length() - 2) % len(GROUNDS)]
    if value < 1024:
        return Tile(ground=ground, text=str(value))
    return Tile(ground=ground, text=f"{value // 1024}K", name=str(value))


env, parallel_env, raw_env = make_env_functions(__name__)
