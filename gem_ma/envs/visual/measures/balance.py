"""Balance: order things by weight from what several balances show."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task
from gem_ma.scene import Panels, Shapes

PLACES = ("heaviest", "second heaviest", "third heaviest", "fourth heaviest")


class Balance(Task):
    levels = interpolate_levels(
        {0: (2, 1), 2: (3, 1), 5: (4, 2), 8: (6, 3), 10: (9, 4)}
    )  # things, places asked for
    moves = tuple(LETTERS[:9])
    about = (
        "It shows balances with things on both sides; the heavier one sinks. Together they say how "
        "all things are ordered. Reply with the letter of a thing."
    )

    def draw(self, rng, many, places):
        order = [LETTERS[i] for i in rng.permutation(many).tolist()]  # the heaviest first
        pairs = []
        for i in rng.permutation(many - 1).tolist():
            heavy, light = order[i], order[i + 1]
            pairs.append((heavy, light, 0) if rng.random() < 0.5 else (light, heavy, 1))
        place = int(rng.integers(places + 1))
        word = "lightest" if place == places else PLACES[place]
        answer = order[-1 if place == places else place]
        choices = tuple(LETTERS[:many])
        return Question(f"Which thing is the {word}?", answer, tuple(pairs), choices)

    def words(self, shown):
        return "\n".join([f"{a} and {b}: {(a, b)[heavier]} sinks" for a, b, heavier in shown])

    def scene(self, shown):
        panels = [("", _scales(*pair)) for pair in shown]
        return Panels(
            tuple(panels), 1 if len(panels) == 1 else 2 if len(panels) < 5 else 3, gap=0.04
        )


def _scales(a, b, sinks):
    left, right = (0.32, 0.52) if sinks else (0.52, 0.32)
    lines = [
        ("", 0.14, left, 0.86, right, 0.03),
        ("", 0.5, 0.42, 0.5, 0.9, 0.03),
        ("", 0.3, 0.9, 0.7, 0.9, 0.03),
    ]
    items, labels = [], []
    for name, x, y in ((a, 0.16, left), (b, 0.84, right)):
        items.append(("square", "yellow", x, y - 0.14, 0.28, 0.0))
        labels.append((name, "", x, y - 0.14, 0.2))
    lines += canvas.border(0.01, 0.99, 0.012)
    return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels))
