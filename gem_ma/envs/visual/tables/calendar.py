"""Calendar: dates and weekdays of a month."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick
from gem_ma.scene import TextTable

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ORDER = ("first", "second", "third", "fourth")


def weekday(rng, first, days, ahead):
    """Ask for the weekday of a date, or of the day up to `ahead` days after a date."""
    date = int(rng.integers(1, days + 1))
    later = int(rng.integers(1, ahead + 1)) if ahead else 0
    after = f"{later} days after " if later else ""
    return f"Which weekday is {after}the {date}.?", DAYS[(first + date - 1 + later) % 7]


def nth(rng, first, days, ahead):
    """Ask for the date of the first to fourth occurrence of a weekday."""
    place, day = int(rng.integers(4)), int(rng.integers(7))
    date = 1 + (day - first) % 7 + 7 * place
    return f"What date is the {ORDER[place]} {DAYS[day]}?", str(date)


def between(rng, first, days, ahead):
    """Ask how often a weekday occurs between two dates, both included."""
    a, b = sorted((rng.permutation(days)[:2] + 1).tolist())
    day = int(rng.integers(7))
    count = sum((first + date - 1) % 7 == day for date in range(a, b + 1))
    return f"From the {a}. to the {b}., both included: how often is it {DAYS[day]}?", str(count)


class Calendar(Task):
    # kinds of questions, largest number of days to count on
    levels = interpolate_levels(
        {
            0: ((weekday,), 0),
            2: ((weekday, nth), 0),
            5: ((weekday, nth), 6),
            8: ((weekday, between), 30),
            10: ((weekday, between), 90),
        }
    )
    moves = (*numbers(31), *DAYS)
    about = (
        "It shows the calendar of a month. Reply with a weekday as it is written there, such as "
        "Tue, or with a number, as the question asks."
    )

    def draw(self, rng, kinds, ahead):
        first, days = int(rng.integers(7)), int(rng.integers(28, 32))
        text, answer = pick(rng, kinds)(rng, first, days, ahead)
        choices = DAYS if answer in DAYS else numbers(31)
        return Question(text, answer, (first, days), choices)

    def words(self, shown):
        return "\n".join(
            [" ".join([f"{cell:>3}" for cell in row]) for row in (DAYS, *_weeks(*shown))]
        )

    def scene(self, shown):
        return TextTable(_weeks(*shown), DAYS)


def _weeks(first, days):
    cells = [""] * first + [str(date) for date in range(1, days + 1)]
    cells += [""] * (-len(cells) % 7)
    return tuple([tuple(cells[i : i + 7]) for i in range(0, len(cells), 7)])
