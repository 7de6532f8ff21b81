"""Box each: the box of each figure of a kind."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.grounding.grounded import BoxGrounded
from gem_ma.envs.visual.grounding.scattered import ScatteredKind
from gem_ma.envs.visual.shapes import things


class BoxEach(ScatteredKind, BoxGrounded):
    levels = interpolate_levels(
        {0: (2, 1, 2), 2: (5, 2, 3), 5: (12, 3, 4), 8: (24, 5, 5), 10: (40, 9, 7)}
    )  # figures, those asked for, cells across
    asks = "Which are the boxes of every KIND?"
    about = (
        f"It shows shapes that do not overlap. {things.KEY} Reply with FORM, the smallest one "
        "around each shape that is asked for, and with no others."
    )
    form = "boxes [left, top, right, bottom]"
    pays = (
        "each right box is paired with your box that shares most with it, if that is more than "
        "half of what both cover together; the reward is twice the sum of these shares, divided by "
        "the number of your boxes and of the right ones together"
    )
