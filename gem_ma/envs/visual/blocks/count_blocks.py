"""Count blocks: of how many cubes a pile is made."""

from gem_ma.envs.levels import dial
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.scene import Shapes

HIGH = 1.1  # of a cube, where half of the width of its top is 1


class CountBlocks(Task):
    levels = dial(
        {0: (2, 1), 2: (2, 2), 5: (3, 3), 8: (4, 5), 10: (6, 6)}
    )  # stacks across, how high
    moves = numbers(216)
    about = (
        "It shows stacks of cubes in a corner, in words the number of cubes of each stack, from "
        "the corner on. No stack is higher than one behind it, so that the top of each can be "
        "seen; a place without cubes is darker. Reply with a number."
    )

    def draw(self, rng, size, high):
        """Draw how many cubes, and put one after the other where it may stand."""
        many = int(rng.integers(1, size * size * high + 1))
        stacks = [[0] * size for _ in range(size)]
        for _ in range(many):
            open_places = [
                (r, c)
                for r in range(size)
                for c in range(size)
                if stacks[r][c] < high
                and (r == 0 or stacks[r - 1][c] > stacks[r][c])
                and (c == 0 or stacks[r][c - 1] > stacks[r][c])
            ]
            r, c = open_places[int(rng.integers(len(open_places)))]
            stacks[r][c] += 1
        shown = tuple(map(tuple, stacks))
        return Question("How many cubes are there?", str(many), shown, self.moves)

    def words(self, shown):
        return "\n".join([" ".join(map(str, row)) for row in shown])

    def scene(self, shown):
        faces = []
        for r, row in enumerate(shown):
            for c, high in enumerate(row):
                top = [(r, c, high), (r, c + 1, high), (r + 1, c + 1, high), (r + 1, c, high)]
                faces.append(("white" if high else "gray", top))
                front = shown[r + 1][c] if r + 1 < len(shown) else 0
                side = row[c + 1] if c + 1 < len(row) else 0
                for z in range(front, high):
                    left = [
                        (r + 1, c, z),
                        (r + 1, c + 1, z),
                        (r + 1, c + 1, z + 1),
                        (r + 1, c, z + 1),
                    ]
                    faces.append(("orange", left))
                for z in range(side, high):
                    right = [
                        (r, c + 1, z),
                        (r + 1, c + 1, z),
                        (r + 1, c + 1, z + 1),
                        (r, c + 1, z + 1),
                    ]
                    faces.append(("blue", right))
        return _drawn(faces)


def _flat(r, c, z):
    return c - r, (c + r) / 2 - HIGH * z


def _drawn(faces):
    """Return faces as areas with lines around them, as large as the picture allows."""
    flat = [[_flat(*corner) for corner in corners] for _, corners in faces]
    xs, ys = ([p[i] for one in flat for p in one] for i in (0, 1))
    scale = 0.94 / max(max(xs) - min(xs), max(ys) - min(ys))
    left, top = (0.5 - scale * (max(v) + min(v)) / 2 for v in (xs, ys))
    areas, lines = [], {}
    for (color, _), corners in zip(faces, flat, strict=True):
        ends = [(left + scale * x, top + scale * y) for x, y in corners]
        areas.append((color, tuple(ends)))
        for a, b in zip(ends, [*ends[1:], ends[0]], strict=True):
            lines[min(a, b), max(a, b)] = ("", *min(a, b), *max(a, b), 0.006)
    return Shapes(areas=tuple(areas), lines=tuple(lines.values()))
