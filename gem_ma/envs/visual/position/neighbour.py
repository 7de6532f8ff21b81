"""Neighbour: which figure is beside a marked one, or a few steps from it."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, pick
from gem_ma.scene import Grid, Tile

FIGURES = {
    "d": "disc", "s": "square", "t": "triangle", "r": "star", "h": "heart", "a": "arrow",
    "o": "ring", "p": "plus", "k": "key", "f": "flag", "m": "diamond", "x": "cross",
}  # fmt: skip
TILES = tuple([(s, Tile(f, "", "floor", name=f)) for s, f in FIGURES.items()])
WAYS = {"above": (-1, 0), "below": (1, 0), "left of": (0, -1), "right of": (0, 1)}


class Neighbour(Task):
    # cells across, steps
    levels = interpolate_levels({0: (2, 1), 2: (3, 1), 5: (4, 2), 8: (6, 3), 10: (9, 5)})
    moves = tuple(FIGURES.values())
    about = (
        "It shows figures in rows and columns, one of them marked: in words, by an o beside it. "
        "Reply with the name of a figure, such as star."
    )

    def draw(self, rng, size, steps):
        """Walk from a marked cell to another; the question names the direction of each step."""
        cells = rng.integers(len(FIGURES), size=(size, size)).tolist()
        symbols = tuple(FIGURES)
        rows = tuple(["".join([symbols[i] for i in row]) for row in cells])
        row, column = at = tuple(rng.integers(size, size=2).tolist())
        directions: list[str] = []
        seen = [at]
        while len(directions) < steps:
            ways = [
                (name, (row + down, column + right))
                for name, (down, right) in WAYS.items()
                if 0 <= row + down < size and 0 <= column + right < size
            ]
            fresh = [way for way in ways if way[1] not in seen] or ways
            name, (row, column) = pick(rng, fresh)
            directions.append(name)
            seen.append((row, column))
        text = "Which figure is " + " the figure that is ".join(
            f"{w}" for w in reversed(directions)
        )
        return Question(
            f"{text} the marked one?", FIGURES[rows[row][column]], (rows, at), self.moves
        )

    def words(self, shown):
        rows, (row, column) = shown
        lines = []
        for i, line in enumerate(rows):
            cells = [f"{FIGURES[s]}{' o' * ((i, j) == (row, column))}" for j, s in enumerate(line)]
            lines.append(" | ".join(cells))
        return "\n".join(lines)

    def scene(self, shown):
        rows, at = shown
        return Grid(rows, TILES, marks=(at,))
