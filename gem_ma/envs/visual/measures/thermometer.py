"""Thermometer: read the height of a column beside an upright scale."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.measures import scales
from gem_ma.envs.visual.question import Question, Task, numbers, pick

LOW, HIGH = 90, 10  # ends of the scale, in percent from the top


class Thermometer(Task):
    # intervals between numbers, value of an interval, parts of an interval
    levels = interpolate_levels(
        {
            0: (3, (1,), 1),
            2: (5, (2, 10), 1),
            4: (7, (2, 10), 1),
            5: (4, (5, 10), 5),
            7: (6, (5, 10), 5),
            8: (7, (10, 20), 5),
            9: (8, (20, 40), 5),
            10: (6, (20, 40), 10),
        }
    )
    moves = numbers(500)
    about = (
        "It shows a column beside a scale; its top is at a mark, or half way between two, and "
        "always at a whole number. Reply with a number."
    )

    def draw(self, rng, marks, worth, parts):
        """Sample a scale that may begin above zero."""
        each = pick(rng, worth)
        finest = scales.finest(each, parts)
        first = each * int(rng.integers(4))
        value = first + finest * int(rng.integers(1, marks * each // finest + 1))
        return Question(
            "What does the column show?", str(value), (first, marks, each, parts, value), self.moves
        )

    def words(self, shown):
        first, marks, each, parts, value = shown
        top = _height(shown, value)
        return (
            f"A scale from {first} ({LOW} percent from the top of the picture) to "
            f"{first + marks * each} ({HIGH} percent), with a number every {each} and {parts - 1} "
            f"smaller marks between two numbers. The column ends {top:.2f} percent from the top."
        )

    def scene(self, shown):
        first, marks, each, parts, value = shown
        top, low = _height(shown, value) / 100, LOW / 100
        areas = (("red", ((0.24, top), (0.38, top), (0.38, low + 0.04), (0.24, low + 0.04))),)
        lines = [
            ("", *ends, 0.008) for ends in ((0.24, 0.07, 0.24, 0.94), (0.38, 0.07, 0.38, 0.94))
        ]
        lines += [("", 0.24, 0.94, 0.38, 0.94, 0.008), ("", 0.24, 0.07, 0.38, 0.07, 0.008)]
        names = []
        for i in range(marks * parts + 1):
            y = LOW - (LOW - HIGH) * i / (marks * parts)
            large = i % parts == 0
            lines.append(canvas.line((40, y), (50 if large else 46, y), 0.01 if large else 0.006))
            if large:
                names.append((str(first + each * i // parts), (60, y)))
        return canvas.drawn(areas=areas, lines=lines, labels=canvas.tags(names))


def _height(shown, value):
    first, marks, each, _, _ = shown
    return LOW - (LOW - HIGH) * (value - first) / (marks * each)
