"""Ruler: how long a bar is that need not begin where the ruler does."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers

LEFT, RIGHT = 6, 94


class Ruler(Task):
    # length of the ruler, parts of a unit (1 or 10), largest start of the bar
    levels = interpolate_levels(
        {0: (3, 1, 0), 2: (6, 1, 2), 5: (12, 1, 5), 7: (18, 1, 9), 8: (5, 10, 30), 10: (9, 10, 60)}
    )
    moves = numbers(100)
    about = (
        "It shows a bar above a ruler, which has long marks for centimetres and, where there are "
        "short ones, those for millimetres; both ends of the bar are at marks. "
        "Reply with a number."
    )

    def draw(self, rng, wide, parts, latest):
        start = int(rng.integers(latest + 1))
        end = int(rng.integers(start + 1, wide * parts + 1))
        unit = "millimetres" if parts > 1 else "centimetres"
        ruler = wide, parts, start, end
        return Question(f"How many {unit} long is the bar?", str(end - start), ruler, self.moves)

    def words(self, shown):
        wide, parts, start, end = shown
        ends = [f"{_across(shown, at):.2f}" for at in (0, wide * parts, start, end)]
        return (
            f"A ruler from 0 ({ends[0]} percent from the left of the picture) to {wide} ({ends[1]} "
            f"percent), and a bar from {ends[2]} to {ends[3]} percent."
            + (" It has marks for millimetres." if parts > 1 else "")
        )

    def scene(self, shown):
        wide, parts, start, end = shown
        a, b = (_across(shown, at) / 100 for at in (start, end))
        areas = (("yellow", ((0.02, 0.5), (0.98, 0.5), (0.98, 0.9), (0.02, 0.9))),
                 ("blue", ((a, 0.3), (b, 0.3), (b, 0.44), (a, 0.44))))  # fmt: skip
        lines, names = [], []
        for i in range(wide * parts + 1):
            x, large = _across(shown, i), i % parts == 0
            low = 64 if large else 60 if i % 5 == 0 else 56
            lines.append(canvas.line((x, 50), (x, low), 0.006 if large else 0.004))
            if large:
                names.append((str(i // parts), (x, 72)))
        for x in (a, b):
            lines.append(("gray", x, 0.3, x, 0.5, 0.004))
        return canvas.drawn(areas=areas, lines=lines, labels=canvas.tags(names, 0.05))


def _across(shown, at):
    wide, parts, *_ = shown
    return LEFT + (RIGHT - LEFT) * at / (wide * parts)
