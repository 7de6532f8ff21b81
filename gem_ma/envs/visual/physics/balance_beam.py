"""Balance beam: how heavy a box must be so that a beam is level."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, some
from gem_ma.scene import Shapes

LEFT, RIGHT = 0.06, 0.94
MOST = 60
BOX = 0.44  # from the middle of a drawn square to its side, as a share of its size


class BalanceBeam(Task):
    # marks on each side, boxes with a weight, balloons, largest weight
    levels = interpolate_levels(
        {
            0: (2, 1, 0, 6),
            2: (3, 2, 0, 8),
            5: (4, 3, 1, 9),
            8: (5, 4, 2, 12),
            10: (6, 6, 3, 19),
        }
    )
    moves = numbers(MOST)
    about = (
        "It shows a beam on a support in its middle. Marks are equally far from each other. Boxes "
        "hang from marks and pull down with their weight. Balloons are tied to marks and pull up "
        "with their number. Reply with a whole number."
    )

    def draw(self, rng, marks, boxes, balloons, most):
        places = [n for n in range(-marks, marks + 1) if n]
        while True:
            used = some(rng, places, boxes + balloons + 1)
            pulls = [int(rng.integers(1, most + 1)) for _ in used[1:]]
            signs = [1] * boxes + [-1] * balloons
            loads = tuple(
                [(at, sign * n) for at, sign, n in zip(used[1:], signs, pulls, strict=True)]
            )
            turn = -sum(at * n for at, n in loads)
            if turn % used[0] == 0 and 1 <= turn // used[0] <= min(MOST, 3 * most):
                break
        shown = marks, used[0], loads
        text = "How heavy is the box x if the beam is level?"
        return Question(text, str(turn // used[0]), shown, self.moves)

    def words(self, shown):
        _, at, loads = shown
        rows = [
            f"{'box' if n > 0 else 'balloon'} of {abs(n)}: {_tell_mark(mark)}" for mark, n in loads
        ]
        return "\n".join([f"box x: {_tell_mark(at)}", *rows])

    def scene(self, shown):
        marks, at, loads = shown
        step = (RIGHT - LEFT) / (2 * marks + 1)
        size = min(0.14, 1.5 * step)  # neighbours hang at different heights
        beam = 0.5 if any(n < 0 for _, n in loads) else 0.3
        items, labels = [], []
        lines = [("", LEFT, beam, RIGHT, beam, 0.025)]
        for mark in range(-marks, marks + 1):
            x = 0.5 + step * mark
            below = 0.03 if mark else 0.0  # there the support is
            lines.append(("", x, beam - 0.03, x, beam + below, 0.01))
        support = min(0.13, 1.2 * step)
        items.append(("triangle", "gray", 0.5, beam + 0.01 + 0.5 * support, support, 0.0))
        for mark, load in ((at, "x"), *loads):
            is_box = load == "x" or load > 0
            x, far = 0.5 + step * mark, (0.22, 0.38)[mark % 2]
            far = far if is_box else -far
            lines.append(("", x, beam, x, beam + far + (-BOX if is_box else 0.5) * size, 0.006))
            figure = (
                ("square", "yellow" if load == "x" else "orange") if is_box else ("disc", "green")
            )
            items.append((*figure, x, beam + far, size, 0.0))
            text = load if load == "x" else str(abs(load))
            labels.append((text, "", x, beam + far, 0.5 * size))
        return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels))


def _tell_mark(mark):
    return f"{abs(mark)} {'mark' if abs(mark) == 1 else 'marks'} {'left' if mark < 0 else 'right'}"
