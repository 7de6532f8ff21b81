"""Two boards of figures side by side that differ in some cells."""

from gem_ma.envs.visual.position.neighbour import FIGURES, TILES
from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Grid, Panels


def draw(rng, size, many):
    """Sample two boards, and return them with the cells in which they differ."""
    symbols = tuple(FIGURES)
    first = rng.integers(len(symbols), size=(size, size)).tolist()
    second = [list(row) for row in first]
    cells = [divmod(i, size) for i in rng.permutation(size * size)[:many].tolist()]
    for r, c in cells:
        second[r][c] = (first[r][c] + int(rng.integers(1, len(symbols)))) % len(symbols)
    boards = [tuple(["".join([symbols[i] for i in row]) for row in one]) for one in (first, second)]
    return tuple(boards), cells


def words(shown):
    return told(zip(("first", "second"), shown, strict=True))


def told(named):
    """Return boards of figures in words, each below its name."""
    return "\n".join(
        [f"{name}:\n" + "\n".join([" | ".join([FIGURES[s] for s in row]) for row in rows])
         for name, rows in named]
    )  # fmt: skip


def scene(shown):
    """Return the boards with row and column names."""
    size = len(shown[0])
    columns, lines = tuple(LETTERS[:size]), tuple(map(str, range(1, size + 1)))
    boards = zip(("first", "second"), shown, strict=True)
    status = (f"{size} rows, {size} columns",)
    return Panels(
        tuple([(name, Grid(rows, TILES, (), columns, lines, status)) for name, rows in boards]), 2
    )


def name(cell):
    return f"{LETTERS[cell[1]]}{cell[0] + 1}"
