"""Patterns of squares, and pictures of a pattern with several options to choose from."""

from gem_ma.envs.visual.question import LETTERS, Question, pick, some
from gem_ma.scene import Grid, Panels, Tile

FULL, HALF, EMPTY = SYMBOLS = "#o."
TILES = (
    (FULL, Tile(ground="black", name="#")),
    (HALF, Tile("plus", "black", "white", name="o")),
    (EMPTY, Tile(ground="gray", name=".")),
)
ABOUT = (
    "It shows a pattern of squares, and several more to choose from, each with a letter. "
    "Reply with a letter."
)
WAYS = tuple([(flip, quarters) for flip in (False, True) for quarters in range(4)])


def image(pattern, way):
    """Return a pattern, mirrored left to right if `way` says so, and then turned clockwise."""
    flip, quarters = way
    if flip:
        pattern = tuple([row[::-1] for row in pattern])
    for _ in range(quarters):
        pattern = tuple(map("".join, zip(*pattern[::-1], strict=True)))
    return pattern


def draw(rng, size):
    """Sample a pattern."""
    cells = rng.integers(len(SYMBOLS), size=(size, size)).tolist()
    return tuple(["".join([SYMBOLS[i] for i in row]) for row in cells])


def swapped(rng, pattern):
    """Return a pattern with two different squares exchanged."""
    size, cells = len(pattern), [*"".join(pattern)]
    a = int(rng.integers(len(cells)))
    unlike = [i for i, symbol in enumerate(cells) if symbol != cells[a]]
    if unlike:
        b = pick(rng, unlike)
        cells[a], cells[b] = cells[b], cells[a]
    return tuple(["".join(cells[i : i + size]) for i in range(0, size * size, size)])


def variants(rng, right, many, vary):
    """Return a chain of variants around the right pattern, and the index of the right one.

    Each variant is made from its neighbour, and the right one is at a random index. If all variants
    were made from the right one, it would stand out as the most similar to the others.
    """
    place, options = int(rng.integers(many)), [right]
    for i in range(many - 1):
        if i < place:
            options.insert(0, vary(options[0]))
        else:
            options.append(vary(options[-1]))
    return options, place


def ask(rng, text, size, way, images, many):
    """Return the question which option shows a pattern seen in one of WAYS.

    The options are `images` views of the pattern, with `many` variants of each.
    """
    others = [other for other in WAYS if other != way]
    while True:
        pattern = draw(rng, size)
        patterns, place = variants(rng, pattern, many, lambda last: swapped(rng, last))
        ways = [way, *some(rng, others, images - 1)]
        options = [image(one, view) for view in ways for one in patterns]
        if len(set(options)) == len(options):
            options.insert(0, options.pop(place))
            return choose(rng, text, pattern, options)


def choose(rng, text, pattern, options):
    """Return the question which option is right; the first one is, before they are shuffled."""
    order = rng.permutation(len(options)).tolist()
    choices = tuple(LETTERS[: len(order)])
    content = pattern, tuple([options[i] for i in order])
    return Question(text, choices[order.index(0)], content, choices)


def words(shown, name="pattern"):
    first, options = shown
    panels = [(name, first), *zip(LETTERS, options, strict=False)]
    return "\n".join([f"{name}:\n" + "\n".join(rows) for name, rows in panels])


def scene(shown, name="pattern"):
    first, options = shown
    panels = [(name, first), *zip(LETTERS, options, strict=False)]
    return Panels(tuple([(name, Grid(rows, TILES)) for name, rows in panels]), 3, gap=0.08)
