"""What is seen in scenes: lines, rings of lines, and what lies within them."""

import math


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
