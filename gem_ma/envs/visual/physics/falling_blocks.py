"""Falling blocks: which of several towers falls, or which one stands."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick
from gem_ma.scene import Shapes

SPAN = 12  # units, the width of a picture of a tower


def find_margins(block, above):
    """Return how firmly blocks stand on each side of a block, in parts of a unit, and the parts.

    Their centre of mass must be over the contact with that block. A block is as heavy as it is
    wide, so the parts of a unit are twice the mass above.

    Args:
        block: its left and right side.
        above: those of each block above it, from below.
    """
    mass = sum(right - left for left, right in above)
    centre = sum((right - left) * (right + left) for left, right in above)
    low, high = max(block[0], above[0][0]), min(block[1], above[0][1])
    return centre - 2 * low * mass, 2 * high * mass - centre, 2 * mass


class FallingBlocks(Task):
    # towers, blocks, least and largest margin in tenths of a unit
    levels = interpolate_levels(
        {
            0: (2, 2, 10, 20),
            2: (3, 3, 8, 15),
            5: (4, 4, 5, 10),
            8: (6, 5, 3, 6),
            10: (6, 6, 2, 4),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows towers of loose blocks with letters. All blocks are of the same material and "
        "equally high, so a block is as heavy as it is wide. A tower stands if, for each block, "
        "the centre of mass of that block and all above it lies over the place where it touches "
        "the block below. Otherwise it falls. Reply with a letter."
    )

    def draw(self, rng, many, blocks, least, most):
        falls = rng.random() < 0.5
        right = int(rng.integers(many))
        towers: list[tuple[tuple[int, int], ...]] = []
        while len(towers) < many:
            sign = -1 if falls == (len(towers) == right) else 1
            tower = _sample_tower(rng, blocks, sign, least, most)
            if tower and tower not in towers:
                towers.append(tower)
        text = f"Which tower {'falls' if falls else 'stands'}?"
        choices = tuple(LETTERS[:many])
        return Question(text, choices[right], tuple(towers), choices)

    def words(self, shown):
        rows = [
            f"{name}: " + ", ".join([f"{left} to {right}" for left, right in tower])
            for name, tower in zip(LETTERS, shown, strict=False)
        ]
        return "\n".join(["The left and right side of each block, from the ground up:", *rows])

    def scene(self, shown):
        many = len(shown)
        columns = 2 if many < 5 else 3
        rows = math.ceil(many / columns)
        high = min(0.24, (1 / rows - 0.14) / (len(shown[0]) + 0.4))
        areas: list[tuple[str, tuple[tuple[float, float], ...]]] = []
        grid: list[tuple[str, float, float, float, float, float]] = []
        lines: list[tuple[str, float, float, float, float, float]] = []
        labels = []
        for i, (name, tower) in enumerate(zip(LETTERS, shown, strict=False)):
            left, ground = (
                i % columns / columns,
                (i // columns + 1) / rows - (0.03 if rows > 1 else 0.14),
            )
            more = _draw_tower(tower, left, ground, 1 / SPAN / columns, high)
            areas, grid, lines = areas + more[0], grid + more[1], lines + more[2]
            top = ground - high * (len(tower) + 0.4)
            labels.append((name, "", left + 0.5 / columns, top - 0.05, 0.08))
        return Shapes(lines=(*grid, *lines), areas=tuple(areas), labels=tuple(labels))


def _sample_tower(rng, blocks, sign, least, most):
    """Sample a tower from its top, or return None if it becomes too wide.

    It stands by `least` tenths of a unit or more at each level. At one level it does by `most` at
    most, or with a negative sign falls by as much.
    """
    close = int(rng.integers(1, blocks))
    tower: tuple[tuple[int, int], ...] = ((0, int(rng.integers(2, 7))),)
    for level in range(blocks - 1, 0, -1):
        first, last = tower[0]
        blocks_below = [
            (left, left + wide)
            for left in range(first - 6, last)
            for wide in range(2, 7)
            if left + wide > first
        ]
        fits = []
        for block in blocks_below:
            *margins, parts = find_margins(block, tower)
            margin = 10 * min(margins)
            if level == close:
                is_right = least * parts <= sign * margin <= most * parts
            else:
                is_right = least * parts <= margin
            if is_right:
                fits.append(block)
        if not fits:
            return None
        tower = (pick(rng, fits), *tower)
    low, high = min(left for left, _ in tower), max(right for _, right in tower)
    if high - low > SPAN - 2:
        return None
    shift = (SPAN - low - high) // 2
    return tuple([(left + shift, right + shift) for left, right in tower])


def _draw_tower(tower, left, ground, unit, high):
    """Return the areas of a tower, a line for each unit, and the lines around the blocks."""
    areas, lines = [], []
    for i, (start, end) in enumerate(tower):
        top, bottom = ground - high * (i + 1), ground - high * i
        corners = ((start, top), (end, top), (end, bottom), (start, bottom))
        places = tuple([(left + unit * x, y) for x, y in corners])
        areas.append((("orange", "yellow")[i % 2], places))
        lines += [("", x, top, x, bottom, canvas.THIN) for x in (places[0][0], places[1][0])]
    for i, both in enumerate(zip((tower[0], *tower), (*tower, tower[-1]), strict=True)):
        start, end = min(x for x, _ in both), max(x for _, x in both)  # blocks that touch share it
        y = ground - high * i
        lines.append(("", left + unit * start, y, left + unit * end, y, canvas.THIN))
    top = ground - high * (len(tower) + 0.4)
    grid = [("gray", left + unit * x, top, left + unit * x, ground, 0.002) for x in range(1, SPAN)]
    floor = ("", left + 0.02, ground + 0.008, left + unit * SPAN - 0.02, ground + 0.008, 0.016)
    return areas, grid, [*lines, floor]
