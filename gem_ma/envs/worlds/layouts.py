"""Layouts of kitchens: some by name, and random ones."""

from __future__ import annotations

FLOOR, COUNTER = ".", "#"
ONIONS, TOMATOES, PLATES, POT, HATCH = "OTDPS"
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
NAMED = {  # the cooks start at 1 and 2
    "galley": """
        ##P##
        O1.2T
        #...#
        #D#S#
    """,
    "divided": """
        #O###P#
        D..#..P
        #1.#2.#
        T..#..S
        #######
    """,
    "ring": """
        ##P#P##
        #.....#
        D.###.S
        #1...2#
        ##O#T##
    """,
    "twins": """
        #########
        O..1P2..T
        T...P...O
        D..S#D..S
        #########
    """,
    "hall": """
        #P##S##P#
        O.......T
        #..#.#..#
        #1.#.#.2#
        #..#.#..#
        D.......D
        ##T###O##
    """,
}
DRAWN = "random"
NAMES = (*NAMED, DRAWN)
_SIDES = 5, 8  # fewest and most rows and columns of a random kitchen, with walls
_ISLANDS = 4  # most counters in its middle


def floor(name, rng):
    """Return the rows of a kitchen, and the start cells of its cooks."""
    if name == DRAWN:
        return _drawn(rng)
    rows = NAMED[name].split()
    starts = tuple([find(rows, digit)[0] for digit in "12"])
    return tuple([row.replace("1", FLOOR).replace("2", FLOOR) for row in rows]), starts


def largest(name):
    """Return the largest number of rows and columns of a layout."""
    if name == DRAWN:
        return _SIDES[1], _SIDES[1]
    rows = NAMED[name].split()
    return len(rows), len(rows[0])


def find(rows, symbol):
    return [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == symbol]


def beside(cell):
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS.values()]


def reached(rows, start):
    """Return the floor cells that a cook can reach, each with the cell before it."""
    predecessors, queue = {start: start}, [start]
    for cell in queue:  # the queue grows in the loop
        for near in beside(cell):
            if near not in predecessors and rows[near[0]][near[1]] == FLOOR:
                predecessors[near] = cell
                queue.append(near)
    return predecessors


def _drawn(rng):
    """Return a random kitchen whose floor both cooks can reach completely."""
    high, wide = (int(n) for n in rng.integers(_SIDES[0], _SIDES[1] + 1, size=2))
    rows = [[COUNTER] * wide, *([COUNTER, *FLOOR * (wide - 2), COUNTER] for _ in range(high - 2))]
    rows.append([COUNTER] * wide)
    inside = find(rows, FLOOR)
    for _ in range(int(rng.integers(_ISLANDS + 1))):
        row, column = inside[int(rng.integers(len(inside)))]
        rows[row][column] = COUNTER
        floor_cells = find(rows, FLOOR)
        if len(reached(rows, floor_cells[0])) < len(floor_cells) or len(floor_cells) < 2 * len(
            NAMED
        ):
            rows[row][column] = FLOOR  # it would cut the floor in two or leave too little
    floor_cells = find(rows, FLOOR)
    walls = [(r, c) for r, c in find(rows, COUNTER) if set(beside((r, c))) & set(floor_cells)]
    stations = [ONIONS, TOMATOES, PLATES, POT, POT, HATCH]
    for station, place in zip(stations, rng.permutation(len(walls)).tolist(), strict=False):
        row, column = walls[place]
        rows[row][column] = station
    starts = [floor_cells[i] for i in rng.permutation(len(floor_cells))[:2].tolist()]
    return tuple(["".join(row) for row in rows]), tuple(starts)
