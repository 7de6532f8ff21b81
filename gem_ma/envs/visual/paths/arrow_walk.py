"""Arrow walk: where a walk leaves a board whose cells say where to go next."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.scene import Shapes

WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left
SYMBOLS = "^>v<"


class ArrowWalk(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (3, 3), 5: (4, 6), 8: (6, 10), 10: (9, 20)}
    )  # cells across, least steps
    moves = numbers(36)[1:]
    about = (
        "It shows a board whose cells have arrows (^ > v <), one of them with a ring around it, "
        "where you begin. Each arrow leads to the next cell, until one leaves the board; the "
        "places beside it have numbers, clockwise from the left end of its top. "
        "Reply with a number."
    )

    def draw(self, rng, size, least):
        board = rng.integers(4, size=(size, size)).tolist()
        way: list[int] = []
        while not way:
            start, (row, column), way = _way(rng, size, least)
        here = start
        for one in way:
            board[here[0]][here[1]] = one
            here = here[0] + WAYS[one][0], here[1] + WAYS[one][1]
        rows = tuple(["".join([SYMBOLS[one] for one in line]) for line in board])
        answer = _ways_out(size).index((row, column)) + 1
        text = "At which number do you leave the board?"
        return Question(text, str(answer), (rows, start), self.moves)

    def words(self, shown):
        rows, (row, column) = shown
        lines = "\n".join([" ".join(line) for line in rows])
        return f"{lines}\nThe ring: row {row + 1} from the top, column {column + 1} from the left."

    def scene(self, shown):
        rows, (row, column) = shown
        size = len(rows)
        cell = 84 / size

        def middle(i, j):
            return 8 + cell * (j + 0.5), 8 + cell * (i + 0.5)

        items = [
            ("arrow", "", *canvas.share(middle(i, j)), 0.5 * cell / 100, 90.0 * SYMBOLS.index(mark))
            for i, line in enumerate(rows)
            for j, mark in enumerate(line)
        ]
        ring = ("ring", "red", *canvas.share(middle(row, column)), 0.95 * cell / 100, 0.0)
        ends = [(8 + cell * i) / 100 for i in range(size + 1)]
        lines = [("gray", end, 0.08, end, 0.92, 0.005) for end in ends]
        lines += [("gray", 0.08, end, 0.92, end, 0.005) for end in ends]
        names = []
        for number, (i, j) in enumerate(_ways_out(size), 1):
            x, y = middle(i, j)
            names.append((str(number), (min(96, max(4, x)), min(96, max(4, y)))))
        labels = canvas.tags(names, 0.05)
        return Shapes((ring, *items), lines=tuple(lines), labels=labels)


def _ways_out(size):
    """Return the places around a board, clockwise."""
    count = range(size)
    top, right = [(-1, i) for i in count], [(i, size) for i in count]
    return top + right + [(size, size - 1 - i) for i in count] + [(size - 1 - i, -1) for i in count]


def _way(rng, size, least):
    """Sample a way; return its start, its end and its steps, or no steps after a dead end."""
    row, column = start = tuple(rng.integers(size, size=2).tolist())
    seen, steps = {start}, []
    while 0 <= row < size and 0 <= column < size:
        open_ways = []
        for i, (down, right) in enumerate(WAYS):
            to = row + down, column + right
            within = 0 <= to[0] < size and 0 <= to[1] < size
            if to not in seen and (within or len(seen) >= least):
                open_ways.append(i)
        if not open_ways:
            return start, start, []
        steps.append(open_ways[int(rng.integers(len(open_ways)))])
        row, column = row + WAYS[steps[-1]][0], column + WAYS[steps[-1]][1]
        seen.add((row, column))
    return start, (row, column), steps
