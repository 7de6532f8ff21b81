"""The answers of the tasks of graphs, from their scenes."""

import math

from looked_at import nearest


def net(scene):
    points = [(item[2], item[3]) for item in scene.items]
    names = {nearest(label, points): label[0] for label in scene.labels}
    edges = []
    for _, x1, y1, x2, y2, thick in scene.lines:
        if thick == 0.008:
            ends = [min(names, key=lambda p: math.dist(p, end)) for end in ((x1, y1), (x2, y2))]
            edges.append({names[end] for end in ends})
    return sorted(names.values()), edges


def most_lines(scene, question):
    names, edges = net(scene)
    count = {name: sum(name in edge for edge in edges) for name in names}
    return (max if "most" in question else min)(count, key=count.get)


def shortest_path(scene, question):
    """Let what is reached grow until the end is among it."""
    *_, start, _, end = question.removesuffix("?").split()
    _, edges = net(scene)
    reached, steps = {start}, 0
    while end not in reached:
        reached = reached.union(*(edge for edge in edges if edge & reached))
        steps += 1
    return str(steps)
