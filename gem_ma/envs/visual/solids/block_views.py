"""Block views: what stacks of cubes look like from the front or from the right."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns.patterns import EMPTY, FULL
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.envs.visual.solids import isometric


class BlockViews(Task):
    # stacks across, largest height, options
    levels = interpolate_levels(
        {0: (2, 2, 2), 2: (2, 3, 3), 5: (3, 4, 4), 8: (4, 4, 5), 10: (4, 5, 5)}
    )
    moves = tuple(LETTERS[:5])
    about = (
        "It shows stacks of cubes, in words the number of cubes of each stack, and views with "
        "letters, in which squares with a cube are filled, in words #. None of the stacks in a "
        "column is higher than one behind it. Reply with a letter."
    )

    def draw(self, rng, size, high, many):
        side = pick(rng, ("front", "right"))
        while True:
            heights = _heights(rng, size, high)
            right = view(heights, side)
            wrong = {view(heights, "front"), view(heights, "right")}
            wrong |= {one[::-1] for one in wrong}
            for _ in range(12):
                changed = list(right)
                i = int(rng.integers(size))
                changed[i] = int(rng.integers(high + 1))
                wrong.add(tuple(changed))
            others = sorted(wrong - {right, (0,) * size})
            if len(others) >= many - 1 and max(right) > 1:
                break
        options = some(rng, [right, *some(rng, others, many - 1)], many)
        choices = tuple(LETTERS[:many])
        shown = heights, tuple([_rows(one, high) for one in options])
        text = f"Which view is that from the {side}?"
        return Question(text, choices[options.index(right)], shown, choices)

    def words(self, shown):
        return isometric.words_with_options(*shown)

    def scene(self, shown):
        return isometric.scene_with_options(*shown)


def view(heights, side):
    """Return the heights that are seen from a side, from the left."""
    columns = list(zip(*heights, strict=True)) if side == "front" else heights[::-1]
    return tuple(map(max, columns))


def _rows(profile, high):
    return tuple(
        ["".join([FULL if n > z else EMPTY for n in profile]) for z in range(high - 1, -1, -1)]
    )


def _heights(rng, size, high):
    """Sample stacks that fall to the front and whose tops can all be seen, front ones first."""
    heights = [[0] * size for _ in range(size)]
    for r in range(size - 1, -1, -1):
        for c in range(size - 1, -1, -1):
            low = heights[r + 1][c] if r + 1 < size else 0
            hidden = [heights[r + k][c + k] - k + 1 for k in range(1, size - max(r, c))]
            low = min(high, max([low, *hidden]))
            heights[r][c] = int(rng.integers(low, min(high, low + 2) + 1))
    return tuple(map(tuple, heights))
