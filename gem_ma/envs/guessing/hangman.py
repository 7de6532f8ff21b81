"""Hangman: one agent guesses the letters of a hidden word, or the whole word."""

from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.guessing import words
from gem_ma.game import Game, InvalidMove, clip_repr
from gem_ma.scene import Shapes

AGENT = "player"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LEVELS = ((3, 10), (5, 15), (7, 20))  # letters of the word, guesses
HIDDEN = "_"
# Lines (x1, y1, x2, y2), drawn one by one as guesses are lost; 0 to 1 in the picture.
GALLOWS = (
    (0.04, 0.58, 0.4, 0.58),
    (0.11, 0.58, 0.11, 0.03),
    (0.11, 0.03, 0.32, 0.03),
    (0.11, 0.14, 0.22, 0.03),
    (0.32, 0.03, 0.32, 0.1),
)
HEAD = ("ring", "", 0.32, 0.165, 0.13, 0.0)
BODY = (
    (0.32, 0.23, 0.32, 0.4),
    (0.32, 0.27, 0.24, 0.34),
    (0.32, 0.27, 0.4, 0.34),
    (0.32, 0.4, 0.25, 0.52),
    (0.32, 0.4, 0.39, 0.52),
)
STROKES = 1 + len(BODY)
WIDE = 6  # letters of the alphabet in a row beside the gallows
THICK = 0.02
SEPARATORS = str.maketrans("", "", " \t\r\n,.;:!?-|()[]{}\"'`*$")


class State(NamedTuple):
    word: str  # hidden letters are "_"
    left: int  # guesses left
    letters: str = ""  # letters guessed so far
    tried: tuple[str, ...] = ()  # words guessed so far

    def solved(self):
        return self.word in self.tried or not self.word.strip(self.letters)

    def to_act(self):
        return () if self.solved() or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.solved() else 0.0}

    def pattern(self):
        """Return the word, with letters that were not found hidden."""
        word, letters = self.word, self.letters
        if word in self.tried:
            return word
        return "".join([c if c in letters else HIDDEN for c in word])

    def seen_by(self, agent):
        if not self.to_act():
            return self
        return State(self.pattern(), self.left, self.letters, self.tried)

    def legal(self, agent):
        letters = self.letters
        return tuple([c for c in LETTERS if c not in letters])  # words are legal too

    def guess(self, guess):
        turns_left = self.left - 1
        if guess is None:  # a lost turn
            return State(self.word, turns_left, self.letters, self.tried)
        if len(guess) == 1:
            return State(self.word, turns_left, self.letters + guess, self.tried)
        return State(self.word, turns_left, self.letters, (*self.tried, guess))


class Hangman(Game[State]):
    agents = (AGENT,)
    moves = tuple(LETTERS)

    def __init__(
        self,
        word_length: int | None = 5,
        max_turns: int | None = 20,
        vocabulary: int = words.COMMON,
    ):
        """Set the level and the vocabulary.

        Args:
            word_length: letters of the word; None, with `max_turns`, draws the level.
            max_turns: how many guesses are allowed, right or wrong, 1 to 40.
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
        self.vocabulary = vocabulary
        for length, _ in [self.level] if self.level else LEVELS:
            words.common(length, vocabulary)  # raises now if the word list is missing

    def start(self, rng, options):
        length, turns = self.level or LEVELS[int(rng.integers(len(LEVELS)))]
        common = words.common(length, self.vocabulary)
        return State(common[int(rng.integers(len(common)))], turns)

    def read(self, text, view, agent):
        guess = (text if text.isalpha() else text.translate(SEPARATORS)).lower()
        if len(guess) not in (1, len(view.word)) or guess.strip(LETTERS):
            raise InvalidMove(
                f"expected a letter from a to z, or a word of {len(view.word)} letters; got "
                f"{clip_repr(text)}"
            )
        if guess in view.letters or guess in view.tried:
            raise InvalidMove(f"{guess} was tried already")
        return guess

    def advance(self, state, moves, rng):
        return state.guess(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing Hangman: find the hidden English word within the guesses you have. "
            "A guess is a letter, which is then shown wherever the word has it, or a whole word. "
            "Every guess counts, right or wrong. You win when every letter is found, or with the "
            "word itself. Reply with a letter, such as e, or with a word of the right length."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows what was tried

    def describe(self, view, agent):
        word = view.word
        misses = [c for c in view.letters if c not in word]
        lines = [
            f"Word: {' '.join(view.pattern())}",
            f"Tried and not in the word: {', '.join(misses) or 'no letter yet'}.",
        ]
        return "\n".join([*lines, *self.status(view, agent)])

    def status(self, view, agent):
        lines = [f"Guesses left: {view.left}."]
        many = 30 // (len(view.word) + 2)  # as many as fit into a line of the picture
        for i in range(0, len(view.tried), many):
            lines.append(f"Tried: {', '.join(view.tried[i : i + many])}")
        if agent is None or not view.to_act():
            lines.append(f"The word is {view.word}.")
        return tuple(lines)

    def picture(self, view, agent):
        """Draw the gallows, filled as guesses are lost, the letters tried, and the word below."""
        items, lines, labels = [], [("", *line, THICK) for line in GALLOWS], []
        strokes = self.lost(view)
        if strokes:
            items.append(HEAD)
        lines += [("", *line, THICK) for line in BODY[: max(0, strokes - 1)]]
        for i, letter in enumerate(LETTERS):
            x, y = 0.49 + i % WIDE * 0.09, 0.06 + i // WIDE * 0.115
            if letter in view.letters:
                color = "yellow" if letter in view.word else "black"
                items.append(("square", color, x, y, 0.095, 0.0))
            labels.append((letter, "", x, y, 0.09))
        pattern = view.pattern()
        step = min(0.17, 0.96 / len(pattern))
        for i, letter in enumerate(pattern):
            x = 0.5 + (i - (len(pattern) - 1) / 2) * step
            lines.append(("", x - 0.4 * step, 0.86, x + 0.4 * step, 0.86, 0.012))
            if letter != HIDDEN:
                labels.append((letter, "", x, 0.76, 0.18))
        status = self.status(view, agent)
        return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels), status=status)

    def lost(self, view):
        """Return how many lines of the man are drawn; all if the game is lost."""
        length = len(view.word)
        (turns,) = {n for size, n in ([self.level] if self.level else LEVELS) if size == length}
        right = len([c for c in view.letters if c in view.word]) + view.solved()
        wrong_guesses = turns - view.left - right
        if not (view.left or view.solved()):
            return STROKES
        return min(STROKES - 1, -(-wrong_guesses * STROKES // turns)) if wrong_guesses > 0 else 0

    def encode(self, view, agent):
        """Return a row for each place (its letter, one-hot), the letters tried, and the length."""
        longest = max(length for length, _ in ([self.level] if self.level else LEVELS))
        features = np.zeros((longest + 2, len(LETTERS)), np.float32)
        for place, letter in enumerate(view.pattern()):
            if letter != HIDDEN:
                features[place, LETTERS.index(letter)] = 1
        for letter in view.letters:
            features[-2, LETTERS.index(letter)] = 1
        features[-1, : len(view.word)] = 1
        return features


env, parallel_env, raw_env = make_env_functions(__name__)
