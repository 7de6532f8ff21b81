"""Rotation: find a pattern as it looks after a turn."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import LETTERS, Task

TURNS = (
    "by a quarter turn clockwise",
    "by a half turn",
    "by a quarter turn counterclockwise",
)


class Rotation(Task):
    levels = interpolate_levels(
        {  # squares across, images, variants of each
            0: (2, 2, 1),
            2: (3, 4, 1),
            5: (4, 2, 2),
            8: (5, 2, 3),
            10: (8, 2, 3),
        }
    )
    moves = tuple(LETTERS[:6])
    has_own_seeds = True
    about = patterns.ABOUT
    words = staticmethod(patterns.words)
    scene = staticmethod(patterns.scene)

    def draw(self, rng, size, images, variants):
        turn = int(rng.integers(len(TURNS)))
        text = f"Which is the pattern, turned {TURNS[turn]}?"
        return patterns.ask(rng, text, size, (False, turn + 1), images, variants)
