"""The answers of the tasks of blocks, from their scenes."""


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
