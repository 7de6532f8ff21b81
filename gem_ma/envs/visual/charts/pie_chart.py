"""Pie chart: compare the parts of a whole."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.charts import values
from gem_ma.envs.visual.question import Question, pick, some

RANKS = ("largest", "second largest", "third largest", "fourth largest")


class PieChart(values.ChartTask):
    # parts, ranks asked for, least difference of two parts in degrees
    levels = interpolate_levels(
        {0: (2, 1, 60), 2: (3, 1, 30), 5: (5, 2, 12), 8: (6, 3, 8), 10: (7, 4, 5)}
    )
    moves = sum(values.LABELS, ())
    kind = "pie"
    about = "It shows a pie chart. Reply with a label."

    def draw(self, rng, parts, ranks, apart):
        """Sample angles that differ enough, and ask for one of the largest or for the smallest."""
        labels = some(rng, pick(rng, values.LABELS), parts)
        rest = 360 - apart * parts * (parts - 1) // 2
        cuts = sorted(rng.integers(rest // 3, size=parts - 1).tolist())
        sizes, total = [], 0
        for i, more in enumerate(cuts):  # each is larger than the last by enough
            sizes.append(rest // (2 * parts) + apart * i + more // parts)
            total += sizes[-1]
        sizes.append(360 - total)
        sizes.reverse()
        order = rng.permutation(parts).tolist()
        rank = int(rng.integers(ranks + 1))
        word, place = ("smallest", parts - 1) if rank == ranks else (RANKS[rank], rank)
        angles = tuple([sizes[i] for i in order])
        chart = labels, ("parts",), (angles,)
        return Question(f"Which part is the {word}?", labels[order.index(place)], chart, labels)
