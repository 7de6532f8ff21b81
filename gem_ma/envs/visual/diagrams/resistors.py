"""Resistors: the resistance of a circuit, from resistors in series and side by side."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.diagrams.boxes import NUB, box, path
from gem_ma.envs.visual.question import Question, Task, numbers, pick
from gem_ma.scene import Shapes

PAIRS = tuple(  # of which the resistance side by side is a whole number
    [(a, b) for a in range(2, 61) for b in range(2, 61) if a * b % (a + b) == 0 and a * b > a + b]
)
LEFT, RIGHT, TOP, BOTTOM = 0.14, 0.93, 0.22, 0.82
WIDE, HIGH, FAR = 0.13, 0.05, 0.12  # of a resistor, and between those side by side
LETTER = 0.05


def resistance(part):
    """Return the resistance of a part: branches side by side, each a row of resistors."""
    sums = [sum(branch) for branch in part]
    if len(sums) == 1:
        return sums[0]
    return sums[0] * sums[1] // (sums[0] + sums[1])


class Resistors(Task):
    # parts in series, parts of two branches, branches of two resistors, largest resistance
    levels = interpolate_levels(
        {
            0: (1, 0, 0, 20),
            1: (2, 0, 0, 20),
            2: (3, 0, 0, 20),
            3: (3, 1, 0, 12),
            4: (3, 1, 0, 20),
            5: (4, 1, 0, 24),
            6: (4, 2, 0, 24),
            7: (4, 2, 1, 30),
            8: (4, 2, 2, 36),
            9: (5, 3, 2, 36),
            10: (6, 4, 4, 40),
        }
    )
    moves = numbers(400)
    about = (
        "It shows a circuit: a battery, and resistors with their resistance in ohms. In series "
        "resistances add up; side by side, a and b make a*b/(a+b). Reply with a whole number."
    )

    def draw(self, rng, many, double, split, most):
        pairs = [pair for pair in PAIRS if max(pair) <= most]
        parts = [pick(rng, pairs) for _ in range(double)]
        branches = [[[n] for n in pair] for pair in parts]
        order = [(i, j) for i in range(double) for j in range(2)]
        for i, j in [order[k] for k in rng.permutation(len(order)).tolist()]:
            (whole,) = branches[i][j]
            if split and whole > 3:
                first = int(rng.integers(1, whole))
                branches[i][j], split = [first, whole - first], split - 1
        singles = [[[int(rng.integers(1, most + 1))]] for _ in range(many - double)]
        whole = [*branches, *singles]
        circuit = tuple([tuple(map(tuple, whole[i])) for i in rng.permutation(many).tolist()])
        text = "What is the resistance of the whole circuit, in ohms?"
        answer = sum(map(resistance, circuit))
        return Question(text, str(answer), circuit, self.moves)

    def read(self, text, view, agent):
        return super().read(text.replace("\u2126", "").replace("\u03a9", ""), view, agent)

    def words(self, shown):
        names = []
        for part in shown:
            rows = [" + ".join(map(str, branch)) for branch in part]
            names.append(rows[0] if len(rows) == 1 else f"({rows[0]}) beside ({rows[1]})")
        return f"In series, around the circuit: {'; '.join(names)}."

    def scene(self, shown):
        above = (len(shown) + 1) // 2
        lines: list[tuple[str, float, float, float, float, float]] = []
        labels: list[tuple[str, str, float, float, float]] = []
        for y, parts in ((TOP, shown[:above]), (BOTTOM, shown[above:][::-1])):
            at, step = LEFT, (RIGHT - LEFT) / max(1, len(parts))
            for part in parts:
                _part(part, at, step, y, lines, labels)
                at += step
            if not parts:
                lines += path((LEFT, y), (RIGHT, y))
        lines += path((RIGHT, TOP), (RIGHT, BOTTOM))
        lines += path((LEFT, TOP), (LEFT, 0.48)) + path((LEFT, 0.52), (LEFT, BOTTOM))
        lines += path((LEFT - 0.055, 0.48), (LEFT + 0.055, 0.48))
        lines += path((LEFT - 0.027, 0.52), (LEFT + 0.027, 0.52))
        return Shapes(lines=tuple(lines), labels=tuple(labels))


def _part(part, at, step, y, lines, labels):
    """Draw a part between two places of a line."""
    start, end = at + 0.11 * step, at + 0.89 * step
    lines += path((at, y), (start, y)) + path((end, y), (at + step, y))
    for i, branch in enumerate(part):
        down = y if len(part) == 1 else y + FAR * (2 * i - 1)
        if len(part) > 1:
            lines += path((start, y), (start, down)) + path((end, y), (end, down))
        wide = min(WIDE, 0.64 * (end - start) / len(branch))
        last = start
        for j, ohms in enumerate(branch):
            x = start + (end - start) * (j + 0.5) / len(branch)
            lines += path((last, down), (x - wide / 2 - NUB, down))
            lines += box(x, down, wide, HIGH)
            labels.append((str(ohms), "", x, down - 0.056, LETTER))
            last = x + wide / 2 + NUB
        lines += path((last, down), (end, down))
