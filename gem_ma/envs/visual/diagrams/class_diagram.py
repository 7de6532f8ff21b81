"""Class diagram: attributes, and what classes inherit from others."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.diagrams.boxes import ADVANCE, box, path
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
        most = max(len(fields) for _, _, fields in classes)
        wide = min(0.4, 0.94 / max(rows))
        step = 0.98 / len(rows)
        letter = min(0.8 * step / (most + 2.6), 0.9 * wide / (ADVANCE * 8), 0.06)
        high = letter * 1.15
        places, lines, items, labels = {}, [], [], []
        for number, many in enumerate(rows):
            first = sum(rows[:number])
            for i, (name, up, fields) in enumerate(classes[first : first + many]):
                x, top = (i + 0.5) / many, 0.01 + number * step
                tall = high * (1.2 + max(1, len(fields)))
                lines += box(x, top + tall / 2, 0.92 * wide, tall)
                left, edge = x - 0.46 * wide, top + 1.15 * high
                lines += [("", left, edge, x + 0.46 * wide, edge, 0.005)]
                labels.append((name, "", x, top + 0.6 * high, letter))
                for j, field in enumerate(fields):
                    labels.append((field, "", x, top + high * (1.7 + j), letter))
                places[name] = x, top, top + tall
                if up:
                    a, (b, _, bottom) = (x, top), places[up]
                    fork = (number - 1) * step + 0.03 + high * (1.2 + most)  # below all boxes
                    lines += path(a, (b, fork), (b, bottom + 0.02))
                    items.append(("triangle", "", b, bottom + 0.014, 0.03, 0.0))
        return Shapes(tuple(dict.fromkeys(items)), lines=tuple(lines), labels=tuple(labels))
