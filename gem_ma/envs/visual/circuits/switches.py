"""Switches: how many lamps are lit, given the switches on the way to each."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers
from gem_ma.scene import Shapes

LEFT, LAMP = 10, 86
CAP = 0.4  # how far a line reaches beyond its end


class Switches(Task):
    # lamps, switches of a branch, parallel branches of a lamp (1 or 2)
    levels = interpolate_levels(
        {0: (2, 1, 1), 2: (3, 1, 1), 5: (4, 2, 2), 8: (6, 3, 2), 10: (8, 5, 2)}
    )
    moves = numbers(8)
    about = (
        "It shows lamps with letters. Current comes from the upright line at the left; it passes a "
        "switch that is closed (-), and none that is open (/). A lamp is lit if current comes to "
        "it on one of its ways. Reply with a number."
    )

    def draw(self, rng, lamps, many, branches):
        lit_count = int(rng.integers(lamps + 1))
        rows = []
        for i in range(lamps):
            while True:
                ways = [
                    "".join(["-" if rng.random() < 0.7 else "/" for _ in range(many)])
                    for _ in range(branches)
                ]
                if any("/" not in way for way in ways) == (i < lit_count):
                    break
            rows.append(tuple(ways))
        circuit = tuple([rows[i] for i in rng.permutation(lamps).tolist()])
        return Question("How many lamps are lit?", str(lit_count), circuit, self.moves)

    def words(self, shown):
        lamps = zip(LETTERS, shown, strict=False)
        return "\n".join([f"{name}: {' or '.join(ways)}" for name, ways in lamps])

    def scene(self, shown):
        lines, items, names = [canvas.line((LEFT, 4), (LEFT, 96), 0.014)], [], []
        high = 92 / len(shown)
        for i, ways in enumerate(shown):
            middle = 4 + high * (i + 0.5)
            for j, way in enumerate(ways):
                y = middle + (0 if len(ways) == 1 else high * (0.24 if j else -0.24))
                lines += _branch(way, y, 0.2 * high)
                lines.append(canvas.line((LAMP - 12, y), (LAMP - 12, middle), 0.008))
            side = min(10, 0.6 * high)
            lines.append(canvas.line((LAMP - 12, middle), (LAMP - side / 2 - CAP, middle), 0.008))
            items.append(("disc", "white", LAMP / 100, middle / 100, side / 100, 0.0))
            across = (side / 2 - CAP) / 2**0.5  # the cross in the sign of a lamp, up to its rim
            for down in (across, -across):
                ends = (LAMP - across, middle - down), (LAMP + across, middle + down)
                lines.append(canvas.line(*ends, 0.008))
            names.append((LETTERS[i], (LAMP + 9, middle)))
        return Shapes(tuple(items), lines=tuple(lines), labels=canvas.tags(names))


def _branch(way, y, high):
    """Return the lines of a branch; an arm closes the gap at each closed switch."""
    lines, at, step = [], float(LEFT), (LAMP - 12 - LEFT) / len(way)
    for mark in way:
        start, end = at + 0.3 * step, at + 0.7 * step
        lines.append(canvas.line((at, y), (start, y), 0.008))
        lines.append(canvas.line((end, y), (at + step, y), 0.008))
        lines.append(canvas.line((start, y), (end, y - (high if mark == "/" else 0)), 0.014))
        at += step
    return lines
