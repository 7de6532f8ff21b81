"""Count changes: in how many cells two boards differ."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.changes import pairs
from gem_ma.envs.visual.question import Question, Task, numbers


class CountChanges(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (3, 3), 5: (4, 6), 8: (6, 9), 10: (9, 14)}
    )  # cells across, changes
    moves = numbers(20)
    about = "It shows two boards of figures. Reply with a number."
    words = staticmethod(pairs.words)
    scene = staticmethod(pairs.scene)

    def draw(self, rng, size, most):
        many = int(rng.integers(most + 1))
        boards, _ = pairs.draw(rng, size, many)
        return Question("In how many cells do the boards differ?", str(many), boards, self.moves)
