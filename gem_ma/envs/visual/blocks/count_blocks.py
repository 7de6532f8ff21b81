"""Count blocks: how many cubes a pile consists of."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.blocks import solid
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.scene import Shapes


class CountBlocks(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (2, 2), 5: (3, 3), 8: (4, 5), 10: (6, 6)}
    )  # stacks across, largest height
    moves = numbers(216)
    about = (
        "It shows stacks of cubes in a corner, in words the number of cubes of each stack, from "
        "the corner on. No stack is higher than one behind it, so that the top of each can be "
        "seen; a place without cubes is darker. Reply with a number."
    )

    def draw(self, rng, size, high):
        """Sample the number of cubes, and put each where the pile may grow."""
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
        heights = tuple(map(tuple, stacks))
        return Question("How many cubes are there?", str(many), heights, self.moves)

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
        areas, lines = solid.drawn(faces)
        return Shapes(areas=areas, lines=lines)
