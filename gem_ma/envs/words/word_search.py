"""Word search: one agent finds words that run in straight lines through a grid of letters."""

import functools
import itertools
import textwrap
from typing import NamedTuple

import numpy as np

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.words import clues
from gem_ma.game import Game, InvalidMove, Message, clip_repr, parse_number
from gem_ma.scene import Grid, Tile

AGENT = "player"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FORWARD = ((0, 1), (1, 0))  # steps down and to the right
ALL = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)
# By `hardcore`: the side of the grid, the steps in which words run, and the words.
KINDS = {
    False: (10, FORWARD, tuple(word for word, _ in clues.EASY if 3 <= len(word) <= 7)),
    True: (12, ALL, tuple(word for word, _ in clues.HARD if 5 <= len(word) <= 9)),
}
MOST = 8  # words in a grid
WIDE = 35  # letters in a line below the picture
DRAWN = tuple((words, hard, 4 * words) for words in (3, 5, 8) for hard in (False, True))
TILES = tuple(
    (symbol, tile)
    for letter in LETTERS
    for symbol, tile in (
        (letter, Tile(text=letter)),
        (letter.lower(), Tile("square", "yellow", "", letter, "in a word that was found")),
    )
)


def line(size, ends):
    """Return the cells from one end to the other; None if the ends are not in line."""
    (row, col), (last_row, last_col) = ends
    down, right = last_row - row, last_col - col
    length = max(abs(down), abs(right))
    if not length or (down and right and abs(down) != abs(right)):
        return None
    step = down // length * size + right // length
    return range(row * size + col, last_row * size + last_col + step, step)


@functools.cache
def all_lines(size):
    """Return the cells of every row, column and diagonal."""
    last = size - 1
    rows = [((i, 0), (i, last)) for i in range(size)]
    cols = [((0, i), (last, i)) for i in range(size)]
    falling = [
        ((max(-i, 0), max(i, 0)), (last - max(i, 0), last - max(-i, 0)))
        for i in range(-last + 1, last)
    ]
    rising = [
        ((row, last - col), (last_row, last - last_col))
        for (row, col), (last_row, last_col) in falling
    ]
    return tuple(line(size, ends) for ends in rows + cols + falling + rising)


def _slice(cells):
    stop = cells.stop if cells.stop >= 0 else None
    return slice(cells.start, stop, cells.step)


@functools.cache
def _slices(size):
    return [_slice(cells) for cells in all_lines(size)]


def puzzle(rng, size, steps, words):
    """Return a grid that holds each word exactly once; None if this draw failed."""
    grid = [None] * (size * size)
    tries = iter(rng.random((40 * len(words), 3)).tolist())
    for word in words:
        reach = len(word) - 1
        for a, b, c in tries:
            down, right = steps[int(a * len(steps))]
            row = int(b * (size - reach * abs(down))) + (reach if down < 0 else 0)
            col = int(c * (size - reach * abs(right))) + (reach if right < 0 else 0)
            step = down * size + right
            start = row * size + col
            cells = range(start, start + step * len(word), step)
            if all(grid[i] in (None, letter) for i, letter in zip(cells, word, strict=True)):
                for i, letter in zip(cells, word, strict=True):
                    grid[i] = letter
                break
        else:
            return None
    filling = rng.integers(len(LETTERS), size=size * size).tolist()
    full = "".join(
        [placed_letter or LETTERS[n] for placed_letter, n in zip(grid, filling, strict=True)]
    )
    text = "/".join([full[cells] for cells in _slices(size)])
    text += "/" + text[::-1]
    # The text has each line in both directions; each word must occur in it exactly once.
    once = all(text.find(word) == text.rfind(word) for word in words)
    return full if once else None


class State(NamedTuple):
    grid: str  # row by row
    size: int
    words: tuple[str, ...]
    left: int  # turns left
    partial: bool = False
    found: tuple[tuple[str, range], ...] = ()  # words and their cells

    def open(self):
        names = [word for word, _ in self.found]
        return [word for word in self.words if word not in names]

    def to_act(self):
        return () if not self.left or len(self.found) == len(self.words) else (AGENT,)

    def returns(self):
        share = len(self.found) / len(self.words)
        return {AGENT: share if share == 1 or (self.partial and not self.left) else 0.0}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        moves = _lines_of(self.size, tuple(sorted({len(word) for word in self.open()})))
        if not self.found:
            return moves
        ends = [divmod(end, self.size) for _, cells in self.found for end in (cells[0], cells[-1])]
        pairs = [
            pair for a, b in zip(ends[::2], ends[1::2], strict=True) for pair in (a + b, b + a)
        ]
        found_moves = {"{} {} {} {}".format(*pair) for pair in pairs}
        return tuple([move for move in moves if move not in found_moves])

    def spelled(self, cells):
        """Return the unfound word that these cells spell in either direction, or None."""
        text = self.grid[_slice(cells)]
        return next((word for word in self.open() if word in (text, text[::-1])), None)

    def take(self, cells):
        word = self.spelled(cells) if cells else None
        found_words = (*self.found, (word, cells)) if word else self.found
        return State(self.grid, self.size, self.words, self.left - 1, self.partial, found_words)


@functools.lru_cache(maxsize=1000)
def _lines_of(size, lengths):
    """Return all lines of these lengths, each in one direction."""
    return tuple(
        f"{row} {col} {row + down * (n - 1)} {col + right * (n - 1)}"
        for n in lengths
        for row in range(size)
        for col in range(size)
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
        if 0 <= row + down * (n - 1) < size and col + right * (n - 1) < size
    )


class WordSearch(Game[State]):
    agents = (AGENT,)
    legal_is_partial = True  # any line may be named, from either end

    def __init__(
        self,
        num_words: int | None = 5,
        hardcore: bool | None = False,
        max_turns: int | None = 20,
        partial: bool = False,
    ):
        """Set the level; hardcore words are longer and rarer, and run in all eight directions.

        Args:
            num_words: how many words the grid holds; None draws the number for each episode.
            hardcore: whether the words are from the hard list; None draws one of the lists.
            max_turns: how many guesses are allowed; None draws the limit.
            partial: pay the share of words found at the end, instead of 1 or nothing.
        """
        if num_words is not None and not 1 <= num_words <= MOST:
            raise ValueError(f"num_words={num_words}: expected 1 to {MOST}")
        self.levels = fill_levels(DRAWN, num_words, hardcore, max_turns)
        kinds = [KINDS[hard] for hard in sorted({hard for _, hard, _ in self.levels})]
        lines = [_lines_of(size, tuple(sorted(set(map(len, bank))))) for size, _, bank in kinds]
        self.moves = tuple(dict.fromkeys(itertools.chain.from_iterable(lines)))
        self.longest = max(len(word) for _, _, bank in kinds for word in bank)
        self.partial = partial

    def start(self, rng, options):
        count, hardcore, turns = sample_level(rng, self.levels)
        size, steps, bank = KINDS[hardcore]
        while True:
            indices = dict.fromkeys(rng.integers(len(bank), size=2 * MOST).tolist())
            words = tuple(sorted([bank[i] for i in indices][:count]))
            grid = puzzle(rng, size, steps, sorted(words, key=len, reverse=True))
            if grid is not None and len(words) == count:
                return State(grid, size, words, turns, self.partial)

    def read(self, text, view, agent):
        words = text.replace(",", " ").split()
        if len(words) != 4:
            raise InvalidMove(
                f"{clip_repr(text)} is not two cells; expected row and column of the first letter "
                f"and "
                "row and column of the last, such as 0 2 4 2"
            )
        row, col, last_row, last_col = places = [parse_number(word) for word in words]
        if not all(0 <= n < view.size for n in places):
            raise InvalidMove(f"rows and columns are 0 to {view.size - 1}")
        cells = line(view.size, ((row, col), (last_row, last_col)))
        if cells is None:
            raise InvalidMove("the two cells are not in a row, column or diagonal")
        if any(cells in (found_cells, found_cells[::-1]) for _, found_cells in view.found):
            raise InvalidMove("that word was found already")
        return cells

    def advance(self, state, moves, rng):
        return state.take(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        steps = {hardcore for _, hardcore, _ in self.levels}
        runs = (
            "from left to right or from top to bottom"
            if steps == {False}
            else "in any of eight directions: along rows, columns and diagonals, both ways"
        )
        payment = (
            "At the end you are paid the share of words that you found. " if self.partial else ""
        )
        return (
            "You are playing Word Search: find all words of the list in the grid of letters, "
            f"within the turns you have. A word runs in a straight line, {runs}; words can cross. "
            f"Each stands in the grid exactly once. {payment}Rows are counted from 0 at the top, "
            "columns from 0 at the left. Reply with the row and column of a word's first letter "
            "and the row and column of its last one, such as 0 2 4 2."
        )

    def tell(self, before, moves, after):
        cells = moves[AGENT]
        if cells is None:
            return None
        text = before.grid[_slice(cells)]
        if len(after.found) > len(before.found):
            return (Message(None, "game", f"You found {after.found[-1][0]}."),)
        return (Message(None, "game", f"{text} is not a word that is left to find."),)

    def describe(self, view, agent):
        return "\n".join([_board(view.grid, view.size, view.found), *self.status(view)])

    def status(self, view):
        return (
            f"To find: {', '.join(view.open()) or 'nothing'}.",
            f"Found: {', '.join([word for word, _ in view.found]) or 'nothing'}.",
            f"Turns left: {view.left}.",
        )

    def picture(self, view, agent):
        grid, size = _shown(view.grid, view.found), view.size
        rows = tuple([grid[i : i + size] for i in range(0, size * size, size)])
        labels = tuple([str(i) for i in range(size)])
        status = tuple(textwrap.wrap(" ".join(self.status(view)), WIDE))
        return Grid(rows, TILES, (), labels, labels, status)

    def encode(self, view, agent):
        """Return planes of the grid, the words in alphabetical order, and the turns left.

        There is a plane for each letter, and one for the cells of found words. Each word is a row
        of letters, one-hot, and whether it was found.
        """
        side = max(KINDS[hard][0] for _, hard, _ in self.levels)
        count, turns = (max(level[i] for level in self.levels) for i in (0, 2))
        cells = np.zeros((len(LETTERS) + 1, side, side), np.float32)
        for cell, letter in enumerate(_shown(view.grid, view.found)):
            place = divmod(cell, view.size)
            cells[(LETTERS.index(letter.upper()), *place)] = 1
            cells[(-1, *place)] = letter.islower()
        words = np.zeros((count, self.longest * len(LETTERS) + 1), np.float32)
        open_words = view.open()
        for row, word in zip(words, view.words, strict=False):
            for place, letter in enumerate(word):
                row[place * len(LETTERS) + LETTERS.index(letter)] = 1
            row[-1] = word not in open_words
        return np.concatenate([cells.ravel(), words.ravel(), [view.left / turns]]).astype(
            np.float32
        )


@functools.lru_cache(maxsize=1000)  # it changes only when a word is found
def _board(grid, size, found):
    """Return the grid as text, with numbers above and beside it."""
    wide = len(str(size - 1))
    letter_grid = _shown(grid, found)
    lines = [" " * wide + " " + " ".join([f"{c:>{wide}}" for c in range(size)])]
    for row in range(size):
        letters = [f"{c:>{wide}}" for c in letter_grid[row * size : row * size + size]]
        lines.append(f"{row:>{wide}} " + " ".join(letters))
    if found:
        lines.append("Small letters are in words that were found.")
    return "\n".join(lines)


def _shown(grid, found):
    """Return the grid, with found words in small letters."""
    letters = list(grid)
    for _, cells in found:
        for cell in cells:
            letters[cell] = letters[cell].lower()
    return "".join(letters)


env, parallel_env, raw_env = make_env_functions(__name__)
