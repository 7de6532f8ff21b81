"""Fullest panel: which of several boxes holds the most dots, whatever their size."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick
from gem_ma.scene import Panels, Shapes


class FullestPanel(Task):
    # boxes, largest number of dots, lead of the right box in dots
    levels = interpolate_levels(
        {0: (2, 3, 2), 2: (3, 6, 2), 5: (4, 10, 1), 8: (6, 16, 1), 10: (6, 28, 1)}
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows boxes with letters above them, and dots in each; some dots are larger than "
        "others, which means nothing. Reply with the letter of a box."
    )

    def draw(self, rng, boxes, most, lead):
        word = pick(rng, ("most", "fewest"))
        right = int(rng.integers(boxes))
        edge = (
            int(rng.integers(max(lead + 1, most // 2), most + 1))
            if word == "most"
            else int(rng.integers(1, most // 2 + 1))
        )
        panels = []
        for i in range(boxes):
            spread = int(rng.integers(0, 3))
            other = max(1, edge - lead - spread) if word == "most" else edge + lead + spread
            many = edge if i == right else other
            size = pick(rng, (5, 7, 9))
            panels.append((size, canvas.apart(rng, many, 11, 9, 91)))
        choices = tuple(LETTERS[:boxes])
        return Question(f"Which box holds the {word} dots?", choices[right], tuple(panels), choices)

    def words(self, shown):
        panels = zip(LETTERS, shown, strict=False)
        lines = [f"{name}: {canvas.told(places)} ({size} wide)" for name, (size, places) in panels]
        return "Dots, in percent of each box from its left and its top:\n" + "\n".join(lines)

    def scene(self, shown):
        boxes = [
            (LETTERS[i], Shapes(canvas.dots(places, size), lines=canvas.border(0.02, 0.98, 0.012)))
            for i, (size, places) in enumerate(shown)
        ]
        return Panels(tuple(boxes), 2 if len(boxes) <= 4 else 3, gap=0.04)
