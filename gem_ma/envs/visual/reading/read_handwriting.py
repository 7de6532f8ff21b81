"""Read handwriting: a word or a number that somebody wrote by hand."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some
from gem_ma.envs.visual.reading import handwriting
from gem_ma.envs.visual.reading.handwriting import Hand
from gem_ma.scene import Shapes

WRITTEN = (
    *("bat", "bad", "bed", "beg", "big", "bag", "bug", "but", "cat", "cot", "cut", "dog", "fog"),
    *("gun", "hat", "hit", "hot", "hut", "leg", "log", "man", "men", "net", "nut", "pan", "pen"),
    *("pig", "pin", "pot", "sad", "sun", "ten", "tin", "wet", "yes", "boat", "coat", "goat"),
    *("bean", "bear", "beat", "deer", "door", "farm", "firm", "form", "food", "foot", "good"),
    *("hand", "land", "sand", "wind", "kind", "lamp", "lake", "like", "milk", "silk", "moon"),
    *("noon", "news", "rain", "ruin", "ship", "shop", "snow", "slow", "show", "wood", "word"),
    *("bread", "board", "chair", "clock", "cloud", "dream", "dress", "field", "fruit", "grass"),
    *("glass", "house", "horse", "light", "might", "night", "right", "sight", "mouse", "paint"),
    *("point", "print", "plane", "plant", "plate", "river", "sheep", "sheet", "sleep", "storm"),
    *("bridge", "candle", "castle", "cattle", "finger", "flower", "forest", "garden", "market"),
    *("mirror", "motor", "needle", "pencil", "planet", "spring", "string", "strong", "summer"),
    *("thread", "ticket", "tunnel", "window", "winter", "blanket", "chicken", "kitchen", "machine"),
    *(
        "morning",
        "mountain",
        "painting",
        "pointing",
        "printing",
        "sleeping",
        "southern",
        "northern",
    ),
)
WORDS = tuple([word for word in WRITTEN if set(word) <= set(handwriting.STROKES)])
MOST = 999
LINE = 3.7  # from a line to the next one, in the height of small letters


class ReadHandwriting(Task):
    # lines, shortest and longest word, wobble, slant, lines that cross the writing
    levels = interpolate_levels(
        {
            0: (1, 3, 3, 0.0, 0.0, 0),
            2: (1, 3, 4, 0.04, 0.15, 0),
            5: (2, 4, 6, 0.08, 0.3, 1),
            8: (4, 4, 8, 0.11, 0.45, 2),
            10: (6, 5, 8, 0.13, 0.55, 3),
        }
    )
    moves = (*WORDS, *numbers(MOST))
    about = (
        "It shows lines that somebody wrote by hand, each a word in small letters or a whole "
        "number. Straight lines may cross the writing. In words, each stroke of the pen is given "
        "by points, which count to the right and up in hundredths of the height of a small letter. "
        "Reply with the word or the number."
    )

    def draw(self, rng, many, shortest, longest, wobble, slant, crossed):
        words = [word for word in WORDS if shortest <= len(word) <= longest]
        texts = [
            pick(rng, words) if rng.random() < 0.7 else str(int(rng.integers(100, MOST + 1)))
            for _ in range(many)
        ]
        hand = Hand(slant * (1.6 * rng.random() - 0.6), 0.85 + 0.3 * rng.random(), 1.0, wobble, 0.0)
        hand = hand._replace(rise=0.2 * slant * (rng.random() - 0.5))
        lines = tuple([handwriting.write(text, hand, rng) for text in texts])
        right = int(rng.integers(many))
        answer = texts[right]
        rows = list(dict.fromkeys([right, *some(rng, range(many), many)]))[:crossed]
        crosses = tuple([(i, _cross(rng, lines[i])) for i in rows])
        what = "word" if answer.isalpha() else "number"
        where = f" in line {right + 1}" if many > 1 else ""
        choices = WORDS if answer.isalpha() else numbers(MOST)
        return Question(f"Which {what} is written{where}?", answer, (lines, crosses), choices)

    def words(self, shown):
        lines, crosses = shown
        rows = []
        for i, strokes in enumerate(lines):
            rows.append(f"line {i + 1}: {handwriting.tell_strokes(strokes)}")
        rows += [f"across line {i + 1}: {handwriting.tell_strokes(one)}" for i, one in crosses]
        return "\n".join(rows)

    def scene(self, shown):
        lines, crosses = shown
        boxes = [handwriting.measure_box(strokes) for strokes in lines]
        wide = max(right - left for left, right, _, _ in boxes)
        high = LINE * len(lines)
        unit = min(0.84 / wide, 0.97 / high, 0.16)
        drawn, labels = [], []
        for i, (strokes, (left, right, low, top)) in enumerate(zip(lines, boxes, strict=True)):
            middle = 0.5 + unit * LINE * (i + 0.5 - len(lines) / 2)
            y = middle + unit * (low + top) / 2
            place = 0.52 - unit * (left + right) / 2, y
            thick = max(0.007, 0.11 * unit)
            drawn += handwriting.draw_strokes(strokes, place, unit, thick)
            if len(lines) > 1:
                labels.append((str(i + 1), "", 0.04, middle, 0.06))
            for j, one in crosses:
                if i == j:
                    drawn += handwriting.draw_strokes(one, place, unit, 0.6 * thick)
        return Shapes(lines=tuple(drawn), labels=tuple(labels))


def _cross(rng, strokes):
    """Sample a flat line across small letters."""
    left, right, _, _ = handwriting.measure_box(strokes)
    ends = [(x, round(0.2 + 0.7 * rng.random(), 2)) for x in (left, right)]
    return (tuple(ends),)
