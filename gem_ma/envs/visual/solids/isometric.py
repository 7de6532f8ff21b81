"""Cubes seen from above over a corner, and stacks of them."""

from gem_ma.envs.visual.patterns.patterns import TILES
from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Grid, Panels, Shapes

HALF = 3**0.5 / 2  # half the width of a cube, whose edges have the length 1
STEPS = 40  # cubes have few sizes, so that few must be drawn anew


def cubes(cells, low=0.04, high=0.96):
    """Return the items that draw cubes between two shares of the picture, as large as possible.

    Args:
        cells: the place of each cube: its row, which counts to the front left, its column, which
            counts to the front right, and its height.
    """
    filled = set(cells)
    shown = sorted(
        [cell for cell in filled if not filled.issuperset(_before(cell))],
        key=lambda cell: sum(cell),
    )
    flat = [(HALF * (c - r), (c + r) / 2 - z) for r, c, z in shown]
    xs, ys = zip(*flat, strict=True)
    wide, tall = max(xs) - min(xs) + 2 * HALF, max(ys) - min(ys) + 2
    edge = int(STEPS * (high - low) / max(wide, tall)) / STEPS
    left, top = (0.5 - edge * (max(v) + min(v)) / 2 for v in (xs, ys))
    down = (low + high) / 2 - 0.5
    items = []
    for x, y in flat:
        place = left + edge * x, top + down + edge * y, 2 * edge, 0.0
        items += [("hexagon", "white", *place), ("block", "blue", *place)]
    return tuple(items)


def _before(cell):
    """Return the three places that hide a cube if all of them are filled."""
    r, c, z = cell
    return {(r + 1, c, z), (r, c + 1, z), (r, c, z + 1)}


def stacks(heights):
    """Return the places of the cubes of stacks."""
    return [
        (r, c, z)
        for r, row in enumerate(heights)
        for c, high in enumerate(row)
        for z in range(high)
    ]


def scene(heights):
    """Draw stacks; names say which sides are the front and the right one."""
    labels = (("front", "", 0.16, 0.94, 0.09), ("right", "", 0.84, 0.94, 0.09))
    return Shapes(cubes(stacks(heights), 0.01, 0.92), labels=labels)


def pile(rng, size, high):
    """Sample stacks in a corner, none of them higher than one behind it: all can be seen."""
    heights = [[0] * size for _ in range(size)]
    for r in range(size):
        for c in range(size):
            most = min(
                [high, *([heights[r - 1][c]] if r else []), *([heights[r][c - 1]] if c else [])]
            )
            low = max(0, most - 2) if r + c else high - 1
            heights[r][c] = int(rng.integers(low, most + 1))
    return tuple(map(tuple, heights))


def words(heights):
    """Return the numbers of cubes of stacks, the front at the bottom."""
    rows = "\n".join([" ".join(map(str, row)) for row in heights])
    return f"cubes of each stack, the last line at the front:\n{rows}"


def words_with_options(heights, options):
    """Return the numbers of cubes, and the grids of cells among which to choose."""
    grids = [f"{name}:\n" + "\n".join(rows) for name, rows in zip(LETTERS, options, strict=False)]
    return "\n".join([words(heights), *grids])


def scene_with_options(heights, options):
    """Draw stacks above the grids of cells among which to choose."""
    grids = zip(LETTERS, [Grid(rows, TILES) for rows in options], strict=False)
    return Panels((("", scene(heights)), ("", Panels(tuple(grids), len(options), 0.1))), 1)
