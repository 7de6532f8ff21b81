"""Count covered: how many of several discs are covered in part by others."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.envs.visual.shapes.things import COLORS


class CountCovered(Task):
    levels = interpolate_levels(
        {0: (2, 26), 2: (4, 24), 5: (8, 22), 8: (12, 19), 10: (18, 16)}
    )  # discs, their width
    moves = numbers(20)
    about = (
        "It shows discs that lie on each other, in words from the lowest to the highest. "
        "Reply with a number."
    )

    def draw(self, rng, many, wide):
        """Sample the count, and discs from top to bottom of the stack; none merely touches another.

        Each new disc is free, or below a disc that is already there.
        """
        count = int(rng.integers(many))
        places: list[tuple[int, int]] = []
        while len(places) < many:
            under = {1 + i for i in rng.permutation(many - 1)[:count].tolist()}
            places = []
            for i in range(many):
                place = _put(rng, places, wide, i in under)
                if place is None:
                    break
                places.append(place)
        colors = tuple(rng.integers(len(COLORS), size=many).tolist())
        text = "How many discs are covered in part by another?"
        return Question(text, str(count), (wide, tuple(places[::-1]), colors), self.moves)

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


def _put(rng, places, wide, under):
    """Return a place below one of the discs, or free of all; None if none is found."""
    low = 2 + wide // 2
    for x, y in rng.integers(low, 101 - low, size=(200, 2)).tolist():
        away = [(x - a) ** 2 + (y - b) ** 2 for a, b in places]
        near = [(0.45 * wide) ** 2 < d < (0.8 * wide) ** 2 for d in away]
        free = [d > (1.12 * wide) ** 2 for d in away]
        if under == any(near) and all(a or b for a, b in zip(near, free, strict=True)):
            return x, y
    return None


def covered(places, wide):
    """Return the indices of the discs that a later disc overlaps."""
    return [
        i
        for i, (x, y) in enumerate(places)
        if any((x - a) ** 2 + (y - b) ** 2 < wide**2 for a, b in places[i + 1 :])
    ]
