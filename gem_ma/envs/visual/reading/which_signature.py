"""Which signature: which of several signatures is from the hand of the first one."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.envs.visual.reading import handwriting
from gem_ma.envs.visual.reading.handwriting import Hand
from gem_ma.scene import Shapes

NAMES = ("anna", "bob", "clara", "dale", "emma", "fred", "greta", "hilda", "nadia", "peter", "rita")
LEAST = {"slant": -0.35, "wide": 0.7, "tall": 0.6, "rise": -0.16}
MOST = {"slant": 0.65, "wide": 1.2, "tall": 1.5, "rise": 0.16}
CLEAR = 1.6  # how much further the others are from the first signature than the right one


class WhichSignature(Task):
    # signatures, wobble, least and largest difference of another hand as a share of the range,
    # differences
    levels = interpolate_levels(
        {
            0: (2, 0.0, 0.6, 0.9, 3),
            2: (3, 0.02, 0.5, 0.8, 2),
            5: (4, 0.03, 0.35, 0.55, 2),
            8: (6, 0.04, 0.3, 0.45, 1),
            10: (6, 0.05, 0.22, 0.32, 1),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows a signature, and the same name several times with letters. One of these is from "
        "the same hand: letters lean equally, are equally wide, reach up equally far, and the line "
        "rises or falls equally. No hand writes twice quite alike. In words, each stroke of the "
        "pen is given by points, which count to the right and up in hundredths of the height of a "
        "small letter. Reply with its letter."
    )

    def draw(self, rng, many, wobble, least, most, changes):
        name = pick(rng, NAMES)
        while True:
            own = {key: low + rng.random() * (MOST[key] - low) for key, low in LEAST.items()}
            hands = [own, *[_change(rng, own, least, most, changes) for _ in range(many - 1)]]
            if None in hands:
                continue
            first, *options = [
                handwriting.write(name, Hand(**hand, wobble=wobble), rng) for hand in (own, *hands)
            ]
            far = [measure_distance(first, one) for one in options]
            if min(far[1:]) > CLEAR * far[0]:
                break
        order = some(rng, range(many), many)
        choices = tuple(LETTERS[:many])
        shown = first, tuple([options[i] for i in order])
        text = "Which signature is from the hand of the first one?"
        return Question(text, choices[order.index(0)], shown, choices)

    def words(self, shown):
        first, options = shown
        rows = [f"first: {handwriting.tell_strokes(first)}"]
        for name, strokes in zip(LETTERS, options, strict=False):
            rows.append(f"{name}: {handwriting.tell_strokes(strokes)}")
        return "\n".join(rows)

    def scene(self, shown):
        first, options = shown
        columns = 1 if len(options) < 4 else 2
        rows = 1 + math.ceil(len(options) / columns)
        high, room = 0.98 / rows, 0.96 / columns - 0.12
        boxes = [handwriting.measure_box(strokes) for strokes in (first, *options)]
        tall = max(top - low for _, _, low, top in boxes)
        wide = max(right - left for left, right, _, _ in boxes)
        unit = min(0.86 * high / tall, room / wide)
        lines, labels = [], []
        for i, (strokes, (left, right, low, top)) in enumerate(
            zip((first, *options), boxes, strict=True)
        ):
            row, column = (0, 0) if not i else (1 + (i - 1) // columns, (i - 1) % columns)
            start = 0.5 - room / 2 if not i else 0.1 + column * 0.96 / columns
            x = start + room / 2 - unit * (left + right) / 2
            y = 0.01 + high * (row + 0.5) + unit * (low + top) / 2
            lines += handwriting.draw_strokes(strokes, (x, y), unit, max(0.006, 0.08 * unit))
            name = "?" if not i else LETTERS[i - 1]
            labels.append((name, "", start - 0.05, 0.01 + high * (row + 0.5), 0.07))
        return Shapes(lines=tuple(lines), labels=tuple(labels))


def measure_distance(one, other):
    """Return how far points of two signatures are from each other, both put on one middle."""
    points = [[p for stroke in strokes for p in stroke] for strokes in (one, other)]
    middles = [[sum(values) / len(values) for values in zip(*ps, strict=True)] for ps in points]
    (ax, ay), (bx, by) = middles
    pairs = zip(*points, strict=True)
    return sum(math.dist((p[0] - ax, p[1] - ay), (q[0] - bx, q[1] - by)) for p, q in pairs)


def _change(rng, own, least, most, changes):
    """Return another hand, or None if it does not fit into the ranges."""
    other = dict(own)
    for key in some(rng, sorted(own), changes):
        by = (least + (most - least) * rng.random()) * (MOST[key] - LEAST[key])
        other[key] += by if rng.random() < 0.5 else -by
        if not LEAST[key] <= other[key] <= MOST[key]:
            return None
    return other
