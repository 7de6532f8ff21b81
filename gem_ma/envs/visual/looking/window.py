"""Boards of which a window shows a part; replies move the window."""

from typing import NamedTuple

from gem_ma.envs.visual.changes.pairs import name
from gem_ma.envs.visual.looking.parts import Looking
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Grid, Tile

WIDE = 3  # cells of the window across
FREE = "."
TILES = (
    *((s, Tile(f, "", "floor", name=f)) for s, f in FIGURES.items()),
    (FREE, Tile(ground="floor", name="an empty cell (.)")),
)


class Seen(NamedTuple):
    """A part of a board, and the cell of its top left corner."""

    rows: tuple[str, ...]
    at: tuple[int, int]


class Board(NamedTuple):
    """A board that is seen through a window."""

    rows: tuple[str, ...]

    def seen(self, at):
        row, column = at
        return Seen(
            tuple([line[column : column + WIDE] for line in self.rows[row : row + WIDE]]), at
        )


class Window(Looking):
    """A question about a board; a look moves the window to other rows and columns."""

    def place(self, at, asked, last) -> tuple[int, int]:
        """Return the new top left cell of the window; `last` is its largest row and column."""
        raise NotImplementedError

    def begin(self, rng, shown):
        return tuple(rng.integers(_last(shown) + 1, size=2).tolist())

    def look(self, at, asked, shown):
        return self.place(at, asked, _last(shown))

    def words(self, shown):
        rows, (row, column) = shown
        head = f"From {name((row, column))} on, at the top left:\n"
        return head + "\n".join([" | ".join([FIGURES.get(s, s) for s in line]) for line in rows])

    def scene(self, shown):
        rows, (row, column) = shown
        columns = tuple(LETTERS[column : column + len(rows[0])])
        return Grid(rows, TILES, (), columns, tuple([str(row + i + 1) for i in range(len(rows))]))


def _last(board):
    return max(0, len(board.rows) - WIDE)
