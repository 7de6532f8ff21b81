"""Logic gates: what a circuit of gates gives out."""

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.diagrams.boxes import ADVANCE, CAP, NUB, box, path
from gem_ma.envs.visual.question import AROUND, BESIDE, LETTERS, Question, Task, pick
from gem_ma.game import parse_choice
from gem_ma.scene import Shapes

GATES = {
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "NAND": lambda a, b: 1 - (a & b),
    "NOR": lambda a, b: 1 - (a | b),
}
LEFT, RIGHT = 0.09, 0.91
LAMP = 0.06


def outcomes(many):
    """Return all rows of `many` bits."""
    return tuple([f"{n:0{many}b}" for n in range(2**many)])


def run(inputs, layers):
    """Return what the last gates give out."""
    values = inputs
    for layer in layers:
        values = [GATES[kind](values[a], values[b]) for kind, a, b in layer]
    return "".join(map(str, values))


class LogicGates(Task):
    # inputs, layers of gates, outputs, kinds of gates
    levels = interpolate_levels(
        {
            0: (2, 1, 1, 2),
            1: (3, 1, 2, 2),
            2: (3, 2, 2, 2),
            3: (3, 2, 2, 3),
            4: (4, 2, 3, 3),
            5: (4, 2, 3, 4),
            6: (4, 3, 3, 4),
            7: (5, 3, 3, 5),
            8: (5, 3, 4, 5),
            9: (6, 4, 4, 5),
            10: (6, 5, 5, 5),
        }
    )
    moves = tuple([bits for many in range(1, 6) for bits in outcomes(many)])
    about = (
        "It shows gates between inputs at the left and outputs at the right. AND gives 1 if both "
        "of its inputs are 1, OR if at least one is, XOR if exactly one is; NAND and NOR give the "
        "opposite of AND and OR. Reply with the outputs from the top, such as 011."
    )

    def draw(self, rng, inputs, depth, outputs, kinds):
        wanted = pick(rng, outcomes(outputs))
        while True:
            values = rng.integers(2, size=inputs).tolist()
            layers, many = [], inputs
            for number in range(depth):
                size = outputs if number == depth - 1 else max(outputs, min(many, 4))
                layers.append(tuple([_gate(rng, many, size, i, kinds) for i in range(size)]))
                many = size
            used = [
                {n for _, *ends in layer for n in ends} == set(range(size))
                for layer, size in zip(layers, (inputs, *map(len, layers)), strict=False)
            ]
            if all(used) and run(values, layers) == wanted:
                break
        text = "What are the outputs, from the top?" if outputs > 1 else "What is the output?"
        return Question(text, wanted, (tuple(values), tuple(layers)), outcomes(outputs))

    def read(self, text, view, agent):
        """Drop commas and blanks between bits, whose zeros count."""
        words = [word for word in text.split() if word.strip(AROUND).casefold() not in BESIDE]
        bits = answer_parsing.strip_answer("".join(words).replace(",", ""))
        return parse_choice(bits.strip(AROUND), view.choices)

    def words(self, shown):
        values, layers = shown
        names = list(LETTERS[: len(values)])
        lines = [f"inputs {', '.join([f'{n} = {v}' for n, v in zip(names, values, strict=True)])}"]
        count = 0
        for layer in layers:
            made = []
            for kind, a, b in layer:
                count += 1
                made.append(f"gate{count}")
                lines.append(f"gate{count} = {kind} of {names[a]} and {names[b]}")
            names = made
        return "\n".join([*lines, f"outputs, from the top: {', '.join(names)}"])

    def scene(self, shown):
        values, layers = shown
        columns = len(layers) + 2
        apart = (RIGHT - LEFT) / (columns - 1)
        wide = 0.52 * apart
        most = max(len(values), *map(len, layers))
        high = min(0.5 / most, 0.14)
        letter = min(wide * 0.92 / (ADVANCE * 4), 0.06)
        ends = [(LEFT + 0.03, (i + 0.5) / len(values)) for i in range(len(values))]
        labels = [(str(v), "", LEFT, y, 0.075) for v, (_, y) in zip(values, ends, strict=True)]
        lines, items = [], []
        for number, layer in enumerate(layers, 1):
            x, after = LEFT + number * apart, []
            for i, (kind, a, b) in enumerate(layer):
                y = (i + 0.5) / len(layer)
                lines += box(x, y, wide, high)
                labels.append((kind, "", x, y, letter))
                for end, down in ((min(a, b), -0.25), (max(a, b), 0.25)):
                    lines += path(ends[end], (x - wide / 2 - NUB, y + down * high))
                after.append((x + wide / 2 + NUB, y))
            ends = after
        for x, y in ends:
            lines += path((x, y), (RIGHT - LAMP / 2 - CAP, y))
            items.append(("disc", "white", RIGHT, y, LAMP, 0.0))
        return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels))


def _gate(rng, many, size, index, kinds):
    """Sample a gate whose inputs are near to it, so that few lines cross."""
    middle = (index + 0.5) * many / size - 0.5
    near = sorted(range(many), key=lambda n: (abs(n - middle), n))[:3]
    a, b = sorted(near[i] for i in rng.permutation(len(near))[:2].tolist())
    return tuple(GATES)[int(rng.integers(kinds))], a, b
