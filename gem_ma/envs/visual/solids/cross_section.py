"""Cross section: what a pile of cubes looks like where it is cut."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns.patterns import EMPTY, FULL
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.envs.visual.solids import isometric

ORDINALS = ("lowest", "second", "third", "fourth", "fifth")


class CrossSection(Task):
    # stacks across, largest height, options
    levels = interpolate_levels(
        {0: (2, 2, 2), 2: (3, 3, 3), 5: (3, 4, 4), 8: (4, 4, 5), 10: (5, 5, 5)}
    )
    moves = tuple(LETTERS[:5])
    about = (
        "It shows a pile of cubes, in words the number of cubes of each stack, and cuts with "
        "letters, in which squares with a cube are filled, in words #. A cut goes through a layer "
        "of the pile, is as level as the ground, and is seen from above, with the front of the "
        "pile at the bottom. Reply with a letter."
    )

    def draw(self, rng, size, high, many):
        while True:
            heights = isometric.pile(rng, size, high)
            layers = {n: cut(heights, n) for n in range(max(map(max, heights)))}
            number = pick(rng, tuple(layers))
            right = layers[number]
            wrong = set(layers.values()) | {tuple(map("".join, zip(*right, strict=True)))}
            for _ in range(12):
                r, c = rng.integers(size, size=2).tolist()
                flipped = [list(row) for row in pick(rng, sorted(wrong))]
                flipped[r][c] = EMPTY if flipped[r][c] == FULL else FULL
                wrong.add(tuple(map("".join, flipped)))
            others = sorted(wrong - {right, (EMPTY * size,) * size})
            if len(others) >= many - 1 and len(set(layers.values())) == len(layers):
                break
        options = some(rng, [right, *some(rng, others, many - 1)], many)
        choices = tuple(LETTERS[:many])
        text = f"Which cut goes through the {ORDINALS[number]} layer?"
        if number > 1:
            text = f"Which cut goes through the {ORDINALS[number]} layer from the ground?"
        return Question(text, choices[options.index(right)], (heights, tuple(options)), choices)

    def words(self, shown):
        return isometric.words_with_options(*shown)

    def scene(self, shown):
        return isometric.scene_with_options(*shown)


def cut(heights, number):
    """Return which stacks have a cube in a layer, the front at the bottom."""
    return tuple(["".join([FULL if n > number else EMPTY for n in row]) for row in heights])
