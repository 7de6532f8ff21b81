"""Labelled values in one or two series, and questions about them for any kind of chart."""

import itertools

from gem_ma.envs.visual.question import Question, Task, numbers, pick, some
from gem_ma.scene import Chart

LABELS = (
    ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    ("Ada", "Ben", "Eva", "Ivo", "Kim", "Lea", "Max", "Ned"),
    ("tea", "rice", "corn", "milk", "nuts", "figs", "peas", "eggs"),
)
SERIES = ("North", "South", "East", "West")
# The highest value in steps, and the step sizes at which a chart has a line at every value or at
# every second value, so that values can be read exactly.
STEPS = {5: (1, 2, 5, 10, 20), 10: (1, 5, 10)}
COUNTS = numbers(100)
ANSWERS = (*COUNTS, *sum(LABELS, ()))
ABOUT = (
    "Every value is on one of its lines or half way between two. Where there are two series, the "
    "key says which is which. Reply with a number, or with a label, as the question asks."
)


def ask(rng, kinds, many, series, top):
    """Sample values until a question of one of these kinds has exactly one answer."""
    kind = pick(rng, kinds)
    while True:
        labels = some(rng, pick(rng, LABELS), many)
        step, names = pick(rng, STEPS[top]), some(rng, SERIES, series)
        rows = rng.integers(1, top + 1, size=(series, many))
        rows[rng.integers(series), rng.integers(many)] = top
        if series == 1 or (rows[0] != rows[1]).all():  # lines do not hide each other
            values = tuple(map(tuple, (step * rows).tolist()))
            question = kind(rng, labels, names, values)
            if question is not None:
                text, answer = question
                choices = labels if answer in labels else COUNTS
                return Question(text, str(answer), (labels, names, values), choices)


def value(rng, labels, names, rows):
    """Ask for one value."""
    row, i = int(rng.integers(len(rows))), int(rng.integers(len(labels)))
    return f"What is the value {_of(names, row)}for {labels[i]}?", rows[row][i]


def extreme(rng, labels, names, rows):
    """Ask where the values are highest or lowest."""
    row, word = int(rng.integers(len(rows))), pick(rng, ("highest", "lowest"))
    best = max(rows[row]) if word == "highest" else min(rows[row])
    if rows[row].count(best) == 1:
        return f"Where is the value {_of(names, row)}{word}?", labels[rows[row].index(best)]
    return None


def difference(rng, labels, names, rows):
    """Ask for the difference of two values of a series."""
    row, (a, b) = int(rng.integers(len(rows))), some(rng, range(len(labels)), 2)
    text = f"What is the difference between the values {_of(names, row)}for {labels[a]} and for "
    return f"{text}{labels[b]}?", abs(rows[row][a] - rows[row][b])


def above(rng, labels, names, rows):
    """Ask how many values are above one of them."""
    row = int(rng.integers(len(rows)))
    limit = pick(rng, rows[row])
    count = sum(v > limit for v in rows[row])
    return f"How many values {_of(names, row)}are above {limit}?", count


def wins(rng, labels, names, rows):
    """Ask how often one series is higher than the other."""
    a, b = some(rng, range(2), 2)
    count = sum(x > y for x, y in zip(rows[a], rows[b], strict=True))
    return f"For how many labels is {names[a]} higher than {names[b]}?", count


def apart(rng, labels, names, rows):
    """Ask where the two series differ most."""
    gaps = [abs(x - y) for x, y in zip(*rows, strict=True)]
    if gaps.count(max(gaps)) == 1:
        return f"Where are {names[0]} and {names[1]} farthest apart?", labels[gaps.index(max(gaps))]
    return None


def rises(rng, labels, names, rows):
    """Ask how often the values rise from one label to the next."""
    row = int(rng.integers(len(rows)))
    count = sum(x < y for x, y in itertools.pairwise(rows[row]))
    return f"How often does the value {_of(names, row)}rise from one label to the next?", count


def steepest(rng, labels, names, rows):
    """Ask where the values rise most."""
    row = int(rng.integers(len(rows)))
    differences = [y - x for x, y in itertools.pairwise(rows[row])]
    if max(differences) > 0 and differences.count(max(differences)) == 1:
        where = labels[differences.index(max(differences)) + 1]
        return f"Up to which label does the value {_of(names, row)}rise most in one step?", where
    return None


def crossings(rng, labels, names, rows):
    """Ask how often two lines cross."""
    sides = [x > y for x, y in zip(*rows, strict=True)]
    return "How often do the two lines cross?", sum(a != b for a, b in itertools.pairwise(sides))


def _of(names, row):
    return f"of {names[row]} " if len(names) > 1 else ""


class ChartTask(Task):
    """A question about a kind of chart; levels: question kinds, labels, series, highest step."""

    kind: str
    moves = ANSWERS
    has_own_seeds = True

    def draw(self, rng, *level):
        return ask(rng, *level)

    def words(self, shown):
        labels, names, rows = shown
        head = [f"Values: {', '.join(names)}"] if len(names) > 1 else ["Values"]
        values = zip(*rows, strict=True)
        pairs = zip(labels, values, strict=True)
        return "\n".join([*head, *(f"{label}: {', '.join(map(str, v))}" for label, v in pairs)])

    def scene(self, shown):
        labels, names, rows = shown
        return Chart(self.kind, labels, tuple(zip(names, rows, strict=True)))
