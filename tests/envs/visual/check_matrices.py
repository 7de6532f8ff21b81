"""The answers of the tasks of matrices, from their scenes."""

import itertools


def boxes(scene):
    """Return what is in each box: figure, how many, size, turn; rows first, then by letter."""
    edges = list(zip(*[iter(scene.lines)] * 4, strict=True))
    found = []
    for lines in edges:
        xs, ys = [line[1] for line in lines], [line[2] for line in lines]
        side = max(xs) - min(xs)
        within = [i for i in scene.items if min(xs) < i[2] < max(xs) and min(ys) < i[3] < max(ys)]
        if within:
            many = len(within)
            share = within[0][4] / side / (1.6 if many == 1 else 1)
            if lines[0][2] == max(one[0][2] for one in edges):  # the last row: the options
                share *= 0.9
            sizes = {abs(size - share): size for size in (0.18, 0.26, 0.34)}
            found.append((within[0][0], many, sizes[min(sizes)], within[0][5]))
            assert len({i[0] for i in within}) == len({i[5] for i in within}) == 1
        else:
            found.append(None)
    return found


def lettered(scene, found):
    names = sorted(label[0] for label in scene.labels if label[0].isalpha())
    return dict(zip(names, found[-len(names) :], strict=True)), found[: -len(names)]


def raven_matrix(scene, question):
    options, rows = lettered(scene, boxes(scene))
    cells = dict(zip(itertools.product(range(3), repeat=2), rows, strict=True))
    assert cells.pop((2, 2)) is None
    wanted = []
    for trait in range(3):
        values = {place: box[trait] for place, box in cells.items()}
        fits = []
        for a, b in itertools.product(range(3), repeat=2):
            found = {}
            for (r, c), value in values.items():
                found.setdefault((a * r + b * c) % 3, set()).add(value)
            if all(len(one) == 1 for one in found.values()):
                fits.append(next(iter(found[2 * (a + b) % 3])))
        assert len(set(fits)) == 1
        wanted.append(fits[0])
    (name,) = [name for name, box in options.items() if list(box[:3]) == wanted]
    return name


def next_in_row(scene, question):
    options, row = lettered(scene, boxes(scene))
    assert row.pop() is None
    turns = {(b[3] - a[3]) % 360 for a, b in itertools.pairwise(row)}
    (turn,) = turns

    def repeated(trait):
        values = [box[trait] for box in row]
        for period in range(1, len(values)):
            if all(a == b for a, b in zip(values, values[period:], strict=False)):
                return values[len(values) % period]
        raise AssertionError("nothing repeats")

    wanted = (repeated(1), repeated(2), (row[-1][3] + turn) % 360)
    (name,) = [name for name, box in options.items() if box[1:] == wanted]
    return name


def latin_square(scene, question):
    (row,) = [r for r, line in enumerate(scene.rows) if "?" in line]
    column = scene.rows[row].index("?")
    figures = {symbol: tile.figure for symbol, tile in scene.tiles if tile.figure}
    every = sorted({s for line in scene.rows for s in line} - {"?", "."})
    around = {*scene.rows[row], *(line[column] for line in scene.rows)}
    for line in (*scene.rows, *zip(*scene.rows, strict=True)):
        shown = [s for s in line if s in figures]
        assert len(set(shown)) == len(shown)
    left = set(every) - around
    (symbol,) = left
    return figures[symbol]
