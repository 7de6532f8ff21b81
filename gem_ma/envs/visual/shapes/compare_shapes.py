"""Compare shapes: which figure occurs most often, or least often."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.envs.visual.shapes import things
from gem_ma.envs.visual.shapes.things import COLORS, FIGURES, SIZES, Thing


class CompareShapes(Task):
    # figures, counts of the answer if it is the most frequent, its least lead, cells across, and
    # the number of things in other colours than the one asked for
    levels = interpolate_levels(
        {
            0: (2, (3, 4), 2, 3, 0),
            2: (3, (4, 5), 2, 4, 0),
            5: (4, (5, 6), 1, 5, 0),
            8: (4, (4, 5), 1, 6, 12),
            10: (5, (5, 6), 1, 8, 24),
        }
    )
    moves = FIGURES
    about = (
        f"It shows shapes that do not overlap. {things.KEY} "
        "Reply with the name of a figure, such as star."
    )
    words = staticmethod(things.words)
    scene = staticmethod(things.scene)

    def draw(self, rng, figures, often, lead, across, others):
        """Sample the answer, its count and the counts of the other figures."""
        kinds = some(rng, FIGURES, figures)
        most = bool(rng.random() < 0.5)
        own = pick(rng, often if most else (1, 2))
        low, high = (1, own - lead) if most else (own + lead, own + lead + 2)
        counts = [own, *rng.integers(low, high + 1, size=figures - 1).tolist()]
        color = int(rng.integers(len(COLORS)))
        shapes = []
        for kind, count in zip(kinds, counts, strict=True):
            for _ in range(count):
                shade = color if others else int(rng.integers(len(COLORS)))
                shapes.append(Thing(kind, shade, pick(rng, SIZES)))
        for _ in range(others):
            shade = (color + int(rng.integers(1, len(COLORS)))) % len(COLORS)
            shapes.append(Thing(pick(rng, kinds), shade, pick(rng, SIZES)))
        where = f" in colour {LETTERS[color]}" if others else ""
        text = f"Which figure is there {'most' if most else 'least'} often{where}?"
        choices = tuple([figure for figure in FIGURES if figure in kinds])
        return Question(text, kinds[0], things.scatter(rng, shapes, across), choices)

    def read(self, text, view, agent):
        return super().read(text.strip(" .").removesuffix("s"), view, agent)
