"""Subway map: how often one must change trains between two stations."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers, pick
from gem_ma.scene import Shapes

COLORS = ("red", "blue", "green", "orange", "purple", "brown", "gray")
MIDDLE, WIDE = 0.5, 0.86  # of the map
TURN = 0.3  # how often a line turns
TRIES = 40  # for a line
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def count_changes(lines, start, end):
    """Return how often one must change lines, by breadth-first search; None: there is no way.

    Args:
        lines: the stations of each line.
    """
    reached, changes = {start}, 0
    while True:
        riding = [line for line in lines if reached.intersection(line)]
        grown = reached.union(*riding)
        if end in grown:
            return changes
        if grown == reached:
            return None
        reached, changes = grown, changes + 1


class SubwayMap(Task):
    # lines, places across, places that a line passes, changes at most
    levels = interpolate_levels(
        {
            0: (2, 4, 4, 1),
            1: (2, 5, 5, 1),
            2: (3, 5, 4, 2),
            5: (5, 6, 5, 2),
            8: (6, 7, 6, 3),
            10: (7, 8, 6, 4),
        }
    )
    moves = numbers(4)
    about = (
        "It shows the lines of a subway, each in one colour, and stations with letters. A train "
        "stays on its line. At a station on several lines one can change to another one. Reply "
        "with a number."
    )

    def draw(self, rng, many, size, long, most):
        wanted = int(rng.integers(most + 1))
        while True:
            lines = _sample_lines(rng, many, size, long)
            if lines is None:
                continue
            nodes = [node for line in lines for node in line]
            ends = {end for line in lines for end in (line[0], line[-1])}
            stations = sorted({node for node in nodes if nodes.count(node) > 1} | ends)
            if len(stations) > len(LETTERS):
                continue
            pairs = [
                (a, b)
                for a, b in itertools.permutations(stations, 2)
                if count_changes(lines, a, b) == wanted
            ]
            if pairs and all(count_changes(lines, stations[0], b) is not None for b in stations):
                break
        order = [LETTERS[i] for i in rng.permutation(len(stations)).tolist()]
        names = dict(zip(stations, order, strict=True))
        start, end = (names[node] for node in pick(rng, pairs))
        shown = size, lines, tuple(names.items())
        text = f"How often must one change at least from {start} to {end}?"
        return Question(text, str(wanted), shown, numbers(most))

    def words(self, shown):
        _, lines, names = shown
        by_node = dict(names)
        rows = []
        for i, line in enumerate(lines):
            stops = [by_node[node] for node in line if node in by_node]
            rows.append(f"line {i + 1}: {' - '.join(stops)}")
        return "\n".join(rows)

    def scene(self, shown):
        _, lines, names = shown
        xs, ys = ({node[i] for line in lines for node in line} for i in range(2))
        step = WIDE / max(max(xs) - min(xs), max(ys) - min(ys))
        disc = round(min(0.085, 0.55 * step), 3)

        def place(node):
            across, down = node[0] - (min(xs) + max(xs)) / 2, node[1] - (min(ys) + max(ys)) / 2
            return MIDDLE + step * across, MIDDLE + step * down

        drawn = [
            (color, *place(a), *place(b), 0.022)
            for color, line in zip(COLORS, lines, strict=False)
            for a, b in itertools.pairwise(line)
        ]
        # Discs over the lines: a label in a ring of short lines, all as wide as a disc.
        labels = [(name, "", *place(node), 0.7 * disc) for node, name in names]
        dots = [("floor", *place(node), *place(node), disc) for node, _ in names]
        rims = [("", *place(node), *place(node), disc + 0.014) for node, _ in names]
        return Shapes(lines=(*drawn, *rims, *dots), labels=tuple(labels))


def _sample_lines(rng, many, size, long):
    """Return the places of lines that each meet one or two others, or None if one does not fit."""
    used: set[frozenset[tuple[int, int]]] = set()
    lines: list[tuple[tuple[int, int], ...]] = []
    for _ in range(many):
        for _ in range(TRIES):
            line = _sample_line(rng, size, long, used)
            met = sum(not {*line}.isdisjoint(other) for other in lines)
            is_long = len(line) >= max(3, long - 1)
            if is_long and (met in (1, 2) or not lines):
                break
        else:
            return None
        used |= {frozenset(part) for part in itertools.pairwise(line)}
        lines.append(line)
    return tuple(lines)


def _sample_line(rng, size, long, used):
    """Return places that go on until the next one is outside or its way is used."""
    line = [(int(rng.integers(size)), int(rng.integers(size)))]
    way = int(rng.integers(8))
    while len(line) < long:
        x, y = line[-1]
        if rng.random() < TURN:
            way = (way + pick(rng, (-1, 1))) % 8
        right, down = AROUND[way]
        node = x + right, y + down
        other = frozenset([(x, node[1]), (node[0], y)])  # the other diagonal of a square
        is_outside = not (0 <= node[0] < size and 0 <= node[1] < size)
        if is_outside or node in line or frozenset([line[-1], node]) in used:
            break
        if right and down and (other in used or other in map(frozenset, itertools.pairwise(line))):
            break
        line.append(node)
    return tuple(line)
