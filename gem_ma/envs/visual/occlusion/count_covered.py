"""Count covered: how many of several discs are covered in part by others."""

from gem_ma.envs.levels import dial
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.envs.visual.shapes.things import COLORS


class CountCovered(Task):
    levels = dial(
        {0: (2, 26), 2: (4, 24), 5: (8, 22), 8: (12, 20), 10: (18, 17)}
    )  # discs, how wide
    moves = numbers(20)
    about = (
        "It shows discs that lie on each other, in words from the lowest to the highest. "
        "Reply with a number."
    )

    def draw(self, rng, many, wide):
        """Draw discs, and an order of them by how many are covered then; none only touches."""
        places: list[tuple[int, int]] = []
        wanted = int(rng.integers(many))  # of them, in an order that comes nearest to it
        while len(places) < many:
            places = []
            for x, y in _spread(rng, wanted / many).tolist():
                away = [(x - a) ** 2 + (y - b) ** 2 for a, b in places]
                free = all(
                    d > (1.12 * wide) ** 2 or (0.45 * wide) ** 2 < d < (0.8 * wide) ** 2
                    for d in away
                )
                if free and len(places) < many:
                    places.append((x, y))
        orders = {}
        for _ in range(40):
            order = tuple([places[i] for i in rng.permutation(many).tolist()])
            orders[len(covered(order, wide))] = order
        count = min(sorted(orders), key=lambda found: abs(found - wanted))
        colors = tuple(rng.integers(len(COLORS), size=many).tolist())
        text = "How many discs are covered in part by another?"
        return Question(text, str(count), (wide, orders[count], colors), self.moves)

    def words(self, shown):
        wide, places, _ = shown
        return (
            f"Discs, each {wide} percent of the picture wide, from the lowest to the highest, and "
            "where their middles are, in percent from the left and from the top: "
            f"{canvas.told(places)}."
        )

    def scene(self, shown):
        wide, places, colors = shown
        items = [
            ("disc", COLORS[color], x / 100, y / 100, wide / 100, 0.0)
            for (x, y), color in zip(places, colors, strict=True)
        ]
        return canvas.drawn(items=tuple(items))


def _spread(rng, near):
    """Return places to try, nearer to the middle the more are to be covered."""
    reach = round(36 - 8 * near)
    return rng.integers(50 - reach, 51 + reach, size=(200, 2))


def covered(places, wide):
    """Return the numbers of the discs on which a later one lies."""
    return [
        i
        for i, (x, y) in enumerate(places)
        if any((x - a) ** 2 + (y - b) ** 2 < wide**2 for a, b in places[i + 1 :])
    ]
