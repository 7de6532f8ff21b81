"""Crosswords: one agent finds words that cross each other, each from its clue."""

import functools
import textwrap
from typing import NamedTuple

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.words import clues
from gem_ma.game import Game, InvalidMove, Message, clip_repr
from gem_ma.scene import Grid, Tile

AGENT = "player"
ACROSS, DOWN = "across", "down"
STEPS = {ACROSS: (0, 1), DOWN: (1, 0)}
NAMES = {ACROSS: ACROSS, "a": ACROSS, DOWN: DOWN, "d": DOWN}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FREE, BLOCKED = ".", "#"
MOST, SIDE = 5, 9  # words, and cells in a row or column
WIDE = 35  # letters in a line below the picture
BANKS = {False: clues.EASY, True: clues.HARD}  # by `hardcore`
DRAWN = ((2, False, 20), (3, False, 30), (5, False, 50), (3, True, 40), (5, True, 60))


class Entry(NamedTuple):
    """A place for a word; `direction` is across or down."""

    number: int
    direction: str
    row: int
    col: int
    length: int
    clue: str

    def name(self):
        return f"{self.number} {self.direction}"

    def cells(self):
        return _cells(self.row, self.col, self.direction, self.length)


def _cells(row, col, direction, length):
    down, right = STEPS[direction]
    return [(row + down * i, col + right * i) for i in range(length)]


def layout(rng, bank, count):
    """Return `count` entries and their words, placed so that each word crosses another."""
    while True:
        indices = iter(dict.fromkeys(rng.integers(len(bank), size=10 * count).tolist()))
        chance = rng.random(2 * count).tolist()
        placements = [(*bank[next(indices)], 0, 0, DOWN if chance.pop() < 0.5 else ACROSS)]
        for index in indices:
            if len(placements) == count:
                return _numbered(placements)
            crossings = list(_crossings(bank[index][0], placements))
            if crossings:
                row, col, direction = crossings[int(chance.pop() * len(crossings))]
                placements.append((*bank[index], row, col, direction))


def _crossings(word, placed):
    """Yield the places where a word crosses others and touches no word along its side."""
    grid: dict[tuple[int, int], str] = {}
    used_cells: set[tuple[tuple[int, int], str]] = set()
    for other, _, row, col, direction in placed:
        cells = _cells(row, col, direction, len(other))
        grid.update(zip(cells, other, strict=True))
        used_cells.update((cell, direction) for cell in cells)
    for (row, col), letter in list(grid.items()):
        for direction, (down, right) in STEPS.items():
            if ((row, col), direction) in used_cells:
                continue
            for i, word_letter in enumerate(word):
                if word_letter != letter:
                    continue
                start = row - down * i, col - right * i
                cells = _cells(*start, direction, len(word))
                end = cells[-1]
                if (
                    (start[0] - down, start[1] - right) not in grid
                    and (end[0] + down, end[1] + right) not in grid
                    and all(
                        _fits(grid, used_cells, cell, direction, c)
                        for cell, c in zip(cells, word, strict=True)
                    )
                    and _extent([*grid, *cells]) <= SIDE
                ):
                    yield *start, direction


def _fits(grid, used, cell, direction, letter):
    if cell in grid:
        return grid[cell] == letter and (cell, direction) not in used
    (row, col), (across, down) = cell, STEPS[direction]  # steps sideways are those forward, swapped
    return (row - down, col - across) not in grid and (row + down, col + across) not in grid


def _extent(cells):
    rows, cols = zip(*cells, strict=True)
    return 1 + max(max(rows) - min(rows), max(cols) - min(cols))


def _numbered(placed):
    """Return entries and words, numbered in reading order of their first cells."""
    top, left = min(row for *_, row, _, _ in placed), min(col for *_, col, _ in placed)
    starts = sorted({(row, col) for *_, row, col, _ in placed})
    pairs = sorted(
        (starts.index((row, col)) + 1, direction, row - top, col - left, len(word), clue, word)
        for word, clue, row, col, direction in placed
    )
    return tuple([Entry(*pair[:-1]) for pair in pairs]), tuple([pair[-1] for pair in pairs])


class State(NamedTuple):
    entries: tuple[Entry, ...]
    words: tuple[str | None, ...]  # None: hidden
    solved: tuple[bool, ...]
    left: int  # turns left
    partial: bool = False

    def to_act(self):
        return () if not self.left or all(self.solved) else (AGENT,)

    def returns(self):
        share = sum(self.solved) / len(self.solved)
        return {AGENT: share if share == 1 or (self.partial and not self.left) else 0.0}

    def seen_by(self, agent):
        pairs = zip(self.words, self.solved, strict=True)
        words = tuple([word if is_solved else None for word, is_solved in pairs])
        return State(self.entries, words, self.solved, self.left, self.partial)

    def legal(self, agent):
        """Return an example answer for each open entry; any letters are allowed."""
        patterns = self.patterns()
        return tuple(
            [
                f"{entry.number} {entry.direction} {patterns[i].replace(FREE, 'E')}"
                for i, entry in enumerate(self.entries)
                if not self.solved[i]
            ]
        )

    def patterns(self):
        """Return the known letters of each entry."""
        return _patterns(self.entries, self.words, self.solved)

    def answer(self, index, word):
        solved_flags = list(self.solved)
        solved_flags[index] = self.words[index] == word
        return State(self.entries, self.words, tuple(solved_flags), self.left - 1, self.partial)


@functools.lru_cache(maxsize=1000)
def _letters(entries, words, solved):
    """Return the known letters by cell."""
    grid: dict[tuple[int, int], str] = {}
    for entry, word, is_known in zip(entries, words, solved, strict=True):
        if is_known:
            grid.update(zip(entry.cells(), word, strict=True))
    return grid


@functools.lru_cache(maxsize=1000)
def _patterns(*view):
    grid = _letters(*view)
    return tuple(["".join([grid.get(cell, FREE) for cell in entry.cells()]) for entry in view[0]])


class Crosswords(Game[State]):
    agents = (AGENT,)
    unlisted_moves = "an answer may be any letters"

    def __init__(
        self,
        num_words: int | None = 3,
        hardcore: bool | None = False,
        max_turns: int | None = 30,
        partial: bool = False,
    ):
        """Set the level; hardcore words are rarer and their clues harder.

        Args:
            num_words: how many words the grid has; None draws the number for each episode.
            hardcore: whether words and clues are from the hard list; None draws one of the lists.
            max_turns: how many answers are allowed; None draws the limit.
            partial: pay the share of words found at the end, instead of 1 or nothing.
        """
        if num_words is not None and not 1 <= num_words <= MOST:
            raise ValueError(f"num_words={num_words}: expected 1 to {MOST}")
        self.levels = fill_levels(DRAWN, num_words, hardcore, max_turns)
        self.partial = partial

    def start(self, rng, options):
        count, hardcore, turns = sample_level(rng, self.levels)
        entries, words = layout(rng, BANKS[hardcore], count)
        return State(entries, words, (False,) * count, turns, self.partial)

    def read(self, text, view, agent):
        parts = text.replace(":", " ").strip(" .,;!?\"'`*()[]<>").split()
        if len(parts) != 3 or parts[1].lower() not in NAMES:
            raise InvalidMove(
                f"{clip_repr(text)} is not a number, across or down, and a word, such as 1 across "
                f"RIVER"
            )
        name, word = f"{parts[0]} {NAMES[parts[1].lower()]}", parts[2].upper()
        names = [entry.name() for entry in view.entries]
        if name not in names:
            raise InvalidMove(f"there is no {clip_repr(name)}; there are {', '.join(names)}")
        index = names.index(name)
        entry = view.entries[index]
        if view.solved[index]:
            raise InvalidMove(f"{name} was found already: {view.words[index]}")
        if len(word) != entry.length or word.strip(LETTERS):
            raise InvalidMove(
                f"{name} has {entry.length} letters, each A to Z; got {clip_repr(word)}"
            )
        pattern = view.patterns()[index]
        if any(
            letter not in (FREE, word_letter)
            for letter, word_letter in zip(pattern, word, strict=True)
        ):
            raise InvalidMove(f"{word} does not fit the letters of {name}: {pattern}")
        return index, word

    def advance(self, state, moves, rng):
        move = moves[AGENT]
        return state.answer(*move) if move else state._replace(left=state.left - 1)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        reward = (
            "At the end you are paid the share of words that you found. " if self.partial else ""
        )
        return (
            "You are playing a crossword: find every word by its clue, within the turns you have. "
            "Words run across (from left to right) or down, and share a letter where they cross. "
            "A word that is right is written into the grid; one that is wrong costs the turn. "
            f"{reward}In the grid a word's number stands in its first cell; below a picture, clues "
            "are headed 1A for 1 across, 2D for 2 down. Reply with the number, across or down, and "
            "the word, such as 1 across RIVER."
        )

    def tell(self, before, moves, after):
        if moves[AGENT] is None:
            return None
        index, word = moves[AGENT]
        verdict = "is right" if after.solved[index] else "is wrong"
        return (Message(None, "game", f"{before.entries[index].name()} {word} {verdict}."),)

    def describe(self, view, agent):
        board = _board(view.entries, view.words, view.solved, agent is None)
        return f"{board}\nTurns left: {view.left}."

    def picture(self, view, agent):
        status = []
        for entry, word in zip(view.entries, view.words, strict=True):
            answer = f" = {word}" if agent is None else ""
            head = f"{entry.number}{entry.direction[0].upper()}"
            status += textwrap.wrap(f"{head} {entry.clue}{answer}", WIDE)
        rows = _rows(view.entries, view.words, view.solved)
        status.append(f"Turns left: {view.left}")
        return Grid(rows, _tiles(len(view.words)), status=tuple(status))

    def report(self, state):
        return {"words": state.words}


@functools.lru_cache(maxsize=1000)  # it changes only when a word is found
def _board(entries, words, solved, answered):
    """Return the grid and the clues as text, with or without the answers."""
    lines = [" ".join([f"{cell:>2}" for cell in row]) for row in _rows(entries, words, solved)]
    patterns = _patterns(entries, words, solved)
    for entry, word, pattern in zip(entries, words, patterns, strict=True):
        answer = f" = {word}" if answered else ""
        lines.append(f"{entry.name()} ({entry.length}): {entry.clue}: {pattern}{answer}")
    return "\n".join(lines)


@functools.cache
def _tiles(count):
    """Return the tiles of a crossword: a cell has a number, a letter, both or neither."""
    numbers = "", *[str(number) for number in range(1, count + 1)]
    return (
        (BLOCKED, Tile(ground="wall", name="no cell")),
        *(
            (number + letter, Tile(text=number + letter.strip(FREE)))
            for number in numbers
            for letter in FREE + LETTERS
        ),
    )


def _rows(entries, words, solved):
    """Return the grid: in each cell the number of a word that begins there, and the letter."""
    grid = dict.fromkeys([cell for entry in entries for cell in entry.cells()], FREE)
    grid.update(_letters(entries, words, solved))
    for entry in entries:
        cell = entry.row, entry.col
        grid[cell] = f"{entry.number}{grid[cell][-1]}"
    rows, cols = (1 + max(cell[i] for cell in grid) for i in (0, 1))
    return tuple(
        [tuple([grid.get((row, col), BLOCKED) for col in range(cols)]) for row in range(rows)]
    )


env, parallel_env, raw_env = make_env_functions(__name__)
