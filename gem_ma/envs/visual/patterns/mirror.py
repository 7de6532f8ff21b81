"""Mirror: find a pattern as it looks in a mirror."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.question import LETTERS, Task, pick

# What the question says, and the quarter turns after left and right are swapped.
BESIDE = "in a mirror beside it, with left and right swapped", 0
BELOW = "in a mirror below it, with top and bottom swapped", 2
DIAGONAL = "mirrored so that its top row becomes the left column, from the top down", 3


class Mirror(Task):
    levels = interpolate_levels(
        {  # squares across, mirrors, images, variants of each
            0: (2, (BESIDE,), 2, 1),
            2: (3, (BESIDE, BELOW), 4, 1),
            5: (4, (BESIDE, BELOW), 2, 2),
            8: (5, (BESIDE, BELOW, DIAGONAL), 2, 3),
            10: (8, (BESIDE, BELOW, DIAGONAL), 2, 3),
        }
    )
    moves = tuple(LETTERS[:6])
    has_own_seeds = True
    about = patterns.ABOUT
    words = staticmethod(patterns.words)
    scene = staticmethod(patterns.scene)

    def draw(self, rng, size, mirrors, images, variants):
        how, quarters = pick(rng, mirrors)
        text = f"Which is the pattern {how}?"
        return patterns.ask(rng, text, size, (True, quarters), images, variants)
