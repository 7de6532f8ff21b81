"""Turned blocks: which figure of cubes is another one that was turned, and no mirror image."""

import itertools
from collections import Counter

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.envs.visual.solids import isometric
from gem_ma.scene import Shapes


def _turns():
    """Return the 24 turns of a cube: for each axis, where it comes from and its sign."""
    found = []
    for order in itertools.permutations(range(3)):
        swaps = sum(a > b for a, b in itertools.combinations(order, 2))
        for signs in itertools.product((1, -1), repeat=3):
            if (-1) ** swaps * signs[0] * signs[1] * signs[2] == 1:
                found.append(tuple(zip(order, signs, strict=True)))
    return tuple(found)


TURNS = _turns()
THREE = ((0, 0, 0), (0, 0, 1), (0, 0, 2)), ((0, 0, 0), (0, 0, 1), (0, 1, 0))
SIDES = tuple([tuple([s if i == j else 0 for j in range(3)]) for i in range(3) for s in (1, -1)])


class TurnedBlocks(Task):
    # cubes, options
    levels = interpolate_levels({0: (3, 2), 2: (4, 2), 4: (4, 3), 5: (5, 3), 8: (6, 4), 10: (8, 5)})
    moves = tuple(LETTERS[:5])
    about = (
        "It shows a figure of cubes, and more figures with letters. One of them is the first one "
        "after it was turned as a whole; none of the others is, but some may be mirror images. All "
        "have the same number of cubes, joined by their faces. In words, cubes have three "
        "coordinates. Reply with a letter."
    )

    def draw(self, rng, size, many):
        while True:
            # Of three cubes there are two figures, and each is the first one equally often.
            figure = _grown(rng, size) if size > 3 else pick(rng, THREE)
            turns = {turn_cells(figure, turn): None for turn in TURNS}
            looks = [one for one in turns if _is_clear(one)]
            if len(looks) < 2:
                continue
            first, right = some(rng, looks, 2)
            wrong: dict[tuple[tuple[int, ...], ...], None] = {}
            for _ in range(40):
                other = figure if rng.random() < 0.4 else _moved(rng, figure)
                if other == figure or rng.random() < 0.5:
                    other = [(-x, y, z) for x, y, z in other]
                other = turn_cells(other, pick(rng, TURNS))
                if other not in turns and other not in wrong and _is_clear(other):
                    wrong[other] = None
                if len(wrong) == many - 1:
                    break
            if len(wrong) == many - 1:
                break
        options = some(rng, [right, *wrong], many)
        choices = tuple(LETTERS[:many])
        text = "Which figure is the first one, turned?"
        return Question(text, choices[options.index(right)], (first, tuple(options)), choices)

    def words(self, shown):
        first, options = shown
        named = [("first", first), *zip(LETTERS, options, strict=False)]
        return "\n".join(
            [
                f"{name}: {'; '.join([' '.join(map(str, cell)) for cell in one])}"
                for name, one in named
            ]
        )

    def scene(self, shown):
        first, options = shown
        names = "first", *LETTERS[: len(options)]
        squares = canvas.lay_out(len(names), 2 if len(names) < 5 else 3)
        areas, lines = [], []
        for (left, top, side), figure in zip(squares, (first, *options), strict=True):
            more = isometric.cubes(figure, (left, top, side, side))
            areas += isometric.join_areas(more[0])
            lines += more[1]
        labels = canvas.name_squares(names, squares)
        return Shapes(areas=tuple(areas), lines=tuple(lines), labels=labels)


def move_to_origin(cells):
    """Return cubes in order, moved so that their coordinates begin at 0."""
    least = [min(cell[i] for cell in cells) for i in range(3)]
    return tuple(sorted([tuple([n - m for n, m in zip(c, least, strict=True)]) for c in cells]))


def turn_cells(cells, turn):
    """Return cubes after a turn."""
    return move_to_origin([tuple([sign * cell[axis] for axis, sign in turn]) for cell in cells])


def _grown(rng, size):
    """Sample connected cubes."""
    cells = [(0, 0, 0)]
    while len(cells) < size:
        at, side = pick(rng, cells), pick(rng, SIDES)
        cell = tuple([a + b for a, b in zip(at, side, strict=True)])
        if cell not in cells and max(abs(n) for n in cell) < 3:
            cells.append(cell)
    return move_to_origin(cells)


def _moved(rng, cells):
    """Return cubes one of which was put elsewhere, still connected."""
    kept = list(cells)
    del kept[int(rng.integers(len(kept)))]
    while True:
        at, side = pick(rng, kept), pick(rng, SIDES)
        cell = tuple([a + b for a, b in zip(at, side, strict=True)])
        if cell not in kept:
            return move_to_origin([*kept, cell])


def _is_clear(cells):
    """Return whether cubes are connected and a third of each of them can be seen, or more."""
    filled = set(cells)
    if len({(r - c, c - z) for r, c, z in cells}) < len(cells):
        return False
    seen, frontier = {cells[0]}, [cells[0]]
    for r, c, z in frontier:
        for a, b, d in SIDES:
            other = r + a, c + b, z + d
            if other in filled and other not in seen:
                seen.add(other)
                frontier.append(other)
    if len(seen) < len(filled):
        return False
    shown = Counter([cell for cell, _ in isometric.find_faces(cells).values()])
    return all(shown[cell] > 1 for cell in cells)
