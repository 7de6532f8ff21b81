"""The answers of the tasks of analogy, from their scenes."""

import itertools

import numpy as np


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
