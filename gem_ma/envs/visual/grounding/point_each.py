"""Point each: one point in each figure of a kind."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.grounding.grounded import PointGrounded, count_hits, find_boxes
from gem_ma.envs.visual.grounding.scattered import ScatteredKind
from gem_ma.envs.visual.shapes import things


class PointEach(ScatteredKind, PointGrounded):
    levels = interpolate_levels(
        {0: (3, 1, 3), 2: (6, 2, 4), 5: (14, 3, 5), 8: (30, 5, 7), 10: (54, 7, 8)}
    )  # figures, those asked for, cells across
    asks = "Point at every KIND."
    about = (
        f"It shows shapes that do not overlap. {things.KEY} Reply with FORM, one for each shape "
        "that is asked for, and with no others."
    )
    form = "points (x, y)"
    pays = (
        "a shape is found if a point lies in the box around it, and the reward is twice the number "
        "of shapes found, divided by the number of your points and of the right shapes together"
    )

    def grade(self, answer, said):
        boxes, points = find_boxes(answer, self.coordinates), self.find_places(said)
        return 200 * count_hits(boxes, points) // (len(boxes) + len(points)) / 100
