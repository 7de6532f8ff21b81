"""What is seen in scenes: lines, rings of lines, and what lies within them."""

import collections
import math

import pytest


def middle_lines(scene):
    return [line[1:5] for line in scene.lines]


def thick_lines(scene):
    return [line[1:5] for line in scene.lines if line[-1] > 0.01]


def around(lines):
    """Return the corners of lines that close, each beginning where the last one ended."""
    for (*_, x, y), (a, b, *_) in zip(lines, [*lines[1:], lines[0]], strict=True):
        assert (x, y) == (a, b)
    return [(a, b) for a, b, *_ in lines]


def inside(place, corners):
    """Return whether corners go around a place, by the sum of the angles in which they are seen."""
    x, y = place
    turned = 0.0
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        turn = math.atan2(by - y, bx - x) - math.atan2(ay - y, ax - x)
        turned += (turn + math.pi) % (2 * math.pi) - math.pi
    return abs(turned) > math.pi


def cross(one, other):
    """Return whether two lines cross, by where each meets the other."""
    (ax, ay, bx, by), (cx, cy, dx, dy) = one, other
    bottom = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if not bottom:
        return False
    s = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / bottom
    t = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / bottom
    return 0 < s < 1 and 0 < t < 1


def nearest(label, places):
    """Return the place that a label stands nearest to."""
    _, _, x, y, *_ = label
    return min(places, key=lambda place: math.dist(place, (x, y)))


def percent(x, y):
    return f"{round(100 * x)}, {round(100 * y)}"


def shapes(scene):
    """Return figure, letter of colour, whether it is large, and the item, of all below the key."""
    bottom = scene.lines[0][2]
    key = [item for item in scene.items if item[3] < bottom]
    letters = {
        item[1]: min(scene.labels, key=lambda t: abs(t[2] - item[2] - 0.07))[0] for item in key
    }
    below = [item for item in scene.items if item[3] > bottom]
    largest = max(item[4] for item in below)
    return [(i[0], letters[i[1]], i[4] > 0.8 * largest, i) for i in below]


def length_of(line):
    x1, y1, x2, y2 = line
    return math.hypot(x2 - x1, y2 - y1)


def measured_angle(scene, question):
    """Measure the sector around each label at the nearest point where lines meet."""
    lines = [line[1:5] for line in scene.lines if line[-1] > 0.01]
    ends = [(round(x, 6), round(y, 6)) for a, b, c, d in lines for x, y in ((a, b), (c, d))]
    corners = [point for point, many in collections.Counter(ends).items() if many > 1]
    found = {}
    for text, _, x, y in scene.labels:
        at = min(corners, key=lambda point: math.dist(point, (x, y)))
        ways = []
        for line in lines:
            for here, there in ((line[:2], line[2:]), (line[2:], line[:2])):
                if math.dist(here, at) < 1e-5:
                    ways.append(direction(at, there))
        label = direction(at, (x, y))
        after = min((way - label) % 360 for way in ways)
        before = min((label - way) % 360 for way in ways)
        assert min(after, before) > 10  # clear of the lines
        found[text] = after + before
        if text != "x":
            assert found[text] == pytest.approx(int(text.removesuffix("°")), abs=0.01)
    assert found["x"] == pytest.approx(round(found["x"]), abs=0.01)
    return str(round(found["x"]))


def direction(here, there):
    return math.degrees(math.atan2(there[1] - here[1], there[0] - here[0])) % 360


def measured_length(scene, question):
    """Measure the line beside each label, and all by the scale that the numbers give."""
    lines = [line[1:5] for line in scene.lines if line[-1] > 0.01]

    def far(line, x, y):
        return math.dist(((line[0] + line[2]) / 2, (line[1] + line[3]) / 2), (x, y))

    beside = {}
    for text, _, x, y in scene.labels:
        line = min(lines, key=lambda line: far(line, x, y))
        assert line not in beside.values()
        beside[text, x, y] = line
    scales = [int(t) / length_of(ln) for (t, *_), ln in beside.items() if t != "x"]
    scale = scales[0]
    assert scales == pytest.approx([scale] * len(scales))
    if "x" in question:
        (unknown,) = [length_of(line) for (text, *_), line in beside.items() if text == "x"]
        answer = scale * unknown
    elif "perimeter" in question:
        answer = scale * sum(map(length_of, lines))
    else:
        answer = abs(sum(x1 * y2 - x2 * y1 for x1, y1, x2, y2 in lines)) / 2 * scale**2
    assert answer == pytest.approx(round(answer), abs=0.001)
    return str(round(answer))
