"""Gauge: read the value off a round scale with a needle."""

import itertools
import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.measures import scales
from gem_ma.envs.visual.question import Question, Task, numbers, pick

FROM, TURN = -135.0, 270.0  # degrees clockwise: start from the top, whole range


class Gauge(Task):
    # intervals between numbers, value of an interval, parts of an interval
    levels = interpolate_levels(
        {
            0: (2, (1,), 1),
            2: (5, (1, 10), 1),
            4: (6, (1, 10), 1),
            5: (5, (2, 10), 2),
            7: (7, (2, 10), 2),
            8: (6, (10,), 5),
            9: (7, (20,), 5),
            10: (8, (20,), 10),
        }
    )
    moves = numbers(160)
    about = (
        "It shows a round scale with numbers and a needle, which points at a mark or half way "
        "between two, and always at a whole number. Reply with a number."
    )

    def draw(self, rng, marks, worth, parts):
        each = pick(rng, worth)
        finest = scales.finest(each, parts)
        value = finest * int(rng.integers(marks * each // finest + 1))
        return Question(
            "What does the gauge show?", str(value), (marks, each, parts, value), self.moves
        )

    def words(self, shown):
        marks, each, parts, value = shown
        rotation = TURN * value / (marks * each)
        return (
            f"A round scale from 0 to {marks * each}, with a number every {each} and "
            f"{marks * parts + 1} marks in all. It goes over {TURN:g} degrees, clockwise; the "
            f"needle has turned by {rotation:.2f} degrees from 0."
        )

    def scene(self, shown):
        marks, each, parts, value = shown
        lines, names = [], []
        for i in range(marks * parts + 1):
            share = i / (marks * parts)
            long = 28 if i % parts == 0 else 31
            lines.append(
                canvas.line(_at(share, long), _at(share, 35), 0.01 if long < 30 else 0.006)
            )
            if i % parts == 0:
                names.append((str(each * i // parts), _at(share, 42)))
        lines.append(canvas.line((50, 54), _at(value / (marks * each), 27), 0.02))
        arc = [_at(i / 90, 35) for i in range(91)]
        lines += [canvas.line(a, b, 0.008) for a, b in itertools.pairwise(arc)]
        items = canvas.dots([(50, 54)], 6)
        return canvas.drawn(items=items, lines=lines, labels=canvas.tags(names))


def _at(share, far):
    turn = math.radians(FROM + TURN * share)
    return 50 + far * math.sin(turn), 54 - far * math.cos(turn)
