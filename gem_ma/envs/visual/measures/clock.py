"""Clock: read the time off a clock with two hands."""

import math

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, pick
from gem_ma.scene import Shapes

SIZES = (0.76, 0.82, 0.88)
HANDS = (0.2, 0.31), (0.034, 0.014)  # length and thickness: hour hand, minute hand
SCALE = 0.95  # of a clock around the middle, so that it is clear of the edges
TIMES = tuple([f"{hour}:{minute:02}" for hour in range(1, 13) for minute in range(60)])


class Clock(Task):
    levels = interpolate_levels(
        {  # steps in minutes, numerals, sizes
            0: (60, range(1, 13), SIZES),
            1: (30, range(1, 13), SIZES),
            2: (15, range(1, 13), SIZES),
            3: (10, range(1, 13), SIZES),
            4: (5, range(1, 13), SIZES),
            5: (5, (3, 6, 9, 12), SIZES),
            6: (4, (3, 6, 9, 12), SIZES),
            7: (2, (12,), SIZES),
            8: (1, (), SIZES),
            9: (1, (), (0.6, 0.65, 0.7)),
            10: (1, (), (0.4, 0.45, 0.5)),
        }
    )
    moves = TIMES
    about = (
        "It shows a clock: the short thick hand shows the hour and the long thin hand the minute; "
        "twelve o'clock is at the top, and both hands move evenly. "
        "Reply with hours (1 to 12) and minutes, such as 4:35."
    )

    def draw(self, rng, step, numerals, sizes):
        """Sample a time in whole steps, and the size and place of the clock."""
        hour, minute = int(rng.integers(1, 13)), step * int(rng.integers(60 // step))
        size = pick(rng, sizes)
        free = round(50 * (1 - size))  # percent to each side
        x, y = ((50 + int(n)) / 100 for n in rng.integers(-free, free + 1, size=2))
        clock = 30.0 * (hour % 12) + minute / 2, 6.0 * minute, tuple(numerals), x, y, size
        return Question("What time does the clock show?", f"{hour}:{minute:02}", clock, TIMES)

    def read(self, text, view, agent):
        reply = " ".join(
            [w for w in text.split() if w.casefold() not in ("the", "time", "is", "it")]
        )
        return super().read(answer_parsing.normalize_time(reply), view, agent)

    def words(self, shown):
        short, long, *_ = shown
        return (
            f"A clock. From twelve o'clock on, clockwise, the short hand has turned by {short:g} "
            f"degrees, the long hand by {long:g} degrees."
        )

    def scene(self, shown):
        *angles, numerals, x, y, size = shown
        x, y, size = 0.5 + SCALE * (x - 0.5), 0.5 + SCALE * (y - 0.5), SCALE * size
        hands = [
            ("", x, y, *_at(x, y, size * length, degrees), thick)
            for degrees, length, thick in zip(angles, *HANDS, strict=True)
        ]
        labels = [(str(n), "", *_at(x, y, size * 0.37, 30 * n)) for n in numerals]
        dial = ("dial", "", x, y, size, 0)
        return Shapes((dial,), lines=tuple(hands), labels=tuple(labels))


def _at(x, y, radius, degrees):
    turn = math.radians(degrees)
    return x + radius * math.sin(turn), y - radius * math.cos(turn)
