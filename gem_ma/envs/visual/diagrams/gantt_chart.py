"""Gantt chart: when tasks begin and end, and which are under way at the same time."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers, pick
from gem_ma.scene import Shapes

LEFT, RIGHT, TOP, BOTTOM = 0.1, 0.98, 0.1, 0.98
DAYS = numbers(40)


def first_end(rng, tasks):
    """Ask which task ends first or last."""
    word, sign = pick(rng, (("first", 1), ("last", -1)))
    order = sorted(tasks, key=lambda task: sign * task[2])
    if order[0][2] == order[1][2]:
        return None
    return f"Which task ends {word}?", order[0][0], tuple([task[0] for task in tasks])


def longest(rng, tasks):
    """Ask which task takes the most or the fewest days."""
    word, sign = pick(rng, (("longest", -1), ("shortest", 1)))
    order = sorted([(sign * (end - start), name) for name, start, end in tasks])
    if order[0][0] == order[1][0]:
        return None
    return f"Which task is the {word}?", order[0][1], tuple([task[0] for task in tasks])


def duration(rng, tasks):
    """Ask how many days a task takes."""
    name, start, end = pick(rng, tasks)
    return f"How many days does task {name} take?", str(end - start), DAYS


def at_once(rng, tasks):
    """Ask how many tasks are under way on a day."""
    counts: dict[int, list[int]] = {}
    for day in range(1, max(end for _, _, end in tasks) + 1):
        counts.setdefault(sum(start < day <= end for _, start, end in tasks), []).append(day)
    many = pick(rng, sorted(counts))  # first, so that no number is the answer more often
    day = pick(rng, counts[many])
    return f"How many tasks are under way on day {day}?", str(many), numbers(len(tasks))


def overlap(rng, tasks):
    """Ask on how many days two tasks are both under way."""
    pairs: dict[int, list[tuple[str, str]]] = {}
    for (one, a, b), (other, c, d) in itertools.permutations(tasks, 2):
        pairs.setdefault(min(b, d) - max(a, c), []).append((one, other))
    lengths = [both for both in sorted(pairs) if both > 0]
    if not lengths:
        return None
    both = pick(rng, lengths)
    one, other = pick(rng, pairs[both])
    return f"On how many days are both {one} and {other} under way?", str(both), DAYS


class GanttChart(Task):
    # kinds of questions, tasks, days
    levels = interpolate_levels(
        {
            0: ((first_end, longest), 3, 6),
            2: ((first_end, longest, duration), 4, 8),
            5: ((first_end, duration, at_once, overlap), 6, 14),
            8: ((duration, at_once, overlap), 9, 24),
            10: ((duration, at_once, overlap), 13, 36),
        }
    )
    moves = (*DAYS, *LETTERS[:13])
    about = (
        "It shows a plan: a row for each task, with a bar from the beginning of its first day to "
        "the end of its last. The columns are days, with numbers above some of them. Reply with a "
        "letter or a number, as the question asks."
    )

    def draw(self, rng, kinds, many, days):
        kind, asked = pick(rng, kinds), None
        while asked is None:
            tasks = []
            for name in LETTERS[:many]:
                long = int(rng.integers(1, days // 2 + 1))
                start = int(rng.integers(days - long + 1))
                tasks.append((name, start, start + long))
            asked = kind(rng, tasks)
        text, answer, choices = asked
        return Question(text, answer, (days, tuple(tasks)), choices)

    def words(self, shown):
        rows = []
        for name, start, end in shown[1]:
            days = f"days {start + 1} to {end}" if end > start + 1 else f"day {end}"
            rows.append(f"{name}: {days}")
        return "\n".join(rows)

    def scene(self, shown):
        days, tasks = shown
        wide, high = (RIGHT - LEFT) / days, (BOTTOM - TOP) / len(tasks)
        every = 1 if days < 10 else 2 if days < 20 else 5
        rows = [TOP + high * i for i in range(len(tasks) + 1)]
        columns = [LEFT + wide * day for day in range(days + 1)]
        weak = [x for day, x in enumerate(columns) if day % every]
        # The grid: areas, since lines would be drawn over the bars.
        areas = [("gray", _comb(columns[::every], TOP, BOTTOM, 0.006))]
        areas += [("gray", _comb(weak, TOP, BOTTOM, 0.002))] if weak else []
        areas.append(("gray", tuple([(x, y) for y, x in _comb(rows, LEFT, RIGHT, 0.003)])))
        labels = []
        for i, (name, start, end) in enumerate(tasks):
            y = TOP + high * (i + 0.5)
            left, right = LEFT + wide * start, LEFT + wide * end
            half = 0.32 * high
            corners = ((left, y - half), (right, y - half), (right, y + half), (left, y + half))
            areas.append((("blue", "green")[i % 2], corners))
            labels.append((name, "", LEFT - 0.05, y, min(0.07, 0.8 * high)))
        for day in range(every, days + 1, every):
            labels.append((str(day), "", columns[day] - wide / 2, TOP - 0.045, 0.05))
        return Shapes(areas=tuple(areas), labels=tuple(labels))


def _comb(places, low, high, thick):
    """Return the corners of an area: upright lines at places across."""
    teeth = [((x - thick / 2, low), (x - thick / 2, high)) for x in places]
    ends = [((x + thick / 2, high), (x + thick / 2, low)) for x in places]
    return tuple([place for both in zip(teeth, ends, strict=True) for two in both for place in two])
