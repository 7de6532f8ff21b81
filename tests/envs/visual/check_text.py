"""The answers of the tasks of text, from their scenes."""

import re

import numpy as np


def find_word(scene, question):
    word = re.search(r"[A-Z]{3,}", question)[0]
    cells = np.array([[c + r for c in scene.columns] for r in scene.lines])
    letters = np.array([*map(list, scene.rows)])
    found = set()
    for flip in (1, -1):  # rows, columns and falling diagonals, each read in both ways
        for board, names in ((letters, cells), (letters.T, cells.T)):
            lines = list(zip(board, names, strict=True))
            lines += [(np.diagonal(board, i), np.diagonal(names, i)) for i in range(len(board))]
            for line, where in lines:
                text = "".join(line[::flip])
                found |= {where[::flip][m.start()] for m in re.finditer(f"(?={word})", text)}
    (cell,) = found
    return str(cell)
