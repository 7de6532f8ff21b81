"""Week plan: the lessons of a class on five days."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick
from gem_ma.scene import TextTable

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
LESSONS = ("art", "bio", "drama", "geo", "maths", "music", "sport", "tech")
FREE = "-"
COUNTS = numbers(40)


def lesson(rng, rows):
    """Ask for the lesson of a day and an hour."""
    hour, day = int(rng.integers(len(rows))), int(rng.integers(5))
    if rows[hour][day] == FREE:
        return None
    return f"Which lesson is on {DAYS[day]} at {hour + 8}?", rows[hour][day], LESSONS


def day_of(rng, rows):
    """Ask on which day a lesson is at an hour."""
    hour, name = int(rng.integers(len(rows))), pick(rng, LESSONS)
    found = [day for day, one in zip(DAYS, rows[hour], strict=True) if one == name]
    return (f"On which day is {name} at {hour + 8}?", found[0], DAYS) if len(found) == 1 else None


def count(rng, rows):
    """Ask how often a lesson is in the week."""
    name = pick(rng, (*LESSONS, FREE))
    many = sum(row.count(name) for row in rows)
    return f"How often is {'no lesson' if name == FREE else name} in the plan?", str(many), COUNTS


def most(rng, rows):
    """Ask which lesson is most frequent."""
    counts = sorted([(sum(row.count(name) for row in rows), name) for name in LESSONS])
    if counts[-1][0] == counts[-2][0]:
        return None
    return "Which lesson is most frequent?", counts[-1][1], LESSONS


class WeekPlan(Task):
    # kinds of questions, hours of a day
    levels = interpolate_levels(
        {
            0: ((lesson,), 2),
            2: ((lesson, day_of), 3),
            5: ((lesson, day_of, count), 5),
            8: ((count, most), 7),
            10: ((most, count, count), 9),
        }
    )
    moves = (*COUNTS, *LESSONS, *DAYS)
    about = (
        "It shows the lessons of a class: a column for each day, a row for the hour at which a "
        "lesson begins; - stands for none. Reply with a lesson, a day or a number, as the question "
        "asks."
    )

    def draw(self, rng, kinds, hours):
        kind, asked = pick(rng, kinds), None
        while asked is None:
            rows = [
                [FREE if rng.random() < 0.12 else pick(rng, LESSONS) for _ in DAYS]
                for _ in range(hours)
            ]
            asked = kind(rng, rows)
        text, answer, choices = asked
        plan = [(str(hour + 8), *row) for hour, row in enumerate(rows)]
        return Question(text, answer, tuple(plan), choices)

    def words(self, shown):
        rows = [
            f"{hour:>4}   " + "".join([f"{name:7}" for name in row])
            for hour, *row in (("Hour", *DAYS), *shown)
        ]
        return "\n".join([row.rstrip() for row in rows])

    def scene(self, shown):
        head = "Hour", *[f" {day} " for day in DAYS]  # so that all days are equally wide
        return TextTable(shown, head)
