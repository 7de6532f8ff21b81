"""Mastermind: one agent finds a hidden code of digits from black and white pegs."""

import functools
import itertools
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.guessing.guesses import columns
from gem_ma.game import Game, InvalidMove
from gem_ma.scene import Grid, Tile

AGENT = "player"
LEVELS = ((2, 4, 10), (4, 6, 20), (4, 8, 30))  # digits in the code, highest digit, guesses
MOST = 10_000  # largest number of possible codes
COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "brown", "gray", "white")
TILES = (
    *((str(i), Tile("square", color, text=str(i))) for i, color in enumerate(COLORS, 1)),
    *((f"b{n}", Tile("disc", "black", "gray", str(n), "black pegs")) for n in range(10)),
    *((f"w{n}", Tile("disc", "white", "gray", str(n), "white pegs")) for n in range(10)),
    (" ", Tile()),
)
SEPARATORS = str.maketrans("", "", " \t\r\n,.;:-|()[]{}\"'`*$")


class State(NamedTuple):
    digits: int  # the highest digit; the lowest is 1
    repeats: bool
    left: int  # guesses left
    code: str  # hidden digits are "?"
    guesses: tuple[tuple[str, int, int], ...] = ()  # with their black and white pegs

    def found(self):
        return bool(self.guesses) and self.guesses[-1][1] == len(self.code)

    def to_act(self):
        return () if self.found() or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.found() else 0.0}

    def seen_by(self, agent):
        if not self.to_act():
            return self
        return State(self.digits, self.repeats, self.left, "?" * len(self.code), self.guesses)

    def legal(self, agent):
        return _codes(len(self.code), self.digits, self.repeats)

    def guess(self, guess):
        guesses = self.guesses
        if guess is not None:  # a lost turn is not marked
            guesses = (*guesses, (guess, *pegs(self.code, guess)))
        return State(self.digits, self.repeats, self.left - 1, self.code, guesses)


def pegs(code, guess):
    """Return how many digits are in the right place, and how many more are in the code."""
    black, remaining = sum(map(operator.eq, code, guess)), code
    for digit in guess:
        remaining = remaining.replace(digit, "", 1)
    return black, len(code) - len(remaining) - black


class Mastermind(Game[State]):
    agents = (AGENT,)

    def __init__(
        self,
        code_length: int | None = 4,
        num_numbers: int | None = 6,
        max_turns: int | None = 20,
        duplicate_numbers: bool = False,
    ):
        level: Any = (code_length, num_numbers, max_turns)
        if None in level and any(level):
            raise ValueError(
                f"code_length={code_length}, num_numbers={num_numbers}, max_turns={max_turns}: "
                "expected numbers for all three, or None for all three"
            )
        self.level = None if None in level else level  # None: one of LEVELS is drawn
        if self.level:
            length, digits, turns = level
            codes = 0
            if 1 <= length <= 6 and 1 <= digits <= 9:
                codes = digits**length if duplicate_numbers else math.perm(digits, length)
            if not (1 < codes <= MOST and 1 <= turns <= 60):
                raise ValueError(
                    f"code_length={length}, num_numbers={digits}, max_turns={turns}: expected "
                    "code_length 1 to 6, num_numbers 1 to 9, max_turns 1 to 60, and 2 to "
                    f"{MOST} possible codes, got {codes}"
                )
            self.moves = _codes(length, digits, duplicate_numbers)
        else:
            levels = [_codes(length, digits, duplicate_numbers) for length, digits, _ in LEVELS]
            self.moves = tuple(dict.fromkeys(itertools.chain.from_iterable(levels)))
        self.repeats = duplicate_numbers

    def start(self, rng, options):
        length, digits, turns = self.level or LEVELS[int(rng.integers(len(LEVELS)))]
        if self.repeats:
            code = rng.integers(1, digits + 1, length)
        else:
            code = rng.permutation(digits)[:length] + 1
        return State(digits, self.repeats, turns, "".join(map(str, code.tolist())))

    def read(self, text, view, agent):
        code = text.replace(" ", "")
        if not code.isdecimal():
            code = text.translate(SEPARATORS)
        if len(code) != len(view.code) or code.strip("123456789"[: view.digits]):
            raise InvalidMove(f"expected {len(view.code)} digits, each from 1 to {view.digits}")
        if not view.repeats and len(set(code)) < len(code):
            raise InvalidMove(f"{' '.join(code)} repeats a digit, which the code never does")
        return code

    def advance(self, state, moves, rng):
        return state.guess(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        repetition = "may be repeated" if self.repeats else "are all different"
        return (
            "You are playing Mastermind: find the hidden code of digits within the guesses you "
            f"have. The digits of the code, and those of a guess, {repetition}. Each guess gets a "
            "black peg for every digit that is right and in its place, and a white peg for every "
            "other digit that is in the code, but in another place. Pegs do not say which digit "
            "they are for. Reply with the digits of a guess, with spaces between, such as 2 1."
        )

    def tell(self, before, moves, after):
        return ()  # the view lists the guesses

    def describe(self, view, agent):
        return "\n".join([*map(_line, itertools.count(1), view.guesses), *self.status(view)])

    def status(self, view):
        return (
            f"Code: {' '.join(view.code)}, digits 1 to {view.digits}",
            f"Guesses left: {view.left}",
        )

    def picture(self, view, agent):
        """Draw the guesses in columns from top to bottom, the earliest at the left."""
        length = len(view.code)
        rows = [(*guess, f"b{black}", f"w{white}") for guess, black, white in view.guesses]
        return Grid(columns(rows, length + 2), TILES, status=self.status(view))

    def encode(self, view, agent):
        """Return a row for each possible guess, the earliest first, and a last row.

        The row of a guess has the digit of each place, one-hot, and the shares of black and of
        white pegs. The last row has the digits that each place can have, and the guesses left.
        """
        levels = [self.level] if self.level else LEVELS
        places, digits, turns = (max(level[i] for level in levels) for i in range(3))
        rows = np.zeros((turns + 1, places * digits + 2), np.float32)
        for row, (guess, *counts) in zip(rows, view.guesses, strict=False):
            for place, digit in enumerate(guess):
                row[place * digits + int(digit) - 1] = 1
            row[-2:] = np.array(counts) / len(guess)
        for place in range(len(view.code)):
            rows[-1, place * digits : place * digits + view.digits] = 1
        rows[-1, -1] = view.left / turns
        return rows


@functools.lru_cache(1 << 14)  # a line is shown again after every later guess
def _line(number, marked):
    guess, black, white = marked
    return f"{number}. {' '.join(guess)}: {black} black, {white} white"


@functools.cache
def _codes(length, digits, repeats):
    symbols = "123456789"[:digits]
    if repeats:
        return tuple(map(" ".join, itertools.product(symbols, repeat=length)))
    return tuple(map(" ".join, itertools.permutations(symbols, length)))


env, parallel_env, raw_env = make_env_functions(__name__)
