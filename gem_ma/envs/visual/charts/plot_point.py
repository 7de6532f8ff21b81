"""Plot point: where a point with given coordinates belongs."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.charts import axes
from gem_ma.envs.visual.graded import Pointing
from gem_ma.envs.visual.question import Question


class PlotPoint(Pointing):
    # marks of an axis, steps between marks, whether marks have lines, other points
    levels = interpolate_levels(
        {
            0: (2, (1,), True, 1),
            2: (5, (1,), True, 2),
            4: (6, (1,), False, 3),
            5: (6, (1, 2, 10), False, 4),
            7: (7, (1, 2, 10), False, 5),
            8: (8, (5, 10, 20), False, 6),
            9: (9, (5, 10, 20), False, 8),
            10: (10, (4, 20, 25), False, 10),
        }
    )
    about = (
        "It shows two axes with numbers along them, and dots that mean nothing. Reply with two "
        "whole numbers: how many percent of the picture a place is from its left side, and "
        "how many from its top, such as 40, 65."
    )

    def draw(self, rng, marks, steps, lined, others):
        tops, apart = axes.scales(rng, marks, steps)
        point = tuple([int(rng.integers(top + 1)) for top in tops])
        x, y = axes.place(point, tops)
        dots = canvas.apart(rng, others, 8, 20, 85)
        text = f"Where is the point {point[0]} to the right and {point[1]} up?"
        return Question(text, f"{round(x)}, {round(y)}", (tops, apart, lined, dots), self.moves)

    def words(self, shown):
        tops, apart, has_lines, dots = shown
        more = " There are lines at the marks." if has_lines else ""
        return f"{axes.words(tops, apart)}{more} Dots, in percent: {canvas.told(dots)}."

    def scene(self, shown):
        *frame, dots = shown
        lines, labels = axes.drawn(*frame)
        return canvas.drawn(items=canvas.dots(dots, 2), lines=lines, labels=labels)
