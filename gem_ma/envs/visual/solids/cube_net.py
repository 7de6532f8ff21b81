"""Cube net: which face is on top when a net is folded into a cube that is rolled."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.scene import Shapes

NETS: tuple[tuple[str, ...], ...] = (
    ("#...", "####", "#..."), ("#...", "####", ".#.."), ("#...", "####", "..#."),
    ("#...", "####", "...#"), (".#..", "####", ".#.."), (".#..", "####", "..#."),
    ("##..", ".###", ".#.."), ("##..", ".###", "..#."), ("##..", ".###", "...#"),
    ("##..", ".##.", "..##"),
)  # fmt: skip
SIDE = 23  # of a square, in percent
WAYS = ("to the right", "to the left", "to the front", "to the back")


class CubeNet(Task):
    # nets, rolls
    levels = interpolate_levels(
        {0: (5, 0), 1: (10, 0), 2: (10, 1), 5: (10, 2), 8: (10, 5), 10: (10, 8)}
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows six squares with letters that can be folded into a cube with its letters "
        "outside. Reply with a letter."
    )

    def draw(self, rng, nets, rolls):
        rows = NETS[::-1][:nets][int(rng.integers(nets))]
        if rng.random() < 0.5:
            rows = tuple([row[::-1] for row in rows])
        if rng.random() < 0.5:
            rows = rows[::-1]
        if rng.random() < 0.5:
            rows = tuple(map("".join, zip(*rows, strict=True)))
        names = iter(some(rng, LETTERS[:6], 6))
        net = tuple(["".join([next(names) if s == "#" else "." for s in row]) for row in rows])
        normals = fold(net)
        bottom = pick(rng, sorted(normals))
        front = pick(rng, sorted(n for n in normals if _dot(normals[n], normals[bottom]) == 0))
        cube = stand(normals, bottom, front)
        ways = [pick(rng, WAYS) for _ in range(rolls)]
        for way in ways:
            cube = roll(cube, way)
        if not rolls:
            text = f"The cube stands on {bottom}. Which letter is on top?"
        else:
            text = (
                f"The cube stands on {bottom}, and you see {front} at its front. It is rolled over "
                f"an edge {', then '.join(ways)}. Which letter is on top now?"
            )
        return Question(text, cube["top"], net, self.moves)

    def words(self, shown):
        return "\n".join([" ".join(row) for row in shown])

    def scene(self, shown):
        wide, high = len(shown[0]), len(shown)
        side = min(SIDE, 96 / max(wide, high))
        left, top = 50 - side * wide / 2, 50 - side * high / 2
        lines, labels = {}, []
        for r, row in enumerate(shown):
            for c, name in enumerate(row):
                if name == ".":
                    continue
                x, y = left + side * c, top + side * r
                ends = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
                for a, b in zip(ends, (*ends[1:], ends[0]), strict=True):
                    lines[min(a, b), max(a, b)] = canvas.line(a, b, 0.01)
                labels.append((name, (x + side / 2, y + side / 2)))
        return Shapes(lines=tuple(lines.values()), labels=canvas.tags(labels, 0.13))


def fold(net):
    """Return the outward direction of each letter of a net that is folded away from you."""
    cells = {(r, c): s for r, row in enumerate(net) for c, s in enumerate(row) if s != "."}
    first = min(cells)
    frames = {first: ((0, 0, 1), (1, 0, 0), (0, -1, 0))}  # outward, right, down
    frontier = [first]
    for r, c in frontier:
        out, right, down = frames[r, c]
        for cell, frame in (
            ((r, c + 1), (right, _minus(out), down)),
            ((r, c - 1), (_minus(right), out, down)),
            ((r + 1, c), (down, right, _minus(out))),
            ((r - 1, c), (_minus(down), right, out)),
        ):
            if cell in cells and cell not in frames:
                frames[cell] = frame
                frontier.append(cell)
    return {cells[cell]: frame[0] for cell, frame in frames.items()}


def stand(normals, bottom, front):
    """Return the letter of each side of a cube that stands on one and shows one at its front."""
    names = {normal: name for name, normal in normals.items()}
    down, near = normals[bottom], normals[front]
    (ax, ay, az), (bx, by, bz) = near, down
    right = (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    sides = {"top": _minus(down), "bottom": down, "front": near, "back": _minus(near)}
    sides |= {"right": right, "left": _minus(right)}
    return {side: names[normal] for side, normal in sides.items()}


def roll(cube, way):
    """Return the letters of a cube after a roll over an edge."""
    order = {
        "to the right": ("top", "right", "bottom", "left"),
        "to the left": ("top", "left", "bottom", "right"),
        "to the front": ("top", "front", "bottom", "back"),
        "to the back": ("top", "back", "bottom", "front"),
    }[way]
    moved = dict(cube)
    for i, side in enumerate(order):
        moved[side] = cube[order[i - 1]]
    return moved


def _minus(way):
    return tuple([-n for n in way])


def _dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))
