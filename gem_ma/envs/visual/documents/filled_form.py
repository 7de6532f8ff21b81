"""Filled form: what somebody wrote into the fields of a form, and which boxes were ticked."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.documents import paper
from gem_ma.envs.visual.documents.paper import Sheet, columns
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some

TITLES = ("MEMBERSHIP", "LIBRARY CARD", "SPORTS CLUB", "EVENING COURSE", "SUMMER CAMP")
FIELDS = {
    "Surname": ("Adler", "Brook", "Chan", "Diaz", "Evans", "Frank", "Gupta", "Hill"),
    "First name": ("Ana", "Boris", "Clara", "David", "Emma", "Felix", "Greta", "Hugo"),
    "Street": ("Oak Lane", "Mill Road", "High Street", "Park Row", "Dock Hill", "Elm Way"),
    "Town": ("Aden", "Brno", "Cork", "Dover", "Essen", "Faro", "Ghent", "Hull"),
    "Job": ("baker", "clerk", "driver", "farmer", "nurse", "pilot", "tailor", "vet"),
    "Born in": tuple(map(str, range(1950, 2010, 7))),
    "Shoe size": tuple(map(str, range(34, 47, 2))),
    "Height cm": tuple(map(str, range(150, 199, 6))),
    "Children": ("0", "1", "2", "3", "4", "5"),
    "Locker": tuple(map(str, range(11, 100, 11))),
}
GROUPS = {
    "Days": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "Sports": ("chess", "golf", "judo", "polo", "rugby", "yoga"),
    "Speaks": ("Czech", "Dutch", "Hindi", "Irish", "Malay", "Welsh"),
    "Eats": ("eggs", "fish", "meat", "milk", "nuts", "rice"),
}
TEXTS = tuple(dict.fromkeys([text for texts in FIELDS.values() for text in texts]))
COUNTS = numbers(30)
WIDTHS = (11, 11, 9)  # of the columns, in letters


def written(rng, fields, groups):
    """Ask what stands in a field."""
    name = pick(rng, [name for name, text in fields.items() if text])
    return f"What is written beside {name}?", fields[name], TEXTS


def empty(rng, fields, groups):
    """Ask how many fields are empty."""
    count = sum(not text for text in fields.values())
    return "How many fields are left empty?", str(count), COUNTS


def ticked(rng, fields, groups):
    """Ask how many boxes of a group are ticked."""
    name = pick(rng, tuple(groups))
    return f"How many boxes are ticked beside {name}?", str(len(groups[name])), COUNTS


def all_ticked(rng, fields, groups):
    """Ask how many boxes of the form are ticked, or are not."""
    if rng.random() < 0.5:
        count = sum(map(len, groups.values()))
        return "How many boxes are ticked in all?", str(count), COUNTS
    count = sum(len(GROUPS[name]) - len(ticks) for name, ticks in groups.items())
    return "How many boxes are not ticked in all?", str(count), COUNTS


def wrong(rng, fields, groups):
    """Ask for the field with a text that belongs elsewhere."""
    names = [n for n, text in fields.items() if text]
    one, other = some(rng, names, 2)
    kinds = {name: FIELDS[name][0].isdecimal() for name in (one, other)}
    if kinds[one] == kinds[other]:
        return None
    fields[one] = pick(rng, FIELDS[other])
    text = "In which field was something written that cannot be right?"
    return text, one, tuple(FIELDS)


class FilledForm(Task):
    # kinds of questions, fields, groups of boxes
    levels = interpolate_levels(
        {
            0: ((written,), 2, 0),
            2: ((written,), 5, 1),
            4: ((written, ticked), 6, 1),
            5: ((written, ticked), 6, 2),
            8: ((ticked, empty, wrong, all_ticked), 8, 3),
            10: ((empty, wrong, all_ticked, all_ticked), 10, 4),
        }
    )
    moves = (*COUNTS, *[text for text in (*TEXTS, *FIELDS) if text not in COUNTS])
    about = (
        "It shows a form that somebody filled in. Reply with a number, with what is written in a "
        "field, or with the name of a field, as the question asks."
    )
    words = staticmethod(paper.words)
    scene = staticmethod(paper.scene)

    def draw(self, rng, kinds, many, groups):
        kind, asked = pick(rng, kinds), None
        while asked is None:
            fields = {name: pick(rng, FIELDS[name]) for name in some(rng, tuple(FIELDS), many)}
            for name in some(rng, tuple(fields), int(rng.integers(1 + many // 2))):
                fields[name] = ""
            ticks = {
                name: some(rng, GROUPS[name], int(rng.integers(len(GROUPS[name]) + 1)))
                for name in some(rng, tuple(GROUPS), groups)
            }
            if sum(map(bool, fields.values())) > 1:
                asked = kind(rng, fields, ticks)
        text, answer, choices = asked
        return Question(text, answer, _sheet(pick(rng, TITLES), fields, ticks), choices)


def _sheet(title, fields, groups):
    rows, ruled = [(title,)], [1]
    for name, text in fields.items():
        cells = [f"{name}:", text, ""][: 3 if groups else 2]
        rows.append(columns(cells, WIDTHS[: len(cells)]))
    lined = tuple(range(1, len(rows)))
    for name, ticks in groups.items():
        ruled.append(len(rows))
        boxes = [f"{'[x]' if one in ticks else '[ ]'} {one}" for one in GROUPS[name]]
        for i in range(0, len(boxes), 2):
            cells = [f"{name}:" if i == 0 else "", *boxes[i : i + 2], ""][:3]
            rows.append(columns(cells, WIDTHS))
    return Sheet(tuple(rows), tuple(ruled), lined)
