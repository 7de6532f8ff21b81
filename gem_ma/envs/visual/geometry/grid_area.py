"""Grid area: how many squares a figure on squared paper covers, including half squares."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.scene import Shapes

FREE, FULL, HALVES = ".", "#", "/\\"


class GridArea(Task):
    # squares across, largest area, whether there are half squares
    levels = interpolate_levels(
        {
            0: (3, 4, False),
            2: (5, 8, False),
            5: (6, 14, True),
            8: (8, 24, True),
            10: (12, 50, True),
        }
    )
    moves = numbers(60)
    about = (
        "It shows squared paper and what is coloured of it, in words # for a square and / or \\ "
        "for one of which a half is. Halves always make whole squares together. "
        "Reply with a number."
    )

    def draw(self, rng, size, most, halved):
        """Grow a figure by squares, and add pairs of half squares beside it."""
        area = int(rng.integers(1, most + 1))
        while True:
            halves = 2 * int(rng.integers(0, min(3, area - 1) + 1)) if halved else 0
            cells = {divmod(int(rng.integers(size * size)), size)}
            while len(cells) < area - halves // 2:
                free = _beside(cells, size)
                cells.add(free[int(rng.integers(len(free)))])
            free = _beside(cells, size)
            if len(free) >= halves:
                break
        half_cells = [free[i] for i in rng.permutation(len(free))[:halves].tolist()]
        kinds = rng.integers(2, size=halves).tolist()
        marks = dict.fromkeys(cells, FULL) | {
            cell: HALVES[kind] for cell, kind in zip(half_cells, kinds, strict=True)
        }
        rows = tuple(["".join([marks.get((r, c), FREE) for c in range(size)]) for r in range(size)])
        return Question("How many squares large is the coloured part?", str(area), rows, self.moves)

    def words(self, shown):
        return "\n".join(shown)

    def scene(self, shown):
        size = len(shown)
        step = 0.96 / size
        areas = []
        for r, row in enumerate(shown):
            for c, mark in enumerate(row):
                if mark != FREE:
                    areas.append(("blue", _corners(mark, 0.02 + c * step, 0.02 + r * step, step)))
        ends = [0.02 + i * step for i in range(size + 1)]
        lines = [("gray", at, 0.02, at, 0.98, 0.005) for at in ends]
        lines += [("gray", 0.02, at, 0.98, at, 0.005) for at in ends]
        return Shapes(areas=tuple(areas), lines=tuple(lines))


def _beside(cells, size):
    near = {(r + d, c + e) for r, c in cells for d, e in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    return sorted((r, c) for r, c in near - cells if 0 <= r < size and 0 <= c < size)


def _corners(mark, x, y, step):
    square = (x, y), (x + step, y), (x + step, y + step), (x, y + step)
    if mark == FULL:
        return square
    return square[1:] if mark == "/" else (square[0], square[2], square[3])
