"""Symmetry axes: in how many lines a pattern can be mirrored without a change."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import Question, Task, pick
from gem_ma.scene import Grid

BESIDE, BELOW, FALLING, RISING = range(4)
AXES = {
    "0": ((),),
    "1": ((BESIDE,), (BELOW,), (FALLING,), (RISING,)),
    "2": ((BESIDE, BELOW), (FALLING, RISING)),
    "4": ((BESIDE, BELOW, FALLING, RISING),),
}


class SymmetryAxes(Task):
    levels = interpolate_levels({0: (3,), 2: (4,), 5: (6,), 8: (8,), 10: (12,)})  # squares across
    moves = tuple(AXES)
    about = (
        "It shows a pattern of squares. A mirror axis is a line through its middle (upright, level "
        "or along a diagonal) in which the pattern can be mirrored and stays as it is. "
        "Reply with a number: 0, 1, 2 or 4."
    )

    def draw(self, rng, size):
        """Sample axes and a pattern that has them; without axes, a pattern that nearly has some."""
        answer = pick(rng, self.moves)
        axes = pick(rng, AXES[answer])
        while True:
            near = axes or pick(rng, AXES[pick(rng, ("1", "2", "4"))])
            rows = mirrored(patterns.draw(rng, size), near)
            rows = rows if axes else patterns.swapped(rng, rows)
            if tuple(axis for axis in range(4) if image(rows, axis) == rows) == axes:
                return Question("How many mirror axes has the pattern?", answer, rows, self.moves)

    def words(self, shown):
        return "\n".join(shown)

    def scene(self, shown):
        return Grid(shown, patterns.TILES)


def image(rows, axis):
    """Return the mirror image of a pattern."""
    turns = {BESIDE: (True, 0), BELOW: (True, 2), FALLING: (True, 3), RISING: (True, 1)}
    return patterns.image(rows, turns[axis])


def mirrored(rows, axes):
    """Return a pattern made symmetric: mirrored cells take the symbol of the first of them."""
    last = len(rows) - 1

    def first(cell):
        same = {cell}
        for _ in range(3):
            same |= {_there(r, c, last, axis) for r, c in same for axis in axes}
        return min(same)

    places = range(len(rows))
    cells = {(r, c): first((r, c)) for r in places for c in places}
    return tuple(["".join([rows[cells[r, c][0]][cells[r, c][1]] for c in places]) for r in places])


def _there(r, c, last, axis):
    return ((r, last - c), (last - r, c), (c, r), (last - c, last - r))[axis]
