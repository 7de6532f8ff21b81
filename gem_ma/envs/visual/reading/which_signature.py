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
LABEL, GAP = 0.07, 0.045  # the room of a letter, and between two rows
NARROW = 0.7  # two columns fill the picture, if signatures keep this share of their size
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
        strokes = first, *options
        boxes = [handwriting.measure_box(one) for one in strokes]
        (unit, columns), (two_units, _) = (_fit(boxes, columns) for columns in (1, 2))
        if two_units > NARROW * unit:
            unit, columns = two_units, 2
        talls = _list_rows(boxes, columns)
        free = (1 - unit * sum(talls)) / (len(talls) + 1)  # above, between and below the rows
        tops = [free * (i + 1) + unit * sum(talls[:i]) for i in range(len(talls))]
        thick = min(max(0.006, 0.08 * unit), 0.012)
        wide = LABEL + unit * max(right - left for left, right, _, _ in boxes)
        lines, labels = [], []
        for i, (one, (left, _, low, top)) in enumerate(zip(strokes, boxes, strict=True)):
            row = (i + columns - 1) // columns
            start = ((i - 1) % columns + 0.5 if i else columns / 2) / columns - wide / 2
            middle = tops[row] + unit * talls[row] / 2
            place = start + LABEL - unit * left, middle + unit * (low + top) / 2
            lines += handwriting.draw_strokes(one, place, unit, thick)
            name = "?" if not i else LETTERS[i - 1]
            labels.append((name, "", start + 0.02, middle, 0.07))
        return Shapes(lines=tuple(lines), labels=tuple(labels))


def _list_rows(boxes, columns):
    """Return the height of the first signature and of each row of the others."""
    talls = [top - low for _, _, low, top in boxes]
    rest = range(1, len(talls), columns)
    return [talls[0], *[max(talls[i : i + columns]) for i in rest]]


def _fit(boxes, columns):
    """Return how large signatures may be drawn in so many columns, and the columns."""
    rows = _list_rows(boxes, columns)
    wide = max(right - left for left, right, _, _ in boxes)
    return min(
        ((0.98 - 0.08 * columns) / columns - LABEL) / wide, (0.98 - GAP * len(rows)) / sum(rows)
    ), columns


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
