"""The answers of the tasks of symmetry, analogy, changes and occlusion, from their scenes."""

import itertools
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


def analogy(scene, question):
    boards = {name: np.array([*map(list, one.rows)]) for name, one in scene.scenes}
    swap = np.vectorize({"#": ".", ".": "#", "o": "o"}.get)
    found = set()
    for flip, turn, swapped in itertools.product((False, True), range(4), (False, True)):

        def change(rows, flip=flip, turn=turn, swapped=swapped):
            rows = np.rot90(np.fliplr(rows) if flip else rows, turn)
            return swap(rows) if swapped else rows

        if np.array_equal(change(boards["first"]), boards["second"]):
            right = change(boards["third"])
            found |= {n for n, one in boards.items() if len(n) == 1 and np.array_equal(one, right)}
    (name,) = found
    return name


def different(scene):
    (_, first), (_, second) = scene.scenes
    a, b = (np.array([*map(list, one.rows)]) for one in (first, second))
    return [first.columns[c] + first.lines[r] for r, c in np.argwhere(a != b)]


def spot_change(scene, question):
    (cell,) = different(scene)
    return cell


def count_changes(scene, question):
    return str(len(different(scene)))


def count_covered(scene, question):
    below = set()
    for i, (_, _, x, y, wide, _) in enumerate(scene.items):
        for _, _, a, b, other, _ in scene.items[i + 1 :]:
            gap = math.dist((x, y), (a, b)) - (wide + other) / 2
            assert abs(gap) > 0.01  # none only touches another
            if gap < 0:
                below.add(i)
    return str(len(below))
