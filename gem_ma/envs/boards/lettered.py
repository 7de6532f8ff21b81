"""Helpers for boards with lettered columns and numbered rows, as in chess."""

import functools
import itertools

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@functools.cache
def squares(size):
    """Return the names of all squares, row by row: a1, b1, ... with row 1 at the top."""
    return tuple(f"{letter}{row}" for row in range(1, size + 1) for letter in LETTERS[:size])


@functools.cache
def labels(size):
    """Return the labels of the columns and of the rows."""
    return tuple(LETTERS[:size]), tuple(str(row) for row in range(1, size + 1))


@functools.cache
def touching(size, steps):
    """Return, for each square by index, the squares at the given (down, right) steps from it."""
    return tuple(
        tuple(
            (row + down) * size + column + right
            for down, right in steps
            if 0 <= row + down < size and 0 <= column + right < size
        )
        for row in range(size)
        for column in range(size)
    )


def rows(board, size):
    """Split a board, which is one string, into its rows."""
    return tuple([board[i : i + size] for i in range(0, len(board), size)])


def words(lines, slant=0):
    """Return the rows with their labels as text; each is indented by `slant` more than the last."""
    letters, numbers = labels(len(lines))
    text = map(_line, itertools.count(0, slant), numbers, lines)
    return "\n".join(["   " + " ".join(letters), *text])


@functools.lru_cache(1 << 14)  # a move changes few of them
def _line(indent, number, cells):
    return f"{' ' * indent}{number:>2} {' '.join(cells)}"
