"""Compass: which place is farthest to one side, on a map that is turned."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick

SIDES = ("north", "east", "south", "west")  # clockwise
WAYS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # up, right, down, left


class Compass(Task):
    # places, quarter turns of the map to choose from, least lead of the farthest place in percent
    levels = interpolate_levels(
        {0: (2, 1, 20), 2: (3, 1, 10), 5: (6, 4, 6), 8: (10, 4, 4), 10: (16, 4, 2)}
    )
    moves = tuple(LETTERS[:16])
    has_own_seeds = True
    about = (
        "It shows a map with places, each with a letter at its right, and an arrow in its top left "
        "corner that points north. Reply with a letter."
    )

    def draw(self, rng, many, turns, apart):
        north = int(rng.integers(turns))
        side = pick(rng, range(4))
        right, down = WAYS[(north + side) % 4]
        while True:
            places = canvas.apart(rng, many, 11, 8, 88, lambda p: p[0] > 24 or p[1] > 24)
            order = sorted(range(many), key=lambda i: -right * places[i][0] - down * places[i][1])
            first, second = (right * places[i][0] + down * places[i][1] for i in order[:2])
            if first - second >= apart:
                break
        choices = tuple(LETTERS[:many])
        text = f"Which place is the farthest to the {SIDES[side]}?"
        return Question(text, choices[order[0]], (north, places), choices)

    def words(self, shown):
        north, places = shown
        pairs = zip(LETTERS, places, strict=False)
        listing = ", ".join([f"{name} {x}, {y}" for name, (x, y) in pairs])
        way = ("up", "right", "down", "left")[north]
        return f"The arrow points {way}. In percent from the left and from the top: {listing}."

    def scene(self, shown):
        north, places = shown
        arrow = ("arrow", "red", 0.12, 0.12, 0.14, 90.0 * north)
        names = [(name, (x + 4, y)) for name, (x, y) in zip(LETTERS, places, strict=False)]
        return canvas.drawn(items=(arrow, *canvas.dots(places)), labels=canvas.tags(names))
