"""Family tree: how two people are related."""

from typing import NamedTuple

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.diagrams.boxes import CAP, path
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick
from gem_ma.scene import Shapes

WOMAN, MAN = "disc", "square"
SQUARE = 0.88  # a square is as wide as that share of its size, a disc as its size
# By the generations up from the second person and down from there to the first.
RELATIONS = {
    (1, 0): ("mother", "father"),
    (0, 1): ("daughter", "son"),
    (1, 1): ("sister", "brother"),
    (2, 0): ("grandmother", "grandfather"),
    (0, 2): ("granddaughter", "grandson"),
    (2, 1): ("aunt", "uncle"),
    (1, 2): ("niece", "nephew"),
    (2, 2): ("cousin", "cousin"),
    (3, 0): ("great-grandmother", "great-grandfather"),
    (0, 3): ("great-granddaughter", "great-grandson"),
    (3, 1): ("great-aunt", "great-uncle"),
    (1, 3): ("great-niece", "great-nephew"),
}
WORDS = tuple(dict.fromkeys([word for pair in RELATIONS.values() for word in pair]))


class Person(NamedTuple):
    """Somebody in the tree.

    Attributes:
        parents: the numbers of both; empty: they are not in the tree.
        x: the place across, in places of the lowest row.
        row: the generation, from 0.
    """

    figure: str
    parents: tuple[int, ...]
    x: float
    row: int


class FamilyTree(Task):
    # generations, children at most, widest row, kinds of relations
    levels = interpolate_levels(
        {
            0: (2, 2, 4, 3),
            1: (2, 3, 5, 3),
            2: (3, 2, 5, 5),
            5: (3, 3, 7, 8),
            6: (3, 4, 8, 8),
            7: (4, 3, 8, 10),
            8: (4, 3, 9, 12),
            10: (4, 4, 12, 12),
        }
    )
    moves = WORDS
    about = (
        "It shows a family: squares are men, discs are women. A line between two people joins a "
        "couple, and leads down to their children. Reply with one word for the relation, such as "
        "grandmother, aunt, nephew or cousin."
    )

    def draw(self, rng, generations, children, widest, kinds):
        wanted = list(RELATIONS)[int(rng.integers(kinds))]
        while True:
            people = _sample_people(rng, generations, children, widest)
            if not people:
                continue
            pairs = [
                (a, b)
                for a in range(len(people))
                for b in range(len(people))
                if a != b and find_relation(people, a, b) == wanted
            ]
            if pairs:
                break
        names = [LETTERS[i] for i in rng.permutation(len(people)).tolist()]
        a, b = pick(rng, pairs)
        word = RELATIONS[wanted][people[a].figure == MAN]
        shown = tuple(zip(names, people, strict=True))
        known = list(RELATIONS.values())[:kinds]
        choices = tuple(dict.fromkeys([word for pair in known for word in pair]))
        return Question(f"{names[a]} is the ... of {names[b]}?", word, shown, choices)

    def read(self, text, view, agent):
        """Parse a word, in any usual spelling."""
        said = text.casefold().replace("grand ", "grand").replace("great ", "great-")
        said = said.replace("grand-", "grand")
        for word in ("aunt", "uncle", "niece", "nephew"):
            said = said.replace(f"grand{word}", f"great-{word}")
        return super().read(said, view, agent)

    def words(self, shown):
        rows = []
        for name, person in shown:
            kind = "man" if person.figure == MAN else "woman"
            parents = " and ".join([shown[i][0] for i in person.parents])
            rows.append(f"{name}: {kind}{f', parents {parents}' if parents else ''}")
        return "\n".join(sorted(rows))

    def scene(self, shown):
        people = [person for _, person in shown]
        rows = max(person.row for person in people) + 1
        across = max(person.x for person in people) + 1
        wide, high = 0.98 / across, 0.98 / rows
        size = round(min(0.122, 0.76 * wide, 0.47 * high), 3)
        edge = size / 2 + CAP  # how far from the middle of a figure lines to it end
        couples = sorted({person.parents for person in people if person.parents})

        def place(person):
            return 0.01 + wide * (person.x + 0.5), 0.01 + high * (person.row + 0.5)

        items, labels, lines = [], [], []
        for pair in couples:
            (ax, y), (bx, _) = (place(people[i]) for i in pair)
            middle = (ax + bx) / 2
            below = y + 0.5 * high
            lines += path((ax + edge, y), (bx - edge, y)) + path((middle, y), (middle, below))
            kids = [place(person) for person in people if person.parents == pair]
            xs = [middle, *[x for x, _ in kids]]
            lines += path((min(xs), below), (max(xs), below))
            for x, kid_y in kids:
                lines += path((x, below), (x, kid_y - edge))
        for name, person in shown:
            x, y = place(person)
            color, side = ("yellow", size) if person.figure == WOMAN else ("orange", size / SQUARE)
            items.append((person.figure, color, x, y, side, 0.0))
            labels.append((name, "", x, y, round(0.6 * size, 3)))
        return Shapes(tuple(items), lines=tuple(lines), labels=tuple(labels))


def find_relation(people, a, b):
    """Return the generations up from b and down to a, over the nearest people of whom both come.

    None: neither comes from the other, and they have no such people.
    """
    above = [_list_ancestors(people, one) for one in (a, b)]
    shared = above[0].keys() & above[1].keys()
    return min([(above[1][one], above[0][one]) for one in shared], default=None)


def _list_ancestors(people, one):
    """Return how many generations each ancestor is above somebody, who is one too."""
    found, row = {one: 0}, [one]
    while row:
        row = [parent for person in row for parent in people[person].parents]
        for parent in row:
            found[parent] = found[one] + people[one].row - people[parent].row
    return found


def _sample_people(rng, generations, children, widest):
    """Sample a couple and those who come from it, or return None if a row is too wide."""
    people: list[Person] = []

    def grow(parents, row):
        """Add a child, with a partner and children of its own; return its place across."""
        figure = pick(rng, (WOMAN, MAN))
        number = len(people)
        people.append(Person(figure, parents, 0.0, row))
        has_family = row < generations - 1 and (row < 1 or rng.random() < 0.75)
        if not has_family:
            people[number] = people[number]._replace(x=cursor[0])
            cursor[0] += 1
            return
        partner = len(people)
        people.append(Person(MAN if figure == WOMAN else WOMAN, (), 0.0, row))
        start = cursor[0]
        for _ in range(int(rng.integers(1, children + 1))):
            grow((number, partner), row + 1)
        cursor[0] = max(cursor[0], start + 2)
        middle = (start + cursor[0] - 1) / 2
        people[number] = people[number]._replace(x=middle - 0.5)
        people[partner] = people[partner]._replace(x=middle + 0.5)

    cursor = [0.0]
    grow((), 0)
    if cursor[0] > widest or max(p.row for p in people) < generations - 1 or len(people) > 26:
        return None
    return people
