"""The answers of the tasks of comparing, from their scenes."""

import math

from looked_at import nearest, thick_lines


def longest_line(scene, question):
    middles = {
        ((a + c) / 2, (b + d) / 2): math.dist((a, b), (c, d)) for a, b, c, d in thick_lines(scene)
    }
    named = {label[0]: middles[nearest(label, middles)] for label in scene.labels}
    return (max if "longest" in question else min)(named, key=named.get)


def rank_sizes(scene, question):
    discs = {(x + size / 2, y): size for _, _, x, y, size, _ in scene.items}
    named = {label[0]: discs[nearest(label, discs)] for label in scene.labels}
    order = ("largest", "second", "third", "fourth", "fifth")
    word = question.removesuffix("?").split()[4]
    return sorted(named, key=named.get)[-1 - order.index(word)]


def fullest_panel(scene, question):
    many = {name: len({(x, y) for _, _, x, y, *_ in box.items}) for name, box in scene.scenes}
    most = (max if "most" in question else min)(many, key=many.get)
    assert list(many.values()).count(many[most]) == 1
    return most


def two_alike(scene, question):
    names = {}
    for name, grid in scene.scenes:
        names.setdefault(grid.rows, []).append(name)
    (pair,) = [names for names in names.values() if len(names) > 1]
    return "".join(sorted(pair))
