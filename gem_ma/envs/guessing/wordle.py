"""Wordle: one agent finds a hidden word; marks show which letters of each guess fit."""

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.guessing import words
from gem_ma.envs.guessing.guesses import columns
from gem_ma.game import Game, InvalidMove, clip_repr
from gem_ma.scene import Grid, Tile

AGENT = "player"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DRAWN = (3, 5)  # letters of the random level
TURNS = 5  # of the random level, per letter
MARKS = PLACED, PRESENT, ABSENT = "+", "~", "-"  # best first
LOOKS = (
    (PLACED, "green", "letter in its place (+)"),
    (PRESENT, "yellow", "letter that belongs elsewhere (~)"),
    (ABSENT, "black", "letter that is not there (-)"),
    ("", "white", "letter not tried yet"),
)
TILES = (
    *(
        (letter + mark, Tile(ground=color, text=letter, name=name))
        for letter in LETTERS
        for mark, color, name in LOOKS
    ),
    (" ", Tile()),
)
SEPARATORS = str.maketrans("", "", " \t\r\n,.;:!?-|()[]{}\"'`*$")


def marks(word, guess):
    """Return the marks of a guess; each letter of the word counts once, first if in place."""
    remaining = [a for a, b in zip(word, guess, strict=True) if a != b]
    pattern = ""
    for a, b in zip(word, guess, strict=True):
        if a == b:
            pattern += PLACED
        elif b in remaining:
            remaining.remove(b)
            pattern += PRESENT
        else:
            pattern += ABSENT
    return pattern


class State(NamedTuple):
    word: str  # hidden letters are "?"
    left: int  # guesses left
    guesses: tuple[tuple[str, str], ...] = ()  # with their marks

    def found(self):
        return bool(self.guesses) and self.guesses[-1][1] == PLACED * len(self.word)

    def to_act(self):
        return () if self.found() or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.found() else 0.0}

    def seen_by(self, agent):
        return State("?" * len(self.word), self.left, self.guesses) if self.to_act() else self

    def legal(self, agent):
        return words.common(len(self.word))  # rarer words are legal too

    def guess(self, guess):
        if guess is None:  # a lost turn
            return State(self.word, self.left - 1, self.guesses)
        marked_guess = guess, marks(self.word, guess)
        return State(self.word, self.left - 1, (*self.guesses, marked_guess))


class Wordle(Game[State]):
    agents = (AGENT,)

    def __init__(
        self,
        word_length: int | None = 5,
        max_turns: int | None = 20,
        only_real_words: bool = True,
        vocabulary: int = words.COMMON,
    ):
        """Set the level, the vocabulary, and which guesses are allowed.

        Args:
            word_length: letters of the word; None, with `max_turns`, draws the level.
            max_turns: how many guesses are allowed, 1 to 40.
            only_real_words: whether each guess must be an English word.
            vocabulary: the word is one of this many most frequent words of English.
        """
        if (word_length is None) != (max_turns is None):
            raise ValueError(
                f"word_length={word_length}, max_turns={max_turns}: expected numbers for both, or "
                "None for both"
            )
        if max_turns is not None and not 1 <= max_turns <= 40:
            raise ValueError(f"max_turns={max_turns}: expected 1 to 40")
        self.level: Any = None if word_length is None else (word_length, max_turns)
        self.only_real_words = only_real_words
        self.vocabulary = vocabulary
        words.common(word_length or DRAWN[0], vocabulary)  # raises now if the word list is missing
        lengths = range(DRAWN[0], DRAWN[1] + 1) if word_length is None else (word_length,)
        self.moves = tuple(itertools.chain.from_iterable(map(words.common, lengths)))

    def start(self, rng, options):
        if self.level is None:
            length = int(rng.integers(DRAWN[0], DRAWN[1] + 1))
            turns = TURNS * length
        else:
            length, turns = self.level
        common = words.common(length, self.vocabulary)
        return State(common[int(rng.integers(len(common)))], turns)

    def read(self, text, view, agent):
        guess = (text if text.isalpha() else text.translate(SEPARATORS)).lower()
        if len(guess) != len(view.word) or guess.strip(LETTERS):
            raise InvalidMove(f"expected a word of {len(view.word)} letters; got {clip_repr(text)}")
        if self.only_real_words and guess not in words.known(len(guess)):
            raise InvalidMove(f"{guess} is not in the list of English words")
        return guess

    def advance(self, state, moves, rng):
        return state.guess(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        real = " A guess must be an English word." if self.only_real_words else ""
        return (
            "You are playing Wordle: find the hidden English word within the guesses you have."
            f"{real} Each letter of a guess is marked: {PLACED} if it is right and in its place, "
            f"{PRESENT} if it is in the word but in another place, {ABSENT} if it is not there. "
            "Each letter of the word serves for one mark only: a letter that your guess has more "
            f"often than the word gets {ABSENT} for those too many. "
            "Reply with a word of the right length."
        )

    def tell(self, before, moves, after):
        return ()  # the view lists the guesses

    def describe(self, view, agent):
        return "\n".join([*map(_line, itertools.count(1), view.guesses), *self.status(view)])

    def status(self, view):
        word = view.word if view.word[0] != "?" else f"{len(view.word)} letters"
        return f"Word: {word}", f"Guesses left: {view.left}"

    def picture(self, view, agent):
        """Draw the guesses in columns, the earliest at the left, and the alphabet beside them.

        Each letter of the alphabet has the best mark that it got so far.
        """
        guesses = [tuple(map("".join, zip(*guess, strict=True))) for guess in view.guesses]
        board = columns(guesses, len(view.word), len(LETTERS))
        best: dict[str, str] = {}
        for cell in itertools.chain(*guesses):
            letter, mark = cell[0], cell[1:]
            best[letter] = min(mark, best.get(letter, mark), key=MARKS.index)
        wide = max(-(-len(LETTERS) // len(board)), len(board) - len(board[0]) - 1)
        cells = [letter + best.get(letter, "") for letter in LETTERS]
        cells += [" "] * (wide * len(board) - len(cells))
        rows = [(*row, " ", *cells[i * wide : (i + 1) * wide]) for i, row in enumerate(board)]
        return Grid(tuple(rows), TILES, status=self.status(view))

    def encode(self, view, agent):
        """Return a row for each possible guess, the earliest first, and a last row.

        The row of a guess has the letter of each place, one-hot, and then the mark of each place,
        one-hot, best mark first. The last row has all letters of each place of the word set to 1,
        and the guesses left as its last number.
        """
        longest, turns = self.level or (DRAWN[1], TURNS * DRAWN[1])
        letters = longest * len(LETTERS)
        rows = np.zeros((turns + 1, letters + longest * len(MARKS)), np.float32)
        for row, (guess, pattern) in zip(rows, view.guesses, strict=False):
            for place, (letter, mark) in enumerate(zip(guess, pattern, strict=True)):
                row[place * len(LETTERS) + LETTERS.index(letter)] = 1
                row[letters + place * len(MARKS) + MARKS.index(mark)] = 1
        rows[-1, : len(view.word) * len(LETTERS)] = 1
        rows[-1, -1] = view.left / turns
        return rows


@functools.lru_cache(1 << 14)  # a line is shown again after every later guess
def _line(number, marked):
    guess, pattern = marked
    return f"{number}. {guess}: " + " ".join(map("".join, zip(guess, pattern, strict=True)))


env, parallel_env, raw_env = make_env_functions(__name__)
