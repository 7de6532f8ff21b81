"""The answers of the tasks of paths, graphs, circuits and maps, from their scenes."""

import math

from looked_at import nearest


def tangle(scene, question):
    lines = [line[1:5] for line in scene.lines if line[-1] > 0.007]
    letters = {label[0]: label for label in scene.labels}
    tops = [line[:2] for line in lines if line[1] == min(one[1] for one in lines)]
    at = nearest(letters[question[-2]], tops)
    while True:
        down = [line[2:] for line in lines if line[:2] == at]
        if not down:
            break
        (at,) = down
    below = {abs(label[2] - at[0]): label[0] for label in scene.labels if label[0].isdecimal()}
    return below[min(below)]


def arrow_walk(scene, question):
    ring, *arrows = scene.items
    across = sorted({item[2] for item in arrows})
    cell = across[1] - across[0]
    ways = {(round(x, 6), round(y, 6)): degrees for _, _, x, y, _, degrees in arrows}
    x, y = ring[2:4]
    for _ in range(len(arrows) + 1):
        degrees = ways.get((round(x, 6), round(y, 6)))
        if degrees is None:
            return min(scene.labels, key=lambda label: abs(label[2] - x) + abs(label[3] - y))[0]
        x += cell * {90: 1, 270: -1}.get(degrees, 0)
        y += cell * {180: 1, 0: -1}.get(degrees, 0)
    raise AssertionError("the arrows go round")


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


def switches(scene, question):
    """Follow each branch: where an arm is not level, it is open."""
    arms = [line[1:5] for line in scene.lines[1:] if line[-1] == 0.014]
    lamps = sorted(item[3] for item in scene.items)
    ways = {}
    for _, y1, _, y2 in arms:
        ways.setdefault(round(y1, 6), []).append(y1 == y2)
    lit = set()
    for y, closed in ways.items():
        if all(closed):
            lit.add(min(lamps, key=lambda lamp: abs(lamp - y)))
    return str(len(lit))


def compass(scene, question):
    arrow, *dots = scene.items
    side = question.removesuffix("?").split()[-1]
    turn = arrow[5] + 90 * ("north", "east", "south", "west").index(side)
    right, up = math.sin(math.radians(turn)), math.cos(math.radians(turn))
    places = [(item[2], item[3]) for item in dots]
    names = {}
    for text, color, x, y, _ in scene.labels:
        names[nearest((text, color, x - 0.04, y), places)] = text
    return names[max(names, key=lambda place: right * place[0] - up * place[1])]
