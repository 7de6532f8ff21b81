"""Count shapes: how many shapes of a kind are in the picture."""

from typing import Any

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers, pick, some
from gem_ma.envs.visual.shapes import things
from gem_ma.envs.visual.shapes.things import COLORS, FIGURES, SIZES, Thing

TURNS = (0, 20, 340)


class CountShapes(Task):
    # traits asked for, things, largest count, figures, cells across, turns
    levels = interpolate_levels(
        {
            0: (1, 4, 3, 2, 3, (0,)),
            2: (1, 9, 6, 3, 4, (0,)),
            5: (2, 16, 8, 4, 5, (0,)),
            8: (3, 28, 10, 4, 6, TURNS),
            10: (3, 56, 12, 4, 8, TURNS),
        }
    )
    moves = numbers(36)
    about = f"It shows shapes that do not overlap. {things.KEY} Reply with a number."
    words = staticmethod(things.words)
    scene = staticmethod(things.scene)

    def draw(self, rng, traits, many, most, figures, across, turns):
        """Sample the count; many of the other things differ from the target in one trait only."""
        kinds = some(rng, FIGURES, figures)
        target = Thing(kinds[0], int(rng.integers(len(COLORS))), pick(rng, SIZES))
        count = int(rng.integers(most + 1))
        shapes: list[Thing] = []
        while len(shapes) < many:
            free = Thing(pick(rng, kinds), int(rng.integers(len(COLORS))), pick(rng, SIZES))
            if len(shapes) < count:
                own: list[Any] = [*target[:traits], *free[traits:3]]
                shapes.append(Thing(*own))
                continue
            near: list[Any] = [target[i] if rng.random() < 0.5 else free[i] for i in range(3)]
            if tuple(near[:traits]) != target[:traits]:
                shapes.append(Thing(*near))
        size = f"{target.size} " if traits > 2 else ""
        color = f" of colour {LETTERS[target.color]}" if traits > 1 else ""
        text = f"How many {size}{target.figure}s{color} are there?"
        return Question(text, str(count), things.scatter(rng, shapes, across, turns), self.moves)
