"""Rank sizes: which disc is the largest, the second largest, and so on."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task

RANKS = ("largest", "second largest", "third largest", "fourth largest", "fifth largest")


class RankSizes(Task):
    # discs, number of ranks asked for, difference of sizes in percent of the picture
    levels = interpolate_levels(
        {0: (2, 1, 6), 2: (4, 1, 4), 5: (6, 2, 3), 8: (8, 4, 2), 10: (12, 5, 1)}
    )
    moves = tuple(LETTERS[:12])
    about = "It shows discs, each with a letter at its right. Reply with a letter."

    def draw(self, rng, many, ranks, step):
        across = 3 if many <= 9 else 4
        cell = 100 // across
        sizes = [cell - 13 - step * i for i in range(many)]
        cells = rng.permutation(across * across)[:many].tolist()
        rank = int(rng.integers(ranks))
        names = rng.permutation(many).tolist()
        discs = []
        for n, size, at in zip(names, sizes, cells, strict=True):
            x, y = (cell * k + cell // 2 for k in (at % across, at // across))
            discs.append((LETTERS[n], x - 3, y, max(2, size)))
        answer = LETTERS[names[rank]]
        choices = tuple(LETTERS[:many])
        return Question(f"Which disc is the {RANKS[rank]}?", answer, tuple(sorted(discs)), choices)

    def words(self, shown):
        discs = [f"{name}: {size} wide, at {x}, {y}" for name, x, y, size in shown]
        return "Discs, and where their middles are, in percent:\n" + "\n".join(discs)

    def scene(self, shown):
        items = [("disc", "blue", x / 100, y / 100, size / 100, 0.0) for _, x, y, size in shown]
        names = [(name, (x + size / 2 + 4, y)) for name, x, y, size in shown]
        return canvas.drawn(items=tuple(items), labels=canvas.tags(names))
