"""Guess the number: one agent finds a hidden number; each answer is "higher" or "lower"."""

import functools
import math
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, parse_number
from gem_ma.scene import Shapes

AGENT = "player"
CORRECT, LOWER, HIGHER = "correct!", "the number is lower.", "the number is higher."
COLORS = {CORRECT: "green", LOWER: "blue", HIGHER: "red"}
SIGNS = {CORRECT: ("star", 0.0), LOWER: ("arrow", 270.0), HIGHER: ("arrow", 90.0)}
ROWS = 17  # guesses below each other in a picture
_LINE = 0.13  # height of the number line in a picture
_EDGE = 0.06  # margin at its ends
MOST = 1_000_000  # numbers to guess from
DRAWN = (10, 50)  # if None is given: largest lowest number, and largest span


class State(NamedTuple):
    low: int
    high: int
    left: int  # guesses left
    secret: int | None  # None: hidden
    guesses: tuple[tuple[int, str], ...] = ()
    told: str = ""  # the guesses in words
    found: bool = False

    def to_act(self):
        return () if self.found or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.found else 0.0}

    def seen_by(self, agent):
        low, high, left, _, guesses, told, found = self
        return State(low, high, left, None, guesses, told, found)

    def legal(self, agent):
        return _numbers(self.low, self.high)

    def guess(self, n):
        low, high, left, secret, guesses, told, found = self
        if n is None:  # a lost turn
            return State(low, high, left - 1, secret, guesses, told, found)
        hint = CORRECT if n == secret else LOWER if n > secret else HIGHER
        guesses, told = (*guesses, (n, hint)), f"{told}{n}: {hint}\n"
        return State(low, high, left - 1, secret, guesses, told, hint is CORRECT)


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
        if highest - lowest >= MOST:
            raise ValueError(
                f"min_number={min_number}, max_number={max_number}: expected at most {MOST} numbers"
            )
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
        n = parse_number(text)
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
        low, high, left, secret, _, told, _ = view
        text = f"The number is between {low} and {high}.\n{told}Guesses left: {left}."
        return text if agent is not None else f"{text}\nHidden number: {secret}."

    def picture(self, view, agent):
        """Draw a number line, and below it the guesses with arrows towards the number."""
        low, high = view.low, view.high
        for n, hint in view.guesses:
            low = max(low, n if hint == CORRECT else n + 1 if hint == HIGHER else low)
            high = min(high, n if hint == CORRECT else n - 1 if hint == LOWER else high)
        lines = [("gray", _EDGE, _LINE, 1 - _EDGE, _LINE, 0.008)]
        lines.append(("", _place(low, view), _LINE, _place(high, view), _LINE, 0.03))
        labels = []
        for end in (view.low, view.high):
            long = len(str(end)) * 0.03
            x = min(max(_place(end, view), long), 1 - long)
            labels.append((str(end), "", x, 0.05, 0.09))
        for tick in _ticks(view.low, view.high):
            x = _place(tick, view)
            lines.append(("", x, _LINE - 0.025, x, _LINE + 0.025, 0.006))
        items, more_lines, names, earlier = _guesses(view)
        status = [f"... {earlier} earlier guesses"] if earlier else []
        status.append(f"Guesses left: {view.left}")
        if agent is None:
            status.append(f"Hidden number: {view.secret}")
        return Shapes(items, "", (*lines, *more_lines), (*labels, *names), tuple(status))

    def encode(self, view, agent):
        """Return which numbers are still possible, and the share of guesses left."""
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


def _place(n, view):
    """Return the position of a number on the line."""
    return _EDGE + (1 - 2 * _EDGE) * (n - view.low) / max(1, view.high - view.low)


def _ticks(low, high):
    """Return round numbers to mark on the line, at most a few dozen."""
    step = 1
    while (high - low) / step > 40:
        step *= 5 if str(step)[0] == "1" else 2
    return range(-(-low // step) * step, high + 1, step)


def _guesses(view):
    """Return shapes, lines and labels of the guesses, below the line or in columns."""
    items, lines, labels = [], [], []
    guesses = view.guesses
    high = (1 - _LINE - 0.04) / max(len(guesses), 6) if len(guesses) <= ROWS else 0.0
    if high:
        for i, (n, hint) in enumerate(guesses):
            x, y = _place(n, view), _LINE + 0.04 + high * (i + 0.5)
            side = min(0.08, 0.9 * high)
            lines.append(("gray", x, _LINE, x, y, 0.003))
            towards = 1 if hint == HIGHER else -1
            text = min(0.09, 0.95 * high)
            away = 0.6 * side + 0.27 * text * len(str(n))
            name = x - towards * away
            if not away <= name <= 1 - away:
                name = x + towards * away
            labels.append((str(n), "", name, y, text))
            items.append((SIGNS[hint][0], COLORS[hint], x, y, side, SIGNS[hint][1]))
        return tuple(items), lines, labels, 0
    digits = max(len(str(view.low)), len(str(view.high)))
    wide = 0.03 * (digits + 1) + 0.05
    columns = max(1, int(1 / wide))
    high = (1 - _LINE - 0.04) / ROWS
    room = columns * ROWS
    earlier = max(0, len(guesses) - room)
    for i, (n, hint) in enumerate(guesses[earlier:]):
        x, y = wide * (i // ROWS), _LINE + 0.04 + high * (i % ROWS + 0.5)
        labels.append((str(n), "", x + 0.015 * (digits + 1), y, 0.05))
        figure, degrees = SIGNS[hint]
        x += 0.03 * (digits + 1) + 0.02
        items.append((figure, COLORS[hint], x, y, 0.04, degrees))
    return tuple(items), lines, labels, earlier


env, parallel_env, raw_env = make_env_functions(__name__)
