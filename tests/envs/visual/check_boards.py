"""The answers of the tasks of blocks, reading, text, many turns and programs, from their scenes."""

import re

import numpy as np


def count_blocks(scene, question):
    """Count each place's cubes from the height of its top, the front ones first."""
    tops = [corners for color, corners in scene.areas if color in ("white", "gray")]
    wide = tops[0][1][0] - tops[0][0][0]  # half of a top's width
    size = round(len(tops) ** 0.5)
    columns = {}
    for corners in tops:
        columns.setdefault(round(corners[0][0] / wide, 3), []).append(corners[0][1])
    assert sorted(map(len, columns.values())) == sorted([*range(1, size), *range(1, size + 1)])
    grounds = [corners[0][1] for color, corners in scene.areas if color == "gray"]
    left = min(columns)
    cubes = 0.0
    # The top of a place stands as high as its row and column say, less 1.1 for each cube; the
    # whole picture is moved by what no place says, so that one place has to be known.
    places = {}
    for at, ys in columns.items():
        side = round(at - left) - (size - 1)  # column less row
        for i, y in enumerate(sorted(ys, reverse=True)):
            row = size - 1 - i - max(0, side)
            places[row, row + side] = y / wide - (2 * row + side) / 2
    low = [(y / wide, None) for y in grounds]
    faces = [corners for color, corners in scene.areas if color not in ("white", "gray")]
    bottom = max(places.values()) if low else None
    if bottom is None:  # the lowest corner of the front faces stands on the ground
        deepest = max(y for corners in faces for _, y in corners)
        bottom = deepest / wide - size
    for at in places.values():
        cubes += (bottom - at) / 1.1
    assert abs(cubes - round(cubes)) < 1e-6
    return str(round(cubes))


def spiral(scene, question):
    """Take the first row away, and turn the rest, until enough are read."""
    rows, read = np.array([*map(list, scene.rows)]), ""
    while rows.size:
        read += "".join(rows[0])
        rows = np.rot90(rows[1:])
    return read[int(re.search(r"\d+", question)[0]) - 1]


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


def find_star(scene, question):
    figures = {symbol: tile.figure for symbol, tile in scene.tiles}
    ((row, column),) = [
        (r, c)
        for r, line in enumerate(scene.rows)
        for c, s in enumerate(line)
        if figures[s] == "star"
    ]
    return f"{chr(ord('A') + column)}{row + 1}"


def count_by_crops(scene, question):
    figures = {symbol: tile.figure for symbol, tile in scene.tiles}
    wanted = question.split(" figures")[0].split()[-1]
    return str(sum(figures[s] == wanted for line in scene.rows for s in line))


def turn_cube(scene, question):
    """Count on a cube that was unfolded: a Grid of its six faces."""
    return count_by_crops(scene, question)


def under_cursor(scenes, question):
    """Read the number of each figure of the kind from the scene in which the cursor is on it."""
    kind = re.search(r"(\w+) figure", question)[1]
    found = []
    for scene in scenes:
        across, down = [line[1:5] for line in scene.lines if line[0] == "red"]
        x, y = (down[0] + down[2]) / 2, (across[1] + across[3]) / 2
        on = [one for one in scene.items if np.hypot(one[2] - x, one[3] - y) <= one[4] / 2]
        number = re.search(r"\d+", scene.status[0])
        assert len(on) == bool(number)
        found += [int(number[0]) for one in on if one[0] == kind]
    wanted = re.search(r"the (\d+) ", question)
    assert len(found) == (int(wanted[1]) if wanted else 1)
    return str(max(found))


def draw_program(scene, question):
    return "; ".join(
        f"box {x} {y} {x} {y}"
        for y, row in enumerate(scene.rows)
        for x, mark in enumerate(row)
        if mark == "#"
    )
