"""Point at: where a thing is."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.graded import Pointing
from gem_ma.envs.visual.question import LETTERS, Question, pick, some
from gem_ma.envs.visual.shapes import things
from gem_ma.envs.visual.shapes.things import COLORS, FIGURES, SIZES, Thing


class PointAt(Pointing):
    levels = interpolate_levels(
        {0: (2, 2), 2: (5, 3), 5: (12, 4), 8: (24, 6), 10: (48, 7)}
    )  # things, cells across
    about = (
        f"It shows shapes that do not overlap. {things.KEY} Reply with two whole numbers: how many "
        "percent of the picture the middle of a shape is from its left side, and how many from its "
        "top, such as 40, 65."
    )
    words = staticmethod(things.words)
    scene = staticmethod(things.scene)

    def draw(self, rng, many, across):
        """Sample a thing, and others that differ from it in at least one trait."""
        target = Thing(pick(rng, FIGURES), int(rng.integers(len(COLORS))), pick(rng, SIZES))
        kinds = [target.figure, *some(rng, FIGURES, 3)]
        shapes = [target]
        while len(shapes) < many:
            other = Thing(pick(rng, kinds), int(rng.integers(len(COLORS))), pick(rng, SIZES))
            if other != target:
                shapes.append(other)
        layout = things.scatter(rng, shapes, across)
        ((x, y),) = [(t.x, t.y) for t in layout[1] if t[:3] == target[:3]]
        text = (
            f"Where is the middle of the {target.size} {target.figure} of colour "
            f"{LETTERS[target.color]}?"
        )
        return Question(text, f"{x}, {y}", layout, self.moves)
