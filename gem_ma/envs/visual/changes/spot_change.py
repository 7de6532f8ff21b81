"""Spot change: in which cell two boards differ."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.changes import pairs
from gem_ma.envs.visual.question import Question, Task

MOST = 10


def cells(size):
    return tuple([pairs.name((r, c)) for r in range(size) for c in range(size)])


class SpotChange(Task):
    levels = interpolate_levels({0: (2,), 2: (3,), 5: (5,), 8: (7,), 10: (MOST,)})  # cells across
    moves = cells(MOST)
    about = (
        "It shows two boards of figures, which differ in one cell. Columns have letters from the "
        "left, rows numbers from the top. Reply with the cell, such as B3."
    )
    words = staticmethod(pairs.words)
    scene = staticmethod(pairs.scene)

    def draw(self, rng, size):
        boards, (cell,) = pairs.draw(rng, size, 1)
        return Question("Which cell differs?", pairs.name(cell), boards, cells(size))
