"""Boards of which a window shows a part, that one asks for turn by turn."""

from collections.abc import Sequence
from typing import NamedTuple

from gem_ma.envs.visual.changes.pairs import name
from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import AGENT, LETTERS, Task
from gem_ma.game import InvalidMove, Message
from gem_ma.match.actions import choose
from gem_ma.scene import Grid, Tile

WIDE = 3  # cells of the window across
FREE = "."
TILES = (
    *((s, Tile(f, "black", "white", name=f)) for s, f in FIGURES.items()),
    (FREE, Tile(ground="white", name="an empty cell (.)")),
)


class Seen(NamedTuple):
    """A part of a board, and where it begins."""

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


class Looking(Task):
    """A question about a board of which one sees a part: a reply looks elsewhere, or answers."""

    looks: Sequence[str] = ()  # all that one can ask for

    def __init__(self, level: str | int | None = "normal", tries: int = 60):
        """Take a level, and how many replies there are, the answer among them."""
        super().__init__(level, tries)

    def look(self, at, asked, last) -> tuple[int, int]:
        """Return where the window is then; it can begin in row and column `last`."""
        raise NotImplementedError

    def start(self, rng, options):
        state = super().start(rng, options)
        last = max(0, len(state.shown.rows) - WIDE)
        return state._replace(at=tuple(rng.integers(last + 1, size=2).tolist()))

    def read(self, text, view, agent):
        try:
            return choose(text, self.looks)
        except InvalidMove:
            return super().read(text, view, agent)

    def advance(self, state, moves, rng):
        said = moves[AGENT]
        if said is None:
            return state._replace(left=state.left - 1)
        if said in self.looks:
            last = max(0, len(state.shown.rows) - WIDE)
            return state._replace(left=state.left - 1, at=self.look(state.at, said, last))
        return super().advance(state, moves, rng)._replace(left=0)

    def tell(self, before, moves, after):
        if moves[AGENT] in self.looks:
            return [Message(None, "game", f"{moves[AGENT]}. Replies left: {after.left}.")]
        return super().tell(before, moves, after)

    def rules(self, agent):
        return (
            "You are asked a question about a picture, of which you see a part at a time, as a "
            f"picture or as words. {self.about} You have {self.tries} replies; the first answer "
            f"counts, and {self.pays}."
        )

    def words(self, shown):
        rows, (row, column) = shown
        head = f"From {name((row, column))} on, at the top left:\n"
        return head + "\n".join([" | ".join([FIGURES.get(s, s) for s in line]) for line in rows])

    def scene(self, shown):
        rows, (row, column) = shown
        columns = tuple(LETTERS[column : column + len(rows[0])])
        return Grid(rows, TILES, (), columns, tuple([str(row + i + 1) for i in range(len(rows))]))
