"""The answers of the tasks of position, from their scenes."""

import math

from looked_at import percent, shapes, thick_lines

WAYS = {"above": (-1, 0), "below": (1, 0), "left": (0, -1), "right": (0, 1)}


def neighbour(scene, question):
    ((row, column),) = scene.marks
    for word in reversed(question.split()):
        down, right = WAYS.get(word, (0, 0))
        row, column = row + down, column + right
    return dict(scene.tiles)[scene.rows[row][column]].figure


def point_at(scene, question):
    *_, size, figure, _, _, color = question.removesuffix("?").split()
    found = shapes(scene)
    large = {one[2] for one in found}  # where all are of one size, nothing tells which it is
    found = [one for one in found if one[:2] == (figure, color)]
    (item,) = [item for *_, big, item in found if len(large) == 1 or big == (size == "large")]
    return percent(item[2], item[3])


def box_around(scene, question):
    figure = question.removesuffix("?").split()[-1]
    figure = figure.removesuffix("s") if " all " in question else figure
    found = [item[2:5] for kind, _, _, item in shapes(scene) if kind == figure]
    boxes = [(x - s / 2, y - s / 2, x + s / 2, y + s / 2) for x, y, s in found]
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def arrow_target(scene, question):
    (x1, y1, x2, y2), *_ = thick_lines(scene)
    way = math.atan2(y2 - y1, x2 - x1)

    def off(label):
        turn = math.atan2(label[3] - y2, label[2] - x2) - way
        return abs((turn + math.pi) % (2 * math.pi) - math.pi)

    return min(scene.labels, key=off)[0]
