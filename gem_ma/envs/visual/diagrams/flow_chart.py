"""Flow chart: what a small program gives out."""

from typing import NamedTuple

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.diagrams.boxes import NUB, arrow, box, diamond, path
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some
from gem_ma.scene import Shapes

MAIN, SIDE, BACK = 0.37, 0.8, 0.06  # of columns, in shares of the picture
WIDE, NARROW = 0.42, 0.34
MOST = 300


class Block(NamedTuple):
    """A step of a program: a change of x, a choice between two, or a loop."""

    kind: str
    limit: int = 0  # of a choice: x > limit; of a loop: x < limit
    change: tuple[str, int] = ("+", 0)
    other: tuple[str, int] = ("+", 0)  # where the answer is no


def run(start, blocks):
    """Return what a program gives out, or None if a number becomes too large or negative."""
    x = start
    for block in blocks:
        if block.kind == "change":
            x = apply_change(x, block.change)
        elif block.kind == "choice":
            x = apply_change(x, block.change if x > block.limit else block.other)
        else:
            if x <= 0:
                return None  # a product stays 0
            while x < block.limit:
                x = apply_change(x, block.change)
        if not 0 <= x <= MOST:
            return None
    return x


def apply_change(x, change):
    """Return a number after a change."""
    sign, number = change
    return x + number if sign == "+" else x - number if sign == "-" else x * number


class FlowChart(Task):
    # changes, choices, loops
    levels = interpolate_levels(
        {
            0: (1, 0, 0),
            1: (2, 0, 0),
            2: (3, 0, 0),
            3: (2, 1, 0),
            4: (3, 1, 0),
            5: (2, 2, 0),
            6: (3, 2, 0),
            7: (2, 2, 1),
            8: (3, 2, 1),
            9: (2, 3, 1),
            10: (3, 3, 1),
        }
    )
    moves = numbers(MOST)
    about = (
        "It shows a flow chart: from the top, boxes change a number x, and diamonds ask a question "
        "that decides where to go on. Reply with the number that it gives out at the end."
    )

    def draw(self, rng, changes, choices, loops):
        while True:
            start = int(rng.integers(2, 16))
            kinds = ["change"] * changes + ["choice"] * choices
            blocks = [_block(rng, kind) for kind in some(rng, kinds, len(kinds))]
            blocks += [_block(rng, "loop") for _ in range(loops)]
            answer = run(start, blocks)
            if answer is not None and not (loops and run(start, blocks[:-1]) == answer):
                break
        text = "What does the flow chart give out?"
        return Question(text, str(answer), (start, tuple(blocks)), self.moves)

    def words(self, shown):
        start, blocks = shown
        rows = [f"x = {start}"]
        for block in blocks:
            if block.kind == "change":
                rows.append(_text(block.change))
            elif block.kind == "choice":
                change, other = _text(block.change), _text(block.other)
                rows.append(f"if x > {block.limit}: {change}; if not: {other}")
            else:
                rows.append(f"while x < {block.limit}: {_text(block.change)}")
        return "\n".join([*rows, "give out x"])

    def scene(self, shown):
        start, blocks = shown
        is_straight = all(block.kind == "change" for block in blocks)
        middle, across = (0.5, 0.8) if is_straight else (MAIN, WIDE)  # of the main column
        many = 2 + sum(1 if block.kind == "change" else 2 for block in blocks)
        step = 0.97 / many
        high, letter = min(0.58 * step, 0.11), min(0.42 * step, 0.062)
        head = min(0.03, 0.22 * step)
        lines, items, labels = [], [], []

        def draw_arrow(*points, degrees=180.0):
            shaft, head_item = arrow(points, degrees, head)
            lines.extend(shaft)
            items.append(head_item)

        tall = {0: high}  # of what stands in the rows of the main column
        sides: list[float] = []  # where boxes at the side end that are not joined yet

        def put(x, row, text, wide=across):
            y = 0.015 + step * (row + 0.5)
            lines.extend(box(x, y, wide, high))
            labels.append((text, "", x, y, letter))
            return y

        def ask(row, text):
            y = 0.015 + step * (row + 0.5)
            lines.extend(diamond(MAIN, y, WIDE + 0.1, tall[row]))
            labels.append((text, "", MAIN, y, letter))
            return y

        def down(row, is_question=False):
            """Connect the row above with a row."""
            tall[row] = 1.1 * high if is_question else high
            y = 0.015 + step * (row + 0.5) - tall[row] / 2
            above = y - step + (tall[row] + tall[row - 1]) / 2
            draw_arrow((middle, above + NUB), (middle, y))
            join = (above + y - head) / 2
            while sides:
                lines.extend(path((SIDE, sides.pop()), (SIDE, join), (MAIN, join)))

        put(middle, 0, f"start: x = {start}")
        row, end = 1, middle
        for block in blocks:
            down(row, block.kind != "change")
            if block.kind == "change":
                put(middle, row, _text(block.change))
                row += 1
                continue
            y = ask(row, f"x {'>' if block.kind == 'choice' else '<'} {block.limit}?")
            down(row + 1)
            labels.append(("yes", "", MAIN + 0.07, y + step / 2, 0.8 * letter))
            edge = MAIN + (WIDE + 0.1) / 2
            labels.append(("no", "", edge + 0.035, y - 0.45 * letter - 0.01, 0.8 * letter))
            below = put(middle, row + 1, _text(block.change))
            if block.kind == "choice":
                draw_arrow((edge + NUB, y), (SIDE, y), (SIDE, below - high / 2))
                put(SIDE, row + 1, _text(block.other), NARROW)
                sides.append(below + high / 2 + NUB)
            else:
                left = MAIN - WIDE / 2
                points = (left - NUB, below), (BACK, below), (BACK, y), (left - 0.05, y)
                draw_arrow(*points, degrees=90.0)
                end = SIDE
                draw_arrow((edge + NUB, y), (SIDE, y), (SIDE, y + 2 * step - high / 2))
            row += 2
        if end == middle:
            down(row)
        put(end, row, "give out x", NARROW if end == SIDE else across)
        return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels))


def _block(rng, kind):
    change, other = _change(rng), _change(rng)
    while other == change:
        other = _change(rng)
    if kind == "loop":
        change = pick(rng, (("+", int(rng.integers(5, 13))), ("x", 2), ("x", 3)))
        return Block(kind, int(rng.integers(30, 100)), change)
    return Block(kind, int(rng.integers(5, 26)) if kind == "choice" else 0, change, other)


def _change(rng):
    sign = pick(rng, "++--x")
    return sign, int(rng.integers(2, 4 if sign == "x" else 10))


def _text(change):
    sign, number = change
    return f"x = x {'*' if sign == 'x' else sign} {number}"
