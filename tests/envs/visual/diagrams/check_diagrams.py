"""The answers of the tasks of subway maps, circles, plans and families, from their scenes."""

import collections
import math
import re

import numpy as np
from looked_at import nearest


def subway_map(scene, question):
    """Count the changes between stations by powers of a matrix: who shares a colour is joined."""
    places = {(round(x, 6), round(y, 6)): text for text, _, x, y, _ in scene.labels}
    colors = collections.defaultdict(set)
    for color, *ends, thick in scene.lines:
        if thick == 0.022:
            for x, y in (ends[:2], ends[2:]):
                if name := places.get((round(x, 6), round(y, 6))):
                    colors[color].add(name)
    names = sorted(places.values())
    joined = np.array(
        [[any({a, b} <= one for one in colors.values()) for b in names] for a in names]
    )
    *_, start, _, end = question.removesuffix("?").split()
    ways, rides = np.eye(len(names), dtype=int), 0
    while not ways[names.index(start), names.index(end)]:
        ways, rides = (ways @ joined > 0).astype(int), rides + 1
    return str(rides - 1)


def venn_counts(scene, question):
    """Find around which dots each circle goes, by the corners of its rim."""
    rims = [scene.lines[i : i + 72] for i in range(0, len(scene.lines) - 4, 72)]
    middles = [tuple(np.mean([line[1:3] for line in rim], axis=0)) for rim in rims]
    names = {label[0]: nearest(label, middles) for label in scene.labels}
    assert len(set(names.values())) == len(rims)
    radius = math.dist(rims[0][0][1:3], middles[0])
    counts = collections.Counter()
    for item in scene.items:
        far = {name: math.dist(item[2:4], middle) for name, middle in names.items()}
        assert all(abs(one - radius) > 0.02 for one in far.values())
        counts["".join(sorted(name for name, one in far.items() if one < radius))] += 1
    wanted = {
        "in both A and B": ("AB", "ABC"),
        "in A but not in B": ("A", "AC"),
        "in A or in B or in both": ("A", "B", "AB"),
        "in neither A nor B": ("",),
        "in all three circles": ("ABC",),
        "in A and C but not in B": ("AC",),
        "in exactly two circles": ("AB", "AC", "BC"),
        "in exactly one circle": ("A", "B", "C"),
        "not in A, but in B or in C": ("B", "C", "BC"),
    }[re.fullmatch(r"How many dots are (.*)\?", question)[1]]
    return str(sum(counts[one] for one in wanted))


def gantt_chart(scene, question):
    """Write down for each task the set of its days, counted in columns."""
    grid = [corners for color, corners in scene.areas if color == "gray"]
    bars = [corners for color, corners in scene.areas if color != "gray"]
    teeth = [comb[i : i + 4] for comb in grid for i in range(0, len(comb), 4)]
    upright = sorted(sum(x for x, _ in one) / 4 for one in teeth if one[0][0] == one[1][0])
    left, day = upright[0], upright[1] - upright[0]
    rows = [label for label in scene.labels if label[0].isalpha()]
    days = {}
    for corners in bars:
        xs, ys = zip(*corners, strict=True)
        name = min(rows, key=lambda label: abs(label[3] - sum(ys) / 4))[0]
        start, end = (round((x - left) / day) for x in (min(xs), max(xs)))
        days[name] = set(range(start + 1, end + 1))
    for label in scene.labels:
        if label[0].isdecimal():
            assert math.isclose(label[2], left + day * (int(label[0]) - 0.5), abs_tol=1e-6)
    if "ends first" in question:
        return min(days, key=lambda name: max(days[name]))
    if "ends last" in question:
        return max(days, key=lambda name: max(days[name]))
    if "Which" in question:
        return (max if "longest" in question else min)(days, key=lambda name: len(days[name]))
    if "on day" in question:
        day = int(re.search(r"\d+", question)[0])
        return str(sum(day in one for one in days.values()))
    named = [days[name] for name in re.findall(r"\b([A-M])\b", question)]
    return str(len(set.intersection(*named)))


def family_tree(scene, question):
    """Follow lines from each person up to its parents, and say the relation step by step."""
    sizes = {
        label[0]: item for label in scene.labels for item in scene.items if item[2:4] == label[2:4]
    }
    half = scene.items[0][4] / 2 + 0.01  # lines end beside the edge of a figure
    parents = {name: [] for name in sizes}
    flat = [line for line in scene.lines if line[2] == line[4]]
    couples = []
    for _, ax, y, bx, _, _ in flat:
        pair = [
            name
            for name, item in sizes.items()
            if abs(item[3] - y) < 1e-6 and min(abs(item[2] - x) for x in (ax, bx)) < half
        ]
        if len(pair) == 2:
            couples.append((pair, sum(sizes[name][2] for name in pair) / 2, y))
    for name, (_, _, x, y, *_) in sizes.items():
        for line in scene.lines:
            if line[1] == line[3] and abs(line[1] - x) < 1e-6 and 0 < y - line[4] < half:
                (bar,) = [
                    one
                    for one in flat
                    if abs(one[2] - line[2]) < 1e-6 and one[1] - 1e-6 <= x <= one[3] + 1e-6
                ]
                (pair,) = [
                    pair
                    for pair, middle, top in couples
                    if bar[1] - 1e-6 <= middle <= bar[3] + 1e-6
                    and bar[2] - 0.6 < top < bar[2]
                    and top == max(t for _, _, t in couples if t < bar[2])
                ]
                parents[name] = pair
    children = {name: {c for c, pair in parents.items() if name in pair} for name in sizes}

    def up(names):
        return {parent for name in names for parent in parents[name]}

    def down(names):
        return set().union(*(children[name] for name in names))

    a, b = re.fullmatch(r"(\w) is the \.\.\. of (\w)\?", question).groups()
    siblings = down(up({b})) - {b}
    parent, grand = up({b}), up(up({b}))
    uncles = down(grand) - parent
    groups = {
        "parent": parent,
        "child": children[b],
        "sibling": siblings,
        "grandparent": grand,
        "grandchild": down(children[b]),
        "uncle": uncles,
        "nephew": down(siblings),
        "cousin": down(uncles),
        "great-grandparent": up(grand),
        "great-grandchild": down(down(children[b])),
        "great-uncle": down(up(grand)) - grand,
        "great-nephew": down(down(siblings)),
    }
    (found,) = [word for word, people in groups.items() if a in people]
    is_man = sizes[a][0] == "square"
    ends = {
        "parent": ("mother", "father"),
        "child": ("daughter", "son"),
        "sibling": ("sister", "brother"),
        "uncle": ("aunt", "uncle"),
        "nephew": ("niece", "nephew"),
    }
    for end, pair in ends.items():
        if found.endswith(end):
            return found.removesuffix(end) + pair[is_man]
    return found
