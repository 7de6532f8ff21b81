"""Table: look values up, add them and compare them."""

from gem_ma import scene
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some

COLUMNS = ("hats", "pins", "pens", "cups", "eggs", "bags", "nuts", "keys", "maps", "toys")
ROWS = ("Ada", "Ben", "Eva", "Finn", "Gus", "Ivo", "Joan", "Kim", "Lea", "Max", "Ned", "Olga")
COUNTS = numbers(320)


def lookup(rng, rows, columns, cells):
    """Ask for one cell."""
    i, j = int(rng.integers(len(rows))), int(rng.integers(len(columns)))
    return f"How many {columns[j]} does {rows[i]} have?", cells[i][j]


def total(rng, rows, columns, cells):
    """Ask for the sum of a column."""
    j = int(rng.integers(len(columns)))
    return f"How many {columns[j]} do they have in all?", sum(row[j] for row in cells)


def above(rng, rows, columns, cells):
    """Ask in how many rows one column is larger than another."""
    a, b = some(rng, range(len(columns)), 2)
    count = sum(row[a] > row[b] for row in cells)
    return f"How many people have more {columns[a]} than {columns[b]}?", count


def richest(rng, rows, columns, cells):
    """Ask whose row has the largest or the smallest sum."""
    sums, word = [sum(row) for row in cells], pick(rng, ("most", "fewest"))
    best = max(sums) if word == "most" else min(sums)
    if sums.count(best) > 1:
        return None
    return f"Who has the {word} things in all?", rows[sums.index(best)]


def best(rng, rows, columns, cells):
    """Ask which row has the largest value of a column."""
    j = int(rng.integers(len(columns)))
    column = [row[j] for row in cells]
    if column.count(max(column)) > 1:
        return None
    return f"Who has the most {columns[j]}?", rows[column.index(max(column))]


class Table(Task):
    # kinds of questions, rows, columns, largest value
    levels = interpolate_levels(
        {
            0: ((lookup,), 2, 2, 10),
            2: ((lookup, best), 4, 3, 20),
            5: ((lookup, best, total), 6, 4, 30),
            8: ((total, above, richest), 8, 5, 40),
            10: ((above, richest), 12, 6, 30),
        }
    )
    moves = (*COUNTS, *ROWS)
    about = (
        "It shows a table of what people have. "
        "Reply with a number, or with a name, as the question asks."
    )

    def draw(self, rng, kinds, many, wide, largest):
        kind, question = pick(rng, kinds), None
        while question is None:
            rows, columns = some(rng, ROWS, many), some(rng, COLUMNS, wide)
            cells = tuple(map(tuple, rng.integers(1, largest + 1, size=(many, wide)).tolist()))
            question = kind(rng, rows, columns, cells)
        text, answer = question
        choices = rows if answer in rows else COUNTS
        return Question(text, str(answer), (rows, columns, cells), choices)

    def words(self, shown):
        rows, columns, cells = shown
        first = max(map(len, rows))
        lines = [" " * first + "".join([f" {name:>4}" for name in columns])]
        for name, row in zip(rows, cells, strict=True):
            lines.append(f"{name:<{first}}" + "".join([f" {cell:>4}" for cell in row]))
        return "\n".join(lines)

    def scene(self, shown):
        rows, columns, cells = shown
        texts = (map(str, row) for row in cells)
        return scene.TextTable(
            tuple((name, *row) for name, row in zip(rows, texts, strict=True)), ("", *columns)
        )
