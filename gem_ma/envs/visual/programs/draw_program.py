"""Draw program: write a small program that draws a picture."""

import re

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, pick
from gem_ma.game import InvalidMove, clip_repr
from gem_ma.scene import Grid, Tile

FULL, FREE = "#", "."
TILES = (
    (FULL, Tile(ground="blue", name="painted (#)")),
    (FREE, Tile(ground="white", name="free (.)")),
)
MOST, LONGEST = 16, 2000  # cells across; characters of a program
STATEMENTS = 24
TAKES = {"box": 4, "line": 4, "disc": 3, "clear": 4, "mirror": 0}
_STATEMENT = re.compile(r"\s*([a-z]{1,8})((?:[\s,]+\d{1,2}){0,4})\s*")
SIMPLE = tuple(
    [f"box {x} {y} {x + w} {y + w}" for w in (0, 2, 4) for x in range(6) for y in range(6)]
)


def parsed(text):
    """Parse a program into statements (name, numbers); raise InvalidMove if it is not valid."""
    if len(text) > LONGEST:
        raise InvalidMove(f"a program has at most {LONGEST} characters")
    lines = [
        line for line in re.split(r"[;\n]", text.strip().strip("`").casefold()) if line.strip()
    ]
    if not 1 <= len(lines) <= STATEMENTS:
        raise InvalidMove(f"{len(lines)} statements; a program has 1 to {STATEMENTS}")
    statements = []
    for line in lines:
        match = _STATEMENT.fullmatch(line)
        numbers = tuple(map(int, re.findall(r"\d+", match[2]))) if match else ()
        if not match or TAKES.get(match[1]) != len(numbers):
            raise InvalidMove(f"{clip_repr(line.strip())} is not a statement")
        statements.append((match[1], numbers))
    return tuple(statements)


def run(program, size):
    """Return the cells that a program paints, computed with integers."""
    painted_cells: set[tuple[int, int]] = set()
    for name, numbers in program:
        if name == "mirror":
            painted_cells |= {(size - 1 - x, y) for x, y in painted_cells}
        elif name == "disc":
            x, y, r = numbers
            painted_cells |= {
                (a, b)
                for a in range(size)
                for b in range(size)
                if (a - x) ** 2 + (b - y) ** 2 <= r * r + r // 2
            }
        elif name == "line":
            painted_cells |= set(_line(*numbers))
        else:
            x1, y1, x2, y2 = numbers
            cells = {
                (x, y) for x in range(x1, min(x2, size) + 1) for y in range(y1, min(y2, size) + 1)
            }
            painted_cells = painted_cells | cells if name == "box" else painted_cells - cells
    return frozenset((x, y) for x, y in painted_cells if x < size and y < size)


def _line(x1, y1, x2, y2):
    """Return the cells nearest to a line, one for each row or column."""
    steps = max(abs(x2 - x1), abs(y2 - y1), 1)
    return [
        (
            (2 * (x1 * (steps - i) + x2 * i) + steps) // (2 * steps),
            (2 * (y1 * (steps - i) + y2 * i) + steps) // (2 * steps),
        )
        for i in range(steps + 1)
    ]


class DrawProgram(Task):
    levels = interpolate_levels(
        {0: (4, 1), 2: (6, 1), 5: (8, 3), 8: (12, 5), 10: (MOST, 9)}
    )  # cells across, statements
    moves = SIMPLE
    about = (
        "It shows cells that are painted (#) or free (.). Reply with a program that paints these "
        "cells and no others. Its statements stand in lines, or with semicolons between them, and "
        "columns (x) and rows (y) count from 0 at the top left: box X1 Y1 X2 Y2 paints all cells "
        "from one corner to the other, clear X1 Y1 X2 Y2 frees them, line X1 Y1 X2 Y2 paints a "
        "line, disc X Y R a disc around a cell (squares of distances up to R * R + R / 2, rounded "
        f"down), and mirror also paints the mirror image of all, left and right swapped. It has at "
        f"most {STATEMENTS} statements."
    )
    pays = (
        "a program earns what it shares with the picture, divided by what both paint together, as "
        "far as that is more than painting everything would earn"
    )

    def draw(self, rng, size, many):
        """Sample a program in which every statement changes the picture."""
        while True:
            program: list[tuple[str, tuple[int, ...]]] = []
            cells: frozenset[tuple[int, int]] = frozenset()
            while len(program) < many:
                more = [*program, _statement(rng, size, bool(cells))]
                if run(more, size) != cells:
                    program, cells = more, run(more, size)
            if 1 <= len(cells) <= size * size * 6 // 10:
                break
        text = "; ".join([" ".join([name, *map(str, numbers)]) for name, numbers in program])
        rows = tuple(
            ["".join([FULL if (x, y) in cells else FREE for x in range(size)]) for y in range(size)]
        )
        return Question("Which program draws this picture?", f"{size}: {text}", rows, self.moves)

    def read(self, text, view, agent):
        """Return a program in its normal form."""
        text = text.partition(":")[2] if re.match(r"\d+: ", text) else text
        return "; ".join([" ".join([name, *map(str, numbers)]) for name, numbers in parsed(text)])

    def grade(self, answer, said):
        size, _, program = answer.partition(": ")
        target_cells, reply_cells = (run(parsed(one), int(size)) for one in (program, said))
        overlap, union = len(target_cells & reply_cells), len(target_cells | reply_cells)
        whole = int(size) ** 2
        score = overlap * whole - len(target_cells) * union  # relative to painting every cell
        room = union * (whole - len(target_cells))
        return max(0, score * 100 // room) / 100

    def words(self, shown):
        return "\n".join(shown)

    def scene(self, shown):
        return Grid(shown, TILES)


def _statement(rng, size, begun):
    """Sample a statement; the first statement of a program paints."""
    name = pick(
        rng, ("box", "box", "line", "disc", "clear", "mirror") if begun else ("box", "line", "disc")
    )
    if name == "mirror":
        return name, ()
    x, y = rng.integers(size, size=2).tolist()
    if name == "disc":
        return name, (x, y, int(rng.integers(1, max(2, size // 3))))
    if name == "line":
        return name, (x, y, *rng.integers(size, size=2).tolist())
    wide, high = rng.integers(1 + size // 2, size=2).tolist()
    return name, (x, y, min(size - 1, x + wide), min(size - 1, y + high))
