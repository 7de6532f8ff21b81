"""Hangman: one agent finds a hidden word by its letters, or all at once."""

from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.guessing import words
from gem_ma.game import Game, InvalidMove
from gem_ma.match.actions import clip
from gem_ma.scene import Grid, Tile

AGENT = "player"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LEVELS = ((3, 10), (5, 15), (7, 20))  # letters of the word, guesses
WIDTH = 7  # of the alphabet below the word
HIDDEN, HIT, MISSED = "_", "+", "-"
TILES = (
    (HIDDEN, Tile("bar", "blue", name="hidden letter")),
    *((c, Tile(color="black", text=c)) for c in LETTERS),
    *((c + HIT, Tile("square", "green", text=c, name="letter of the word")) for c in LETTERS),
    *((c + MISSED, Tile("disc", "brown", text=c, name="letter not in the word")) for c in LETTERS),
    (" ", Tile()),
)
SEPARATORS = str.maketrans("", "", " \t\r\n,.;:!?-|()[]{}\"'`*$")


class State(NamedTuple):
    word: str  # hidden letters are "_"
    left: int  # guesses
    letters: str = ""  # tried
    tried: tuple[str, ...] = ()  # whole words

    def solved(self):
        return self.word in self.tried or not self.word.strip(self.letters)

    def to_act(self):
        return () if self.solved() or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.solved() else 0.0}

    def pattern(self):
        """Return the word with the letters that are not found hidden."""
        word, letters = self.word, self.letters
        if word in self.tried:
            return word
        return "".join([c if c in letters else HIDDEN for c in word])

    def seen_by(self, agent):
        if not self.to_act():
            return self
        return State(self.pattern(), self.left, self.letters, self.tried)

    def legal(self, agent):
        tried = self.letters
        return tuple([c for c in LETTERS if c not in tried])  # words are legal too

    def guess(self, guess):
        left = self.left - 1
        if guess is None:  # a lost turn
            return State(self.word, left, self.letters, self.tried)
        if len(guess) == 1:
            return State(self.word, left, self.letters + guess, self.tried)
        return State(self.word, left, self.letters, (*self.tried, guess))


class Hangman(Game[State]):
    agents = (AGENT,)
    moves = tuple(LETTERS)

    def __init__(self, word_length: int | None = 5, max_turns: int | None = 20):
        if (word_length is None) != (max_turns is None):
            raise ValueError("give word_length and max_turns, or None for both")
        if max_turns is not None and not 1 <= max_turns <= 40:
            raise ValueError(f"max_turns={max_turns}: expected 1 to 40")
        self.level: Any = None if word_length is None else (word_length, max_turns)
        for length, _ in [self.level] if self.level else LEVELS:
            words.common(length)  # so that what is missing shows at once

    def start(self, rng, options):
        length, turns = self.level or LEVELS[int(rng.integers(len(LEVELS)))]
        common = words.common(length)
        return State(common[int(rng.integers(len(common)))], turns)

    def read(self, text, view, agent):
        guess = (text if text.isalpha() else text.translate(SEPARATORS)).lower()
        if len(guess) not in (1, len(view.word)) or guess.strip(LETTERS):
            raise InvalidMove(
                f"expected a letter from a to z, or a word of {len(view.word)} letters; got "
                f"{clip(text)}"
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
        missed = [c for c in view.letters if c not in word]
        lines = [
            f"Word: {' '.join(view.pattern())}",
            f"Tried and not in the word: {', '.join(missed) or 'no letter yet'}.",
        ]
        return "\n".join([*lines, *self.status(view, agent)])

    def status(self, view, agent):
        lines = [f"Guesses left: {view.left}."]
        many = 30 // (len(view.word) + 2)  # that fit into a line of the picture
        for i in range(0, len(view.tried), many):
            lines.append(f"Tried: {', '.join(view.tried[i : i + many])}")
        if agent is None or not view.to_act():
            lines.append(f"The word is {view.word}.")
        return tuple(lines)

    def picture(self, view, agent):
        """Draw the word above, and below it the alphabet with what was tried."""
        shown = [c if c == HIDDEN else c + HIT for c in view.pattern()]
        wide = max(WIDTH, len(shown))
        cells = [
            c if c not in view.letters else c + (HIT if c in view.word else MISSED) for c in LETTERS
        ]
        before = (wide - len(shown)) // 2
        word = [" "] * before + shown + [" "] * (wide - before - len(shown))
        cells += [" "] * (-len(cells) % wide)
        rows = [word, [" "] * wide]
        rows += [cells[i : i + wide] for i in range(0, len(cells), wide)]
        return Grid(tuple(map(tuple, rows)), TILES, status=self.status(view, agent))

    def encode(self, view, agent):
        """Return a row for each place (its letter, one-hot), the letters tried, and the places."""
        longest = max(length for length, _ in ([self.level] if self.level else LEVELS))
        found = np.zeros((longest + 2, len(LETTERS)), np.float32)
        for place, letter in enumerate(view.pattern()):
            if letter != HIDDEN:
                found[place, LETTERS.index(letter)] = 1
        for letter in view.letters:
            found[-2, LETTERS.index(letter)] = 1
        found[-1, : len(view.word)] = 1
        return found
