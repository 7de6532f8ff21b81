"""Ball path: through which gate a ball leaves a box after it bounced off the walls."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, some
from gem_ma.scene import Shapes

LOW, HIGH = 9, 91  # percent of the picture between which the box is
GATE = 0.36  # half the width of a gate, in units of the grid


def walk(sides, at, way):
    """Return the places where a ball meets the walls, in order, until it meets one again.

    Args:
        sides: the width and the height of the box.
    """
    (wide, high), (x, y), (right, down) = sides, at, way
    met: list[tuple[int, int]] = []
    while True:
        x, y = x + right, y + down
        across, along = x in (0, wide), y in (0, high)
        if across or along:
            if (x, y) in met or (across and along):
                return met
            met.append((x, y))
        right, down = -right if across else right, -down if along else down


class BallPath(Task):
    # width of the box, bounces, gates
    levels = interpolate_levels(
        {0: (4, 0, 3), 1: (5, 1, 3), 2: (6, 1, 4), 5: (9, 3, 6), 8: (13, 5, 8), 10: (19, 12, 10)}
    )
    moves = tuple(LETTERS[:10])
    about = (
        "It shows a box with a ball, and an arrow that says where it goes: always along diagonals "
        "of the grid. It bounces off walls as light does off a mirror, and leaves through the "
        "first gate that it meets: a gap in a wall, with a letter. In words, places are counted in "
        "units from the left and from the top. Reply with a letter."
    )

    def draw(self, rng, size, bounces, many):
        """Sample a ball that meets a gate after some bounces."""
        while True:
            sides = (size, size - 1) if rng.random() < 0.5 else (size - 1, size)
            at = tuple([int(rng.integers(1, side)) for side in sides])
            way = tuple([1 if rng.random() < 0.5 else -1 for _ in range(2)])
            met = walk(sides, at, way)
            if len(met) > bounces:
                break
        right = met[bounces]
        border = [
            (x, y)
            for x in range(sides[0] + 1)
            for y in range(sides[1] + 1)
            if (x in (0, sides[0])) != (y in (0, sides[1])) and (x, y) not in met[: bounces + 1]
        ]
        gates = some(rng, [right, *some(rng, border, min(many - 1, len(border)))], many)
        choices = tuple(LETTERS[: len(gates)])
        text = "Through which gate does the ball leave?"
        return Question(text, choices[gates.index(right)], (sides, at, way, gates), choices)

    def words(self, shown):
        (wide, high), (x, y), (right, down), gates = shown
        named = ", ".join(
            [f"{name} at {a}, {b}" for name, (a, b) in zip(LETTERS, gates, strict=False)]
        )
        across, along = "right" if right > 0 else "left", "down" if down > 0 else "up"
        return (
            f"A box {wide} units wide and {high} high. The ball is at {x}, {y} and goes {along} "
            f"and to the {across}. Gates: {named}."
        )

    def scene(self, shown):
        sides, at, (right, down), gates = shown
        unit = (HIGH - LOW) / max(sides)
        corner = tuple([50 - unit * side / 2 for side in sides])

        def place(x, y):
            return corner[0] + unit * x, corner[1] + unit * y

        wide, high = sides
        lines, labels = [], []
        for ends in [((n, 0), (n, high)) for n in range(1, wide)] + [
            ((0, n), (wide, n)) for n in range(1, high)
        ]:
            a, b = (canvas.share(place(*end)) for end in ends)
            lines.append(("gray", *a, *b, 0.003))
        for axis, far in ((0, 0), (0, wide), (1, 0), (1, high)):
            gaps = sorted(gate[1 - axis] for gate in gates if gate[axis] == far)
            start = 0.0
            for end in (*[gap - GATE for gap in gaps], sides[1 - axis]):
                ends = ((far, start), (far, end)) if axis == 0 else ((start, far), (end, far))
                lines.append(canvas.line(place(*ends[0]), place(*ends[1]), 0.016))
                start = end + 2 * GATE
        for name, gate in zip(LETTERS, gates, strict=False):
            out = [5.5 * ((n == side) - (n == 0)) for n, side in zip(gate, sides, strict=True)]
            labels.append((name, [n + far for n, far in zip(place(*gate), out, strict=True)]))
        tip = place(at[0] + 0.72 * right, at[1] + 0.72 * down)
        lines.append(canvas.line(place(*at), tip, 0.01))
        lines += canvas.spots([place(*at)], round(min(5.0, 0.62 * unit), 1), "red")
        turn = {(1, 1): 135.0, (1, -1): 45.0, (-1, 1): 225.0, (-1, -1): 315.0}[right, down]
        head = canvas.dots([tip], round(min(3.6, 0.5 * unit), 1), "", "triangle")[0]
        return Shapes(
            ((*head[:5], turn),),
            lines=tuple(lines),
            labels=canvas.tags(labels, 0.06),
        )
