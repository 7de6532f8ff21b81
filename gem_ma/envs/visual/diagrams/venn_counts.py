"""Venn counts: how many dots lie in one circle, in both, or in one but not in another."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some

TWO = (("A", (36, 52)), ("B", (64, 52)))
THREE = (("A", (36, 38)), ("B", (64, 38)), ("C", (50, 63)))
RADII = {2: 29, 3: 28}
LABELS = {2: ((12, 22), (88, 22)), 3: ((9, 12), (91, 12), (50, 95.5))}
EDGE = 3  # how far a dot is from each circle, in percent of the picture
MOST = 60
QUESTIONS = {  # words, and whether a dot counts, by the circles it is in
    2: (
        ("in both A and B", lambda a, b: a and b),
        ("in A but not in B", lambda a, b: a and not b),
        ("in A or in B or in both", lambda a, b: a or b),
        ("in neither A nor B", lambda a, b: not a and not b),
    ),
    3: (
        ("in both A and B", lambda a, b, c: a and b),
        ("in all three circles", lambda a, b, c: a and b and c),
        ("in A and C but not in B", lambda a, b, c: a and c and not b),
        ("in exactly two circles", lambda a, b, c: a + b + c == 2),
        ("in exactly one circle", lambda a, b, c: a + b + c == 1),
        ("not in A, but in B or in C", lambda a, b, c: (b or c) and not a),
    ),
}


class VennCounts(Task):
    # circles, dots, distance between dots
    levels = interpolate_levels(
        {0: (2, 5, 9), 2: (2, 9, 8), 5: (3, 18, 7), 8: (3, 34, 6), 10: (3, MOST, 4)}
    )
    moves = numbers(MOST)
    about = (
        "It shows circles with letters, and dots. In words, it lists how many dots lie in which "
        "circles and in no other. Reply with a whole number."
    )

    def draw(self, rng, circles, many, gap):
        middles = [middle for _, middle in (TWO if circles == 2 else THREE)]
        radius = RADII[circles]

        def is_clear(place):
            return all(abs(math.dist(place, one) - radius) > EDGE for one in middles) and all(
                math.dist(place, label) > 8 for label in LABELS[circles]
            )

        answer = int(rng.integers(many // 2 + 1))
        while True:
            text, counts = pick(rng, QUESTIONS[circles])
            places = canvas.apart(rng, many * 8 // 5, gap, 5, 95, is_clear)
            pool = [(p, tuple([math.dist(p, one) < radius for one in middles])) for p in places]
            counted = [dot for dot in pool if counts(*dot[1])][:answer]
            others = [dot for dot in pool if not counts(*dot[1])][: many - answer]
            if len(counted) + len(others) == many:
                break
        dots = some(rng, [*counted, *others], many)
        shown = circles, dots
        return Question(f"How many dots are {text}?", str(answer), shown, numbers(many))

    def words(self, shown):
        circles, dots = shown
        found = [inside for _, inside in dots]
        rows = []
        for inside in sorted(set(found), reverse=True):
            names = [name for name, is_in in zip("ABC", inside, strict=False) if is_in]
            where = f"in {' and '.join(names)}" if names else "in no circle"
            rows.append(f"{where}: {found.count(inside)}")
        return f"{circles} circles\n" + "\n".join(rows)

    def scene(self, shown):
        circles, dots = shown
        radius = RADII[circles]
        lines = []
        middles = [middle for _, middle in (TWO if circles == 2 else THREE)]
        for middle in middles:
            turns = [2 * math.pi * i / 72 for i in range(72)]
            rim = [
                canvas.share((middle[0] + radius * math.cos(t), middle[1] + radius * math.sin(t)))
                for t in turns
            ]
            lines += canvas.outline(rim, 0.008)
        size = 3.4 if len(dots) < 20 else 2.6
        labels = canvas.tags(zip("ABC", LABELS[circles], strict=False), 0.08)
        return canvas.drawn(
            items=canvas.dots([place for place, _ in dots], size, "blue"),
            lines=lines,
            labels=labels,
        )
