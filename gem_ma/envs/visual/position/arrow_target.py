"""Arrow target: at which letter an arrow points."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task


class ArrowTarget(Task):
    # letters, length of the arrow, largest offset of its middle; lengths in percent
    levels = interpolate_levels(
        {0: (2, 22, 0), 2: (4, 20, 0), 5: (8, 16, 3), 8: (14, 12, 6), 10: (22, 10, 8)}
    )
    moves = tuple(LETTERS[:22])
    about = (
        "It shows an arrow and letters around it. A straight line from the arrow's head onwards "
        "meets one letter. Reply with this letter."
    )

    def draw(self, rng, many, length, off):
        """Place letters on a circle, and point an arrow with an offset middle at one of them."""
        order = rng.permutation(many).tolist()
        start = float(rng.random())
        places = []
        for i in range(many):
            angle = 2 * math.pi * (i + start) / many
            places.append((round(50 + 43 * math.cos(angle)), round(50 + 43 * math.sin(angle))))
        x, y = (50 + int(n) for n in rng.integers(-off, off + 1, size=2))
        target = int(rng.integers(many))
        tx, ty = places[target]
        far = math.dist((x, y), (tx, ty))
        ux, uy = (tx - x) / far, (ty - y) / far
        ends = tuple(
            [
                (round(x + s * length * ux / 2, 1), round(y + s * length * uy / 2, 1))
                for s in (-1, 1)
            ]
        )
        letters = tuple(sorted((LETTERS[n], place) for n, place in zip(order, places, strict=True)))
        choices = tuple(LETTERS[:many])
        return Question(
            "At which letter does the arrow point?",
            LETTERS[order[target]],
            (ends, letters),
            choices,
        )

    def words(self, shown):
        (tail, head), letters = shown
        places = ", ".join([f"{text} {x}, {y}" for text, (x, y) in letters])
        return (
            "In percent from the left and from the top: the arrow goes from "
            f"{tail[0]}, {tail[1]} to {head[0]}, {head[1]}; letters: {places}."
        )

    def scene(self, shown):
        (tail, head), letters = shown
        back = math.atan2(tail[1] - head[1], tail[0] - head[0])
        barbs = [
            (head[0] + 4 * math.cos(back + turn), head[1] + 4 * math.sin(back + turn))
            for turn in (-0.45, 0.45)
        ]
        lines = [canvas.line(tail, head), *(canvas.line(barb, head) for barb in barbs)]
        return canvas.drawn(lines=lines, labels=canvas.tags(letters))
