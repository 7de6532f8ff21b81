"""Box around: the smallest box around all shapes of a kind."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.graded import Boxing
from gem_ma.envs.visual.question import Question, pick, some
from gem_ma.envs.visual.shapes import things
from gem_ma.envs.visual.shapes.things import COLORS, FIGURES, SIZES, Thing


class BoxAround(Boxing):
    levels = interpolate_levels(
        {0: (2, 1, 2), 2: (6, 2, 3), 5: (12, 3, 4), 8: (22, 4, 6), 10: (40, 5, 7)}
    )
    about = (
        f"It shows shapes that do not overlap. {things.KEY} Reply with a box: how many percent of "
        "the picture its left side, its top, its right side and its bottom are from the left and "
        "from the top, such as 10, 20, 55, 70."
    )
    scene = staticmethod(things.scene)

    def draw(self, rng, many, asked, across):
        """Sample `many` shapes, `asked` of them of the kind asked for."""
        kind, *others = some(rng, FIGURES, 4)
        shapes = [
            Thing(
                kind if i < asked else pick(rng, others),
                int(rng.integers(len(COLORS))),
                pick(rng, SIZES),
            )
            for i in range(many)
        ]
        layout = things.scatter(rng, shapes, across)
        boxes = [
            (t.x - half, t.y - half, t.x + half, t.y + half)
            for t in layout[1]
            if t.figure == kind
            for half in (round(50 * things.extent(t.size, across)),)
        ]
        left, top, right, bottom = zip(*boxes, strict=True)
        answer = f"{min(left)}, {min(top)}, {max(right)}, {max(bottom)}"
        description = f"all {kind}s" if asked > 1 else f"the {kind}"
        return Question(
            f"Which is the smallest box around {description}?", answer, layout, self.moves
        )

    def words(self, shown):
        across, _ = shown
        wide = [round(100 * things.extent(size, across)) for size in SIZES]
        return (
            f"{things.words(shown)}\nA small shape is {wide[0]} percent wide and high, a large "
            f"one {wide[1]}."
        )
