"""Class diagram: attributes, and what classes inherit from others."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.diagrams.boxes import ADVANCE, NUB, THIN, box, path, ring
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some
from gem_ma.scene import Shapes

NAMES = (
    *("Animal", "Boat", "Camera", "Device", "Engine", "Folder", "Garden", "House", "Image"),
    *("Journal", "Kettle", "Letter", "Market", "Note", "Order", "Plant"),
)
FIELDS = (
    *("age", "angle", "area", "beam", "body", "brand", "code", "color", "cost", "count", "date"),
    *("depth", "dose", "edge", "focus", "gear", "goal", "grade", "host", "index", "kind", "label"),
    *("level", "limit", "mass", "mode", "model", "name", "owner", "pages", "price", "rank", "rate"),
    *("size", "speed", "state", "title", "topic", "unit", "width", "year", "zone"),
)
COUNTS = numbers(30)
HEADER, PAD = 1.25, 0.1  # of a box, in rows of letters: its head, and above and below attributes
SPACING = 1.08  # from row to row, in heights of letters
GAP, APART, HEAD = 0.065, 0.02, 0.028  # between rows of boxes, between lines, of an arrowhead
CLOSE = 0.02  # lines at the same place across are nearer than that


def own(rng, classes):
    """Ask for the number of attributes that stand in a box."""
    name, _, fields = pick(rng, classes)
    return f"How many attributes stand in the box of {name}?", str(len(fields)), COUNTS


def parent(rng, classes):
    """Ask which class another inherits from."""
    name, up, _ = pick(rng, [one for one in classes if one[1]])
    return f"Which class does {name} inherit from directly?", up, tuple([c[0] for c in classes])


def inherited(rng, classes):
    """Ask for the number of attributes with those that are inherited."""
    by_name = {one[0]: one for one in classes}
    name = pick(rng, [one for one in classes if one[1]])[0]
    total, up = 0, name
    while up:
        total += len(by_name[up][2])
        up = by_name[up][1]
    return f"How many attributes has {name}, with all that it inherits?", str(total), COUNTS


def having(rng, classes):
    """Ask how many classes have an attribute, with those that inherit it."""
    name, _, fields = pick(rng, [one for one in classes if one[2]])
    field = pick(rng, fields)
    below = {name}
    for one, up, _ in classes:
        below |= {one} if up in below else set()
    text = f"How many classes have the attribute {field}, with those that inherit it?"
    return text, str(len(below)), COUNTS


class ClassDiagram(Task):
    # kinds of questions, classes of each row, most attributes of a class
    levels = interpolate_levels(
        {
            0: ((own, parent), (1, 1), 3),
            1: ((own, parent), (1, 2), 3),
            2: ((parent, inherited), (1, 2), 4),
            3: ((parent, inherited), (1, 3), 4),
            4: ((parent, inherited), (1, 2, 2), 3),
            5: ((inherited, inherited, inherited, having), (1, 2, 3), 6),
            6: ((inherited, inherited, having), (1, 3, 3), 6),
            7: ((inherited, having), (1, 3, 4), 6),
            8: ((inherited, having), (2, 4, 4), 6),
            9: ((inherited, having), (2, 3, 4, 4), 5),
            10: ((inherited, having), (2, 4, 4, 4), 5),
        }
    )
    moves = (*COUNTS, *NAMES)
    about = (
        "It shows classes with their attributes. An arrow goes from a class up to the one that it "
        "inherits from: it has the attributes of that class too, and those that this one inherits. "
        "Reply with a number or with the name of a class, as the question asks."
    )

    def draw(self, rng, kinds, rows, most):
        names, fields = list(some(rng, NAMES, sum(rows))), list(some(rng, FIELDS, len(FIELDS)))
        classes, above = [], list[str]()
        for many in rows:
            # who stands further left inherits from who stands further left
            ups = sorted(rng.integers(len(above), size=many).tolist()) if above else [None] * many
            above, before = [], above
            for up in ups:
                name, count = names.pop(), int(rng.integers(most + 1))
                own_fields = tuple([fields.pop() for _ in range(min(count, len(fields) - 1))])
                above.append(name)
                classes.append((name, "" if up is None else before[up], own_fields))
        if not any(one[2] for one in classes):
            classes[0] = (*classes[0][:2], (fields.pop(),))
        kind, wanted = pick(rng, kinds), int(rng.integers(15))
        asked = [kind(rng, classes) for _ in range(4)]
        if kind is not parent:  # all numbers are about as frequent
            asked.sort(key=lambda one: abs(int(one[1]) - wanted))
        text, answer, choices = asked[0]
        return Question(text, answer, (rows, tuple(classes)), choices)

    def words(self, shown):
        _, classes = shown
        lines = []
        for name, up, fields in classes:
            head = f"{name} (inherits from {up})" if up else name
            lines.append(f"{head}: {', '.join(fields) or 'no attributes'}")
        return "\n".join(lines)

    def scene(self, shown):
        rows, classes = shown
        table, left = [], list(classes)
        for many in rows:
            table.append([((i + 0.5) / many, *left.pop(0)) for i in range(many)])
        families = [_list_families(*two) for two in itertools.pairwise(table)]
        gaps = [GAP + APART * max(level for *_, level in one) for one in families]
        heights = [max(_count_rows(fields) for *_, fields in row) for row in table]
        wide = min(0.5, 0.94 / max(rows))
        room = (0.97 - sum(gaps)) / sum(heights) / SPACING
        letter = min(room, 0.9 * wide / (ADVANCE * 8), 0.085)
        high = SPACING * letter
        spare = 0.97 - high * sum(heights) - sum(gaps)
        more = min(0.08, spare / len(rows))
        gaps = [gap + more for gap in gaps]
        y = 0.5 - (high * sum(heights) + sum(gaps)) / 2
        lines, labels, bottoms = [], [], dict[float, float]()
        for number, row in enumerate(table):
            if number:
                gap, family = gaps[number - 1] - HEAD, families[number - 1]
                most = max(level for *_, level in family)
                for x, kids, level in family:
                    bus = y - gap / 2 - APART * (level - most / 2)
                    lines += _join(x, bottoms[x], kids, bus, y)
            for x, name, _, fields in row:
                tall, edge = high * _count_rows(fields), y + HEADER * high
                lines += box(x, y + tall / 2, 0.92 * wide, tall)
                lines.append(("", x - 0.46 * wide, edge, x + 0.46 * wide, edge, THIN))
                labels.append((name, "", x, y + 0.5 * HEADER * high, letter))
                for j, field in enumerate(fields):
                    labels.append((field, "", x, edge + high * (j + 0.5 + PAD), letter))
                bottoms[x] = y + tall
            y += high * heights[number] + (0, *gaps)[(number + 1) % len(rows)]
        return Shapes(lines=tuple(lines), labels=tuple(labels))


def _count_rows(fields):
    """Return the height of a box, in rows of letters."""
    return HEADER + 2 * PAD + max(0.6, len(fields))


def _list_families(above, row):
    """Return the place of each parent, those of its children, and the level of their line.

    Where lines would meet, they have different levels; from 0, the lowest.
    """
    found = []
    for x, name, *_ in above:
        kids = [place for place, _, up, _ in row if up == name]
        if kids:
            found.append([x, kids, 0])
    for _ in found:  # no line passes under more than all others
        for one, other in itertools.combinations(found, 2):
            if other[1][0] < one[0] + CLOSE:
                one[2] = max(one[2], other[2] + 1)
            if one[1][-1] > other[0] - CLOSE:
                other[2] = max(other[2], one[2] + 1)
    return found


def _join(x, bottom, kids, bus, top):
    """Return the lines from children up to the hollow arrowhead below their parent."""
    tip, base = bottom + THIN / 2, bottom + HEAD
    lines = ring(((x, tip), (x + HEAD / 2, base), (x - HEAD / 2, base)))
    lines += path((x, bus), (x, base + NUB))
    for kid in kids:
        lines += path((kid, top - NUB), (kid, bus))
    ends = [x, *kids]
    if min(ends) < max(ends):
        lines += path((min(ends), bus), (max(ends), bus))
    return lines
