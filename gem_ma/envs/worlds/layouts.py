"""Floors of kitchens: some by name, and any number from seeds."""

from __future__ import annotations

FLOOR, COUNTER = ".", "#"
ONIONS, TOMATOES, PLATES, POT, HATCH = "OTDPS"
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
NAMED = {  # 1 and 2 are where the cooks begin
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
_SIDES = 5, 8  # of a drawn kitchen, walls and all
_ISLANDS = 4  # counters in the middle of one, at most


def floor(name, rng):
    """Return the rows of a kitchen, and where its cooks begin."""
    if name == DRAWN:
        return _drawn(rng)
    rows = NAMED[name].split()
    starts = tuple([find(rows, digit)[0] for digit in "12"])
    return tuple([row.replace("1", FLOOR).replace("2", FLOOR) for row in rows]), starts


def largest(name):
    """Return how many rows and columns such a kitchen has at the most."""
    if name == DRAWN:
        return _SIDES[1], _SIDES[1]
    rows = NAMED[name].split()
    return len(rows), len(rows[0])


def find(rows, symbol):
    return [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == symbol]


def beside(cell):
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS.values()]


def reached(rows, start):
    """Return the floor that a cook can walk to, and from where it comes to each cell."""
    predecessors, queue = {start: start}, [start]
    for cell in queue:  # which grows meanwhile
        for near in beside(cell):
            if near not in predecessors and rows[near[0]][near[1]] == FLOOR:
                predecessors[near] = cell
                queue.append(near)
    return predecessors


def _drawn(rng):
    """Return a kitchen of any size in which both cooks get everywhere."""
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
            rows[row][column] = FLOOR  # that would cut the kitchen in two
    floor_cells = find(rows, FLOOR)
    walls = [(r, c) for r, c in find(rows, COUNTER) if set(beside((r, c))) & set(floor_cells)]
    stations = [ONIONS, TOMATOES, PLATES, POT, POT, HATCH]
    for station, place in zip(stations, rng.permutation(len(walls)).tolist(), strict=False):
        row, column = walls[place]
        rows[row][column] = station
    starts = [floor_cells[i] for i in rng.permutation(len(floor_cells))[:2].tolist()]
    return tuple(["".join(row) for row in rows]), tuple(starts)
