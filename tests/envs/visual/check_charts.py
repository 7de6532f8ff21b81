"""The answers of the newer tasks of charts, from their scenes."""

import re

from looked_at import nearest, percent

DAYS = r"Mon|Tue|Wed|Thu|Fri|Sat|Sun"


def pie_chart(scene, question):
    ((_, sizes),) = scene.series
    assert sum(sizes) == 360
    assert len(set(sizes)) == len(sizes)
    order = [label for _, label in sorted(zip(sizes, scene.labels, strict=True))]
    words = {"smallest": 0, "largest": -1, "second": -2, "third": -3, "fourth": -4}
    return order[words[question.removesuffix("?").split()[4]]]


def axes(scene):
    """Return how to find the place of a number along each axis."""
    (x0, y0, x1, _), (*_, y1) = (line[1:5] for line in scene.lines[:2])
    numbers = [(int(text), x, y) for text, _, x, y, _ in scene.labels if text.isdecimal()]
    numbers = [one for one in numbers if one[0]]
    right = max(n for n, _, y in numbers if y > y0)
    up = max(n for n, x, _ in numbers if x < x0)
    return lambda x, y: (x0 + (x1 - x0) * x / right, y0 + (y1 - y0) * y / up)


def plot_point(scene, question):
    x, y = map(int, re.findall(r"\d+", question))
    return percent(*axes(scene)(x, y))


def scatter(scene, question):
    place = axes(scene)
    *_, axis, _, _, name = question.removesuffix("?").split()
    (label,) = [label for label in scene.labels if label[0] == name]
    x, y = nearest(label, [(item[2], item[3]) for item in scene.items])
    i = "xy".index(axis)
    (value,) = [n for n in range(100) if abs(place(n, n)[i] - (x, y)[i]) < 1e-6]
    return str(value)


def pictograph(scene, question):
    each = int(re.search(r"\d+", question)[0])
    signs = {"#": 2, "o": 1, ".": 0}
    counts = {
        name: each * sum(map(signs.get, row)) // 2
        for name, row in zip(scene.lines, scene.rows, strict=True)
    }
    named = re.findall(DAYS, question)
    if "in all" in question:
        return str(sum(counts.values()))
    if "more" in question:
        return str(counts[named[0]] - counts[named[1]])
    return str(sum(counts[name] for name in named))
