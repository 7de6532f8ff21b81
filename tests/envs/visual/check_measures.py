"""The answers of the newer tasks of measures, from their scenes."""

import math


def turn_of(x1, y1, x2, y2):
    return (math.degrees(math.atan2(x2 - x1, y1 - y2)) + 135) % 360


def gauge(scene, question):
    (needle,) = [line[1:5] for line in scene.lines if line[-1] == 0.02]
    x, y = needle[:2]
    numbers = [(int(text), turn_of(x, y, a, b)) for text, _, a, b, _ in scene.labels]
    (most, end) = max(numbers)
    assert end == round(end)
    value = most * turn_of(*needle) / end
    assert abs(value - round(value)) < 1e-6
    return str(round(value))


def thermometer(scene, question):
    ((_, corners),) = scene.areas
    top = min(y for _, y in corners)
    numbers = sorted((int(text), y) for text, _, _, y, _ in scene.labels)
    (low, bottom), (high, above) = numbers[0], numbers[-1]
    value = low + (high - low) * (bottom - top) / (bottom - above)
    assert abs(value - round(value)) < 1e-6
    return str(round(value))


def ruler(scene, question):
    _, (_, bar) = scene.areas
    numbers = sorted((int(text), x) for text, _, x, _, _ in scene.labels)
    (low, left), (high, right) = numbers[0], numbers[-1]
    long = (high - low) * (bar[1][0] - bar[0][0]) / (right - left)
    long *= 10 if "millimetres" in question else 1
    assert abs(long - round(long)) < 1e-6
    return str(round(long))


def balance(scene, question):
    above = {}
    for _, scales in scene.scenes:
        (_, _, left, _, right, _), *_ = scales.lines
        (a, b) = sorted(scales.labels, key=lambda label: label[2])
        heavy, light = (a[0], b[0]) if left > right else (b[0], a[0])
        above.setdefault(heavy, set()).add(light)
        above.setdefault(light, set())

    def under(name):
        return {name}.union(*(under(other) for other in above[name]))

    order = sorted(above, key=lambda name: -len(under(name)))
    assert len({len(under(name)) for name in above}) == len(above)
    words = {"lightest": -1, "heaviest": 0, "second": 1, "third": 2, "fourth": 3}
    return order[words[question.removesuffix("?").split()[4]]]
