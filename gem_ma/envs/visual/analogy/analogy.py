"""Analogy: change a third pattern as a first one was changed to a second."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.patterns.patterns import EMPTY, FULL, TILES, WAYS
from gem_ma.envs.visual.question import LETTERS, Question, Task, some
from gem_ma.scene import Grid, Panels

NAMES = ("first", "second", "third")


def changed(rows, way, swap):
    """Return a pattern changed by `way`, with full and empty squares exchanged if `swap`."""
    image = patterns.image(rows, way)
    table = str.maketrans(FULL + EMPTY, EMPTY + FULL)
    return tuple([row.translate(table) for row in image]) if swap else image


class Analogy(Task):
    # squares across, kinds of turns and flips, whether full and empty may be exchanged, options
    levels = interpolate_levels(
        {
            0: (2, 2, 0, 2),
            2: (3, 3, 0, 3),
            5: (3, 5, 0, 4),
            7: (3, 8, 1, 5),
            8: (4, 8, 1, 6),
            10: (7, 8, 1, 6),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows three patterns of squares, and several more with letters. The second is the "
        "first one after a change: turned, mirrored, or with its full and empty squares swapped, "
        "or several of these. Reply with the letter of the third one after the same change."
    )

    def draw(self, rng, size, ways, swaps, many):
        while True:
            first, third = patterns.draw(rng, size), patterns.draw(rng, size)
            kinds = [(way, bool(s)) for way in WAYS[:ways] for s in range(swaps + 1)]
            transformations = some(rng, kinds, min(many, len(kinds)))
            results = [changed(first, way, swap) for way in WAYS for swap in (False, True)]
            options = [changed(third, *kind) for kind in transformations]
            while len(options) < many:
                options.append(patterns.swapped(rng, options[-1]))
            if len(set(results)) == len(results) and len(set(options)) == many:
                break
        order = rng.permutation(many).tolist()
        content = (
            (first, changed(first, *transformations[0]), third),
            tuple([options[i] for i in order]),
        )
        choices = tuple(LETTERS[:many])
        text = "To which pattern does the third one change?"
        return Question(text, choices[order.index(0)], content, choices)

    def words(self, shown):
        panels = [*zip(NAMES, shown[0], strict=True), *zip(LETTERS, shown[1], strict=False)]
        return "\n".join([f"{name}:\n" + "\n".join(rows) for name, rows in panels])

    def scene(self, shown):
        panels = [*zip(NAMES, shown[0], strict=True), *zip(LETTERS, shown[1], strict=False)]
        return Panels(tuple([(name, Grid(rows, TILES)) for name, rows in panels]), 3, gap=0.08)
