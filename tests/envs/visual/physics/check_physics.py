"""The answers of the tasks of simple machines, from their scenes."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
from looked_at import nearest


def billiard_pocket(scene, question):
    """Let the ball go straight on through mirrored tables, and fold the place where it is."""
    (_, rail), (_, felt), *_ = scene.areas
    (left, top), (right, bottom) = felt[0], felt[2]
    assert rail[0] < felt[0]
    pockets = [item[2:4] for item in scene.items if item[1] == "black"]
    radius = scene.items[0][4] / 2
    names = {nearest(label, pockets): label[0] for label in scene.labels}
    assert len(names) == len(pockets) == len(scene.labels)
    ((_, x, y, tip_x, tip_y, _),) = scene.lines
    sides = right - left, bottom - top
    way, at = (tip_x - x, tip_y - y), (x - left, y - top)
    hits = []
    for side, step, start in zip(sides, way, at, strict=True):
        hits += [(n * side - start) / step for n in range(-9, 10) if (n * side - start) / step > 0]

    def fold(time):
        for side, step, start in zip(sides, way, at, strict=True):
            far = (start + time * step) % (2 * side)
            yield min(far, 2 * side - far)

    for before, after in itertools.pairwise([0, *sorted(hits)]):
        here, there = (complex(*fold(time)) for time in (before, after))
        entered = {}  # how much of this straight part lies before a pocket
        for pocket in pockets:
            beside = (complex(*pocket) - complex(left, top) - here) / (there - here)
            reach = (radius / abs(there - here)) ** 2 - beside.imag**2
            if reach > 0 and 0 <= (share := beside.real - reach**0.5) <= 1:
                entered[share] = names[pocket]
        if entered:
            return entered[min(entered)]
    raise AssertionError("the ball rolls on")


def falling_blocks(scene, question):
    """Turn what is above each block around both ends of its contact, by areas of the picture."""
    towers = {}
    for _, corners in scene.areas:
        xs, ys = zip(*corners, strict=True)
        middle = (min(xs) + max(xs)) / 2
        rows = [label for label in scene.labels if label[3] < max(ys)]
        name = min(rows, key=lambda label: (max(ys) - label[3] > 0.55) + abs(label[2] - middle))
        below = [label for label in rows if abs(label[2] - name[2]) < 0.01]
        name = max(below, key=lambda label: label[3])[0]
        towers.setdefault(name, []).append((min(xs), max(xs), min(ys), max(ys)))
    falls = set()
    for name, blocks in towers.items():
        blocks.sort(key=lambda block: -block[3])
        for i in range(1, len(blocks)):
            low = max(blocks[i - 1][0], blocks[i][0])
            high = min(blocks[i - 1][1], blocks[i][1])
            turns = [
                sum((b[1] - b[0]) * (b[3] - b[2]) * ((b[0] + b[1]) / 2 - end) for b in blocks[i:])
                for end in (low, high)
            ]
            assert min(map(abs, turns)) > 1e-6  # no tower is just about to fall
            if turns[0] < 0 or turns[1] > 0:
                falls.add(name)
    odd = falls if "falls" in question else set(towers) - falls
    (name,) = odd
    return name


def balance_beam(scene, question):
    """Add up what turns the beam, with x as heavy as is needed; distances are measured."""
    turn = Fraction()
    step = min(b - a for a, b in itertools.pairwise(sorted({*_list_marks(scene)})))
    beam = scene.lines[0][2]
    for text, _, x, y, _ in scene.labels:
        figure = min(scene.items, key=lambda item: math.dist(item[2:4], (x, y)))[0]
        arm = round((x - 0.5) / step)
        assert abs((x - 0.5) / step - arm) < 1e-6
        assert (figure == "disc") == (y < beam)
        if text == "x":
            unknown = arm
        else:
            turn += Fraction(arm * int(text) * (-1 if figure == "disc" else 1))
    answer = -turn / unknown
    assert answer.denominator == 1
    return str(answer)


def _list_marks(scene):
    return [x for _, x, y, end, _, thick in scene.lines if thick == 0.01 and x == end]


def gears_turn(scene, question):
    """Find which gears touch and which belts join them, and turn them one after the other."""
    rims = [rim for color, rim in scene.areas if color]
    places = [np.mean(rim, axis=0) for rim in rims]
    reach = [np.linalg.norm(np.array(rim) - p, axis=1) for rim, p in zip(rims, places, strict=True)]
    radii = [(r.min() + r.max()) / 2 for r in reach]
    texts = [[] for _ in places]
    for text, _, x, y, _ in scene.labels:
        texts[min(range(len(places)), key=lambda i: math.dist(places[i], (x, y)))].append(text)
    teeth = {name: int(n) for name, n in texts}
    names = [name for name, _ in texts]
    for rim, name in zip(rims, names, strict=True):
        assert len(rim) == 4 * teeth[name]
    signs = _list_signs(scene, names, places, radii, max(teeth.values()))
    first, count, way, last = re.search(
        r"gear (\w) makes (\d+) turns? (\w+)\..* gear (\w)", question, re.IGNORECASE
    ).groups()
    turns = {first: Fraction(int(count) * (1 if way == "clockwise" else -1))}
    while last not in turns:
        for (a, b), sign in signs.items():
            for one, other in ((a, b), (b, a)):
                if one in turns and other not in turns:
                    turns[other] = turns[one] * sign * teeth[one] / teeth[other]
    found = turns[last]
    assert found.denominator == 1
    return f"{abs(found)} {'clockwise' if found > 0 else 'counterclockwise'}"


def _list_signs(scene, names, places, radii, most):
    """Return 1 for two gears that turn the same way, and -1 for two that turn opposite ways."""
    signs = {}
    for i, j in itertools.combinations(range(len(names)), 2):
        far = math.dist(places[i], places[j])
        if far < radii[i] + radii[j] + 0.2 * min(radii) / most:
            signs[names[i], names[j]] = -1
    for a, b, c, d in [np.array(corners) for color, corners in scene.areas if not color]:
        (ax, ay), (bx, by) = (a + d) / 2, (b + c) / 2
        ends = [
            min(range(len(places)), key=lambda i: math.dist(places[i], p) / radii[i])
            for p in ((ax, ay), (bx, by))
        ]
        i, j = sorted(ends)
        if i != j:  # a straight part: crossed if its ends are on both sides of the line of centres
            across, down = places[j] - places[i]
            start, end = ((ax, ay), (bx, by)) if ends == [i, j] else ((bx, by), (ax, ay))
            ways = [np.array(p) - places[i] for p in (start, end)]
            sides = [across * y > down * x for x, y in ways]
            signs[names[i], names[j]] = 1 if sides[0] == sides[1] else -1
    return signs
