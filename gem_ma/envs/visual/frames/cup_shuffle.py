"""Cup shuffle: under which cup a ball is after cups changed places."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some
from gem_ma.scene import Shapes

MOST = 12  # moves


class CupShuffle(Task):
    # cups, moves
    levels = interpolate_levels({0: (3, 1), 2: (3, 3), 5: (4, 5), 8: (5, 8), 10: (6, MOST)})
    moves = numbers(6)[1:]
    about = (
        "It shows rows of cups, from the top row on one after the other. In the top row a ball "
        "lies under the cup with the dot. In each row the two cups at the ends of the line change "
        "places. Places count from 1 at the left. Reply with a number."
    )

    def draw(self, rng, many, swaps):
        """Sample the place where the ball ends, and go back from there."""
        end = place = int(rng.integers(many))
        pairs = []
        for _ in range(swaps):
            pair = tuple(sorted(some(rng, range(many), 2)))
            if rng.random() < 0.4:  # the ball moves more often than by chance
                pair = tuple(sorted((place, pick(rng, [n for n in range(many) if n != place]))))
            pairs.append(pair)
            place = _after(place, pair)
        text = "Under which cup is the ball at the end?"
        shown = many, place, tuple(pairs[::-1])
        return Question(text, str(end + 1), shown, numbers(many)[1:])

    def words(self, shown):
        many, place, pairs = shown
        rows = [f"cups {a + 1} and {b + 1} change places" for a, b in pairs]
        return "\n".join([f"{many} cups; the ball is under cup {place + 1}", *rows])

    def scene(self, shown):
        many, place, pairs = shown
        rows = len(pairs) + 1
        high, step = 0.9 / rows, 0.92 / many
        size = round(min(0.6 * high, 0.5 * step), 2)
        items, lines, labels = [], [], []
        for i in range(many):
            x = 0.04 + step * (i + 0.5)
            labels.append((str(i + 1), "", x, 0.04, 0.06))
            for row in range(rows):
                items.append(("cup", "brown", x, 0.1 + high * (row + 0.4), size, 0.0))
        x = 0.04 + step * (place + 0.5)
        items.append(("disc", "white", x, 0.1 + high * 0.4, round(0.4 * size, 2), 0.0))
        for row, pair in enumerate(pairs):
            y = 0.1 + high * (row + 0.4) + 0.5 * size
            below = y + 0.18 * high
            a, b = (0.04 + step * (n + 0.5) for n in pair)
            for line in ((a, y, a, below), (a, below, b, below), (b, below, b, y)):
                lines.append(("", *line, 0.007))
        return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels))


def _after(place, pair):
    """Return where a cup is after two places were exchanged."""
    return pair[1 - pair.index(place)] if place in pair else place
