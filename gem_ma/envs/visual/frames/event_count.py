"""Event count: how often something happened in a row of pictures."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers, pick
from gem_ma.scene import Grid, Panels, Tile

TILES = (
    ("#", Tile("disc", "yellow", "black", name="lit")),
    (".", Tile("ring", "gray", "black", name="dark")),
)


def switched(rng, rows):
    """Ask how often a lamp was switched on or off."""
    i, word = int(rng.integers(len(rows))), pick(rng, ("on", "off"))
    pair = ".#" if word == "on" else "#."
    return f"How often was lamp {LETTERS[i]} switched {word}?", rows[i].count(pair)


def longest(rng, rows):
    """Ask for how many pictures in a row a lamp was lit."""
    i = int(rng.integers(len(rows)))
    most = max(map(len, rows[i].split(".")))
    return f"In how many pictures in a row was lamp {LETTERS[i]} lit, at most?", most


def changed(rng, rows):
    """Ask how often a lamp changed at all."""
    i = int(rng.integers(len(rows)))
    many = rows[i].count(".#") + rows[i].count("#.")
    return f"How often did lamp {LETTERS[i]} change?", many


def together(rng, rows):
    """Ask in how many pictures two lamps were lit together."""
    i, j = sorted(rng.permutation(len(rows))[:2].tolist())
    many = sum(a == b == "#" for a, b in zip(rows[i], rows[j], strict=True))
    return f"In how many pictures were lamps {LETTERS[i]} and {LETTERS[j]} both lit?", many


def at_once(rng, rows):
    """Ask how often two lamps were switched on at the same time."""
    i, j = sorted(rng.permutation(len(rows))[:2].tolist())
    pairs = [{rows[i][n : n + 2], rows[j][n : n + 2]} for n in range(len(rows[0]) - 1)]
    many = pairs.count({"#.", ".#"})
    text = f"How often did one of the lamps {LETTERS[i]} and {LETTERS[j]} go on in the very moment"
    return f"{text} when the other went off?", many


class EventCount(Task):
    # kinds of questions, lamps, pictures in each of two rows
    levels = interpolate_levels(
        {
            0: ((switched,), 1, 4),
            1: ((switched, longest), 2, 4),
            2: ((switched, longest), 2, 5),
            5: ((changed, longest, together), 4, 10),
            6: ((changed, longest, together), 5, 10),
            8: ((changed, together, at_once), 6, 13),
            10: ((together, changed, at_once), 8, 15),
        }
    )
    moves = numbers(30)
    about = (
        "It shows pictures of lamps, one after the other from the left, with numbers, first those "
        "of the upper strip, then those of the lower one: each column is a picture, each line a "
        "lamp, in words # for one that is lit and . for a dark one. Reply with a number."
    )

    def draw(self, rng, kinds, lamps, half):
        kind = pick(rng, kinds)
        rows = []
        for _ in range(lamps):
            share = 0.2 + 0.6 * float(rng.random())  # how often a lamp changes
            row = [bool(rng.random() < 0.5)]
            while len(row) < 2 * half:
                row.append(row[-1] != bool(rng.random() < share))
            rows.append("".join(["#" if lit else "." for lit in row]))
        text, answer = kind(rng, rows)
        return Question(text, str(answer), tuple(rows), self.moves)

    def words(self, shown):
        return "\n".join([f"{name}: {row}" for name, row in zip(LETTERS, shown, strict=False)])

    def scene(self, shown):
        half, strips = len(shown[0]) // 2, []
        names = tuple([f" {name}" for name in LETTERS[: len(shown)]])  # clear of the left edge
        for start in (0, half):
            columns = tuple([str(start + n + 1) for n in range(half)])
            rows = tuple([row[start : start + half] for row in shown])
            strips.append(("", Grid(rows, TILES, (), columns, names)))
        return Panels(tuple(strips), 1, 0.025)
