"""Reversi: two agents enclose each other's discs, which turn over; most discs win."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.boards.lettered import labels, rows, squares, words
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption, make_winner_caption
from gem_ma.game import Game, Message, parse_choice
from gem_ma.scene import Grid, Tile

AGENTS = ("black", "white")
TILES = (
    ("B", Tile("disc", "black", "felt", name="black (B)")),
    ("W", Tile("disc", "white", "felt", name="white (W)")),
    (".", Tile("", ground="felt", name="free")),
)


@functools.cache
def _directions(size):
    """Return for each direction: bits to shift left, bits to shift right, and reachable squares."""
    everywhere = (1 << size * size) - 1
    first = sum(1 << row * size for row in range(size))
    land = {-1: everywhere & ~(first << size - 1), 0: everywhere, 1: everywhere & ~first}
    steps = [(down * size + right, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    return tuple((max(step, 0), max(-step, 0), land[right]) for step, right in steps if step)


class State(NamedTuple):
    discs: tuple[int, int]  # black's and white's, a bit for each square, row by row from a1
    turn: int  # of the seat that moves: an index into AGENTS
    open: int  # squares, as bits, where that seat may place a disc; 0 if neither seat can
    size: int
    last: int | None = None  # the square of the last disc

    def to_act(self):
        return (AGENTS[self.turn],) if self.open else ()

    def returns(self):
        black, white = self.counts()
        lead = 0.0 if self.open else float((black > white) - (black < white))
        return {"black": lead, "white": -lead}

    def counts(self):
        return self.discs[0].bit_count(), self.discs[1].bit_count()

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        names, bits, moves = squares(self.size), self.open, []
        while bits:
            lowest = bits & -bits
            moves.append(names[lowest.bit_length() - 1])
            bits -= lowest
        return tuple(moves)

    def board(self):
        black, white = self.discs
        cells = range(self.size * self.size)
        return "".join(["B" if black >> i & 1 else "W" if white >> i & 1 else "." for i in cells])

    def place(self, square):
        """Place a disc, and turn over the discs that it encloses in every direction."""
        new = 1 << square
        own_discs, other_discs = self.discs[self.turn], self.discs[1 - self.turn]
        flips = 0
        for left, right, land in _directions(self.size):
            line, at = 0, new << left >> right & land
            while at & other_discs:
                line |= at
                at = at << left >> right & land
            if at & own_discs:
                flips |= line
        own_discs, other_discs = own_discs | new | flips, other_discs & ~flips
        return after(
            (other_discs, own_discs) if self.turn else (own_discs, other_discs),
            self.turn,
            self.size,
            square,
        )


def after(discs, turn, size, last=None):
    """Return the state after a turn; a seat that cannot move is skipped."""
    for side in (1 - turn, turn):
        open_squares = _open(discs[side], discs[1 - side], size)
        if open_squares:
            break
    return State(discs, side, open_squares, size, last)


def _open(own, other, size):
    """Return the squares where a disc encloses others, as bits."""
    free_squares, open_squares = ~(own | other), 0
    for left, right, land in _directions(size):
        line = own << left >> right & land & other
        while line:
            line = line << left >> right & land
            open_squares |= line & free_squares
            line &= other
    return open_squares


class Reversi(Game[State]):
    agents = AGENTS
    moves: tuple[str, ...]
    zero_sum = True

    def __init__(self, size: int = 8):
        if size not in range(4, 17, 2):
            raise ValueError(f"size={size}: expected an even number from 4 to 16")
        self.size = size
        self.moves = squares(size)

    def start(self, rng, options):
        size, middle = self.size, (self.size // 2 - 1) * (self.size + 1)  # d4 of 8x8
        black = 1 << middle + 1 | 1 << middle + size
        white = 1 << middle | 1 << middle + size + 1
        return after((black, white), 1, size)

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:  # a lost turn
            return after(state.discs, state.turn, state.size, state.last)
        return state.place(self.moves.index(move))

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        lost_message = Message(None, "game", f"{seat} lost its turn.")
        message = lost_message if move is None else Message(None, seat, move)
        if after.to_act() != (seat,):
            return (message,)
        (other,) = set(AGENTS) - {seat}
        return message, Message(None, "game", f"{other} has no move and passes.")

    def rules(self, agent):
        last = squares(self.size)[-1]
        return (
            f"You are playing Reversi as {agent} ({agent[0].upper()}); black begins. In turn you "
            "place a disc on a free square such that it and another disc of yours enclose one or "
            "more of the other's discs in a straight line, flat, upright or diagonal, without a "
            "gap. All discs so enclosed, in every direction, turn over and are yours. Who has no "
            "such square passes, which happens by itself. When neither can move the game ends, "
            "and who has more discs wins. Columns are lettered from the left, rows numbered from "
            f"the top: a1 is top left, {last} bottom right. Reply with the square of your disc."
        )

    def describe(self, view, agent):
        return words(rows(view.board(), view.size)) + "\n" + _score(view)

    def picture(self, view, agent):
        columns, lines = labels(view.size)
        status = _score(view), *make_turn_caption(view), *make_winner_caption(view)
        marks = () if view.last is None else (divmod(view.last, view.size),)
        return Grid(rows(view.board(), view.size), TILES, marks, columns, lines, status)

    def encode(self, view, agent):
        """Return three planes: own discs, the other's, free squares."""
        own_mark = agent[0].upper()
        cells = np.array(list(view.board())).reshape(view.size, view.size)
        planes = [cells == own_mark, (cells != own_mark) & (cells != "."), cells == "."]
        return np.stack(planes).astype(np.float32)


def _score(view):
    black, white = view.counts()
    return f"Discs: black {black}, white {white}."


env, parallel_env, raw_env = make_env_functions(__name__)
