"""Guess the number: one agent finds a hidden number, told "higher" or "lower" after each guess."""

import functools
import math
from typing import NamedTuple

import numpy as np

from gem_ma.game import Game, InvalidMove
from gem_ma.match.actions import number

AGENT = "player"
CORRECT, LOWER, HIGHER = "correct!", "the number is lower.", "the number is higher."
DRAWN = (10, 50)  # where nothing is given: the lowest number is at most 10, the span at most 50


class State(NamedTuple):
    low: int
    high: int
    left: int  # guesses
    secret: int | None  # None: hidden
    guesses: tuple[tuple[int, str], ...] = ()
    found: bool = False

    def to_act(self):
        return () if self.found or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.found else 0.0}

    def seen_by(self, agent):
        return State(self.low, self.high, self.left, None, self.guesses, self.found)

    def legal(self, agent):
        return _numbers(self.low, self.high)

    def guess(self, n):
        if n is None:  # a lost turn
            return self._replace(left=self.left - 1)
        hint = CORRECT if n == self.secret else LOWER if n > self.secret else HIGHER
        guesses = (*self.guesses, (n, hint))
        return State(self.low, self.high, self.left - 1, self.secret, guesses, hint == CORRECT)


class GuessTheNumber(Game[State]):
    agents = (AGENT,)
    moves: tuple[str, ...]

    def __init__(
        self,
        min_number: int | None = 1,
        max_number: int | None = 20,
        max_turns: int | None = 20,
    ):
        if min_number is not None and max_number is not None and min_number > max_number:
            raise ValueError(f"min_number={min_number} is above max_number={max_number}")
        if max_turns is not None and max_turns < 1:
            raise ValueError(f"max_turns={max_turns}: expected 1 or more")
        self.min_number, self.max_number, self.max_turns = min_number, max_number, max_turns
        lowest = 1 if min_number is None else min_number
        highest = sum(DRAWN) if max_number is None else max_number
        self.moves = _numbers(lowest, highest)

    def start(self, rng, options):
        low, high, turns = self.min_number, self.max_number, self.max_turns
        if low is None:
            low = int(rng.integers(1, (DRAWN[0] if high is None else min(DRAWN[0], high)) + 1))
        if high is None:
            high = low + int(rng.integers(5, DRAWN[1] + 1))
        if turns is None:
            turns = math.ceil(math.sqrt(high - low)) + 1
        return State(low, high, turns, low + int(rng.random() * (high - low + 1)))

    def read(self, text, view, agent):
        n = number(text)
        if not view.low <= n <= view.high:
            raise InvalidMove(f"{n} is not between {view.low} and {view.high}")
        return n

    def advance(self, state, moves, rng):
        return state.guess(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing Guess the Number: find the hidden whole number within the guesses you "
            "have. After each guess you are told whether the number is higher or lower than it. "
            "Reply with a number."
        )

    def tell(self, before, moves, after):
        return ()  # the view lists the guesses

    def describe(self, view, agent):
        lines = [f"The number is between {view.low} and {view.high}."]
        lines += [f"{n}: {hint}" for n, hint in view.guesses]
        lines.append(f"Guesses left: {view.left}.")
        if agent is None:
            lines.append(f"Hidden number: {view.secret}.")
        return "\n".join(lines)

    def encode(self, view, agent):
        """Return which numbers are still possible, and the share of guesses that is left."""
        low, high = view.low, view.high
        for n, hint in view.guesses:
            low = max(low, n if hint == CORRECT else n + 1 if hint == HIGHER else low)
            high = min(high, n if hint == CORRECT else n - 1 if hint == LOWER else high)
        first = int(self.moves[0])
        row = np.zeros(len(self.moves) + 1, np.float32)
        row[max(low - first, 0) : high - first + 1] = 1
        row[-1] = view.left / (view.left + len(view.guesses))
        return row


@functools.cache
def _numbers(low, high):
    return tuple(str(n) for n in range(low, high + 1))
