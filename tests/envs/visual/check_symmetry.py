"""The answers of the tasks of symmetry, from their scenes."""

import math

import numpy as np
from looked_at import percent


def board(scene):
    return np.array([*map(list, scene.rows)])


def symmetry_axes(scene, question):
    rows = board(scene)
    images = (np.fliplr(rows), np.flipud(rows), rows.T, np.rot90(rows.T, 2))
    return str(sum(np.array_equal(rows, image) for image in images))


def broken_symmetry(scene, question):
    rows = board(scene)
    ((row, column),) = [
        (r, c) for r, c in np.argwhere(rows != np.fliplr(rows)) if 2 * c >= len(rows)
    ]
    return scene.columns[column] + scene.lines[row]


def mirror_point(scene, question):
    (ax, ay, bx, by), *_ = [line[1:5] for line in scene.lines]
    x, y = scene.items[0][2:4]
    assert math.dist((x, y), scene.labels[0][2:4]) < 0.05
    turn = 2 * math.atan2(by - ay, bx - ax)  # mirrored is turned, with its own side swapped
    c, s = math.cos(turn), math.sin(turn)
    return percent(ax + c * (x - ax) + s * (y - ay), ay + s * (x - ax) - c * (y - ay))
