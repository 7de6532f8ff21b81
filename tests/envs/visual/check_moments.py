"""The answers of the tasks of frames and solids, from their scenes or their words."""

import itertools
import math
import re

import numpy as np


def ball_path(scene, question):
    """Follow the ball on a straight line from wall to wall."""
    walls = [line[1:5] for line in scene.lines if line[-1] == 0.016]
    ((x, y, tip_x, tip_y),) = [line[1:5] for line in scene.lines if line[-1] == 0.01]
    color, *ball = scene.lines[-1][:5]  # over the other lines
    assert color == "red"
    assert ball == [x, y, x, y]  # the arrow begins at the ball
    right, down = tip_x - x, tip_y - y
    assert abs(abs(right) - abs(down)) < 1e-9
    right, down = np.sign(right), np.sign(down)
    left, far_right = min(w[0] for w in walls), max(w[2] for w in walls)
    top, bottom = min(w[1] for w in walls), max(w[3] for w in walls)
    for _ in range(40):
        across = (far_right - x if right > 0 else x - left), (bottom - y if down > 0 else y - top)
        x, y = x + right * min(across), y + down * min(across)
        if not any(a - 1e-6 <= x <= c + 1e-6 and b - 1e-6 <= y <= d + 1e-6 for a, b, c, d in walls):
            return min(scene.labels, key=lambda label: math.dist(label[2:4], (x, y)))[0]
        right, down = (-right, down) if across[0] < across[1] else (right, -down)
    raise AssertionError("the ball meets no gate")


def cup_shuffle(scene, question):
    (ball,) = [item[2] for item in scene.items if item[0] == "disc"]
    columns = sorted({item[2] for item in scene.items if item[0] == "cup"})
    place = columns.index(ball)
    lines = sorted((line[1:5] for line in scene.lines), key=lambda line: line[1])
    flat = [(y, a, b) for a, y, b, other, *_ in lines if y == other]
    for _, a, b in sorted(flat):
        pair = columns.index(a), columns.index(b)
        place = pair[1 - pair.index(place)] if place in pair else place
    return str(place + 1)


def event_count(scene, question):
    first, second = (strip for _, strip in scene.scenes)
    assert (*first.columns, *second.columns) == tuple(
        [str(n + 1) for n in range(2 * len(first.columns))]
    )
    halves = zip(first.rows, second.rows, strict=True)
    lamps = {name.strip(): a + b for name, (a, b) in zip(first.lines, halves, strict=True)}
    rows = [lamps[name] for name in re.findall(r"\b([A-I])\b", question)]
    steps = [list(itertools.pairwise(row)) for row in rows]
    if "switched" in question:
        after = "#" if "switched on" in question else "."
        return str(sum(a != b == after for a, b in steps[0]))
    if "in a row" in question:
        runs = [len(list(run)) for lamp, run in itertools.groupby(rows[0]) if lamp == "#"]
        return str(max(runs, default=0))
    if "change" in question:
        return str(sum(a != b for a, b in steps[0]))
    if "both" in question:
        return str(sum(pair == ("#", "#") for pair in zip(*rows, strict=True)))
    return str(sum(a != b and a == d and b == c for (a, b), (c, d) in zip(*steps, strict=True)))


def frame_order(scene, question):
    far = {}
    balls = [line[1:3] for line in scene.lines if line[0] == "red"]
    lines = [line[1:5] for line in scene.lines if line[-1] == 0.006]
    bends = len(lines) // len(balls)
    for n, (name, *_) in enumerate(scene.labels):
        (x, y), path = balls[n], lines[n * bends : (n + 1) * bends]
        assert math.dist(scene.items[n][2:4], path[0][:2]) < 1e-9
        along = 0.0
        for x1, y1, x2, y2 in path:
            long = math.dist((x1, y1), (x2, y2))
            share = math.dist((x1, y1), (x, y)) + math.dist((x, y), (x2, y2))
            if share < long + 1e-3:
                far[name] = along + math.dist((x1, y1), (x, y))
                break
            along += long
    assert len(far) == len(balls)
    return "".join(sorted(far, key=far.get))


def what_changed(scene, question):
    lines = {label[0]: label[2] for label in scene.labels}
    far, (first, second) = lines["second"] - lines["first"], lines.values()
    before, after = {}, {}
    for figure, _, x, y, size, turn in scene.items:
        is_after = x > (first + second) / 2
        place = round(x - far * is_after, 4), round(y, 4)
        (after if is_after else before)[place] = figure, size, turn
    if len(before) != len(after):
        return "vanished" if len(before) > len(after) else "appeared"
    if before.keys() != after.keys():
        return "moved"
    ((one, other),) = [(before[at], after[at]) for at in before if before[at] != after[at]]
    if one[0] != other[0]:
        return "changed its kind"
    if one[1] != other[1]:
        return "grew" if one[1] < other[1] else "shrank"
    return "turned"


def stacks_and_options(words):
    """Return the heights of stacks, and the options by their letters, as arrays of bools."""
    first, *rest = re.split(r"^([A-E]):\n", words, flags=re.MULTILINE)
    rows = first.strip().split("\n")[1:]
    heights = np.array([list(map(int, row.split())) for row in rows])
    options = {}
    for name, rows in zip(rest[::2], rest[1::2], strict=True):
        options[name] = np.array([list(row) for row in rows.split()]) == "#"
    assert len({one.tobytes() for one in options.values()}) == len(options)
    return heights, options


def block_views(words, question):
    heights, options = stacks_and_options(words)
    assert (np.diff(heights, axis=0) <= 0).all()  # falls to the front
    seen = heights.max(0) if "front" in question else heights.max(1)[::-1]
    (name,) = [name for name, option in options.items() if np.array_equal(option.sum(0), seen)]
    for option in options.values():
        assert (np.diff(option.astype(int), axis=0) >= 0).all()  # nothing hangs in the air
    return name


def cross_section(words, question):
    heights, options = stacks_and_options(words)
    (layer,) = [
        i
        for i, word in enumerate(("lowest", "second", "third", "fourth", "fifth"))
        if word in question
    ]
    (name,) = [name for name, one in options.items() if np.array_equal(one, heights > layer)]
    return name


def turned_blocks(words, question):
    figures = {}
    for line in words.split("\n"):
        name, _, cells = line.partition(": ")
        cells = np.array([list(map(int, cell.split())) for cell in cells.split("; ")])
        figures[name] = cells - cells.mean(0)
    first = {tuple(cell) for cell in figures.pop("first").round(6)}
    found = set()
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            turn = np.eye(3)[list(order)] * signs
            if np.linalg.det(turn) > 0:
                for name, cells in figures.items():
                    if {tuple(cell) for cell in (cells @ turn).round(6)} == first:
                        found.add(name)
    (name,) = found
    return name


ROLLS = {  # which side comes to the top, right, bottom and so on
    "right": {"top": "left", "right": "top", "bottom": "right", "left": "bottom"},
    "left": {"top": "right", "left": "top", "bottom": "left", "right": "bottom"},
    "front": {"top": "back", "front": "top", "bottom": "front", "back": "bottom"},
    "back": {"top": "front", "back": "top", "bottom": "back", "front": "bottom"},
}


def rolled(cube, way):
    return {side: cube[ROLLS[way].get(side, side)] for side in cube}


def cube_net(scene, question):
    """Roll a cube over the net, and note what it stands on: inside out, as in a mirror."""
    side = min(math.dist(line[1:3], line[3:5]) for line in scene.lines)
    cells = {
        (round((label[3] - 0.5) / side * 2), round((label[2] - 0.5) / side * 2)): label[0]
        for label in scene.labels
    }
    start = min(cells)
    faces = {one: one for one in ("top", "bottom", "front", "back", "left", "right")}
    standing, frontier = {start: faces}, [start]
    for r, c in frontier:
        for way, (down, right) in {
            "right": (0, -2), "left": (0, 2), "front": (2, 0), "back": (-2, 0),
        }.items():  # fmt: skip
            cell = r + down, c + right
            if cell in cells and cell not in standing:
                standing[cell] = rolled(standing[r, c], way)
                frontier.append(cell)
    names = {cube["bottom"]: cells[cell] for cell, cube in standing.items()}
    assert len(names) == 6
    cubes = [names]  # in all orientations
    for cube in cubes:
        for way in ROLLS:
            other = rolled(cube, way)
            if other not in cubes:
                cubes.append(other)
    assert len(cubes) == 24
    bottom = re.search(r"stands on (\w)", question)[1]
    front = re.search(r"see (\w) at", question)
    fitting = [
        cube
        for cube in cubes
        if cube["bottom"] == bottom and (not front or cube["front"] == front[1])
    ]
    tops = set()
    for cube in fitting:
        for way in re.findall(r"to the (right|left|front|back)", question):
            cube = rolled(cube, way)
        tops.add(cube["top"])
    (top,) = tops
    return top
